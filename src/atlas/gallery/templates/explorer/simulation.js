"use strict";
// The saturated system under FCFS, event by event: jobs never run out, each is of class c with probability p_c, and
// the head of the queue starts once v_c servers are idle; until then it blocks all jobs behind it. The average
// number of idle servers over time tends to E[N_idle] (dispatch.js).
const simulation = (() => {
  // The number of jobs whose classes are sampled ahead, so that the queue can be drawn.
  const QUEUE_LENGTH = 32;
  // Up to this number of servers a run knows which job each server runs.
  const MAX_SERVERS_SHOWN = 200;
  // The servers fill from empty, job by job, before the first completion: more of them take too long.
  const MAX_SERVERS = 1e5;

  // A run that begins with empty servers and fills them: jobs `in_service` by class, `job_on` each server (null if
  // there are too many servers), the classes of the jobs in the `queue`, the `time` until now, and the integral
  // of the idle servers over it.
  function start({ servers, classes }, random = Math.random) {
    const run = {
      servers, classes, random, idle: servers, time: 0, idle_integral: 0, completions: 0, starts: 0,
      in_service: classes.map(() => 0), queue: [], job_on: servers <= MAX_SERVERS_SHOWN ? new Array(servers).fill(null) : null,
    };
    while (run.queue.length < QUEUE_LENGTH) run.queue.push(sample_class(run));
    start_jobs(run);
    return run;
  }

  function sample_class({ classes, random }) {
    let rest = random();
    return Math.max(0, classes.findIndex(({ probability }) => (rest -= probability) < 0));
  }

  // Starts jobs from the head of the queue as long as they fit.
  function start_jobs(run) {
    while (run.classes[run.queue[0]].need <= run.idle) {
      const c = run.queue.shift();
      run.queue.push(sample_class(run));
      run.in_service[c] += 1;
      run.idle -= run.classes[c].need;
      run.starts += 1;
      if (!run.job_on) continue;
      let missing = run.classes[c].need;
      for (let server = 0; missing; server += 1) {
        if (run.job_on[server]) continue;
        run.job_on[server] = { c, number: run.starts };
        missing -= 1;
      }
    }
  }

  // Advances to the next completion and starts the jobs that then fit.
  function step(run) {
    const rates = run.in_service.map((jobs, c) => jobs * run.classes[c].rate);
    const total = model.sum(rates);
    const elapsed = -Math.log1p(-run.random()) / total;
    run.time += elapsed;
    run.idle_integral += elapsed * run.idle;
    let rest = run.random() * total;
    let c = rates.findIndex((rate) => (rest -= rate) < 0);
    // Rounding may leave a rest behind the last class: then a job of the last class in service completes.
    if (c < 0) c = rates.findLastIndex((rate) => rate > 0);
    run.in_service[c] -= 1;
    run.idle += run.classes[c].need;
    run.completions += 1;
    if (run.job_on) {
      const jobs = [...new Set(run.job_on.filter((job) => job?.c === c).map(({ number }) => number))];
      const completed = jobs[Math.floor(run.random() * jobs.length)];
      run.job_on.forEach((job, server) => { if (job?.number === completed) run.job_on[server] = null; });
    }
    start_jobs(run);
  }

  return { MAX_SERVERS, MAX_SERVERS_SHOWN, start, step };
})();
