"use strict";
// The product form of the saturated system with two classes (two-class-stability, Theorems 4.1, 4.2).
//
// Needs n1 < n2 ≤ n, rates μ1, μ2, probabilities p1, p2. A state is [h, a, b]: a and b jobs of class
// 1 and 2 are in service, and h = 1 if a class 2 job blocks the head of the queue while a class 1 job
// would fit. There is one state s1(a) for each a = 0 … ⌊n/n1⌋. With f1 = a μ1/(a μ1 + b μ2) and
// f2 = 1 − f1, the distribution embedded at completions is
//
//     π[h, a, b] = C p1^a p2^(b+h) ∏_{i=1..a} 1/f1(s1(i)) ∏_{j=1..b} 1/f2(s2(j)),
//
// the distribution in time is proportional to π/(a μ1 + b μ2), and λ* is its normalising factor.
//
// π spans thousands of orders of magnitude: it is computed from s1(a − 1) to s1(a) by one factor, as a weight
// between 1/SCALE and SCALE times a power of SCALE. Rounding grows like the number of factors: relative errors stay
// below 1e-11 for n up to 1e5, rates within 1e30 and probabilities from 1e-30.
const two_class = (() => {
  const SCALE = 2 ** 512;

  // The states s1(0), …, s1(⌊n/n1⌋): `blocking` is h, `class_1` a and `class_2` b; `filling[j]` is the a of s2(j), the
  // state in which j jobs of class 2 leave no room for another job of class 1.
  function list_states(servers, [n1, n2]) {
    const size = Math.floor(servers / n1) + 1;
    const class_1 = Int32Array.from({ length: size }, (_, a) => a);
    const class_2 = class_1.map((a) => Math.floor((servers - a * n1) / n2));
    const idle = class_1.map((a, i) => servers - a * n1 - class_2[i] * n2);
    const blocking = idle.map((free) => (free >= n1 ? 1 : 0));
    const filling = Int32Array.from(
      { length: Math.floor(servers / n2) + 1 },
      (_, j) => Math.floor((servers - j * n2) / n1),
    );
    return { blocking, class_1, class_2, idle, filling };
  }

  // What a point of a sweep needs besides p2, by state: π(s1(a))/π(s1(a − 1)) is `factors[a]` p1, divided by p2 if
  // `drops[a]` is 1; `sojourns[a]` is the mean time 1/(a μ1 + b μ2) until the next completion.
  function _prepare(s, mu1, mu2) {
    const [factors, sojourns, drops] = [Float64Array, Float64Array, Uint8Array].map((kind) => new kind(s.class_1.length));
    const ratio = mu2 / mu1;
    sojourns[0] = 1 / (s.class_2[0] * mu2);
    for (let a = 1; a < factors.length; a += 1) {
      const before = s.class_2[a - 1];
      const b = s.class_2[a];
      factors[a] = 1 + (b * ratio) / a;
      // n1 < n2, so b falls by at most one per step, and 1/f2(s2(b)) then leaves the product.
      if (b < before) factors[a] /= 1 + s.filling[before] / (before * ratio);
      drops[a] = b + s.blocking[a] < before + s.blocking[a - 1] ? 1 : 0;
      sojourns[a] = 1 / (a * mu1 + b * mu2);
    }
    return { idle: s.idle, factors, drops, sojourns };
  }

  // Σ π, Σ π/rate and Σ π idle/rate, all in units of SCALE^`largest`; and π itself, as weights and exponents of SCALE, if
  // arrays are given for them.
  function _sum({ idle, factors, drops, sojourns }, p1, p2, weights, exponents) {
    const steps = [p1, p1 / p2];
    let [weight, exponent, largest] = [1, 0, 0];
    let [mass, time, wasted] = [0, 0, 0];
    for (let a = 0; a < factors.length; a += 1) {
      if (a > 0) weight *= steps[drops[a]] * factors[a];
      while (weight > SCALE) [weight, exponent] = [weight / SCALE, exponent + 1];
      while (weight < 1 / SCALE) [weight, exponent] = [weight * SCALE, exponent - 1];
      if (exponent > largest) {
        // The sums so far are 1/SCALE, or less, in the new unit; less cannot be seen beside the following terms.
        const shift = exponent === largest + 1 ? 1 / SCALE : 0;
        [mass, time, wasted, largest] = [mass * shift, time * shift, wasted * shift, exponent];
      }
      if (exponent >= largest - 1) {
        const scaled = exponent === largest ? weight : weight / SCALE;
        const sojourn = scaled * sojourns[a];
        mass += scaled;
        time += sojourn;
        wasted += sojourn * idle[a];
      }
      if (weights) [weights[a], exponents[a]] = [weight, exponent];
    }
    return { mass, time, wasted, largest };
  }

  function _means(servers, { mass, time, wasted }) {
    const wastage = wasted / time;
    return { throughput: mass / time, wastage, utilisation: 1 - wastage / servers };
  }

  // The distributions over the states embedded at completions and in time, and the means; the class of smaller need
  // comes first.
  function distribution({ servers, classes }) {
    const s = list_states(servers, classes.map((c) => c.need));
    const prepared = _prepare(s, classes[0].rate, classes[1].rate);
    const [weights, exponents] = [new Float64Array(s.idle.length), new Int32Array(s.idle.length)];
    const sums = _sum(prepared, ...model.two_probabilities(classes), weights, exponents);
    const scaled = (a) => weights[a] * SCALE ** Math.max(exponents[a] - sums.largest, -2);
    const embedded = weights.map((_, a) => scaled(a) / sums.mass);
    const time = weights.map((_, a) => (scaled(a) * prepared.sojourns[a]) / sums.time);
    return { states: s, embedded, time, ..._means(servers, sums) };
  }

  // The last states and the last result of `_prepare`: points of a sweep often differ in p2 only.
  let cache = {};
  function _prepare_cached(servers, needs, mu1, mu2) {
    const key = `${servers},${needs}`;
    if (cache.key !== key) cache = { key, states: list_states(servers, needs) };
    if (cache.mu1 !== mu1 || cache.mu2 !== mu2) cache = { ...cache, mu1, mu2, ..._prepare(cache.states, mu1, mu2) };
    return cache;
  }

  // λ*, E[N_idle] and utilisation over arrays of μ1, μ2 and p2 of equal length; a number stands for a constant array.
  // p2 lies in [0, 1]; at the two ends all jobs are of one class. If p1 is small it should be given: 1 − p2 has
  // fewer digits.
  function sweep(servers, needs, rates, probability_2, probability_1 = null) {
    const columns = [...rates, probability_2];
    const length = Math.max(...columns.map((x) => x.length ?? 1));
    const at = (x, i) => (typeof x === "number" ? x : x[i]);
    const result = ["throughput", "wastage", "utilisation"].map((name) => [name, new Float64Array(length)]);
    for (let i = 0; i < length; i += 1) {
      const [mu1, mu2, p2] = columns.map((x) => at(x, i));
      const prepared = _prepare_cached(servers, needs, mu1, mu2);
      const single_state = (a) => ({ mass: 1, time: prepared.sojourns[a], wasted: prepared.sojourns[a] * prepared.idle[a] });
      // With one class the chain stays in a single state.
      const sums = p2 > 0 && p2 < 1 ? _sum(prepared, probability_1 ?? 1 - p2, p2) : single_state(p2 === 0 ? prepared.idle.length - 1 : 0);
      const means = _means(servers, sums);
      for (const [name, values] of result) values[i] = means[name];
    }
    return Object.fromEntries(result);
  }

  return { distribution, sweep };
})();
