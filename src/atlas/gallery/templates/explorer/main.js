"use strict";
// The page: every change of the state makes a frame. In a frame each view in sight works for a slice of
// time and is drawn when its data are there, coarsely while the hand moves and finely when it rests.
const explorer = (() => {
  const SLICE = 7;
  const REST = 160;
  const OPENING = 400;
  const WIDEST = 620;
  // Terms of a sum that take longer than a frame of all views.
  const HEAVY = 2e5;
  const find = (id) => document.getElementById(id);
  const given = (id) => JSON.parse(find(id).textContent);
  const [presets, links] = [given("presets"), given("links")];
  // The system that the address names: all of its numbers, or its place among the presets.
  function addressed() {
    const preset = presets[/^#preset=(\d+)$/.exec(location.hash)?.[1]];
    return preset ? edits.take(state.START, preset) : state.read(location.hash);
  }
  const past = state.history(addressed() ?? state.START);
  const views = [...views_saturated.all, ...views_open.all].map((view) => {
    const node = find(`view-${view.id}`);
    const part = (name) => node.querySelector(name);
    return { ...view, node, title: part("h2").textContent, svg: part("svg"), said: part(".sentence"), read: part(".reading"), save: part("button"), raster: part(".raster"), seen: true, wanted: "", drawn: "" };
  });
  const refresh = controls.build(find("hands"), { present: () => past.present, hold, complain });
  let [about, moving, waiting, resting] = [null, false, 0, 0];

  // All that the views need to know of the present state.
  function prepare() {
    const system = { servers: past.present.servers, classes: past.present.classes };
    const order = system.classes.map((_, c) => c).sort((a, b) => system.classes[a].need - system.classes[b].need);
    const [small, large] = [order[0], order.at(-1)];
    const two = order.length === 2 && system.classes[small].need < system.classes[large].need;
    const slow = dispatch.choose(system) === "enumerated chain";
    const found = { state: past.present, system, order, small, large, two, slow, moving, means: null, worst: null };
    found.naive = model.naive_throughput(system);
    found.terms = Math.max(1, dispatch.terms_of(system));
    // Then all but the numbers above waits until the hand rests.
    found.heavy = found.terms > HEAVY;
    const several = (least, most, terms) => Math.round(Math.max(least, Math.min(most, terms / found.terms)));
    found.points = moving ? several(25, 81, 1e5) : several(41, 241, 4e7);
    try {
      found.means = dispatch.solve(system, moving ? 300 : dispatch.LARGEST_CHAIN);
    } catch (error) {
      if (!(error instanceof chain.TooLarge)) throw error;
      found.fault = error.message;
    }
    if (two && found.means && !found.heavy) {
      const [needs, rates] = ["need", "rate"].map((key) => [system.classes[small][key], system.classes[large][key]]);
      found.worst = peak.find_peak_wastage(system.servers, needs, rates, several(61, moving ? 61 : 2001, 4e6), moving ? 1e-3 : 1e-9);
    }
    return found;
  }

  function summarise() {
    const { system, means, naive, worst, two } = about;
    if (!means && moving) return;
    const say = (id, text) => { find(id).textContent = text; };
    if (!means) {
      say("headline", `Too large for this page: ${about.fault}. The lines of Python below take larger systems.`);
      for (const id of ["limit", "wasted-now", "used", "worst", "method"]) say(id, "–");
    } else {
      const { number, percent, plural, some } = words;
      const because = about.two ? `, because ${words.who_needs(system.classes[about.large])}` : "";
      say("headline", means.wastage / system.servers < 5e-5
        ? `Of ${plural(system.servers, "server")} next to none is wasted.`
        : `Of ${plural(system.servers, "server")}, ${number(means.wastage)} (${percent(means.wastage / system.servers)}) ${number(means.wastage) === "1" ? "stands" : "stand"} idle while jobs wait${because}.`);
      say("limit", `${some(means.throughput, "job")}/s`);
      say("wasted-now", `${number(means.wastage)} of ${words.count(system.servers)}`);
      say("used", percent(means.utilisation));
      say("worst", two && !worst ? "…" : worst ? `${percent(worst.probability_2)} of ${words.name(system, about.large)}` : "–");
      say("method", Number.isInteger(means.states) ? `${means.method}, ${words.count(means.states)} states` : means.method);
    }
    const highest = packings.highest_rate(system);
    say("highest", highest === null ? "–" : `${words.some(highest, "job")}/s`);
    say("naive", `${words.some(naive, "job")}/s`);
  }

  const explain = (view, why) => {
    view.node.classList.add("idle");
    view.svg.replaceChildren();
    reading.read(view, -1);
    view.said.textContent = why;
    view.save.disabled = view.raster.disabled = true;
  };

  function show(view, data) {
    const { plot: description, sentence, claim } = view.describe(about, data);
    const width = Math.min(WIDEST, view.node.clientWidth);
    const height = Math.round(Math.max(250, 0.62 * width));
    view.node.classList.remove("idle", "stale");
    view.description = description;
    view.maps = plot.draw(view.svg, description, width, height);
    view.height = height;
    view.svg.setAttribute("role", "img");
    view.svg.setAttribute("aria-label", `${view.title}. ${sentence} Arrow keys read values${description.set ? ", Enter takes one" : ""}.`);
    view.said.replaceChildren(sentence, " ", link(claim));
    view.sentence = sentence;
    view.save.disabled = view.raster.disabled = false;
    reading.resume(view);
  }

  // To the theorem in the ledger, or its name where the run has no such paper.
  function link(claim) {
    const { where, href } = links[claim] ?? { where: claim.split("/")[0] };
    return href ? controls.make("a", { href }, where) : controls.make("span", { class: "where" }, where);
  }

  // Starts the work of a view on the present state, unless that is drawn already.
  function start(view) {
    const wanted = `${state.write(past.present)} ${moving} ${view.node.clientWidth}`;
    // A phone lays the page out after its scripts have run for the first time.
    if (view.wanted === wanted || !view.node.clientWidth) return;
    Object.assign(view, { wanted, work: null });
    if (!about.means) {
      if (!moving) explain(view, "The present system is too large for this page.");
      return;
    }
    const why = view.applies(about);
    if (why) explain(view, why);
    else view.work = view.compute(about);
  }

  // One view's work until `deadline`; whether there is more to do.
  function proceed(view, deadline) {
    while (view.work) {
      let step;
      try {
        step = view.work.next();
      } catch (error) {
        if (!(error instanceof chain.TooLarge)) throw error;
        view.work = null;
        explain(view, `Some of these systems are too large for this page: ${error.message}.`);
        return false;
      }
      if (step.done) {
        view.work = null;
        if (step.value) {
          show(view, step.value);
          // The worst mix of many servers comes with its view.
          if (about.heavy) summarise();
        }
        else view.node.classList.add("stale");
      } else if (performance.now() > deadline) return true;
    }
    return false;
  }

  // The first one gives each view a slice of its own, so that nothing moves below the reader's eyes.
  function frame(opening = false) {
    waiting = 0;
    const deadline = performance.now() + SLICE;
    // Equal states are one state: views that work on it have what they prepared in `about`.
    if (!about || about.moving !== moving || state.write(about.state) !== state.write(past.present)) {
      about = prepare();
      summarise();
      refresh(past.present);
      find("undo").disabled = !past.can_undo;
      find("redo").disabled = !past.can_redo;
      if (!moving) settle();
    }
    // Those out of sight can wait until the hand rests.
    const seen = views.filter((view) => view.seen || !moving).sort((a, b) => b.seen - a.seen);
    seen.forEach(start);
    const busy = seen.filter((view) => proceed(view, opening ? performance.now() + OPENING : deadline)).length;
    document.body.dataset.busy = String(busy > 0 || moving);
    if (busy) request();
  }

  function request() {
    document.body.dataset.busy = "true";
    waiting ||= requestAnimationFrame(() => frame());
  }

  // The hand rests: what stands in the address and in the exports follows.
  function settle() {
    try { history.replaceState(null, "", `#${state.write(past.present)}`); } catch { /* the view holds anyway */ }
    let small = true;
    try { multiserver_jobs.prepare(about.system); } catch { small = false; }
    find("yaml").textContent = exports_.yaml(about.system, small);
    find("python").textContent = exports_.python(about.system);
    moving_picture.show(about);
  }

  function complain(fault) {
    find("fault").textContent = fault;
  }

  function hold(next, complete) {
    past.set(next);
    complain("");
    clearTimeout(resting);
    moving = !complete;
    if (complete) past.keep();
    else resting = setTimeout(() => { moving = false; request(); }, REST);
    request();
  }

  function travel(step) {
    step();
    moving = false;
    complain("");
    request();
  }

  reading.attach(views, { hold, present: () => past.present });
  for (const view of views) {
    const picture = () => exports_.snapshot(view.svg, view.title, `${exports_.describe(about.system)} ${view.sentence}`);
    view.save.addEventListener("click", () => exports_.download(`${view.id}.svg`, "image/svg+xml", picture()));
    view.raster.addEventListener("click", async () => exports_.download(`${view.id}.png`, "image/png", await exports_.rasterise(picture())));
  }
  // The address holds all: a phone hands it on, other browsers copy it.
  find("share").addEventListener("click", async () => {
    const { title } = document;
    try {
      if (navigator.share) await navigator.share({ title, text: find("headline").textContent, url: location.href });
      else await navigator.clipboard.writeText(location.href);
      find("shared").textContent = navigator.share ? "" : "The link is copied.";
    } catch (error) {
      if (error.name !== "AbortError") find("shared").textContent = "Copy the address of this page: it holds the system.";
    }
  });
  find("undo").addEventListener("click", () => travel(past.undo));
  find("redo").addEventListener("click", () => travel(past.redo));
  find("preset").addEventListener("change", ({ target }) => {
    if (target.value !== "") hold(edits.take(past.present, presets[Number(target.value)]), true);
    target.value = "";
  });
  for (const id of ["yaml", "python"]) {
    find(`save-${id}`).addEventListener("click", () => exports_.download(id === "yaml" ? "my-system.yaml" : "my_system.py", "text/plain", find(id).textContent));
    find(`copy-${id}`).addEventListener("click", () => {
      getSelection().selectAllChildren(find(id));
      navigator.clipboard?.writeText(find(id).textContent).catch(() => { /* it is selected at least */ });
    });
  }
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target.matches?.("input[type=text]")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    travel(key === "y" || event.shiftKey ? past.redo : past.undo);
  });
  addEventListener("hashchange", () => {
    const found = addressed();
    if (found && state.write(found) !== state.write(past.present)) hold(found, true);
  });
  frame(true);
  new ResizeObserver(request).observe(document.querySelector(".views"));
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) views.find((view) => view.node === target).seen = isIntersecting;
    request();
  }, { rootMargin: "120px" });
  for (const view of views) watch.observe(view.node);

  return { frame, hold, views, get about() { return about; }, get present() { return past.present; } };
})();
