"use strict";
// The views of the saturated system. A view is {id, applies, compute, describe}: `applies` gives the reason
// why it does not apply, if any; `compute` is a generator that yields its progress and returns the data, or
// null if these must wait until the end of a drag; `describe` gives the plot and the sentence for the data.
// All get the result of `preparing` for the present state; the first two run in a worker.
const views_saturated = (() => {
  const { capital, count, name, number, percent, plural, some, who_needs } = words;

  const SOME_CLASSES = "There is one class of jobs: add another to see what their mix does.";
  // States between two yields of a sweep.
  const CHUNK = 2e5;
  const CHAIN_SECONDS = 4;

  const pick = (about, key) => [about.small, about.large].map((c) => about.system.classes[c][key]);
  const needs_of = (about) => pick(about, "need");
  const rates_of = (about) => pick(about, "rate");
  const decade = (x, round) => 10 ** round(Math.log10(x));

  const some_of = (about) => Math.max(1, Math.min(16, Math.floor(CHUNK / about.terms)));

  // {x, wastage, throughput} at each x; `vary(x)` is the system there, and `columns(xs)` the rates and
  // p2 there if there are two classes.
  function* along(about, scale, low, high, vary, columns) {
    if (about.moving && (about.slow || about.heavy)) return null;
    if (about.two) {
      const xs = axes.spread(scale, low, high, about.points);
      const found = [];
      for (let i = 0; i < xs.length; i += some_of(about)) {
        const some = xs.slice(i, i + some_of(about));
        const { throughput, wastage } = dispatch.sweep(about.system.servers, needs_of(about), ...columns(some));
        some.forEach((x, k) => found.push({ x, throughput: throughput[k], wastage: wastage[k] }));
        yield found.length / xs.length;
      }
      return found;
    }
    const started = performance.now();
    dispatch.solve(about.system);
    const affordable = Math.floor((1000 * CHAIN_SECONDS) / (performance.now() - started));
    yield 0;
    const [xs, found] = [axes.spread(scale, low, high, Math.max(11, Math.min(about.points, affordable))), []];
    for (const x of xs) {
      const { throughput, wastage } = dispatch.solve(vary(x));
      found.push({ x, throughput, wastage });
      yield found.length / xs.length;
    }
    return found;
  }

  // The theorem that gives the distribution in time, by the number of classes.
  function law_of(about) {
    if (about.two) return "two-class-stability/theorem-4-2-law";
    return `two-class-stability/${about.slow ? "three-classes" : "theorem-8-1"}`;
  }

  // Readings in order along the plot. The present state comes last in the input; the pointer may have set it.
  const ordered = (readings) => readings.toSorted((a, b) => a.x - b.x);
  const curve = (data, key) => data.map((row) => [row.x, row[key]]);
  const highest = (data, key) => Math.max(...data.map((row) => row[key]));

  const time = {
    id: "time",
    applies: () => "",
    * compute(about) {
      if (about.moving && (about.slow || about.heavy)) return null;
      yield 0;
      return dispatch.idle_tails(about.system, 400, about.means.by_idle);
    },
    describe(about, points) {
      const { servers } = about.system;
      const over = points[0][1];
      const most = points.findLast(([, share]) => share > 1e-9)?.[0] ?? 0;
      // P(N_idle ≥ x) is a staircase with area E[N_idle] below it. If steps are left out, straight lines
      // between the middles of steps have the same area.
      const every = points.every(([k], i) => k === i + 1);
      const tail = every
        ? points.flatMap(([k, share]) => [[k - 1, share], [k, share]])
        : [[0, over], ...points.map(([k, share]) => [k - 0.5, share])];
      const end = tail.at(-1)[0];
      const wasted = about.means.wastage;
      const why = about.two
        ? `${capital(who_needs(about.system.classes[about.large]))} at once. Such a job waits at the head of the line until so many are free; nobody may pass it, and one server after the other falls idle.`
        : "A job that does not fit blocks all behind it, even those that would.";
      const said = over > 0
        ? `${why} So ${over > 0.999 ? "almost always" : `${percent(over)} of the time`} some servers are idle, ${number(wasted / over, 3)} of them on average. The area below the curve is the waste, ${some(wasted, "server")}.`
        : "No server is ever idle while jobs wait.";
      const high = Math.max(1, Math.min(servers, Math.ceil(1.1 * most)));
      return {
        plot: {
          x: { label: "servers idle, at least", kind: "linear", low: 0, high },
          y: { label: "share of the time", kind: "linear", low: 0, high: 1 },
          areas: [[[0, 0], ...tail, [end, 0]]],
          curves: [{ label: "idle at least so many", points: [[0, 1], ...tail, [end, 0]], look: 0 }],
          readings: points.filter(([idle]) => idle <= high).map(([x, y]) => ({ x, y, text: `${plural(x, "server")} or more idle: ${percent(y)} of the time` })),
        },
        sentence: said,
        claim: law_of(about),
      };
    },
  };

  const region = {
    id: "region",
    applies: (about) => (about.two ? "" : "The region is drawn for two classes of different needs; λ* above holds for the present mix."),
    * compute(about) {
      if (about.moving && about.heavy) return null;
      const [d1, d2] = needs_of(about).map((need, i) => need / rates_of(about)[i]);
      const share = Float64Array.from({ length: about.points }, (_, i) => (1 - Math.cos((Math.PI * i) / (about.points - 1))) / 2);
      const p2 = share.map((s) => (s * d1) / (s * d1 + (1 - s) * d2));
      const found = [];
      for (let i = 0; i < p2.length; i += some_of(about)) {
        const some = p2.slice(i, i + some_of(about));
        const { throughput } = dispatch.sweep(about.system.servers, needs_of(about), rates_of(about), some);
        some.forEach((p, k) => found.push({ p, naive: about.system.servers / ((1 - p) * d1 + p * d2), limit: throughput[k] }));
        yield found.length / p2.length;
      }
      return found;
    },
    describe(about, data) {
      const { system, means, naive } = about;
      const p = system.classes[about.large].probability;
      const [boundary, line] = ["limit", "naive"].map((key) => data.map((row) => [row[key] * (1 - row.p), row[key] * row.p]));
      const lost = 1 - means.throughput / naive;
      const fills = model.fills_servers(system);
      return {
        plot: {
          x: { label: `${name(system, about.small)} a second, λ₁`, kind: "linear", low: 0, high: 1.04 * line[0][0] },
          y: { label: `${name(system, about.large)} a second, λ₂`, kind: "linear", low: 0, high: 1.04 * line.at(-1)[1] },
          areas: [[...boundary, ...line.toReversed()]],
          curves: [
            { label: "FCFS, exact", points: boundary, look: 0 },
            { label: "no server wasted (naive)", points: line, look: 1 },
            ...(fills ? [{ label: "ServerFilling", points: line, look: 2 }] : []),
            { points: [[0, 0], [naive * (1 - p), naive * p]], look: 3 },
          ],
          marks: [
            { x: means.throughput * (1 - p), y: means.throughput * p, shape: "point", label: "present mix" },
            { x: naive * (1 - p), y: naive * p, shape: "diamond" },
          ],
          readings: data.map(({ p: q, limit, naive: n }) => ({
            x: limit * (1 - q), y: limit * q,
            text: `λ₁ = ${number(limit * (1 - q))}, λ₂ = ${number(limit * q)}: λ* = ${number(limit)} of ${number(n)} jobs a second`,
          })),
          set: (x, y) => {
            const share = Math.max(0, y) / (Math.max(0, x) + Math.max(0, y));
            return share > 0 && share < 1 ? { probability: [about.large, share] } : null;
          },
        },
        sentence: `Below the solid line FCFS is stable, between the lines it is not although the servers would suffice: at the present mix it sustains ${some(means.throughput, "job")} a second${lost < 5e-5 ? ", next to none less" : ` instead of ${number(naive)}, ${percent(lost)} less`}. ${fills ? "ServerFilling, which may interrupt jobs, reaches the naive line, since every need divides the servers." : "ServerFilling is not defined here: not every need divides the servers."}`,
        claim: fills ? "finite-skip/lemma-7-1" : "two-class-stability/theorem-4-2-throughput",
      };
    },
  };

  const mix = {
    id: "mix",
    applies: (about) => (about.order.length > 1 ? "" : SOME_CLASSES),
    * compute(about) {
      if (about.moving && about.heavy) return null;
      const { servers, classes } = about.system;
      if (about.two) about.worst ??= yield* peak.search_peak(servers, needs_of(about), rates_of(about), 61, 1e-6);
      const p = classes[about.large].probability;
      const known = [p, about.worst?.probability_2 ?? p];
      const low = decade(Math.max(1e-31, Math.min(1e-3, ...known.map((x) => x / 4))), Math.floor);
      const high = 1 - decade(Math.max(1e-12, Math.min(1e-2, ...known.map((x) => (1 - x) / 4))), Math.floor);
      return yield* along(
        about, "logit", low, high,
        (x) => model.with_probability(about.system, about.large, x),
        (some) => [rates_of(about), some],
      );
    },
    describe(about, data) {
      const { system, means, worst } = about;
      const { servers } = system;
      const p = system.classes[about.large].probability;
      const marks = [{ x: p, y: means.wastage, shape: "point", label: "present mix" }];
      if (worst) marks.push({ x: worst.probability_2, y: worst.wastage, shape: "diamond", label: "worst mix" });
      const top = data.reduce((best, row) => (row.wastage > best.wastage ? row : best), data[0]);
      const [at, most] = worst ? [worst.probability_2, worst.wastage] : [top.x, top.wastage];
      const large = name(system, about.large);
      const [left, alone] = needs_of(about).map((need) => servers % need);
      const ends = about.two
        ? `With one class alone, ${left} or ${alone} would be left over: the rest of the waste comes from mixing them.`
        : `With ${large} alone, ${alone} would be left over.`;
      return {
        plot: {
          x: { label: `share of ${large}`, kind: "logit", low: data[0].x, high: data.at(-1).x },
          y: { label: "servers wasted", kind: "linear", low: 0, high: 1.08 * Math.max(most, means.wastage, 1e-3) },
          curves: [{ label: "servers wasted, exact", points: curve(data, "wastage"), look: 0 }],
          marks,
          readings: ordered([...data, { x: p, wastage: means.wastage }].map(({ x, wastage }) => ({ x, y: wastage, text: `${percent(x)} ${large}: ${some(wastage, "server")} wasted, ${percent(wastage / servers)}` }))),
          set: (x) => ({ probability: [about.large, x] }),
        },
        sentence: `${worst ? "The worst mix is" : "On this curve most are wasted at"} ${percent(at)} of ${large}${worst ? `, which make ${percent(worst.load_share_2)} of all server-seconds` : ""}: ${number(most)} of ${count(servers)} servers are wasted, ${percent(most / servers)}. At the present ${percent(p)} it is ${number(means.wastage)}. ${ends}`,
        claim: about.two ? "two-class-stability/fig6b-worst-mix" : law_of(about),
      };
    },
  };

  const ratio = {
    id: "ratio",
    applies: (about) => (about.order.length > 1 ? "" : SOME_CLASSES),
    * compute(about) {
      const [mu1, mu2] = rates_of(about);
      const [n1, n2] = needs_of(about);
      const low = decade(Math.min(1e-2, mu2 / mu1 / 3), Math.floor);
      const high = decade(Math.max(1e2, (3 * mu2) / mu1, (30 * n2) / n1), Math.ceil);
      const p = about.system.classes[about.large].probability;
      return yield* along(
        about, "log", low, high,
        (x) => model.with_rate(about.system, about.large, x * mu1),
        (some) => [[1, some], p],
      );
    },
    describe(about, data) {
      const { system, means } = about;
      const [mu1, mu2] = rates_of(about);
      const [small, large] = [about.small, about.large].map((c) => name(system, c));
      const together = (means.throughput * system.classes[about.large].probability) / mu2;
      const levels = [];
      let ends = "";
      if (about.two) {
        const [slow, fast] = [
          limits.slow_class_2_wastage(system.servers, needs_of(about)),
          limits.fast_class_2_wastage(system.servers, needs_of(about), system.classes[about.large].probability),
        ];
        levels.push({ y: slow, look: 2, label: "limit at the left" }, { y: fast, look: 3, label: "limit at the right" });
        ends = ` Far left only ${large} are in service and n mod n₂ = ${slow} servers are idle; far right they are gone at once, and ${some(fast, "server")} ${number(fast) === "1" ? "stands" : "stand"} idle for the next one.`;
      }
      const falls = data.some((row, i) => i > 0 && row.wastage < data[i - 1].wastage * (1 - 1e-6));
      const text = falls
        ? `Each dip is where ${small} have piled up until they fill the room that ${large} leave; then they displace one more of these, and its servers stand idle again.`
        : "The waste never falls on the way: the numbers in service vary too much for dips to show.";
      return {
        plot: {
          x: { label: `rate of ${large} / rate of ${small}`, kind: "log", low: data[0].x, high: data.at(-1).x },
          y: { label: "servers wasted", kind: "linear", low: 0, high: 1.08 * Math.max(highest(data, "wastage"), means.wastage, 1e-3) },
          curves: [{ label: "servers wasted, exact", points: curve(data, "wastage"), look: 0 }],
          levels,
          marks: [{ x: mu2 / mu1, y: means.wastage, shape: "point", label: "present rates" }],
          readings: ordered([...data, { x: mu2 / mu1, wastage: means.wastage }].map(({ x, wastage }) => ({ x, y: wastage, text: `ratio ${number(x)}: ${some(wastage, "server")} wasted, ${percent(wastage / system.servers)}` }))),
          set: (x) => ({ rate: [about.large, x * mu1] }),
        },
        sentence: `At the present ratio ${number(mu2 / mu1)}, ${some(means.wastage, "server")} ${number(means.wastage) === "1" ? "is" : "are"} wasted, and ${number(together, 3)} of the ${large} run at a time.${ends} ${text}`,
        claim: about.two ? "two-class-stability/fig8a-dips" : "two-class-stability/three-classes",
      };
    },
  };

  return { all: [time, region, mix, ratio] };
})();
