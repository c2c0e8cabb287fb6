"use strict";
// The views of more servers, of the open system and of 1-or-n, made as in views_saturated.js.
const views_open = (() => {
  const { count, number, percent, plural, some } = words;

  const SEARCH_SECONDS = 6;
  const POINTS = 40;
  const HIGHEST_FRACTION = 0.99;
  // With more fronts curves have fewer points, or none; with few they are redrawn during a drag.
  const [DEAR_FRONTS, QUICK_FRONTS, FEWEST_POINTS] = [120, 40, 5];
  const OFTEN = 0.95;

  const capacity = {
    id: "capacity",
    applies: ({ system }) => (system.servers < dispatch.MOST_SERVERS ? "" : `With more than ${plural(system.servers, "server")}, no job would need all of them: outside the closed form for needs 1 and n, the sums have as many terms as there are servers, and this page adds up ${count(dispatch.MOST_SERVERS)} at most.`),
    * compute(about) {
      if (about.moving) return null;
      const share = about.state.wasted / 100;
      const { servers, classes } = about.system;
      // Fewer than max v servers are wasted: with this many servers the share is small enough.
      const enough = Math.ceil((Math.max(...classes.map((c) => c.need)) - 1) / share);
      const most = Math.min(dispatch.MOST_SERVERS, Math.max(servers, enough));
      const [rows, started] = [[], performance.now()];
      let [found, until, why] = [null, Infinity, `this page adds up sums of ${count(dispatch.MOST_SERVERS)} terms at most`];
      try {
        for (const [n, wasted] of peak.wasted_shares(about.system, most)) {
          rows.push([n, wasted]);
          if (found === null && wasted <= share) [found, until] = [n, n + Math.max(10, (n - servers) / 4)];
          if (n >= until) break;
          const elapsed = (performance.now() - started) / (1000 * SEARCH_SECONDS);
          if (elapsed > 1) {
            why = `its ${SEARCH_SECONDS} seconds were over, as each number of servers takes a computation of its own`;
            break;
          }
          yield Math.max(elapsed, (n - servers + 1) / (Math.min(most, until) - servers + 1));
        }
      } catch (error) {
        // The number of states grows with the number of servers: keep the results up to here.
        if (!(error instanceof chain.TooLarge) || !rows.length) throw error;
        why = `with one server more, ${error.message}`;
      }
      return { rows, found, why, enough };
    },
    describe(about, { rows, found, why, enough }) {
      const [{ servers }, share] = [about.system, about.state.wasted / 100];
      const step = Math.ceil(rows.length / 500);
      const points = rows.filter((_, i) => i % step === 0 || i === rows.length - 1).map(([n, wasted]) => [n, 100 * wasted]);
      const last = rows.at(-1)[0];
      const dips = rows.some(([, wasted], i) => i > 0 && wasted > rows[i - 1][1] * (1 + 1e-9));
      const answer = found === null
        ? `Up to ${plural(last, "server")}, more than ${number(100 * share)} % are always wasted. The search stopped there because ${why}; ${count(enough)} servers are enough for certain, since fewer stand idle than the largest need.`
        : found === servers
          ? `With ${plural(servers, "server")} no more than ${number(100 * share)} % are wasted: none must be added.`
          : `${plural(found - servers, "server")} must be added, ${count(found)} in all, until at most ${number(100 * share)} % are wasted: every number below that was tried.`;
      return {
        plot: {
          x: { label: "servers", kind: "linear", low: servers, high: Math.max(last, servers + 10) },
          y: { label: "servers wasted (%)", kind: "linear", low: 0, high: 1.08 * Math.max(...points.map(([, y]) => y), 100 * share) },
          curves: [{ label: "same jobs, more servers", points, look: 0 }],
          levels: [{ y: 100 * share, look: 1, label: `${number(100 * share)} %` }],
          marks: found === null ? [] : [{ x: found, y: 100 * rows[found - servers][1], shape: "diamond", label: "enough" }],
          readings: points.map(([x, y]) => ({ x, y, text: `${plural(x, "server")}: ${number(y)} % wasted, ${some((x * y) / 100, "server")}` })),
        },
        sentence: `${answer} ${dips ? "More servers are not always better used: the share rises wherever one more is too few for one more job." : "The share falls with every server."}`,
        claim: "two-class-stability/not-monotone-in-servers",
      };
    },
  };

  const response = {
    id: "response",
    applies(about) {
      try {
        about.fronts = fronts.enumerate(about.system);
        return "";
      } catch (error) {
        if (!(error instanceof fronts.TooLarge)) throw error;
        return `This takes matrices as large as there are fronts: jobs in service, with or without one that blocks the next. The present system has more than ${fronts.MOST} of them: queue.exact and queue.distribution of the library go further, and queue.simulate takes any.`;
      }
    },
    * compute(about) {
      const [size, limit] = [about.fronts.within.length + about.fronts.settles.length, about.means.throughput];
      if (about.moving && size > QUICK_FRONTS) return null;
      const own = model.sum(about.system.classes.map((c) => c.probability / c.rate));
      const demand = model.mean_demand(about.system);
      const at = (fraction) => {
        const found = age.solve(about.fronts, fraction * limit, demand);
        return { fraction, mean: found.waiting + own, seldom: age.quantile(found, 1 - OFTEN) };
      };
      const few = Math.min(about.moving ? 14 : POINTS, Math.round(POINTS * (DEAR_FRONTS / size) ** 3));
      const fractions = few < FEWEST_POINTS ? [] : axes.spread("linear", 0.01, HIGHEST_FRACTION, few);
      const rows = [];
      for (const fraction of fractions) {
        rows.push(at(fraction));
        yield rows.length / (fractions.length + 1);
      }
      return { rows, present: at(about.state.fraction), own };
    },
    describe(about, { rows, present, own }) {
      const { means: { throughput }, naive, state: { fraction } } = about;
      const curve_of = (key) => rows.map((row) => [row.fraction * throughput, row[key]]);
      const high = Math.max(6 * own, Math.min(1.3 * Math.max(present.mean, present.seldom), 40 * own));
      const told = rows.length ? rows.filter(({ mean }) => mean <= high) : [present];
      const curves = rows.length ? "The curve rises" : "With so many fronts this page takes the present load alone. The mean rises";
      const often = percent(OFTEN);
      const waits = (seldom) => (seldom > 0 ? `${often} wait at most ${number(seldom)} s` : `more than ${often} do not wait`);
      return {
        plot: {
          x: { label: "jobs that arrive a second, λ", kind: "linear", low: 0, high: 1.05 * naive },
          y: { label: "time (s)", kind: "linear", low: 0, high },
          curves: [
            ...(rows.length ? [
              { label: "E[T] under FCFS, exact", points: curve_of("mean"), look: 0 },
              { label: `${often} wait at most, exact`, points: curve_of("seldom"), look: 3 },
            ] : []),
            { label: "λ*", points: [[throughput, 0], [throughput, high]], look: 1 },
            { label: "n/E[S] (naive)", points: [[naive, 0], [naive, high]], look: 2 },
          ],
          marks: [
            { x: fraction * throughput, y: present.mean, shape: "point", label: `E[T] at ${percent(fraction)} of λ*` },
            { x: fraction * throughput, y: present.seldom, shape: "diamond", label: rows.length ? "" : `${often} wait at most` },
          ],
          readings: told.map((row) => ({ x: row.fraction * throughput, y: row.mean, text: `λ = ${number(row.fraction * throughput)}, ${percent(row.fraction)} of λ*: ${number(row.mean)} s, ${waits(row.seldom)}` })),
          set: (x) => (x > 0 && x < HIGHEST_FRACTION * throughput ? { fraction: x / throughput } : null),
        },
        sentence: `At ${percent(fraction)} of λ* a job takes ${number(present.mean)} s on average, ${number(present.mean / own, 3)} times its own duration; of all jobs ${waits(present.seldom)}. ${curves} without bound at λ* = ${number(throughput)}, ${throughput < 0.9999 * naive ? `before the naive ${number(naive)}` : "the naive limit too"}; near λ* it grows like 1/(1 − λ/λ*).`,
        claim: "multilevel-scaling/heavy-traffic",
      };
    },
  };

  const bell = {
    id: "bell",
    applies: (about) => (dispatch.choose(about.system) === "needs 1 and n" ? "" : "E[Δ] is known in closed form where jobs need one server or all; set the needs to 1 and n."),
    * compute(about) {
      const { servers, classes } = about.system;
      const [one, all] = [about.small, about.large].map((c) => classes[c]);
      const alpha = -Math.log(all.probability) / Math.log(servers);
      const found = [];
      for (const x of axes.spread("linear", 0.02, Math.max(2.5, Math.ceil(2 * alpha + 0.4) / 2), about.moving ? 61 : 241)) {
        const p_n = servers ** -x;
        found.push({ x, p_n, completions: one_or_n.one_or_n(servers, p_n, one.rate, all.rate).relative_completions });
        if (found.length % 16 === 0) yield 0;
      }
      return { found, alpha };
    },
    describe(about, { found, alpha }) {
      const { servers } = about.system;
      const top = found.reduce((best, row) => (row.completions > best.completions ? row : best));
      const present = about.means.relative_completions;
      const high = 1.3 * Math.max(top.completions, present);
      const [rises, falls] = [(x) => servers ** x / 2, (x) => servers ** (2 - x) * Math.log(servers) ** 2 / 2];
      const guide = (grows, wanted) => found.filter(({ x }) => wanted(x) && grows(x) <= 1.5 * high).map(({ x }) => [x, grows(x)]);
      const regime = alpha < 0.95 ? "n-server dominated regime" : alpha > 1.05 ? "1-server dominated regime" : "balanced regime, nearly";
      return {
        plot: {
          x: { label: "α, where p_n = n^−α", kind: "linear", low: 0, high: found.at(-1).x },
          y: { label: "E[Δ] (jobs)", kind: "linear", low: 0, high },
          bands: [
            { low: 0, high: 1, label: "n-server dominated" },
            { low: 1, high: found.at(-1).x, label: "1-server dominated" },
          ],
          curves: [
            { label: "E[Δ(Y_d)], exact", points: found.map(({ x, completions }) => [x, completions]), look: 0 },
            { label: "grows like n^α / 2", points: guide(rises, (x) => x <= 1), look: 1 },
            { label: "falls like n^(2−α) ln² n / 2", points: guide(falls, (x) => x > 1), look: 2 },
            { points: [[1, 0], [1, high]], look: 3 },
          ],
          marks: [
            { x: alpha, y: present, shape: "point", label: "present mix" },
            { x: top.x, y: top.completions, shape: "diamond", label: "peak" },
          ],
          readings: found.map(({ x, p_n, completions }) => ({ x, y: completions, text: `α = ${number(x, 3)}, p_n = ${number(p_n, 3)}: E[Δ] = ${number(completions)} jobs` })),
          set: (x) => (x > 0.001 ? { probability: [about.large, servers ** -x] } : null),
        },
        sentence: `Near saturation the queue is about (E[Δ] + 1)/(1 − λ/λ*) jobs long, here E[Δ] = ${number(present)} at α = ${number(alpha, 3)}, in the ${regime}. The bell peaks at α = ${number(top.x, 3)}${top.x > 1.05 ? ", beyond the balanced α = 1: large jobs that are already rare make the queue longest" : ""}.`,
        claim: "multilevel-scaling/peak-is-not-balanced",
      };
    },
  };

  return { all: [capacity, response, bell] };
})();
