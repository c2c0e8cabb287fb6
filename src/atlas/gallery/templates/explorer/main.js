"use strict";
// The page: every change of the state is a question to `answers`, at most one per frame, and each view is
// drawn when its data arrive, coarsely during a drag and finely after it.
const explorer = (() => {
  const REST = 160;
  const OPENING = 400;
  const WIDEST = 620;
  const find = (id) => document.getElementById(id);
  const given = (id) => JSON.parse(find(id).textContent);
  const [presets, links] = [given("presets"), given("links")];
  // The system in the address: all of its numbers, or its index among the presets.
  function addressed() {
    const preset = presets[/^#preset=(\d+)$/.exec(location.hash)?.[1]];
    return preset ? edits.take(state.START, preset) : state.read(location.hash);
  }
  const past = state.history(addressed() ?? state.START);
  const views = [...views_saturated.all, ...views_open.all].map((view) => {
    const node = find(`view-${view.id}`);
    const part = (name) => node.querySelector(name);
    return { ...view, node, title: part("h2").textContent, svg: part("svg"), said: part(".sentence"), read: part(".reading"), save: part("button"), raster: part(".raster"), bar: part("progress"), seen: true, shown: null };
  });
  const refresh = controls.build(find("hands"), { present: () => past.present, hold, complain });
  const desk = asking.begin(receive);
  let [about, moving, waiting, resting, asked] = [null, false, 0, 0, ""];
  // Messages that arrive while the page opens are drawn immediately, so that nothing moves later.
  let early = [];

  function summarise() {
    const { system, means, naive, worst, two } = about;
    if (!means && about.moving) return;
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
    say("highest", about.highest === null ? "–" : `${words.some(about.highest, "job")}/s`);
    say("naive", `${words.some(naive, "job")}/s`);
  }

  const explain = (view, why) => {
    view.shown = null;
    view.node.classList.add("idle");
    view.svg.replaceChildren();
    reading.read(view, -1);
    view.said.textContent = why;
    view.save.disabled = view.raster.disabled = true;
  };

  function show(view, of, data) {
    const { plot: description, sentence, claim } = view.describe(of, data);
    Object.assign(view, { shown: [of, data], wide: view.node.clientWidth });
    // A phone lays the page out after its scripts have run for the first time.
    if (!view.wide) return;
    const width = Math.min(WIDEST, view.wide);
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

  // A link to the theorem in the ledger, or its name if the run does not have the paper.
  function link(claim) {
    const { where, href } = links[claim] ?? { where: claim.split("/")[0] };
    return href ? controls.make("a", { href }, where) : controls.make("span", { class: "where" }, where);
  }

  // Progress, or completion.
  function progress(bar, share) {
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share;
  }

  function take({ about: found, id, share, why, data, worst }) {
    if (!id) {
      if (share !== undefined) find("headline").textContent = "Solving for the states of the jobs in service …";
      document.body.classList.toggle("solving", share !== undefined);
      progress(find("progress"), share);
      if (found) take_in(found);
      return;
    }
    const view = views.find((one) => one.id === id);
    progress(view.bar, share);
    if (share !== undefined) return;
    if (id === "response" && !about.moving) find("yaml").textContent = exports_.yaml(about.system, !why);
    if (why) explain(view, why);
    else if (data) show(view, about, data);
    else view.node.classList.add("stale");
    // The worst mix of many servers arrives with its view.
    if (worst && !about.worst) {
      about.worst = worst;
      summarise();
    }
  }

  function take_in(found) {
    about = found;
    for (const view of views) progress(view.bar);
    summarise();
    if (!about.moving) moving_picture.show(about);
  }

  function receive(told) {
    if (early) early.push(told);
    else take(told);
    if (told.done) open_up();
    note();
  }

  function open_up() {
    early?.forEach(take);
    early = null;
  }

  const note = () => { document.body.dataset.busy = String(moving || waiting > 0 || desk.busy); };

  // Equal states are one question. Views out of sight can wait until the end of a drag.
  function frame() {
    waiting = 0;
    const seen = views.filter((view) => view.seen || !moving).sort((a, b) => b.seen - a.seen);
    const wanted = `${state.write(past.present)} ${moving}`;
    if (wanted !== asked) {
      asked = wanted;
      desk.ask({ state: past.present, moving, views: seen.map(({ id }) => id) });
      if (!moving) settle();
    }
    refresh(past.present);
    find("undo").disabled = !past.can_undo;
    find("redo").disabled = !past.can_redo;
    for (const view of views) if (view.shown && view.wide !== view.node.clientWidth) show(view, ...view.shown);
    note();
  }

  function request() {
    document.body.dataset.busy = "true";
    waiting ||= requestAnimationFrame(frame);
  }

  // After a drag: update the address and the exports.
  function settle() {
    try { history.replaceState(null, "", `#${state.write(past.present)}`); } catch { /* the view holds anyway */ }
    const { servers, classes } = past.present;
    find("python").textContent = exports_.python({ servers, classes });
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
  // The address holds the whole state: a phone shares it, other browsers copy it.
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
  frame();
  setTimeout(open_up, OPENING);
  new ResizeObserver(request).observe(document.querySelector(".views"));
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) views.find((view) => view.node === target).seen = isIntersecting;
    request();
  }, { rootMargin: "120px" });
  for (const view of views) watch.observe(view.node);

  return { frame, hold, views, get about() { return about; }, get present() { return past.present; } };
})();
