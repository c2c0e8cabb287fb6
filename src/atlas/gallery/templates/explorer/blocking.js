"use strict";
// The saturated system under FCFS, event by event: jobs never run out, each is of class c with
// probability p_c, and the head of the line starts once v_c servers are idle; until then it blocks all
// jobs behind it. The share of time with k idle servers tends to the distribution whose mean is
// E[N_idle] (dispatch.js).
const blocking = (() => {
  // Jobs of the line that are sampled ahead, so that a picture can show them.
  const AHEAD = 32;
  // Up to this number of servers the picture shows the job at each.
  const SHOWN = 200;
  // The servers fill from empty, job by job, before the first completion.
  const MOST_SERVERS = 1e5;

  // A run that begins with empty servers: the jobs in service by class, the job at each server if they
  // are few, the line, the time until now, and the integral of the idle servers over it.
  function begin({ servers, classes }, random = Math.random) {
    const run = {
      servers, classes, random, idle: servers, time: 0, wasted: 0, done: 0, started: 0,
      serving: classes.map(() => 0), line: [], holders: servers <= SHOWN ? new Array(servers).fill(null) : null,
    };
    while (run.line.length < AHEAD) run.line.push(draw(run));
    admit(run);
    return run;
  }

  function draw({ classes, random }) {
    let left = random();
    return Math.max(0, classes.findIndex(({ probability }) => (left -= probability) < 0));
  }

  // Starts jobs from the head of the line as long as they fit.
  function admit(run) {
    while (run.classes[run.line[0]].need <= run.idle) {
      const c = run.line.shift();
      run.line.push(draw(run));
      run.serving[c] += 1;
      run.idle -= run.classes[c].need;
      run.started += 1;
      if (!run.holders) continue;
      let wanted = run.classes[c].need;
      for (let server = 0; wanted; server += 1) {
        if (run.holders[server]) continue;
        run.holders[server] = { c, job: run.started };
        wanted -= 1;
      }
    }
  }

  // Advances to the next completion and starts the jobs that then fit.
  function step(run) {
    const rates = run.serving.map((jobs, c) => jobs * run.classes[c].rate);
    const total = model.sum(rates);
    const elapsed = -Math.log1p(-run.random()) / total;
    run.time += elapsed;
    run.wasted += elapsed * run.idle;
    let left = run.random() * total;
    // Rounding may leave no class at the end of the sum: a job of the last class in service then completes.
    let c = rates.findIndex((rate) => (left -= rate) < 0);
    if (c < 0) c = rates.findLastIndex((rate) => rate > 0);
    run.serving[c] -= 1;
    run.idle += run.classes[c].need;
    run.done += 1;
    if (run.holders) {
      const jobs = [...new Set(run.holders.filter((holder) => holder?.c === c).map(({ job }) => job))];
      const ended = jobs[Math.floor(run.random() * jobs.length)];
      run.holders.forEach((holder, server) => { if (holder?.job === ended) run.holders[server] = null; });
    }
    admit(run);
  }

  return { AHEAD, MOST_SERVERS, SHOWN, begin, step };
})();
