"use strict";
// An animation of the saturated system: its servers, the queue, whose head blocks the jobs behind it, and the
// average number of idle servers so far, which tends to the exact E[N_idle]. It starts by itself unless the reader
// prefers reduced motion, first event by event, then ever faster.
const animation = (() => {
  const { count, number, count_of } = format;
  // In pixels: the largest width, the height of all rows of servers, the height of a row of the queue, the gap
  // between blocks, and the height of everything above the plot of the average.
  const [MAX_WIDTH, SERVERS_HEIGHT, ROW_HEIGHT, GAP, HEIGHT] = [620, 88, 22, 2, 222];
  const [MAX_COLUMNS, STYLES] = [50, 4];
  // Events per second: at the start one, and one more for every JOBS_PER_EVENT jobs in service; then the rate
  // grows by a factor e in GROWTH_TIME seconds, up to MAX_RATE.
  const [JOBS_PER_EVENT, GROWTH_TIME, MAX_RATE] = [20, 2.5, 1e5];
  // After so many completions the animation stops by itself.
  const MAX_COMPLETIONS = 3e5;
  // Milliseconds of a frame for events.
  const FRAME_BUDGET = 6;
  // Milliseconds between two drawings.
  const DRAWING_INTERVAL = 40;
  // Points of the average, evenly spaced on a logarithmic axis.
  const POINTS = 240;
  const find = (id) => document.getElementById(id);
  const reduced_motion = matchMedia("(prefers-reduced-motion: reduce)");
  // `accelerates` until the reader sets the speed; `events_due` may be a fraction.
  const player = {
    run: null, exact: 0, average: [], next_point: 1, playing: false, accelerates: true, rate: 1, events_due: 0,
    last_frame: 0, last_drawing: 0, visible: false, frame_request: 0,
  };

  const style = (c) => `style${c % STYLES}`;
  const draw_block = (parent, x, y, width, height, kind) => plot.element(parent, "rect", { class: kind, x, y, width: Math.max(1, width - GAP), height: height - GAP, rx: 2 });

  // The job on each of the servers or, if there are too many of them, on each of equal groups of servers.
  function jobs_to_draw({ job_on, servers, classes, in_service }) {
    if (job_on) return job_on;
    const ends = [];
    in_service.forEach((jobs, c) => ends.push((ends.at(-1) ?? 0) + jobs * classes[c].need));
    return Array.from({ length: simulation.MAX_SERVERS_SHOWN }, (_, i) => {
      const c = ends.findIndex((end) => ((i + 0.5) * servers) / simulation.MAX_SERVERS_SHOWN < end);
      return c < 0 ? null : { c, number: c };
    });
  }

  // The servers in rows; neighbouring servers of one job are one block.
  function draw_servers(svg, jobs, width) {
    const rows = Math.ceil(jobs.length / MAX_COLUMNS);
    const columns = Math.ceil(jobs.length / rows);
    const [server_width, row_height] = [width / columns, SERVERS_HEIGHT / rows];
    for (let i = 0; i < jobs.length;) {
      const [row, column, job] = [Math.floor(i / columns), i % columns, jobs[i]];
      let length = 1;
      while (job && column + length < columns && jobs[i + length]?.number === job.number) length += 1;
      draw_block(svg, column * server_width, 20 + row * row_height, length * server_width, row_height, `server ${job ? style(job.c) : "idle"}`);
      i += length;
    }
  }

  // The queue, head first. A job is as wide as its servers in the drawing above, within limits.
  function draw_queue(svg, { queue, classes, servers }, top, width) {
    plot.element(svg, "text", { x: 0, y: top }, "Waiting, the head of the line first");
    const scale = width / Math.min(servers, MAX_COLUMNS);
    let x = 0;
    queue.forEach((c, i) => {
      const job_width = Math.max(6, Math.min(width / 2, classes[c].need * scale));
      if (x + job_width <= width) draw_block(svg, x, top + 8, job_width, ROW_HEIGHT, `job ${style(c)} ${i ? "" : "head"}`);
      x += job_width;
    });
  }

  // The legend, if each class has a colour of its own.
  function draw_legend(svg, system, top, width) {
    let [x, y] = [0, top];
    if (system.classes.length > STYLES) return;
    system.classes.forEach((_, c) => {
      const name = format.class_name(system, c);
      const entry_width = 26 + 7 * name.length;
      if (x + entry_width > width) [x, y] = [0, y + ROW_HEIGHT];
      plot.element(svg, "rect", { class: `server ${style(c)}`, x, y: y - 10, width: 12, height: 12, rx: 2 });
      plot.element(svg, "text", { x: x + 17, y }, name);
      x += entry_width;
    });
  }

  function draw_average(svg, { exact, average, run }, width) {
    // If no server is ever idle, the axis still needs a length.
    const top = 1.08 * Math.max(exact, ...average.map(([, y]) => y)) || 1;
    plot.draw(svg, {
      x: { label: "jobs done", scale: "log", low: 1, high: Math.max(100, run.completions) },
      y: { label: "servers idle", scale: "linear", low: 0, high: top },
      curves: [{ label: "average so far", points: average, style: 0 }],
      horizontals: [{ y: exact, label: `exactly ${number(exact)} in the long run`, style: 1 }],
    }, width, 250);
  }

  function write_sentence({ run, exact, playing, rate }) {
    const { need } = run.classes[run.queue[0]];
    const head = run.idle
      ? `The head of the line needs ${count_of(need, "server")}, and ${count(run.idle)} ${run.idle === 1 ? "is" : "are"} idle: it blocks the jobs behind it.`
      : "All servers are busy.";
    const average = `After ${count_of(run.completions, "job")} ${number(run.completions ? run.idle_integral / run.time : run.idle, 3)} of ${count_of(run.servers, "server")} stood idle on average; in the long run it is exactly ${number(exact)}.`;
    // The head changes too fast to be read.
    find("blocking-sentence").textContent = playing && rate > 8 ? average : `${head} ${average}`;
  }

  function draw() {
    const svg = find("blocking-servers");
    const { run, playing, rate } = player;
    const width = Math.min(MAX_WIDTH, find("blocking").clientWidth);
    svg.replaceChildren();
    plot.element(svg, "text", { x: 0, y: 12 }, run.job_on ? "Servers: jobs in service, and empty where idle" : `Servers by class of job, ${number(run.servers / simulation.MAX_SERVERS_SHOWN)} in each of ${simulation.MAX_SERVERS_SHOWN} places`);
    draw_servers(svg, jobs_to_draw(run), width);
    draw_queue(svg, run, SERVERS_HEIGHT + 42, width);
    draw_legend(svg, run, SERVERS_HEIGHT + 90, width);
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.setAttribute("role", "img");
    draw_average(find("blocking-average"), player, width);
    write_sentence(player);
    svg.setAttribute("aria-label", find("blocking-sentence").textContent);
    find("blocking-play").textContent = playing ? "Pause" : run.completions >= MAX_COMPLETIONS ? "Again" : run.completions ? "Go on" : "Play";
    const speed = find("blocking-speed");
    speed.value = Math.log(rate);
    speed.setAttribute("aria-valuetext", `${number(rate, 2)} events a second`);
    player.last_drawing = performance.now();
  }

  // One event, and a point of the average if the next one is due.
  function advance() {
    const { run, average } = player;
    simulation.step(run);
    if (run.completions < player.next_point) return;
    average.push([run.completions, run.idle_integral / run.time]);
    player.next_point = Math.max(run.completions + 1, run.completions * MAX_COMPLETIONS ** (1 / POINTS));
  }

  function on_frame(now) {
    player.frame_request = 0;
    if (!player.playing || !player.visible) return;
    const elapsed = Math.min(0.1, (now - player.last_frame) / 1000);
    player.last_frame = now;
    if (player.accelerates) player.rate = Math.min(MAX_RATE, player.rate * Math.exp(elapsed / GROWTH_TIME));
    player.events_due += elapsed * player.rate;
    const [before, deadline] = [player.run.completions, performance.now() + FRAME_BUDGET];
    while (player.events_due >= 1 && performance.now() < deadline) {
      for (let i = 0; i < 50 && player.events_due >= 1; i += 1, player.events_due -= 1) advance();
    }
    // A slow machine need not catch up on missed events.
    player.events_due = Math.min(player.events_due, 1);
    if (player.run.completions >= MAX_COMPLETIONS) player.playing = false;
    if (!player.playing || (player.run.completions > before && now - player.last_drawing > DRAWING_INTERVAL)) draw();
    request_frame();
  }

  function request_frame() {
    if (player.playing && player.visible) player.frame_request ||= requestAnimationFrame(on_frame);
  }

  function set_playing(playing) {
    if (playing && player.run.completions >= MAX_COMPLETIONS) restart(player.run);
    Object.assign(player, { playing, last_frame: performance.now() });
    draw();
    request_frame();
  }

  function restart(system) {
    Object.assign(player, { run: simulation.start(system), average: [], next_point: 1, events_due: 0 });
    if (player.accelerates) player.rate = 1 + model.sum(player.run.in_service) / JOBS_PER_EVENT;
  }

  // Shows a system from its start, given the context of its views (view_context.js), or says why it cannot.
  function show({ system, means, fault }) {
    const too_large = system.servers > simulation.MAX_SERVERS;
    const obstacle = too_large ? `The picture has at most ${count_of(simulation.MAX_SERVERS, "server")}.` : fault ?? "";
    find("blocking").classList.toggle("idle", Boolean(obstacle));
    for (const id of ["play", "step", "speed"]) find(`blocking-${id}`).disabled = Boolean(obstacle);
    if (obstacle) {
      Object.assign(player, { run: null, playing: false });
      find("blocking-sentence").textContent = obstacle;
      return;
    }
    const is_first = !player.run;
    player.exact = means.wastage;
    restart(system);
    set_playing(is_first ? !reduced_motion.matches : player.playing);
  }

  find("blocking-play").addEventListener("click", () => set_playing(!player.playing));
  find("blocking-step").addEventListener("click", () => {
    advance();
    set_playing(false);
  });
  find("blocking-speed").addEventListener("input", ({ target }) => Object.assign(player, { accelerates: false, rate: Math.exp(Number(target.value)) }));
  new IntersectionObserver(([{ isIntersecting }]) => {
    Object.assign(player, { visible: isIntersecting, last_frame: performance.now() });
    request_frame();
  }).observe(find("blocking"));

  return { player, show };
})();
