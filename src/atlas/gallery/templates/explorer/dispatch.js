"use strict";
// The cheapest exact method for a saturated system, as in the library, which has further methods for needs n/2.
//
// | method             | where it applies                  | cost   |
// |--------------------|-----------------------------------|--------|
// | one class          | one class of jobs                 | none   |
// | needs 1 and n      | `one_or_n`                        | none   |
// | two-class product  | `two_class`, any two needs        | n/n1   |
// | single duration    | `single_duration`, one rate, d    | n d    |
// |                    | classes of distinct needs         |        |
// | enumerated chain   | `stationary`, any classes         | states |
//
// Sweeps of needs 1 and n add up the terms of the two-class product up to QUADRATURE_ABOVE servers: there this is
// faster than the quadrature of `one_or_n`.
const dispatch = (() => {
  const MAX_CHAIN_STATES = 10000;
  const MAX_TERMS = 2e6;
  const QUADRATURE_ABOVE = 5000;

  const by_need = ({ servers, classes }) => ({ servers, classes: [...classes].sort((a, b) => a.need - b.need) });
  const column = (classes, key) => classes.map((c) => c[key]);

  // The name of the method for a system.
  function choose({ servers, classes }) {
    const needs = classes.map((c) => c.need);
    const are_distinct = new Set(needs).size === needs.length;
    const is_two_class = classes.length === 2 && are_distinct;
    if (classes.length === 1) return "one class";
    if (is_two_class && Math.min(...needs) === 1 && Math.max(...needs) === servers) return "needs 1 and n";
    if (is_two_class) return "two-class product";
    if (are_distinct && classes.every((c) => c.rate === classes[0].rate)) return "single duration";
    return "enumerated chain";
  }

  // The number of terms in the sums of a system, or 0: of a chain it is not known in advance.
  function terms_of(system) {
    const method = choose(system);
    if (method === "two-class product") return system.servers / Math.min(...column(system.classes, "need"));
    if (method === "needs 1 and n") return Math.min(system.servers, QUADRATURE_ABOVE);
    return method === "single duration" ? system.servers : 0;
  }

  // Throws chain.TooLarge if the sums are too long.
  function _check_size(system) {
    if (system.servers <= MAX_TERMS || ["one class", "needs 1 and n"].includes(choose(system))) return;
    throw new chain.TooLarge(`beyond ${format.count(MAX_TERMS)} servers, this page takes one class, and needs 1 and n, only`);
  }

  // {throughput, wastage, utilisation, method}: λ*, E[N_idle] and the share of busy servers; besides, `states` and
  // `by_idle` of a chain, and `relative_completions` for needs 1 and n. Throws chain.TooLarge beyond MAX_TERMS
  // servers or `max_states` of the chain. `on_progress` is called with the share of the chain that is solved.
  function solve(system, max_states = MAX_CHAIN_STATES, on_progress = undefined) {
    const ordered = by_need(system);
    const { servers, classes } = ordered;
    const [first, second] = classes;
    const method = choose(system);
    _check_size(system);
    if (method === "one class") {
      const wastage = servers % first.need;
      const throughput = Math.floor(servers / first.need) * first.rate;
      return { throughput, wastage, utilisation: 1 - wastage / servers, method };
    }
    if (method === "needs 1 and n") {
      const [p_1, p_n] = model.two_probabilities(classes);
      return { ...one_or_n.solve(servers, p_n, first.rate, second.rate, p_1), method };
    }
    if (method === "two-class product") {
      const needs = column(classes, "need");
      const [p_1, p_2] = model.two_probabilities(classes);
      const means = two_class.sweep(servers, needs, column(classes, "rate"), p_2, p_1);
      return { throughput: means.throughput[0], wastage: means.wastage[0], utilisation: means.utilisation[0], method };
    }
    if (method === "single duration") return { ...single_duration.solve(ordered), method };
    return { ...stationary.solve(ordered, max_states, on_progress), method };
  }

  // λ*, E[N_idle] and utilisation of two classes over arrays of μ1, μ2 and p2, as in two_class.sweep.
  function sweep(servers, needs, rates, probability_2) {
    _check_size({ servers, classes: needs.map((need) => ({ need })) });
    if (needs[0] !== 1 || needs[1] !== servers || servers <= QUADRATURE_ABOVE) return two_class.sweep(servers, needs, rates, probability_2);
    const columns = [probability_2, ...rates];
    const length = Math.max(...columns.map((x) => x.length ?? 1));
    const rows = Array.from({ length }, (_, i) => one_or_n.solve(servers, ...columns.map((x) => x.length ? x[i] : x)));
    return Object.fromEntries(["throughput", "wastage", "utilisation"].map((name) => [name, Float64Array.from(column(rows, name))]));
  }

  // The distribution in time of the idle servers: an array of length n + 1.
  function idle_distribution(system) {
    const ordered = by_need(system);
    const { servers, classes } = ordered;
    const distribution = new Float64Array(servers + 1);
    const method = choose(system);
    if (method === "single duration") distribution.set(single_duration.idle_distribution(servers, classes));
    else if (method === "enumerated chain") return stationary.solve(ordered, MAX_CHAIN_STATES).by_idle;
    else {
      const { states, time } = two_class.distribution(ordered);
      time.forEach((share, a) => { distribution[states.idle[a]] += share; });
    }
    return distribution;
  }

  // Smaller probabilities cannot be seen in a plot.
  const MIN_SEEN = 1e-10;

  // [k, P(N_idle ≥ k)] for all k = 1, 2, … up to the first whose probability cannot be seen, or for about `count`
  // evenly spaced ones if there are more. `distribution` is that of the idle servers, if it is known.
  function idle_tails(system, count = 400, distribution = null) {
    const { servers, classes } = by_need(system);
    const [first, second] = classes;
    if (classes.length === 1) {
      const idle = servers % first.need;
      return _spread(idle + 1, count).map((k) => [k, k <= idle ? 1 : 0]);
    }
    if (choose(system) === "needs 1 and n" && servers > QUADRATURE_ABOVE) {
      const [p_1, p_n] = model.two_probabilities(classes);
      const tails_at = (places) => one_or_n.idle_tails(servers, p_n, first.rate, second.rate, places, p_1);
      let [seen, unseen] = [1, servers];
      while (unseen - seen > 1) {
        const middle = Math.floor((seen + unseen) / 2);
        if (tails_at([middle])[0] > MIN_SEEN) seen = middle;
        else unseen = middle;
      }
      const places = _spread(unseen, count);
      const tails = tails_at(places);
      return places.map((k, i) => [k, tails[i]]);
    }
    const tails = Float64Array.from(distribution ?? idle_distribution(system));
    for (let k = servers - 1; k > 0; k -= 1) tails[k] += tails[k + 1];
    let last = servers;
    while (last > 1 && tails[last - 1] <= MIN_SEEN) last -= 1;
    return _spread(last, count).map((k) => [k, tails[k]]);
  }

  // 1, …, `last`, or if these are more than `count`, 1, about as many evenly spaced numbers, and `last`.
  function _spread(last, count) {
    const step = Math.ceil(last / count);
    const places = [1];
    for (let k = Math.max(step, 2); k < last; k += step) places.push(k);
    return last > 1 ? [...places, last] : places;
  }

  return { MAX_CHAIN_STATES, MAX_TERMS, by_need, choose, idle_distribution, idle_tails, solve, sweep, terms_of };
})();
