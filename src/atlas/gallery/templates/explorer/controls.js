"use strict";
// The controls: a slider and a box for every number, rows of classes, presets, undo.
const controls = (() => {
  const STEPS = 1000;
  const percent_text = (share) => String(Number((100 * share).toPrecision(12)));
  // A typed 1.3 must become 0.013 and not a neighbouring floating-point number.
  const from_percent = (digits) => (/e/.test(digits) ? Number(digits) / 100 : Number(`${digits}e-2`));

  // A number of the state: its scale and ends on the slider, and how it is read and set.
  const whole = { read: Number, show: String, tidy: Math.round, whole: true };
  const real = { read: Number, show: String, tidy: edits.round };
  const share = { read: from_percent, show: percent_text, tidy: edits.tidy_share };
  const fields = {
    servers: {
      ...whole, label: "Servers n", scale: "log", ends: (s) => [1, Math.max(1e4, s.servers)],
      get: (s) => s.servers, set: edits.set_servers,
    },
    need: {
      ...whole, label: "Servers each", scale: "log", ends: (s) => [1, Math.max(2, s.servers)],
      get: (s, c) => s.classes[c].need, set: (s, x, c) => edits.set_need(s, c, x),
    },
    rate: {
      ...real, label: "Rate (1/s)", scale: "log", ends: (s, c) => [Math.min(1e-4, s.classes[c].rate), Math.max(1e4, s.classes[c].rate)],
      get: (s, c) => s.classes[c].rate, set: (s, x, c) => edits.set_rate(s, c, x),
    },
    share: {
      ...share, label: "Share of jobs (%)", scale: "logit", ends: (s, c) => [Math.min(1e-6, s.classes[c].probability), 1 - 1e-6],
      fixed: (s) => s.classes.length === 1,
      get: (s, c) => s.classes[c].probability, set: (s, x, c) => edits.set_share(s, c, x),
    },
    exponent: {
      ...real, label: "α: a share n⁻ᵅ of the jobs is larger than the smallest", scale: "linear", ends: () => [0.02, 3],
      show: (alpha) => String(Number(alpha.toPrecision(6))), fixed: (s) => s.classes.length === 1 || s.servers === 1,
      get: edits.exponent_of, set: edits.set_exponent,
    },
    wasted: {
      ...real, label: "Wasted at most (%)", scale: "log", ends: () => [0.5, 90],
      get: (s) => s.wasted, set: (s, wasted) => ({ ...s, wasted }),
    },
    fraction: {
      ...share, label: "Share of λ*, λ/λ* (%)", scale: "linear", ends: () => [0.01, 0.99],
      get: (s) => s.fraction, set: (s, fraction) => ({ ...s, fraction }),
    },
  };

  function make(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }

  // A row of one number. `hold` is called at every change, with `true` when it is complete.
  function make_row(key, c, whom, { present, hold, complain }) {
    const field = fields[key];
    const id = c === undefined ? key : `${key}-${c + 1}`;
    let [base, typing] = [null, false];
    const scale = () => {
      const { to, from } = axes.kinds[field.scale];
      const [low, high] = field.ends(base ?? present(), c).map(to);
      return {
        value: (place) => field.tidy(from(low + ((high - low) * place) / STEPS)),
        place: (value) => Math.min(STEPS, Math.max(0, Math.round((STEPS * (to(value) - low)) / (high - low)))),
      };
    };
    const refuse = (fault) => {
      box.setAttribute("aria-invalid", String(Boolean(fault)));
      complain(fault);
    };
    const give = (value, complete) => {
      base ??= present();
      const next = field.set(base, value, c);
      const fault = state.find_fault(next);
      refuse(fault);
      if (!fault) hold(next, complete);
      if (complete) base = null;
    };
    // Keys move by a step of the slider, but a whole number by at least one.
    const nudge = (event) => {
      const by = { ArrowRight: 4, ArrowUp: 4, ArrowLeft: -4, ArrowDown: -4, PageUp: 60, PageDown: -60 }[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const [{ value, place }, old] = [scale(), field.get(present(), c)];
      const moved = value(Math.min(STEPS, Math.max(0, place(old) + by)));
      const least = field.tidy === Math.round && Math.abs(moved - old) < 1 ? old + Math.sign(by) : moved;
      const ends = field.ends(present(), c);
      give(Math.min(ends[1], Math.max(ends[0], least)), true);
    };
    const slider = make("input", {
      type: "range", id: `${id}-slider`, min: 0, max: STEPS, step: 1, "aria-label": `${field.label}${whom}, slider`,
      oninput: () => give(scale().value(Number(slider.value)), false),
      onchange: () => give(scale().value(Number(slider.value)), true),
      onkeydown: nudge,
    });
    const box = make("input", {
      type: "text", inputmode: "decimal", id, autocomplete: "off", spellcheck: "false",
      oninput: () => { typing = true; },
      onchange: () => {
        typing = false;
        const { digits, fault } = numerals.read(box.value, field.whole);
        if (fault) refuse(fault);
        else give(field.read(digits), true);
      },
    });
    const refresh = (now) => {
      const value = field.get(now, c);
      const text = field.show(value);
      // Not while the reader is typing.
      if (document.activeElement !== box || !(typing || box.matches("[aria-invalid=true]"))) {
        // New text in the focused box is selected, so that typing replaces all of it.
        if (box.value !== text) {
          box.value = text;
          if (document.activeElement === box) box.select();
        }
        box.setAttribute("aria-invalid", "false");
      }
      slider.value = scale().place(value);
      slider.setAttribute("aria-valuetext", text);
      slider.disabled = Boolean(field.fixed?.(now));
      box.disabled = slider.disabled;
    };
    const node = make("div", { class: "hand" }, make("label", { for: id }, field.label), slider, box);
    return { node, refresh };
  }

  // The rows of all numbers below `root`; returns the function that updates them to a state.
  function build(root, desk) {
    let [rows, shape] = [[], ""];
    const remake = (now) => {
      const row = (key, c, whom = "") => {
        const made = make_row(key, c, whom, desk);
        rows.push(made);
        return made.node;
      };
      rows = [];
      const classes = now.classes.map((_, c) => {
        const legend = make("legend");
        rows.push({ refresh: (s) => legend.replaceChildren(`Class ${c + 1}: ${words.name(s, c)}`) });
        const remove = make("button", { type: "button", class: "remove", "aria-label": `Remove class ${c + 1}`, onclick: () => desk.hold(edits.remove_class(desk.present(), c), true) }, "Remove");
        remove.disabled = now.classes.length === 1;
        const parts = ["need", "rate", "share"].map((key) => row(key, c, ` of class ${c + 1}`));
        return make("fieldset", {}, legend, ...parts, remove);
      });
      const add = make("button", { type: "button", id: "add", onclick: () => desk.hold(edits.add_class(desk.present()), true) }, "Add a class");
      add.disabled = now.classes.length >= state.MOST_CLASSES;
      root.replaceChildren(row("servers"), ...classes, add, row("exponent"), row("wasted"), row("fraction"));
    };
    return (now) => {
      const wanted = String(now.classes.length);
      if (wanted !== shape) remake(now);
      shape = wanted;
      for (const { refresh } of rows) refresh(now);
    };
  }

  return { build, make };
})();
