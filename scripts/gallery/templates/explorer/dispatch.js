"use strict";
// The cheapest exact method for a saturated system: as in the library, but for the halves, which the
// two-class product, the single duration or the chain cover here.
//
// | method             | where it applies                  | cost   |
// |--------------------|-----------------------------------|--------|
// | one class          | one class of jobs                 | none   |
// | needs 1 and n      | `one_or_n`                        | none   |
// | two-class product  | `two_class`, any two needs        | n/n1   |
// | single duration    | `single_duration`, one rate       | n · d  |
// | enumerated chain   | `stationary`, any classes         | states |
const dispatch = (() => {
  const LARGEST_CHAIN = 1500;

  const by_need = ({ servers, classes }) => ({ servers, classes: [...classes].sort((a, b) => a.need - b.need) });

  // Which row of the table a system gets.
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

  // λ*, wastage, utilisation and the method. Throws chain.TooLarge beyond `largest` states.
  function solve(system, largest = LARGEST_CHAIN) {
    const ordered = by_need(system);
    const { servers, classes } = ordered;
    const [first, second] = classes;
    const method = choose(system);
    if (method === "one class") {
      const wastage = servers % first.need;
      const throughput = Math.floor(servers / first.need) * first.rate;
      return { throughput, wastage, utilisation: 1 - wastage / servers, method };
    }
    if (method === "needs 1 and n") {
      const p_n = model.two_probabilities(classes)[1];
      return { ...one_or_n.one_or_n(servers, p_n, first.rate, second.rate), method };
    }
    if (method === "two-class product") return { ...two_class.law(ordered), method };
    if (method === "single duration") return { ...single_duration.single_duration(ordered), method };
    return { ...stationary.solve(ordered, largest), method };
  }

  // The law in time of the idle servers: an array of length n + 1.
  function idle_law(system) {
    const ordered = by_need(system);
    const { servers, classes } = ordered;
    const law = new Float64Array(servers + 1);
    const method = choose(system);
    if (method === "one class") law[servers % classes[0].need] = 1;
    else if (method === "single duration") law.set(single_duration.idle_law(servers, classes));
    else if (method === "enumerated chain") return stationary.solve(ordered, LARGEST_CHAIN).by_idle;
    else {
      const { states, time } = two_class.law(ordered);
      time.forEach((share, a) => { law[states.idle[a]] += share; });
    }
    return law;
  }

  return { LARGEST_CHAIN, by_need, choose, solve, idle_law };
})();
