"use strict";
// The saturated system in motion: its servers, the head of the line that blocks the jobs behind it, and
// the average number of idle servers so far, which tends to the exact E[N_idle]. It starts automatically
// unless the reader prefers reduced motion, and shows one event after another, ever faster.
const moving_picture = (() => {
  const { count, number, plural } = words;
  // In pixels: the rows of servers together, a row of the line, and all above the average.
  const [WIDEST, SERVERS, ROW, GAP, HEIGHT] = [620, 88, 22, 2, 222];
  const [COLUMNS, LOOKS] = [50, 4];
  // Events per second: initially one, plus one for every EACH jobs in service; at most FASTEST; they grow
  // by a factor e in GROWTH seconds.
  const [EACH, FASTEST, GROWTH] = [20, 1e5, 2.5];
  // A picture that is not stopped by the reader stops by itself.
  const ENOUGH = 3e5;
  const BUDGET = 6;
  const POINTS = 240;
  const find = (id) => document.getElementById(id);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const picture = { run: null, exact: 0, average: [], next: 1, playing: false, hurried: true, rate: 1, owed: 0, last: 0, drawn: 0, seen: false, waiting: 0 };

  const look = (c) => `look${c % LOOKS}`;
  const block = (parent, x, y, width, height, kind) => plot.element(parent, "rect", { class: kind, x, y, width: Math.max(1, width - GAP), height: height - GAP, rx: 2 });

  // The job at each of the servers, or at each shown share of them: a class and a job, or null.
  function holders({ holders: each, servers, classes, serving }) {
    if (each) return each;
    const ends = [];
    serving.forEach((jobs, c) => ends.push((ends.at(-1) ?? 0) + jobs * classes[c].need));
    return Array.from({ length: blocking.SHOWN }, (_, i) => {
      const c = ends.findIndex((end) => ((i + 0.5) * servers) / blocking.SHOWN < end);
      return c < 0 ? null : { c, job: c };
    });
  }

  // The servers in rows; neighbouring servers of one job are one block.
  function draw_servers(svg, all, width) {
    const rows = Math.ceil(all.length / COLUMNS);
    const columns = Math.ceil(all.length / rows);
    const [wide, tall] = [width / columns, SERVERS / rows];
    for (let i = 0; i < all.length;) {
      const [row, column, holder] = [Math.floor(i / columns), i % columns, all[i]];
      let length = 1;
      while (holder && column + length < columns && all[i + length]?.job === holder.job) length += 1;
      block(svg, column * wide, 20 + row * tall, length * wide, tall, `server ${holder ? look(holder.c) : "idle"}`);
      i += length;
    }
  }

  // The line, head first: jobs are as wide as their needs on the scale of the servers, if that can be seen.
  function draw_line(svg, { line, classes, servers }, top, width) {
    plot.element(svg, "text", { x: 0, y: top }, "Waiting, the head of the line first");
    const scale = width / Math.min(servers, COLUMNS);
    let x = 0;
    line.forEach((c, place) => {
      const wide = Math.max(6, Math.min(width / 2, classes[c].need * scale));
      if (x + wide <= width) block(svg, x, top + 8, wide, ROW, `job ${look(c)} ${place ? "" : "head"}`);
      x += wide;
    });
  }

  // The legend of colours, if each class has its own.
  function draw_key(svg, system, top, width) {
    let [x, y] = [0, top];
    if (system.classes.length > LOOKS) return;
    system.classes.forEach((_, c) => {
      const name = words.name(system, c);
      const wide = 26 + 7 * name.length;
      if (x + wide > width) [x, y] = [0, y + ROW];
      plot.element(svg, "rect", { class: `server ${look(c)}`, x, y: y - 10, width: 12, height: 12, rx: 2 });
      plot.element(svg, "text", { x: x + 17, y }, name);
      x += wide;
    });
  }

  function draw_average(svg, { exact, average, run }, width) {
    const [first, last] = [1, Math.max(100, run.done)];
    const top = Math.max(1e-9, exact, ...average.map(([, y]) => y)) * 1.08;
    plot.draw(svg, {
      x: { label: "Jobs done", kind: "log", low: first, high: last },
      y: { label: "Idle servers", kind: "linear", low: 0, high: top },
      curves: [{ label: "average so far", points: average, look: 0 }],
      levels: [{ y: exact, label: `exactly ${number(exact)} in the long run`, look: 1 }],
    }, width, 250);
  }

  function say({ run, exact, playing }) {
    const { need } = run.classes[run.line[0]];
    const blocks = run.idle
      ? `The head of the line needs ${plural(need, "server")}, and ${count(run.idle)} ${run.idle === 1 ? "is" : "are"} idle: it blocks the jobs behind it.`
      : "All servers are busy.";
    const far = `After ${plural(run.done, "job")} ${number(run.done ? run.wasted / run.time : run.idle, 3)} of ${plural(run.servers, "server")} stood idle on average; in the long run it is exactly ${number(exact)}.`;
    find("blocking-said").textContent = playing && picture.rate > 8 ? far : `${blocks} ${far}`;
  }

  function draw() {
    const [top, below] = [find("blocking-servers"), find("blocking-average")];
    const { run } = picture;
    const width = Math.min(WIDEST, find("blocking").clientWidth);
    top.replaceChildren();
    plot.element(top, "text", { x: 0, y: 12 }, run.holders ? "Servers: jobs in service, and empty where idle" : `Servers by class of job, ${number(run.servers / blocking.SHOWN)} in each of ${blocking.SHOWN} places`);
    draw_servers(top, holders(run), width);
    draw_line(top, run, SERVERS + 42, width);
    draw_key(top, run, SERVERS + 90, width);
    top.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    top.setAttribute("role", "img");
    draw_average(below, picture, width);
    say(picture);
    top.setAttribute("aria-label", find("blocking-said").textContent);
    find("blocking-play").textContent = picture.playing ? "Pause" : run.done >= ENOUGH ? "Again" : run.done ? "Go on" : "Play";
    find("blocking-speed").value = Math.log(picture.rate);
    picture.drawn = performance.now();
  }

  // One event, and a point of the average if the next one is due.
  function advance() {
    const { run, average } = picture;
    blocking.step(run);
    if (run.done < picture.next) return;
    average.push([run.done, run.wasted / run.time]);
    picture.next = Math.max(run.done + 1, run.done * ENOUGH ** (1 / POINTS));
  }

  function frame(now) {
    picture.waiting = 0;
    if (!picture.playing || !picture.seen) return;
    const elapsed = Math.min(0.1, (now - picture.last) / 1000);
    picture.last = now;
    if (picture.hurried) picture.rate = Math.min(FASTEST, picture.rate * Math.exp(elapsed / GROWTH));
    picture.owed += elapsed * picture.rate;
    const [before, deadline] = [picture.run.done, performance.now() + BUDGET];
    while (picture.owed >= 1 && performance.now() < deadline) {
      for (let i = 0; i < 50 && picture.owed >= 1; i += 1, picture.owed -= 1) advance();
    }
    // A slow machine need not catch up on missed events.
    picture.owed = Math.min(picture.owed, 1);
    if (picture.run.done >= ENOUGH) picture.playing = false;
    if (!picture.playing || (picture.run.done > before && now - picture.drawn > 40)) draw();
    request();
  }

  function request() {
    if (picture.playing && picture.seen) picture.waiting ||= requestAnimationFrame(frame);
  }

  function play(playing) {
    if (playing && picture.run.done >= ENOUGH) restart();
    Object.assign(picture, { playing, last: performance.now() });
    draw();
    request();
  }

  function restart() {
    const { servers, classes } = picture.run;
    Object.assign(picture, { run: blocking.begin({ servers, classes }), average: [], next: 1, owed: 0 });
    if (picture.hurried) picture.rate = 1 + model.sum(picture.run.serving) / EACH;
  }

  // Restarts with a system, whose properties are in `about`; gives the reason if it cannot.
  function show({ system, means, fault }) {
    const large = system.servers > blocking.MOST_SERVERS;
    const why = large ? `The picture has at most ${plural(blocking.MOST_SERVERS, "server")}.` : fault ?? "";
    find("blocking").classList.toggle("idle", Boolean(why));
    for (const id of ["play", "step", "speed"]) find(`blocking-${id}`).disabled = Boolean(why);
    if (why) {
      Object.assign(picture, { run: null, playing: false });
      find("blocking-said").textContent = why;
      return;
    }
    const first = !picture.run;
    picture.run = system;
    picture.exact = means.wastage;
    restart();
    play(first ? !still.matches : picture.playing);
  }

  find("blocking-play").addEventListener("click", () => play(!picture.playing));
  find("blocking-step").addEventListener("click", () => {
    advance();
    play(false);
  });
  find("blocking-speed").addEventListener("input", ({ target }) => Object.assign(picture, { hurried: false, rate: Math.exp(Number(target.value)) }));
  new IntersectionObserver(([{ isIntersecting }]) => {
    Object.assign(picture, { seen: isIntersecting, last: performance.now() });
    request();
  }).observe(find("blocking"));

  return { picture, show };
})();
