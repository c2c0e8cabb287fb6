"use strict";
// The controls: a slider and a box for every number of the state, and buttons that add and remove classes.
const controls = (() => {
  // Positions of a slider.
  const STEPS = 1000;
  const format_percent = (share) => String(Number((100 * share).toPrecision(12)));
  // A typed 1.3 must become 0.013, and 1e-9 1e-11, and not a neighbouring floating-point number.
  const parse_percent = (digits) => Number(digits.replace(/(?:e(.+))?$/, (_, exponent = 0) => `e${exponent - 2}`));

  // The numbers of the state, those of a class with its index c: how their texts are parsed and formatted, how
  // the slider rounds, its scale and the range of its values; `get`, `set`, when the number cannot change, and why
  // one is refused if not for itself.
  const whole = { parse: Number, format: String, round: Math.round, whole: true };
  const real = { parse: Number, format: String, round: state_updates.round };
  const share = { parse: parse_percent, format: format_percent, round: state_updates.round_share };
  const fields = {
    servers: {
      ...whole, label: "Servers n", scale: "log", range: (s) => [1, Math.max(1e4, s.servers)],
      get: (s) => s.servers, set: state_updates.set_servers,
    },
    need: {
      ...whole, label: "Servers each", scale: "log", range: (s) => [1, Math.max(2, s.servers)],
      get: (s, c) => s.classes[c].need, set: (s, x, c) => state_updates.set_need(s, c, x),
    },
    rate: {
      ...real, label: "Rate (1/s)", scale: "log", range: (s, c) => [Math.min(1e-4, s.classes[c].rate), Math.max(1e4, s.classes[c].rate)],
      get: (s, c) => s.classes[c].rate, set: (s, x, c) => state_updates.set_rate(s, c, x),
    },
    share: {
      ...share, label: "Share of jobs (%)", scale: "logit", range: (s, c) => [Math.min(1e-6, s.classes[c].probability), 1 - 1e-6],
      is_fixed: (s) => s.classes.length === 1,
      get: (s, c) => s.classes[c].probability, set: (s, x, c) => state_updates.set_share(s, c, x),
    },
    exponent: {
      ...real, label: "α: a share n⁻ᵅ of the jobs is larger than the smallest", scale: "linear", range: () => [0.02, 3],
      format: (alpha) => String(Number(alpha.toPrecision(6))), is_fixed: (s) => !state_updates.has_exponent(s),
      get: state_updates.exponent_of, set: state_updates.set_exponent,
      refusal: (s) => `α must be positive and at most ${format.number(-Math.log(model.MIN_PROBABILITY) / Math.log(s.servers))}: otherwise a share is below ${100 * model.MIN_PROBABILITY} %.`,
    },
    wasted: {
      ...real, label: "Wasted at most (%)", scale: "log", range: () => [0.5, 90],
      get: (s) => s.wasted, set: (s, wasted) => ({ ...s, wasted }),
    },
    fraction: {
      ...share, label: "Share of λ*, λ/λ* (%)", scale: "linear", range: () => [0.01, 0.99],
      get: (s) => s.fraction, set: (s, fraction) => ({ ...s, fraction }),
    },
  };

  // Creates an HTML element; `attributes` whose names begin with "on" are event listeners.
  function create(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }

  // A label, a slider and a box for one number. `set_state(state, final)` is called at every change; `final` is
  // false while the slider is dragged.
  function create_row(key, c, of_class, { present, set_state, show_fault }) {
    const field = fields[key];
    const id = c === undefined ? key : `${key}-${c + 1}`;
    // A drag sets the number in the state at its start, so that needs that were cut to fewer servers come back. It
    // may end without a change event, if the slider is where it was: then `latest` is no longer the present state
    // once something else has changed, and the next drag starts from there.
    let [start, latest, is_typing] = [null, null, false];
    const start_of_drag = () => (start && present() === latest ? start : present());
    const slider_map = () => {
      const { to, from } = axes.scales[field.scale];
      const [low, high] = field.range(start_of_drag(), c).map(to);
      return {
        to_value: (position) => field.round(from(low + ((high - low) * position) / STEPS)),
        to_position: (value) => Math.min(STEPS, Math.max(0, Math.round((STEPS * (to(value) - low)) / (high - low)))),
      };
    };
    const set_fault = (fault) => {
      box.setAttribute("aria-invalid", String(Boolean(fault)));
      show_fault(fault);
    };
    const set_value = (value, final) => {
      start = start_of_drag();
      const next = field.set(start, value, c);
      const fault = state.find_fault(next) && (field.refusal?.(start) ?? state.find_fault(next));
      set_fault(fault);
      if (!fault) {
        latest = next;
        set_state(next, final);
      }
      if (final) start = null;
    };
    // Keys move by a step of the slider, but a whole number by at least one.
    const on_key = (event) => {
      const by = { ArrowRight: 4, ArrowUp: 4, ArrowLeft: -4, ArrowDown: -4, PageUp: 60, PageDown: -60 }[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const [{ to_value, to_position }, old] = [slider_map(), field.get(present(), c)];
      const moved = to_value(Math.min(STEPS, Math.max(0, to_position(old) + by)));
      const value = field.whole && Math.abs(moved - old) < 1 ? old + Math.sign(by) : moved;
      const [low, high] = field.range(present(), c);
      set_value(Math.min(high, Math.max(low, value)), true);
    };
    const slider = create("input", {
      type: "range", id: `${id}-slider`, min: 0, max: STEPS, step: 1, "aria-label": `${field.label}${of_class}, slider`,
      oninput: () => set_value(slider_map().to_value(Number(slider.value)), false),
      onchange: () => set_value(slider_map().to_value(Number(slider.value)), true),
      onkeydown: on_key,
    });
    const box = create("input", {
      type: "text", inputmode: "decimal", id, autocomplete: "off", spellcheck: "false",
      oninput: () => { is_typing = true; },
      onchange: () => {
        is_typing = false;
        const { digits, fault } = number_input.parse(box.value, field.whole, field.label.includes("%"));
        if (fault) set_fault(fault);
        else set_value(field.parse(digits), true);
      },
    });
    const refresh = (state) => {
      const value = field.get(state, c);
      const text = field.format(value);
      // Neither a text that is being typed nor one that was refused is replaced while the box has the focus.
      if (document.activeElement !== box || !(is_typing || box.matches("[aria-invalid=true]"))) {
        // New text in the focused box is selected, so that typing replaces all of it.
        if (box.value !== text) {
          box.value = text;
          if (document.activeElement === box) box.select();
        }
        box.setAttribute("aria-invalid", "false");
      }
      slider.value = slider_map().to_position(value);
      slider.setAttribute("aria-valuetext", text);
      slider.disabled = Boolean(field.is_fixed?.(state));
      box.disabled = slider.disabled;
    };
    const node = create("div", { class: "control" }, create("label", { for: id }, field.label), slider, box);
    return { node, refresh };
  }

  // Fills `root` with the controls of all numbers; returns the function that updates them to a state. `page` is
  // {present, set_state, show_fault}.
  function build(root, page) {
    let [rows, classes_shown] = [[], 0];
    const rebuild = (state_now) => {
      const row = (key, c, of_class = "") => {
        const made = create_row(key, c, of_class, page);
        rows.push(made);
        return made.node;
      };
      rows = [];
      const fieldsets = state_now.classes.map((_, c) => {
        const legend = create("legend");
        rows.push({ refresh: (s) => legend.replaceChildren(`Class ${c + 1}: ${format.class_name(s, c)}`) });
        const remove = create("button", { type: "button", class: "remove", id: `remove-${c + 1}`, "aria-label": `Remove class ${c + 1}`, onclick: () => page.set_state(state_updates.remove_class(page.present(), c), true) }, "Remove");
        remove.disabled = state_now.classes.length === 1;
        const numbers = ["need", "rate", "share"].map((key) => row(key, c, ` of class ${c + 1}`));
        return create("fieldset", {}, legend, ...numbers, remove);
      });
      const add = create("button", { type: "button", id: "add", onclick: () => page.set_state(state_updates.add_class(page.present()), true) }, "Add a class");
      add.disabled = state_now.classes.length >= state.MAX_CLASSES;
      // The keyboard stays where it was, or goes to the button for a class if that control is gone.
      const focused = root.contains(document.activeElement) ? document.activeElement.id : null;
      root.replaceChildren(row("servers"), ...fieldsets, add, row("exponent"), row("wasted"), row("fraction"));
      if (focused !== null) (root.querySelector(`[id="${focused}"]:enabled`) ?? add).focus({ preventScroll: true });
    };
    return (state_now) => {
      if (state_now.classes.length !== classes_shown) rebuild(state_now);
      classes_shown = state_now.classes.length;
      for (const { refresh } of rows) refresh(state_now);
    };
  }

  return { build, create };
})();
