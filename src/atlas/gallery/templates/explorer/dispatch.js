"use strict";
// The cheapest exact method for a saturated system: as in the library, except that needs n/2 are covered
// by the two-class product, the single duration or the chain.
//
// | method             | where it applies                  | cost   |
// |--------------------|-----------------------------------|--------|
// | one class          | one class of jobs                 | none   |
// | needs 1 and n      | `one_or_n`                        | none   |
// | two-class product  | `two_class`, any two needs        | n/n1   |
// | single duration    | `single_duration`, one rate       | n · d  |
// | enumerated chain   | `stationary`, any classes         | states |
//
// Sums over the states of needs 1 and n are used up to SHORT; beyond, they are slower than the closed form.
const dispatch = (() => {
  const LARGEST_CHAIN = 10000;
  const MOST_SERVERS = 2e6;
  const SHORT = 5000;

  const by_need = ({ servers, classes }) => ({ servers, classes: [...classes].sort((a, b) => a.need - b.need) });
  const column = (classes, key) => classes.map((c) => c[key]);

  // The row of the table for a system.
  function choose({ servers, classes }) {
    const needs = classes.map((c) => c.need);
    const distinct = new Set(needs).size === needs.length;
    const two = classes.length === 2 && distinct;
    if (classes.length === 1) return "one class";
    if (two && Math.min(...needs) === 1 && Math.max(...needs) === servers) return "needs 1 and n";
    if (two) return "two-class product";
    if (distinct && classes.every((c) => c.rate === classes[0].rate)) return "single duration";
    return "enumerated chain";
  }

  // The number of terms in the sums of a system; for the chain it is not known in advance.
  function terms_of(system) {
    const method = choose(system);
    if (method === "two-class product") return system.servers / Math.min(...column(system.classes, "need"));
    if (method === "needs 1 and n") return Math.min(system.servers, SHORT);
    return method === "single duration" ? system.servers : 0;
  }

  function _check(system) {
    if (system.servers <= MOST_SERVERS || choose(system) === "needs 1 and n") return;
    throw new chain.TooLarge(`beyond ${words.count(MOST_SERVERS)} servers, a form without long sums is known for needs 1 and n only`);
  }

  // λ*, wastage, utilisation and the method. Throws chain.TooLarge beyond MOST_SERVERS
  // servers or `largest` states of the chain; `tell` is called with the progress.
  function solve(system, largest = LARGEST_CHAIN, tell = undefined) {
    const ordered = by_need(system);
    const { servers, classes } = ordered;
    const [first, second] = classes;
    const method = choose(system);
    _check(system);
    if (method === "one class") {
      const wastage = servers % first.need;
      const throughput = Math.floor(servers / first.need) * first.rate;
      return { throughput, wastage, utilisation: 1 - wastage / servers, method };
    }
    if (method === "needs 1 and n") {
      const [p_1, p_n] = model.two_probabilities(classes);
      return { ...one_or_n.one_or_n(servers, p_n, first.rate, second.rate, p_1), method };
    }
    if (method === "two-class product") {
      const needs = column(classes, "need");
      const [p_1, p_2] = model.two_probabilities(classes);
      const means = two_class.sweep(servers, needs, column(classes, "rate"), p_2, p_1);
      return { throughput: means.throughput[0], wastage: means.wastage[0], utilisation: means.utilisation[0], method };
    }
    if (method === "single duration") return { ...single_duration.single_duration(ordered), method };
    return { ...stationary.solve(ordered, largest, tell), method };
  }

  // λ* and wastage of two classes over arrays of μ1, μ2 and p2, as in two_class.sweep.
  function sweep(servers, needs, rates, probability_2) {
    _check({ servers, classes: needs.map((need, i) => ({ need, rate: i })) });
    if (needs[0] !== 1 || needs[1] !== servers || servers <= SHORT) return two_class.sweep(servers, needs, rates, probability_2);
    const columns = [probability_2, ...rates];
    const length = Math.max(...columns.map((x) => x.length ?? 1));
    const found = Array.from({ length }, (_, i) => one_or_n.one_or_n(servers, ...columns.map((x) => x.length ? x[i] : x)));
    return Object.fromEntries(["throughput", "wastage", "utilisation"].map((name) => [name, Float64Array.from(column(found, name))]));
  }

  // The distribution in time of the idle servers: an array of length n + 1.
  function idle_distribution(system) {
    const ordered = by_need(system);
    const { servers, classes } = ordered;
    const distribution = new Float64Array(servers + 1);
    const method = choose(system);
    if (method === "one class") distribution[servers % classes[0].need] = 1;
    else if (method === "single duration") distribution.set(single_duration.idle_distribution(servers, classes));
    else if (method === "enumerated chain") return stationary.solve(ordered, LARGEST_CHAIN).by_idle;
    else {
      const { states, time } = two_class.distribution(ordered);
      time.forEach((share, a) => { distribution[states.idle[a]] += share; });
    }
    return distribution;
  }

  const UNSEEN = 1e-10;

  // [k, P(N_idle ≥ k)] for all k = 1, 2, … with a probability that can be seen, or for about `count` evenly
  // spaced ones if there are more; `distribution` is that of the idle servers, if known.
  function idle_tails(system, count = 400, distribution = null) {
    const { servers, classes } = by_need(system);
    const [first, second] = classes;
    if (choose(system) === "needs 1 and n" && servers > SHORT) {
      const [p_1, p_n] = model.two_probabilities(classes);
      const tails = (places) => one_or_n.idle_tails(servers, p_n, first.rate, second.rate, places, p_1);
      let [seen, unseen] = [1, servers];
      while (unseen - seen > 1) {
        const middle = Math.floor((seen + unseen) / 2);
        if (tails([middle])[0] > UNSEEN) seen = middle;
        else unseen = middle;
      }
      const places = _spread(unseen, count);
      const found = tails(places);
      return places.map((k, i) => [k, found[i]]);
    }
    const over = Float64Array.from(distribution ?? idle_distribution(system));
    for (let k = servers - 1; k > 0; k -= 1) over[k] += over[k + 1];
    let last = servers;
    while (last > 1 && over[last - 1] <= UNSEEN) last -= 1;
    return _spread(last, count).map((k) => [k, over[k]]);
  }

  // 1, …, `last`, or 1, about `count` evenly spaced numbers, and `last`.
  function _spread(last, count) {
    const step = Math.ceil(last / count);
    const places = [1];
    for (let k = Math.max(step, 2); k < last; k += step) places.push(k);
    return last > 1 ? [...places, last] : places;
  }

  return { LARGEST_CHAIN, MOST_SERVERS, by_need, choose, idle_distribution, idle_tails, solve, sweep, terms_of };
})();
