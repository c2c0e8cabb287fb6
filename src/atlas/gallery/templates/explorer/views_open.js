"use strict";
// The views of more servers, of response times and of needs 1 and n; views_saturated.js says what a view is.
const views_open = (() => {
  const { amount_of, count, count_of, number, percent } = format;

  const SEARCH_SECONDS = 6;
  const MAX_FRACTION = 0.99;
  // Response times at a point take matrices as large as there are fronts. Curves of up to MANY_FRONTS have MAX_POINTS
  // points; with more fronts there are fewer points, and no curve below MIN_POINTS. Curves of up to FEW_FRONTS are
  // drawn during a drag.
  const [FEW_FRONTS, MANY_FRONTS] = [40, 120];
  const [MIN_POINTS, MAX_POINTS, POINTS_DRAGGING] = [5, 40, 14];
  // The quantile of the waiting time that is shown.
  const QUANTILE = 0.95;

  const capacity = {
    id: "capacity",
    find_obstacle({ system }) {
      const [{ servers, classes }, most] = [system, dispatch.MAX_TERMS];
      if (servers < most) return "";
      if (classes.length === 1) return `Of n servers n mod ${count(classes[0].need)} are wasted: none with ${count(classes[0].need * Math.ceil(servers / classes[0].need))}.`;
      return `With more than ${count_of(servers, "server")}, no job would need all of them: outside the closed form for needs 1 and n, the sums have as many terms as there are servers, and this page adds up ${count(most)} at most.`;
    },
    * compute(context) {
      if (context.dragging) return null;
      const target = context.state.wasted / 100;
      const { servers, classes } = context.system;
      // Fewer than max v servers are wasted: with this many servers the share is small enough.
      const enough = Math.ceil((Math.max(...classes.map((c) => c.need)) - 1) / target);
      const last = Math.min(dispatch.MAX_TERMS, Math.max(servers, enough));
      const [rows, started] = [[], performance.now()];
      // The number of servers that is enough, that at which the search ends, and the reason if none was enough.
      let [found, until, reason] = [null, Infinity, `this page adds up sums of ${count(dispatch.MAX_TERMS)} terms at most`];
      try {
        for (const [n, wasted] of peak.wasted_shares(context.system, last)) {
          rows.push([n, wasted]);
          if (found === null && wasted <= target) [found, until] = [n, n + Math.max(10, (n - servers) / 4)];
          if (n >= until) break;
          const elapsed = (performance.now() - started) / (1000 * SEARCH_SECONDS);
          if (elapsed > 1) {
            reason = `its ${SEARCH_SECONDS} seconds were over, as each number of servers takes a computation of its own`;
            break;
          }
          yield Math.max(elapsed, (n - servers + 1) / (Math.min(last, until) - servers + 1));
        }
      } catch (error) {
        // Too many states with so many servers: the results up to here are kept.
        if (!(error instanceof chain.TooLarge) || !rows.length) throw error;
        reason = `with one server more, ${error.message}`;
      }
      return { rows, found, reason, enough };
    },
    describe(context, { rows, found, reason, enough }) {
      const [{ servers }, target] = [context.system, context.state.wasted / 100];
      const step = Math.ceil(rows.length / 500);
      const points = rows.filter((_, i) => i % step === 0 || i === rows.length - 1).map(([n, wasted]) => [n, 100 * wasted]);
      const last = rows.at(-1)[0];
      const steps = rows.slice(1).map(([, wasted], i) => [rows[i][1], wasted]);
      const rises = steps.some(([before, wasted]) => wasted > before * (1 + 1e-9));
      const falls = steps.length > 0 && steps.every(([before, wasted]) => wasted < before);
      const trend = rises
        ? " More servers are not always better used: the share rises wherever one more is too few for one more job."
        : falls ? " The share falls with every server." : "";
      const answer = found === null
        ? `Up to ${count_of(last, "server")}, more than ${number(100 * target)} % are always wasted. The search stopped there because ${reason}; ${count(enough)} servers are enough for certain, since fewer stand idle than the largest need.`
        : found === servers
          ? `With ${count_of(servers, "server")} no more than ${number(100 * target)} % are wasted: none must be added.`
          : `${count_of(found - servers, "server")} must be added, ${count(found)} in all, until at most ${number(100 * target)} % are wasted: every number below that was tried.`;
      return {
        plot: {
          x: { label: "servers", scale: "linear", low: servers, high: Math.max(last, servers + 10) },
          y: { label: "servers wasted (%)", scale: "linear", low: 0, high: 1.08 * Math.max(...points.map(([, y]) => y), 100 * target) },
          curves: [{ label: "same jobs, more servers", points, style: 0 }],
          horizontals: [{ y: 100 * target, style: 1, label: `${number(100 * target)} %` }],
          markers: found === null ? [] : [{ x: found, y: 100 * rows[found - servers][1], shape: "diamond", label: "enough" }],
          readouts: points.map(([x, y]) => ({ x, y, text: `${count_of(x, "server")}: ${number(y)} % wasted, ${amount_of((x * y) / 100, "server")}` })),
        },
        sentence: `${answer}${trend}`,
        claim: "two-class-stability/not-monotone-in-servers",
      };
    },
  };

  const response = {
    id: "response",
    find_obstacle(context) {
      try {
        context.fronts = fronts.enumerate(context.system);
        return "";
      } catch (error) {
        if (!(error instanceof fronts.TooLarge)) throw error;
        return `This takes matrices as large as there are fronts: jobs in service, with or without one that blocks the next. The present system has more than ${fronts.MAX_FRONTS} of them: queue.exact and queue.distribution of the library go further, and queue.simulate takes any.`;
      }
    },
    * compute(context) {
      const [size, limit] = [context.fronts.within.length + context.fronts.settles.length, context.means.throughput];
      if (context.dragging && size > FEW_FRONTS) return null;
      const mean_duration = model.sum(context.system.classes.map((c) => c.probability / c.rate));
      const demand = model.mean_demand(context.system);
      const at = (fraction) => {
        const found = age_process.solve(context.fronts, fraction * limit, demand, limit);
        return { fraction, mean: found.mean_wait + mean_duration, wait_quantile: age_process.wait_quantile(found, 1 - QUANTILE) };
      };
      const points = Math.min(context.dragging ? POINTS_DRAGGING : MAX_POINTS, Math.round(MAX_POINTS * (MANY_FRONTS / size) ** 3));
      const fractions = points < MIN_POINTS ? [] : axes.spread("linear", 0.01, MAX_FRACTION, points);
      const rows = [];
      for (const fraction of fractions) {
        rows.push(at(fraction));
        yield rows.length / (fractions.length + 1);
      }
      return { rows, present: at(context.state.fraction), mean_duration };
    },
    describe(context, { rows, present, mean_duration }) {
      const { means: { throughput }, naive, state: { fraction } } = context;
      const curve_of = (key) => rows.map((row) => [row.fraction * throughput, row[key]]);
      const high = Math.max(6 * mean_duration, Math.min(1.3 * Math.max(present.mean, present.wait_quantile), 40 * mean_duration));
      const readout_rows = rows.length ? rows.filter(({ mean }) => mean <= high) : [present];
      const beginning = rows.length ? "The curve rises" : "With so many fronts this page takes the present load alone. The mean rises";
      const quantile = percent(QUANTILE);
      const waits = (wait) => (wait > 0 ? `${quantile} wait at most ${number(wait)} s` : `more than ${quantile} do not wait`);
      return {
        plot: {
          x: { label: "jobs that arrive a second, λ", scale: "linear", low: 0, high: 1.05 * naive },
          y: { label: "time (s)", scale: "linear", low: 0, high },
          curves: [
            ...(rows.length ? [
              { label: "E[T] under FCFS, exact", points: curve_of("mean"), style: 0 },
              { label: `${quantile} wait at most, exact`, points: curve_of("wait_quantile"), style: 3 },
            ] : []),
            { label: "λ*", points: [[throughput, 0], [throughput, high]], style: 1 },
            { label: "n/E[S] (naive)", points: [[naive, 0], [naive, high]], style: 2 },
          ],
          markers: [
            { x: fraction * throughput, y: present.mean, shape: "point", label: `E[T] at ${percent(fraction)} of λ*` },
            { x: fraction * throughput, y: present.wait_quantile, shape: "diamond", label: rows.length ? "" : `${quantile} wait at most` },
          ],
          readouts: readout_rows.map((row) => ({ x: row.fraction * throughput, y: row.mean, text: `λ = ${number(row.fraction * throughput)}, ${percent(row.fraction)} of λ*: ${number(row.mean)} s, ${waits(row.wait_quantile)}` })),
          set: (x) => (x > 0 && x < MAX_FRACTION * throughput ? { fraction: x / throughput } : null),
        },
        sentence: `At ${percent(fraction)} of λ* a job takes ${number(present.mean)} s on average, ${number(present.mean / mean_duration, 3)} times its own duration; of all jobs ${waits(present.wait_quantile)}. ${beginning} without bound at λ* = ${number(throughput)}, ${throughput < 0.9999 * naive ? `before the naive ${number(naive)}` : "the naive limit too"}; near λ* it grows like 1/(1 − λ/λ*).`,
        claim: "multilevel-scaling/heavy-traffic",
      };
    },
  };

  const bell = {
    id: "bell",
    find_obstacle: (context) => (dispatch.choose(context.system) === "needs 1 and n" ? "" : "E[Δ] is known in closed form where jobs need one server or all; set the needs to 1 and n."),
    * compute(context) {
      const { servers, classes } = context.system;
      const [one, all] = [context.small, context.large].map((c) => classes[c]);
      const alpha = -Math.log(all.probability) / Math.log(servers);
      const rows = [];
      for (const x of axes.spread("linear", 0.02, Math.max(2.5, Math.ceil(2 * alpha + 0.4) / 2), context.dragging ? 61 : 241)) {
        const p_n = servers ** -x;
        rows.push({ x, p_n, completions: one_or_n.solve(servers, p_n, one.rate, all.rate).relative_completions });
        if (rows.length % 16 === 0) yield 0;
      }
      return { rows, alpha };
    },
    describe(context, { rows, alpha }) {
      const { servers } = context.system;
      const top = rows.reduce((best, row) => (row.completions > best.completions ? row : best));
      const present = context.means.relative_completions;
      const high = 1.3 * Math.max(top.completions, present);
      // Theorems 4.1 and 4.2 of multilevel-scaling, with p_n = n^−α.
      const [left, right] = [(x) => servers ** x / 2, (x) => servers ** (2 - x) * Math.log(servers) ** 2 / 2];
      const asymptote = (value, holds) => rows.filter(({ x }) => holds(x) && value(x) <= 1.5 * high).map(({ x }) => [x, value(x)]);
      const regime = alpha < 0.95 ? "n-server dominated regime" : alpha > 1.05 ? "1-server dominated regime" : "balanced regime, nearly";
      return {
        plot: {
          x: { label: "α, where pₙ = n⁻ᵅ", scale: "linear", low: 0, high: rows.at(-1).x },
          y: { label: "E[Δ] (jobs)", scale: "linear", low: 0, high },
          bands: [
            { low: 0, high: 1, label: "n-server dominated" },
            { low: 1, high: rows.at(-1).x, label: "1-server dominated" },
          ],
          curves: [
            { label: "E[Δ], exact", points: rows.map(({ x, completions }) => [x, completions]), style: 0 },
            { label: "grows like nᵅ / 2", points: asymptote(left, (x) => x <= 1), style: 1 },
            { label: "falls like n²⁻ᵅ ln² n / 2", points: asymptote(right, (x) => x > 1), style: 2 },
            { points: [[1, 0], [1, high]], style: 3 },
          ],
          markers: [
            { x: alpha, y: present, shape: "point", label: "present mix" },
            { x: top.x, y: top.completions, shape: "diamond", label: "peak" },
          ],
          readouts: rows.map(({ x, p_n, completions }) => ({ x, y: completions, text: `α = ${number(x, 3)}, pₙ = ${number(p_n, 3)}: E[Δ] = ${number(completions)} jobs` })),
          set: (x) => (x > 0.001 ? { probability: [context.large, servers ** -x] } : null),
        },
        sentence: `Near saturation the queue is about (E[Δ] + 1)/(1 − λ/λ*) jobs long, here E[Δ] = ${number(present)} at α = ${number(alpha, 3)}, in the ${regime}. The bell peaks at α = ${number(top.x, 3)}${top.x > 1.05 ? ", beyond the balanced α = 1: large jobs that are already rare make the queue longest" : ""}.`,
        claim: "multilevel-scaling/peak-is-not-balanced",
      };
    },
  };

  return { all: [capacity, response, bell] };
})();
