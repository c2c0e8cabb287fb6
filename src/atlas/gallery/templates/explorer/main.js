"use strict";
// The page. Every change of the state becomes a request to the worker, at most one per frame. A view is drawn when
// its data arrive, coarsely during a drag and finely after it.
const explorer = (() => {
  // In milliseconds: when a drag that stands still is drawn finely, and how long messages are kept at the start.
  const [SETTLE_DELAY, OPENING_TIME] = [160, 400];
  const MAX_PLOT_WIDTH = 620;
  const find = (id) => document.getElementById(id);
  const read_json = (id) => JSON.parse(find(id).textContent);
  const [presets, links] = [read_json("presets"), read_json("links")];
  // The state in the address: all of its numbers, or the index of a preset.
  function state_of_address() {
    const preset = presets[/^#preset=(\d+)$/.exec(location.hash)?.[1]];
    return preset ? state_updates.from_preset(state.INITIAL, preset) : state.from_hash(location.hash);
  }
  // Why an address without a state has none, or an empty string if it does not claim to have one.
  function fault_of_address() {
    const fragment = location.hash.slice(1);
    if (!fragment || find(fragment)) return "";
    return fragment.startsWith("preset=") ? "This run has no system of that number." : state.find_fault(state.parse_hash(fragment));
  }
  const opening = state_of_address();
  const history = state.history(opening ?? state.INITIAL);
  const views = [...views_saturated.all, ...views_open.all].map((view) => {
    const node = find(`view-${view.id}`);
    const part = (selector) => node.querySelector(selector);
    return {
      ...view, node, title: part("h2").textContent, svg: part("svg"), sentence_node: part(".sentence"), readout_node: part(".readout"),
      svg_button: part(".save-svg"), png_button: part(".save-png"), progress_bar: part("progress"), visible: true, shown: null,
    };
  });
  const page = { present: () => history.present, set_state, show_fault };
  const refresh_controls = controls.build(find("controls"), page);
  const worker = worker_client.start(receive);
  let [context, dragging, frame_request, settle_timer, last_request] = [null, false, 0, 0, ""];
  // Messages that arrive while the page opens are shown together, so that nothing moves later; then null.
  let opening_messages = [];

  // The headline and the numbers above the views.
  function show_summary() {
    const { system, means, naive, capacity, worst_mix, is_two_class } = context;
    // A screen reader says the headline once a drag has ended.
    find("headline").setAttribute("aria-busy", context.dragging);
    if (!means && context.dragging) return;
    const write = (id, text) => { find(id).textContent = text; };
    const { amount_of, class_name, count, count_of, number, percent, share_and_need } = format;
    if (!means) {
      write("headline", `Too large for this page: ${context.fault}. The lines of Python below take larger systems.`);
      for (const id of ["limit", "wastage", "utilisation", "worst", "method"]) write(id, "–");
    } else {
      const { throughput, wastage, utilisation, method, states } = means;
      const because = is_two_class ? `, because ${share_and_need(system.classes[context.large])}` : "";
      write("headline", wastage / system.servers < 5e-5
        ? `Of ${count_of(system.servers, "server")} ${wastage === 0 ? "none" : "next to none"} is wasted.`
        : `Of ${count_of(system.servers, "server")}, ${number(wastage)} (${percent(wastage / system.servers)}) ${number(wastage) === "1" ? "stands" : "stand"} idle while jobs wait${because}.`);
      write("limit", `${amount_of(throughput, "job")}/s`);
      write("wastage", `${number(wastage)} of ${count(system.servers)}`);
      write("utilisation", percent(utilisation));
      write("worst", worst_mix ? `${percent(worst_mix.probability_2)} of ${class_name(system, context.large)}` : is_two_class ? "…" : "–");
      write("method", states === undefined ? method : `${method}, ${count(states)} states`);
    }
    write("highest", capacity === null ? "–" : `${amount_of(capacity, "job")}/s`);
    write("naive", `${amount_of(naive, "job")}/s`);
  }

  function show_obstacle(view, obstacle) {
    view.shown = null;
    view.node.classList.add("idle");
    view.svg.replaceChildren();
    view.svg.setAttribute("aria-label", `${view.title}. ${obstacle}`);
    // The keyboard does not stop where nothing is drawn.
    view.svg.setAttribute("tabindex", -1);
    plot_interaction.hide_readout(view);
    view.sentence_node.textContent = obstacle;
    view.svg_button.disabled = view.png_button.disabled = true;
  }

  function show_view(view, view_context, data) {
    const { plot: description, sentence, claim } = view.describe(view_context, data);
    Object.assign(view, { shown: [view_context, data], width: view.node.clientWidth });
    // A phone lays the page out after its scripts have run for the first time.
    if (!view.width) return;
    const width = Math.min(MAX_PLOT_WIDTH, view.width);
    const height = Math.round(Math.max(250, 0.62 * width));
    view.node.classList.remove("idle", "stale");
    Object.assign(view, { description, height, sentence, maps: plot.draw(view.svg, description, width, height) });
    view.svg.setAttribute("aria-label", `${view.title}. ${sentence} Arrow keys read values${description.set ? ", Enter takes one" : ""}.`);
    view.svg.setAttribute("tabindex", 0);
    view.sentence_node.replaceChildren(sentence, " ", create_link(claim));
    view.svg_button.disabled = view.png_button.disabled = false;
    plot_interaction.restore_readout(view);
  }

  // A link to the theorem in the ledger, or its name if the run does not have the paper.
  function create_link(claim) {
    const { where, href } = links[claim];
    return href ? controls.create("a", { href }, where) : controls.create("span", { class: "where" }, where);
  }

  // The share that is done, or undefined to hide the bar.
  function show_progress(bar, share) {
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share;
  }

  // Shows a message of view_worker.js.
  function show_message({ context: new_context, view: id, progress, obstacle, data, worst_mix }) {
    if (!id) {
      if (progress !== undefined) find("headline").textContent = "Solving for the states of the jobs in service …";
      document.body.classList.toggle("solving", progress !== undefined);
      show_progress(find("progress"), progress);
      if (new_context) show_context(new_context);
      return;
    }
    const view = views.find((one) => one.id === id);
    show_progress(view.progress_bar, progress);
    if (progress !== undefined) return;
    if (id === "response" && !context.dragging) find("yaml").textContent = exports.yaml(context.system, !obstacle);
    if (obstacle) show_obstacle(view, obstacle);
    else if (data) show_view(view, context, data);
    else view.node.classList.add("stale");
    // The worst mix of many servers is found by its view.
    if (worst_mix && !context.worst_mix) {
      context.worst_mix = worst_mix;
      show_summary();
    }
  }

  function show_context(new_context) {
    context = new_context;
    for (const view of views) show_progress(view.progress_bar);
    show_summary();
    if (!context.dragging) animation.show(context);
  }

  function receive(message) {
    if (opening_messages) opening_messages.push(message);
    else show_message(message);
    if (message.done) end_opening();
    update_busy();
  }

  function end_opening() {
    opening_messages?.forEach(show_message);
    opening_messages = null;
  }

  // Tests wait until the page is not busy.
  function update_busy() {
    document.body.dataset.busy = String(dragging || frame_request > 0 || worker.busy);
  }

  function on_frame() {
    frame_request = 0;
    // Views out of sight can wait until the end of a drag.
    const requested = views.filter((view) => view.visible || !dragging).sort((a, b) => b.visible - a.visible);
    const request = `${state.to_hash(history.present)} ${dragging}`;
    if (request !== last_request) {
      last_request = request;
      worker.request({ state: history.present, dragging, views: requested.map(({ id }) => id) });
      if (!dragging) show_final_state();
    }
    refresh_controls(history.present);
    find("undo").disabled = !history.can_undo;
    find("redo").disabled = !history.can_redo;
    for (const view of views) if (view.shown && view.width !== view.node.clientWidth) show_view(view, ...view.shown);
    update_busy();
  }

  function request_frame() {
    document.body.dataset.busy = "true";
    frame_request ||= requestAnimationFrame(on_frame);
  }

  // What does not follow a drag: the address and the code.
  function show_final_state() {
    try { window.history.replaceState(null, "", `#${state.to_hash(history.present)}`); } catch { /* A browser may refuse: nothing else needs it. */ }
    find("python").textContent = exports.python(history.present);
    find("share-status").textContent = "";
  }

  function show_fault(fault) {
    find("fault").textContent = fault;
    find("address-fault").textContent = "";
  }

  // A link that was cut or changed on its way must not pass for the system that is shown.
  function show_address_fault(shown) {
    const fault = fault_of_address();
    if (fault) find("address-fault").textContent = `The address has no system that can be shown. ${fault} Below is ${shown}.`;
  }

  // `final` is false during a drag.
  function set_state(next, final) {
    history.set(next);
    show_fault("");
    clearTimeout(settle_timer);
    dragging = !final;
    if (final) history.commit();
    else settle_timer = setTimeout(() => { dragging = false; request_frame(); }, SETTLE_DELAY);
    request_frame();
  }

  function undo_or_redo(step) {
    step();
    dragging = false;
    show_fault("");
    request_frame();
  }

  plot_interaction.attach(views, page);
  for (const view of views) {
    // The system of the drawing: that of the page may be another until the data of the view arrive.
    const svg_file = () => exports.to_svg(view.svg, view.title, `${exports.describe(view.shown[0].system)} ${view.sentence}`);
    view.svg_button.addEventListener("click", () => exports.download(`${view.id}.svg`, "image/svg+xml", svg_file()));
    view.png_button.addEventListener("click", async () => exports.download(`${view.id}.png`, "image/png", await exports.to_png(svg_file())));
  }
  // The address holds the whole state: a phone shares it, other browsers copy it.
  find("share").addEventListener("click", async () => {
    const { title } = document;
    try {
      if (navigator.share) await navigator.share({ title, text: find("headline").textContent, url: location.href });
      else await navigator.clipboard.writeText(location.href);
      find("share-status").textContent = navigator.share ? "" : "The link is copied.";
    } catch (error) {
      if (error.name !== "AbortError") find("share-status").textContent = "Copy the address of this page: it holds the system.";
    }
  });
  find("undo").addEventListener("click", () => undo_or_redo(history.undo));
  find("redo").addEventListener("click", () => undo_or_redo(history.redo));
  find("preset").addEventListener("change", ({ target }) => {
    if (target.value !== "") set_state(state_updates.from_preset(history.present, presets[Number(target.value)]), true);
    target.value = "";
  });
  for (const [id, file] of [["yaml", "my-system.yaml"], ["python", "my_system.py"]]) {
    find(`save-${id}`).addEventListener("click", () => exports.download(file, "text/plain", find(id).textContent));
    find(`copy-${id}`).addEventListener("click", () => {
      getSelection().selectAllChildren(find(id));
      navigator.clipboard?.writeText(find(id).textContent).catch(() => { /* The text is selected at least. */ });
    });
  }
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target.matches?.("input[type=text]")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    undo_or_redo(key === "y" || event.shiftKey ? history.redo : history.undo);
  });
  addEventListener("hashchange", () => {
    const next = state_of_address();
    if (next && state.to_hash(next) !== state.to_hash(history.present)) set_state(next, true);
    if (next) return;
    // After the skip link too, the address is that of the system.
    show_address_fault("the system from before");
    show_final_state();
  });
  if (!opening) show_address_fault("an example");
  on_frame();
  setTimeout(end_opening, OPENING_TIME);
  new ResizeObserver(request_frame).observe(document.querySelector(".views"));
  const visibility = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) views.find((view) => view.node === target).visible = isIntersecting;
    request_frame();
  }, { rootMargin: "120px" });
  for (const view of views) visibility.observe(view.node);

  return { set_state, views, get context() { return context; }, get present() { return history.present; } };
})();
