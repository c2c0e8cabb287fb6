"use strict";
// The saturated system with server needs 1 and n, in a time that hardly depends on n, and its mean
// relative completions E[Δ(Y_d)] (multilevel-scaling, Lemmas 5.3 and 5.5).
//
// With p_1 = 1 − p_n, r = μ_1/μ_n, ν = throughput/μ_1, δ_i = 1/i − 1/n and J_i = δ_1 + … + δ_i, put
// K = Σ p_1^i δ_i, F = Σ p_1^i (1 − i/n) and Q = Σ p_1^i δ_i J_i over 1 ≤ i < n. Then
//
//     1/ν = p_1/n + p_n (r + K),    E[N_idle] = n p_n ν K,
//     E[Δ(Y_d)] = p_n ν² (Q + c (r − 1/n − p_n (c + F))),    c = r − 1/n + K.                (A)
//
// The sums are integrals of φ(z) = Σ_{i<n} (1 − i/n) (1 − z)^{i−1}: K = p_1 ∫ e^−y φ(p_n + p_1 e^−y) dy,
// Q = p_1 ∫ y e^−y φ(p_n + p_1 e^−y) dy − F/n, F = p_1 φ(p_n). For p_n ≥ 1/2, where (A) may cancel,
// with a_i = 1 − throughput τ_i, τ_i the mean time to the next completion, and m_k = E[a_B | B ≥ k],
//
//     E[Δ(Y_d)] = (E[a_B²] + Σ_{k≥1} p_1^k m_k²)/2.                                          (B)
const one_or_n = (() => {
  // Contributions below e^-TAIL of the whole are left out.
  const TAIL = 42;
  // The length of an interval of quadrature.
  const PANEL = 2;

  // Nodes and weights of Gauss–Legendre quadrature on [−1, 1], by Newton's method.
  function gauss_legendre(size) {
    return Array.from({ length: size }, (_, i) => {
      let x = Math.cos((Math.PI * (i + 0.75)) / (size + 0.5));
      let slope = 1;
      for (let step = 0; step < 20; step += 1) {
        let [before, now] = [1, x];
        for (let k = 2; k <= size; k += 1) [before, now] = [now, ((2 * k - 1) * x * now - (k - 1) * before) / k];
        slope = (size * (x * now - before)) / (x * x - 1);
        x -= now / slope;
      }
      return [x, 2 / ((1 - x * x) * slope * slope)];
    });
  }

  const NODES = gauss_legendre(16);

  // φ(z) for 0 ≤ z < 1.
  function phi(n, z) {
    if (n * z < 0.5 || n === 1) {
      // The closed form cancels as n z → 0, and gives rounding errors at n = 1, where φ = 0.
      let series = 1;
      for (let j = 15; j > 2; j -= 1) series = 1 - (((n - j + 1) * z) / j) * series;
      return ((n - 1) / 2) * series;
    }
    return (1 + Math.expm1(n * Math.log1p(-z)) / (n * z)) / z;
  }

  // [y, weight] of quadrature over y from 0 to where integrands in e^-y and p_n + p_1 e^-y no longer contribute: once
  // e^-y is below p_n or 1/n, they fall as e^-y.
  function quadrature(n, p_n) {
    const length = Math.log(n * p_n < 1 ? n : 1 / p_n) + TAIL;
    const panels = Math.ceil(length / PANEL);
    const half = length / (2 * panels);
    return Array.from({ length: panels }, (_, panel) => NODES.map(([node, weight]) => [half * (2 * panel + 1 + node), half * weight])).flat();
  }

  // K and E[Δ(Y_d)]/ν² by (A). `gap` is 1 − μ_1/μ_n.
  function by_quadrature(n, p_1, p_n, r, gap) {
    let [K, Q] = [0, 0];
    for (const [y, weight] of quadrature(n, p_n)) {
      const v = Math.exp(-y);
      const mass = weight * v * phi(n, p_n + p_1 * v);
      K += mass;
      Q += y * mass;
    }
    const F = p_1 * phi(n, p_n);
    [K, Q] = [p_1 * K, p_1 * Q - F / n];
    const s = 1 - 1 / n - gap; // r − 1/n, exact for n = 1, where it is the only term.
    const c = s + K;
    return [K, p_n * (Q + c * (s - p_n * (c + F)))];
  }

  // K and E[Δ(Y_d)]/ν² by (B), for p_n ≥ 1/2; in units of 1/μ_1 and measured from state 1.
  function by_squares(n, p_1, p_n, gap) {
    // Squares are of order p_1² when gap = 0: keep two more states than the mass requires.
    const last = p_1 > 0 ? Math.min(n, 2 + Math.ceil(TAIL / -Math.log(p_1))) : 1;
    const tails = new Float64Array(last + 1);
    for (let k = last; k > 0; k -= 1) tails[k] = k === last ? 1 - 1 / k : p_n * (1 - 1 / k) + p_1 * tails[k + 1];
    const e_0 = p_1 * (gap - tails[1]);
    const e_1 = -(p_n * gap + p_1 * tails[1]);
    let [K, squares, power] = [0, p_n * e_0 ** 2, 1];
    for (let i = 1; i <= last; i += 1) {
      power *= p_1;
      K += power * (1 / i - 1 / n);
      const square = (e_1 + 1 - 1 / i) ** 2;
      squares += power * (i < last ? p_n * square + (e_1 + tails[i]) ** 2 : square * (1 + 1 / p_n));
    }
    return [K, squares / 2];
  }

  // λ*, E[N_idle], utilisation and E[Δ(Y_d)] of n servers, p_n in [0, 1], rates μ_1 and μ_n. If p_1 is small it
  // should be given: 1 − p_n has fewer digits.
  function solve(servers, probability_n, rate_1, rate_n, probability_1 = 1 - probability_n) {
    const [n, p_n, p_1, r] = [servers, probability_n, probability_1, rate_1 / rate_n];
    const gap = (rate_n - rate_1) / rate_n;
    const [K, scaled] = p_n >= 0.5 ? by_squares(n, p_1, p_n, gap) : by_quadrature(n, p_1, p_n, r, gap);
    const nu = 1 / (p_1 / n + p_n * (r + K));
    return {
      throughput: nu * rate_1,
      relative_completions: nu * nu * scaled,
      wastage: n * p_n * nu * K,
      utilisation: nu * (p_1 / n + p_n * r),
    };
  }

  // P(N_idle ≥ k) in time for each k ≥ 1 in `idle`. The state with i < n jobs in service has p_1^i/i of the time, in
  // units of p_n/μ_1, so that P(N_idle ≥ k) ∝ T_{n−k} with T_m = Σ_{i≤m} p_1^i/i = p_1 ∫ e^−y (1 − (1 − w)^m)/w dy, w = p_n + p_1 e^−y.
  function idle_tails(servers, probability_n, rate_1, rate_n, idle, probability_1 = 1 - probability_n) {
    const [n, p_n, p_1] = [servers, probability_n, probability_1];
    const nodes = quadrature(n, p_n).map(([y, weight]) => {
      const v = Math.exp(-y);
      const w = p_n + p_1 * v;
      return [Math.log1p(-w), (weight * v) / w];
    });
    const T = (m) => p_1 * model.sum(nodes.map(([log, mass]) => -Math.expm1(m * log) * mass));
    const all = Math.exp(n * Math.log1p(-p_n)) / n + p_n * (rate_1 / rate_n + T(n - 1));
    return idle.map((k) => (p_n * T(n - k)) / all);
  }

  return { idle_tails, solve };
})();
