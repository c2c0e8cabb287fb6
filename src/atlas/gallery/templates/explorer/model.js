"use strict";
// The multiserver-job model. A system is {servers, classes: [{need, rate, probability}, …]}: a job of
// class c holds v_c of the n servers for an exponential time of rate μ_c and is of class c with
// probability p_c. E[S] = Σ_c p_c v_c/μ_c is the demand of a job in server-seconds, n/E[S] the naive
// throughput: what the servers could finish if none was ever idle while jobs wait.
const model = (() => {
  const LARGEST = 1e8;
  const RATIO_LIMIT = 1e30;
  const SMALLEST_PROBABILITY = 1e-30;

  const sum = (values) => values.reduce((total, x) => total + x, 0);
  const demands = ({ classes }) => classes.map((c) => (c.probability * c.need) / c.rate);

  function mean_demand(system) {
    return sum(demands(system));
  }

  function naive_throughput(system) {
    return system.servers / mean_demand(system);
  }

  // The share of all server-seconds that each class demands.
  function load_shares(system) {
    const total = mean_demand(system);
    return demands(system).map((demand) => demand / total);
  }

  // p1 and p2 of two classes. The larger one may have lost its distance to 1 by rounding.
  function two_probabilities([first, second]) {
    return [
      first.probability < 0.5 ? first.probability : 1 - second.probability,
      second.probability < 0.5 ? second.probability : 1 - first.probability,
    ];
  }

  // The fault of a system in words, or an empty string.
  function find_fault({ servers, classes }) {
    const whole = (x, top) => Number.isInteger(x) && x >= 1 && x <= top;
    if (!whole(servers, LARGEST)) return `The servers must be a whole number from 1 to ${LARGEST}.`;
    if (!classes.length) return "There must be at least one class of jobs.";
    for (const [i, { need, rate, probability }] of classes.entries()) {
      if (!whole(need, servers)) return `The need of class ${i + 1} must be a whole number from 1 to ${servers}.`;
      if (!(rate > 0 && rate < Infinity)) return `The rate of class ${i + 1} must be positive.`;
      if (!(probability >= SMALLEST_PROBABILITY && probability <= 1)) {
        return `The share of class ${i + 1} must lie between ${SMALLEST_PROBABILITY} and 1.`;
      }
    }
    const rates = classes.map((c) => c.rate);
    if (Math.max(...rates) / Math.min(...rates) > RATIO_LIMIT) return `The rates must lie within a factor ${RATIO_LIMIT}.`;
    if (Math.abs(sum(classes.map((c) => c.probability)) - 1) > 1e-9) return "The shares must sum to 1.";
    return "";
  }

  // ServerFilling wastes nothing in its divisible setting: every need divides the servers.
  function fills_servers({ servers, classes }) {
    return classes.every((c) => servers % c.need === 0);
  }

  // The same system with another number of servers.
  function with_servers(system, servers) {
    return { ...system, servers };
  }

  // The same system with another rate of class c.
  function with_rate(system, c, rate) {
    return { ...system, classes: system.classes.map((k, i) => (i === c ? { ...k, rate } : k)) };
  }

  // Class c gets probability p, the others keep their proportions.
  function with_probability(system, c, p) {
    const rest = sum(system.classes.filter((_, i) => i !== c).map((k) => k.probability));
    const scale = (k) => (system.classes.length === 2 ? 1 - p : ((1 - p) * k.probability) / rest);
    const classes = system.classes.map((k, i) => ({ ...k, probability: i === c ? p : scale(k) }));
    return { ...system, classes };
  }

  return {
    LARGEST, find_fault, fills_servers, load_shares, mean_demand, naive_throughput, sum,
    two_probabilities, with_probability, with_rate, with_servers,
  };
})();
