"use strict";
// The model of multiserver jobs. A system is {servers, classes: [{need, rate, probability}, …]}: a job is of class c
// with probability p_c, and one of class c holds v_c of the n servers for an exponential time of rate μ_c. E[S] =
// Σ_c p_c v_c/μ_c is the mean demand of a job in server-seconds; n/E[S] is the naive throughput, that of servers of
// which none is ever idle while jobs wait.
const model = (() => {
  const MAX_SERVERS = 1e8;
  const MAX_RATE_RATIO = 1e30;
  const MIN_PROBABILITY = 1e-30;
  // Those of the library.
  const [MIN_RATE, MAX_RATE] = [1e-100, 1e100];

  const sum = (values) => values.reduce((total, x) => total + x, 0);

  function mean_demand({ classes }) {
    return sum(classes.map((c) => (c.probability * c.need) / c.rate));
  }

  function naive_throughput(system) {
    return system.servers / mean_demand(system);
  }

  // p1 and p2 of two classes. The larger one is 1 minus the smaller: its own digits are too few if it is next to 1.
  function two_probabilities([first, second]) {
    return [
      first.probability < 0.5 ? first.probability : 1 - second.probability,
      second.probability < 0.5 ? second.probability : 1 - first.probability,
    ];
  }

  // Why a system is not valid, or an empty string.
  function find_fault({ servers, classes }) {
    const is_count = (x, most) => Number.isInteger(x) && x >= 1 && x <= most;
    if (!is_count(servers, MAX_SERVERS)) return `The servers must be a whole number from 1 to ${MAX_SERVERS}.`;
    if (!classes.length) return "There must be at least one class of jobs.";
    for (const [i, { need, rate, probability }] of classes.entries()) {
      if (!is_count(need, servers)) return `The need of class ${i + 1} must be a whole number from 1 to ${servers}.`;
      if (!(rate >= MIN_RATE && rate <= MAX_RATE)) return `The rate of class ${i + 1} must be positive, from ${MIN_RATE} to ${MAX_RATE}.`;
      if (!(probability >= MIN_PROBABILITY && probability <= 1)) return "Every share must lie between 1e-28 and 100 %.";
    }
    const rates = classes.map((c) => c.rate);
    if (Math.max(...rates) / Math.min(...rates) > MAX_RATE_RATIO) return `The rates must lie within a factor ${MAX_RATE_RATIO}.`;
    if (Math.abs(sum(classes.map((c) => c.probability)) - 1) > 1e-9) return "The shares must sum to 1.";
    return "";
  }

  // The divisible setting, in which ServerFilling wastes no servers: every need divides their number.
  function is_divisible({ servers, classes }) {
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

  // The same system with probability p of class c; the others keep their proportions.
  function with_probability(system, c, p) {
    const rest = sum(system.classes.filter((_, i) => i !== c).map((k) => k.probability));
    const scale = (k) => (system.classes.length === 2 ? 1 - p : ((1 - p) * k.probability) / rest);
    const classes = system.classes.map((k, i) => ({ ...k, probability: i === c ? p : scale(k) }));
    return { ...system, classes };
  }

  return {
    MIN_PROBABILITY, find_fault, is_divisible, mean_demand, naive_throughput, sum, two_probabilities, with_probability, with_rate, with_servers,
  };
})();
