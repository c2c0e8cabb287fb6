"use strict";
// The views of the saturated system. A view is {id, find_obstacle, compute, describe}; all three functions get the
// context (view_context.js):
//
//     find_obstacle(context)     why the view cannot be shown, or an empty string
//     compute(context)           a generator that yields the share of its work that is done, and returns the data,
//                                or null if these must wait until the end of a drag
//     describe(context, data)    {plot, sentence, claim}: a description for plot.js, a text, and the theorem
//
// The first two run in the worker, where the page's document is not known.
const views_saturated = (() => {
  const { amount_of, capitalise, class_name, count, count_of, number, percent, share_and_need } = format;

  const ONE_CLASS = "There is one class of jobs: add another to see what their mix does.";
  // Terms between two yields.
  const TERMS_PER_YIELD = 2e5;
  // Points of a curve are left out if each takes a chain, so that the curve takes context so many seconds.
  const CHAIN_SECONDS = 4;

  const of_both = (context, key) => [context.small, context.large].map((c) => context.system.classes[c][key]);
  const needs_of = (context) => of_both(context, "need");
  const rates_of = (context) => of_both(context, "rate");
  // A power of ten: the one below x if `round` is Math.floor, above if it is Math.ceil.
  const power_of_ten = (x, round) => 10 ** round(Math.log10(x));

  // The number of points between two yields.
  const batch_size = (context) => Math.max(1, Math.min(16, Math.floor(TERMS_PER_YIELD / context.terms)));

  // Yields the share done and returns {x, wastage, throughput} at each x. `system_at(x)` is the system there;
  // if there are two classes, `columns(xs)` are the rates and p2 there, for dispatch.sweep.
  function* sweep(context, scale, low, high, system_at, columns) {
    if (context.dragging && (context.is_enumerated || context.is_heavy)) return null;
    if (context.is_two_class) {
      const xs = axes.spread(scale, low, high, context.max_points);
      const rows = [];
      for (let i = 0; i < xs.length; i += batch_size(context)) {
        const batch = xs.slice(i, i + batch_size(context));
        const { throughput, wastage } = dispatch.sweep(context.system.servers, needs_of(context), ...columns(batch));
        batch.forEach((x, k) => rows.push({ x, throughput: throughput[k], wastage: wastage[k] }));
        yield rows.length / xs.length;
      }
      return rows;
    }
    const started = performance.now();
    dispatch.solve(context.system);
    const affordable = Math.floor((1000 * CHAIN_SECONDS) / (performance.now() - started));
    yield 0;
    const [xs, rows] = [axes.spread(scale, low, high, Math.max(11, Math.min(context.max_points, affordable))), []];
    for (const x of xs) {
      const { throughput, wastage } = dispatch.solve(system_at(x));
      rows.push({ x, throughput, wastage });
      yield rows.length / xs.length;
    }
    return rows;
  }

  // The theorem for the distribution in time, by the number of classes and their rates.
  function claim_of(context) {
    if (context.is_two_class) return "two-class-stability/theorem-4-2-law";
    return `two-class-stability/${context.is_enumerated ? "three-classes" : "theorem-8-1"}`;
  }

  // The wastage at the points of a curve and at the present state, in order of x, as readouts. The reader must find
  // the present state among them.
  function wastage_readouts(context, data, x, label) {
    const { means, system: { servers } } = context;
    const rows = [...data, { x, wastage: means.wastage }].toSorted((a, b) => a.x - b.x);
    return rows.map((row) => ({ x: row.x, y: row.wastage, text: `${label(row.x)}: ${amount_of(row.wastage, "server")} wasted, ${percent(row.wastage / servers)}` }));
  }

  const wastage_points = (data) => data.map(({ x, wastage }) => [x, wastage]);

  const time = {
    id: "time",
    find_obstacle: () => "",
    * compute(context) {
      if (context.dragging && (context.is_enumerated || context.is_heavy)) return null;
      yield 0;
      return dispatch.idle_tails(context.system, 400, context.means.by_idle);
    },
    describe(context, points) {
      const { servers } = context.system;
      const share_of_idling = points[0][1];
      const largest_seen = points.findLast(([, share]) => share > 1e-9)?.[0] ?? 0;
      // P(N_idle ≥ x) is a staircase with area E[N_idle] below it. If steps are left out, straight lines between
      // the middles of steps have nearly the same area.
      const has_all_steps = points.every(([k], i) => k === i + 1);
      const tail = has_all_steps
        ? points.flatMap(([k, share]) => [[k - 1, share], [k, share]])
        : [[0, share_of_idling], ...points.map(([k, share]) => [k - 0.5, share])];
      const end = tail.at(-1)[0];
      const { wastage } = context.means;
      const is_one_class = context.system.classes.length === 1;
      const reason = context.is_two_class
        ? `${capitalise(share_and_need(context.system.classes[context.large]))} at once. Such a job waits at the head of the line until so many are free; nobody may pass it, and one server after the other falls idle.`
        : is_one_class ? "The servers that are left over are too few for one more job." : "A job that does not fit blocks all behind it, even those that would.";
      const sentence = share_of_idling > 0
        ? `${reason} So ${is_one_class ? "always" : share_of_idling > 0.999 ? "almost always" : `${percent(share_of_idling)} of the time`} some servers are idle, ${number(wastage / share_of_idling, 3)} of them on average. The area below the curve is the waste, ${amount_of(wastage, "server")}.`
        : "No server is ever idle while jobs wait.";
      const high = Math.max(1, Math.min(servers, Math.ceil(1.1 * largest_seen)));
      return {
        plot: {
          x: { label: "servers idle, at least", scale: "linear", low: 0, high },
          y: { label: "share of the time", scale: "linear", low: 0, high: 1 },
          areas: [[[0, 0], ...tail, [end, 0]]],
          curves: [{ label: "idle at least so many", points: [[0, 1], ...tail, [end, 0]], style: 0 }],
          readouts: points.filter(([idle]) => idle <= high).map(([x, y]) => ({ x, y, text: `${count_of(x, "server")} or more idle: ${percent(y)} of the time` })),
        },
        sentence,
        claim: claim_of(context),
      };
    },
  };

  const region = {
    id: "region",
    find_obstacle: (context) => (context.is_two_class ? "" : "The region is drawn for two classes of different needs; λ* above holds for the present mix."),
    * compute(context) {
      if (context.dragging && context.is_heavy) return null;
      const [d1, d2] = needs_of(context).map((need, i) => need / rates_of(context)[i]);
      // Points are evenly spaced in the angle of a half circle over the share of the load that class 2 brings.
      const load_share = Float64Array.from({ length: context.max_points }, (_, i) => (1 - Math.cos((Math.PI * i) / (context.max_points - 1))) / 2);
      const p2 = load_share.map((s) => (s * d1) / (s * d1 + (1 - s) * d2));
      const rows = [];
      for (let i = 0; i < p2.length; i += batch_size(context)) {
        const batch = p2.slice(i, i + batch_size(context));
        const { throughput } = dispatch.sweep(context.system.servers, needs_of(context), rates_of(context), batch);
        batch.forEach((p, k) => rows.push({ p, naive: context.system.servers / ((1 - p) * d1 + p * d2), limit: throughput[k] }));
        yield rows.length / p2.length;
      }
      return rows;
    },
    describe(context, data) {
      const { system, means, naive } = context;
      const p = system.classes[context.large].probability;
      const [boundary, naive_line] = ["limit", "naive"].map((key) => data.map((row) => [row[key] * (1 - row.p), row[key] * row.p]));
      const lost_share = 1 - means.throughput / naive;
      const is_divisible = model.is_divisible(system);
      return {
        plot: {
          x: { label: `${class_name(system, context.small)} a second, λ₁`, scale: "linear", low: 0, high: 1.04 * naive_line[0][0] },
          y: { label: `${class_name(system, context.large)} a second, λ₂`, scale: "linear", low: 0, high: 1.04 * naive_line.at(-1)[1] },
          areas: [[...boundary, ...naive_line.toReversed()]],
          curves: [
            { label: "FCFS, exact", points: boundary, style: 0 },
            { label: "no server wasted (naive)", points: naive_line, style: 1 },
            ...(is_divisible ? [{ label: "ServerFilling", points: naive_line, style: 2 }] : []),
            { points: [[0, 0], [naive * (1 - p), naive * p]], style: 3 },
          ],
          markers: [
            { x: means.throughput * (1 - p), y: means.throughput * p, shape: "point", label: "present mix" },
            { x: naive * (1 - p), y: naive * p, shape: "diamond" },
          ],
          readouts: data.map(({ p: q, limit, naive: n }) => ({
            x: limit * (1 - q), y: limit * q,
            text: `λ₁ = ${number(limit * (1 - q))}, λ₂ = ${number(limit * q)}: λ* = ${number(limit)} of ${number(n)} jobs a second`,
          })),
          set: (x, y) => {
            const share = Math.max(0, y) / (Math.max(0, x) + Math.max(0, y));
            return share > 0 && share < 1 ? { probability: [context.large, share] } : null;
          },
        },
        sentence: `Below the solid line FCFS is stable, between the lines it is not although the servers would suffice: at the present mix it sustains ${amount_of(means.throughput, "job")} a second${lost_share < 5e-5 ? ", next to none less" : ` instead of ${number(naive)}, ${percent(lost_share)} less`}. ${is_divisible ? "ServerFilling, which may interrupt jobs, reaches the naive line, since every need divides the servers." : "ServerFilling is not defined here: not every need divides the servers."}`,
        claim: is_divisible ? "finite-skip/lemma-7-1" : "two-class-stability/theorem-4-2-throughput",
      };
    },
  };

  const mix = {
    id: "mix",
    find_obstacle: (context) => (context.order.length > 1 ? "" : ONE_CLASS),
    * compute(context) {
      if (context.dragging && context.is_heavy) return null;
      const { servers, classes } = context.system;
      if (context.is_two_class) context.worst_mix ??= yield* peak.search_peak(servers, needs_of(context), rates_of(context), 61, 1e-6);
      const p = classes[context.large].probability;
      // The axis reaches beyond both markers.
      const marked = [p, context.worst_mix?.probability_2 ?? p];
      const low = power_of_ten(Math.max(1e-31, Math.min(1e-3, ...marked.map((x) => x / 4))), Math.floor);
      const high = 1 - power_of_ten(Math.max(1e-12, Math.min(1e-2, ...marked.map((x) => (1 - x) / 4))), Math.floor);
      return yield* sweep(
        context, "logit", low, high,
        (x) => model.with_probability(context.system, context.large, x),
        (shares) => [rates_of(context), shares],
      );
    },
    describe(context, data) {
      const { system, means, worst_mix } = context;
      const { servers } = system;
      const p = system.classes[context.large].probability;
      const markers = [{ x: p, y: means.wastage, shape: "point", label: "present mix" }];
      if (worst_mix) markers.push({ x: worst_mix.probability_2, y: worst_mix.wastage, shape: "diamond", label: "worst mix" });
      const top = data.reduce((best, row) => (row.wastage > best.wastage ? row : best), data[0]);
      const [at, most] = worst_mix ? [worst_mix.probability_2, worst_mix.wastage] : [top.x, top.wastage];
      const large = class_name(system, context.large);
      const [rest_small, rest_large] = needs_of(context).map((need) => servers % need);
      const ends_text = context.is_two_class
        ? `With one class alone, ${rest_small} or ${rest_large} would be left over: the rest of the waste comes from mixing them.`
        : `With ${large} alone, ${rest_large} would be left over.`;
      return {
        plot: {
          x: { label: `share of ${large}`, scale: "logit", low: data[0].x, high: data.at(-1).x },
          y: { label: "servers wasted", scale: "linear", low: 0, high: 1.08 * Math.max(most, means.wastage, 1e-3) },
          curves: [{ label: "servers wasted, exact", points: wastage_points(data), style: 0 }],
          markers,
          readouts: wastage_readouts(context, data, p, (x) => `${percent(x)} ${large}`),
          set: (x) => ({ probability: [context.large, x] }),
        },
        sentence: most === 0 ? "No server is wasted, whatever the mix." : `${worst_mix ? "The worst mix is" : "On this curve most are wasted at"} ${percent(at)} of ${large}${worst_mix ? `, which make ${percent(worst_mix.load_share_2)} of all server-seconds` : ""}: ${number(most)} of ${count(servers)} servers are wasted, ${percent(most / servers)}. At the present ${percent(p)} it is ${number(means.wastage)}. ${ends_text}`,
        claim: context.is_two_class ? "two-class-stability/fig6b-worst-mix" : claim_of(context),
      };
    },
  };

  const ratio = {
    id: "ratio",
    find_obstacle: (context) => (context.order.length > 1 ? "" : ONE_CLASS),
    * compute(context) {
      const [mu1, mu2] = rates_of(context);
      const [n1, n2] = needs_of(context);
      const low = power_of_ten(Math.min(1e-2, mu2 / mu1 / 3), Math.floor);
      const high = power_of_ten(Math.max(1e2, (3 * mu2) / mu1, (30 * n2) / n1), Math.ceil);
      const p = context.system.classes[context.large].probability;
      return yield* sweep(
        context, "log", low, high,
        (x) => model.with_rate(context.system, context.large, x * mu1),
        (ratios) => [[1, ratios], p],
      );
    },
    describe(context, data) {
      const { system, means } = context;
      const [mu1, mu2] = rates_of(context);
      const [small, large] = [context.small, context.large].map((c) => class_name(system, c));
      // Little's law.
      const large_in_service = (means.throughput * system.classes[context.large].probability) / mu2;
      const horizontals = [];
      let limits_text = "";
      if (context.is_two_class) {
        const [slow, fast] = [
          limits.slow_class_2_wastage(system.servers, needs_of(context)),
          limits.fast_class_2_wastage(system.servers, needs_of(context), system.classes[context.large].probability),
        ];
        horizontals.push({ y: slow, style: 2, label: "limit at the left" }, { y: fast, style: 3, label: "limit at the right" });
        limits_text = ` Far left only ${large} are in service and n mod n₂ = ${count_of(slow, "server")} ${slow === 1 ? "is" : "are"} idle; far right they are gone at once, and ${amount_of(fast, "server")} ${number(fast) === "1" ? "stands" : "stand"} idle for the next one.`;
      }
      const has_dips = data.some((row, i) => i > 0 && row.wastage < data[i - 1].wastage * (1 - 1e-6));
      const dips_text = has_dips
        ? `Each dip is where ${small} have piled up until they fill the room that ${large} leave; then they displace one more of these, and its servers stand idle again.`
        : "The waste never falls on the way: the numbers in service vary too much for dips to show.";
      return {
        plot: {
          x: { label: `rate of ${large} / of ${small}`, scale: "log", low: data[0].x, high: data.at(-1).x },
          y: { label: "servers wasted", scale: "linear", low: 0, high: 1.08 * Math.max(...data.map((row) => row.wastage), means.wastage, 1e-3) },
          curves: [{ label: "servers wasted, exact", points: wastage_points(data), style: 0 }],
          horizontals,
          markers: [{ x: mu2 / mu1, y: means.wastage, shape: "point", label: "present rates" }],
          readouts: wastage_readouts(context, data, mu2 / mu1, (x) => `ratio ${number(x)}`),
          set: (x) => ({ rate: [context.large, x * mu1] }),
        },
        sentence: `At the present ratio ${number(mu2 / mu1)}, ${amount_of(means.wastage, "server")} ${number(means.wastage) === "1" ? "is" : "are"} wasted, and ${number(large_in_service, 3)} of the ${large} run at a time.${limits_text} ${dips_text}`,
        claim: context.is_two_class ? "two-class-stability/fig8a-dips" : "two-class-stability/three-classes",
      };
    },
  };

  return { all: [time, region, mix, ratio] };
})();
