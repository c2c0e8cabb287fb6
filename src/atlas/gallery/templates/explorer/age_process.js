"use strict";
// Response and waiting times under FCFS by the age of the head of the queue, as `multiserver.open.age_process`.
//
// The age is the time since the arrival of the blocked job or, if no job is blocked, of the last job that joined the
// front (fronts.js). It rises at rate 1 while the front is settled, and falls by an exponential time of rate λ when
// the class of a job is drawn. Let M be the diagonal matrix of the outflow of settled fronts, A₀ the rates between
// them, C those to unsettled ones, and E and F the probabilities that a draw in an unsettled front leads to a settled
// and to an unsettled one. Given the settled front from which the age rises, Ψ is the distribution of the unsettled
// front in which it first falls below its value there. It solves
//
//     (M − A₀) Ψ + Ψ λ (I − F) = C + λ Ψ E Ψ,
//
// and T = M − A₀ − λ Ψ E is minus the generator of the fronts at records of the age (B. Sengupta, 1989). With q jobs
// undrawn behind them settled fronts have the probabilities x_0 R^q, R = λ (λ + T)⁻¹. Jobs start in order of arrival:
// a job that waited W leaves behind a Poisson number Q of waiting jobs with mean λ W, so that E[y^Q] is the transform
// of W at λ (1 − y). If a job is blocked (1_h) then Q = q + 1, and otherwise Q = q. This gives
//
//     P(W > t) = b exp(−T t) w,    w = 1 + T 1_h/λ,    E[W] = b T⁻¹ w,    b = x_0 + x_0 λ T⁻¹.
//
// Digits are lost if rates are many decades apart. This is noticed by the mean number of busy servers, which must be
// λ E[S]. Ψ is found by doubling (W.-G. Wang, W.-C. Wang and R.-C. Li, 2012), and exp(−T t) by repeated squaring.
const age_process = (() => {
  const { add, apply, complement, multiply, solve, stationary_distribution, zeros } = matrices;
  // Doubling ends after an addition to Ψ of at most this size.
  const MIN_CHANGE = 1e-16;
  const MAX_STEPS = 60;
  // Terms of the exponential series for a short time.
  const TERMS = 14;
  const BISECTIONS = 60;
  const MAX_SQUARINGS = 100;
  // The largest relative error of the number of busy servers. That of E[W] is larger by a factor of about 1/(1 − λ/λ*):
  // it may be MAX_MEAN_ERROR.
  const [MAX_ERROR, MAX_MEAN_ERROR] = [1e-9, 1e-5];

  class Imprecise extends Error {
    obstacle = "The rates are so far apart, or the load is so near λ*, that the arithmetic of this page loses its digits: queue.exact of the library may keep them, and queue.simulate takes any.";
  }

  const scaled = (matrix, factor) => matrix.map((row) => row.map((x) => factor * x));
  const identity = (size) => complement(zeros(size, size));
  const inverse = (matrix) => solve(matrix, identity(matrix.length));
  const largest = (matrix) => matrix.reduce((most, row) => row.reduce((top, x) => Math.max(top, Math.abs(x)), most), 0);
  const dot = (a, b) => a.reduce((total, x, i) => total + x * b[i], 0);
  const apply_right = (matrix, vector) => Float64Array.from(matrix, (row) => dot(row, vector));
  const diagonal = (matrix) => matrix.map((row, i) => row[i]);
  const transposed = (matrix) => Array.from(matrix[0], (_, j) => Float64Array.from(matrix, (row) => row[j]));
  // The row x with x A = `vector`.
  const solve_left = (vector, matrix) => solve(transposed(matrix), Array.from(vector, (x) => Float64Array.of(x))).map(([x]) => x);

  // The minimal Ψ with A Ψ + Ψ D = B + Ψ C Ψ.
  function return_distribution(A, B, C, D) {
    const [alpha, beta] = [A, D].map((matrix) => Math.max(...diagonal(matrix)));
    const [m, d, shift] = [A.length, D.length, alpha + beta];
    const A_beta_inverse = inverse(add(A, scaled(identity(m), beta)));
    const D_alpha = add(D, scaled(identity(d), alpha));
    const through_A = multiply(A_beta_inverse, B);
    const middle = inverse(add(D_alpha, scaled(multiply(C, through_A), -1)));
    const side = multiply(through_A, middle);
    let H = scaled(side, shift);
    let E = add(identity(d), scaled(middle, -shift));
    let F = add(A_beta_inverse, multiply(side, multiply(C, A_beta_inverse)));
    let G = scaled(solve(D_alpha, multiply(C, F)), shift);
    F = add(identity(m), scaled(F, -shift));
    for (let step = 0; step < MAX_STEPS; step += 1) {
      // One elimination for both right sides, E and G.
      const joined = solve(complement(multiply(G, H)), E.map((row, i) => Float64Array.of(...row, ...G[i])));
      const [ahead, back] = [joined.map((row) => row.subarray(0, d)), joined.map((row) => row.subarray(d))];
      const through = multiply(F, H);
      const growth = multiply(through, ahead);
      H = add(H, growth);
      if (largest(growth) <= MIN_CHANGE) break;
      const over = multiply(back, F);
      [G, E, F] = [add(G, multiply(E, over)), multiply(E, ahead), add(multiply(F, F), multiply(through, over))];
      // One of E and F grows as the other shrinks. Only their products matter, so their sizes are made equal.
      const balance = Math.sqrt(largest(E) / largest(F));
      [E, F] = [scaled(E, 1 / balance), scaled(F, balance)];
    }
    return H.map((row) => row.map((x) => x / model.sum(row)));
  }

  // The waiting time at arrival rate λ < λ* with E[S] = `demand`, given the fronts: b `start`, T `records`, w `weights`
  // and E[W] `mean_wait`. Throws Imprecise.
  function solve_at({ within, opened, settles, further, emptier, drawn, busy, blocked }, rate, demand, limit) {
    const [m, e] = [within.length, settles.length];
    const drawn_columns = (matrix) => matrix.map((row) => row.subarray(0, drawn));
    const climbing = scaled(within, -1);
    within.forEach((row, i) => { climbing[i][i] += model.sum(row) + model.sum(opened[i]); });
    const [drawn_settles, drawn_further] = [settles.slice(0, drawn), drawn_columns(further.slice(0, drawn))];
    const psi = return_distribution(climbing, drawn_columns(opened), scaled(drawn_settles, rate), scaled(complement(drawn_further), rate));
    const returning = scaled(multiply(psi, drawn_settles), rate);
    const records = add(climbing, scaled(returning, -1));
    // The chain watched while no jobs are undrawn: unsettled fronts first, then settled ones. From a settled front it
    // reaches unsettled ones directly, or after the age has risen and fallen.
    const through_psi = scaled(multiply(psi, drawn_further), rate);
    const rates = zeros(e + m, e + m);
    for (let i = 0; i < e; i += 1) {
      for (let j = 0; j < e; j += 1) rates[i][j] = rate * further[i][j] + emptier[i][j];
      for (let j = 0; j < m; j += 1) rates[i][e + j] = rate * settles[i][j];
    }
    for (let i = 0; i < m; i += 1) {
      for (let j = 0; j < e; j += 1) rates[e + i][j] = opened[i][j] + (j < drawn ? through_psi[i][j] : 0);
      for (let j = 0; j < m; j += 1) rates[e + i][e + j] = within[i][j] + returning[i][j];
    }
    const level_0 = stationary_distribution(rates);
    const x_0 = level_0.subarray(e);
    const above = scaled([solve_left(x_0, records)], rate)[0];
    const mass = 1 + model.sum(above);
    const start = Float64Array.from(x_0, (x, i) => (x + above[i]) / mass);
    const mean_busy = dot(level_0.subarray(0, e), busy) / mass + dot(start, busy.slice(e));
    if (!(Math.abs(mean_busy / (rate * demand) - 1) < Math.min(MAX_ERROR, MAX_MEAN_ERROR * (1 - rate / limit)))) throw new Imprecise();
    const weights = apply_right(records, blocked).map((x) => 1 + x / rate);
    return { start, records, weights, mean_wait: dot(solve_left(start, records), weights) };
  }

  // The least t with P(W > t) ≤ `probability`. With exp(−T 2^k s) for a short time s, a multiple of s below t is found
  // bit by bit; the series for exp(−T u) gives the rest u < s.
  function wait_quantile({ start, records, weights }, probability) {
    // Rounding must not give a positive wait.
    if (dot(start, weights) <= probability * (1 + 1e-12)) return 0;
    const short = 1 / (8 * Math.max(...diagonal(records)));
    const one = identity(start.length);
    let exponential = one;
    for (let j = TERMS; j > 0; j -= 1) exponential = add(one, multiply(scaled(records, -short / j), exponential));
    const powers = [exponential];
    // The row after the time 2^k s.
    const after = (row, k) => {
      while (powers.length <= k) powers.push(multiply(powers.at(-1), powers.at(-1)));
      return apply(row, powers[k]);
    };
    // The first k with P(W > 2^k s) ≤ probability.
    let top = 0;
    for (let far = after(start, 0); dot(far, weights) > probability; top += 1) {
      if (top > MAX_SQUARINGS) throw new Imprecise();
      far = after(far, top);
    }
    let [row, t] = [start, 0];
    for (let k = top - 1; k >= 0; k -= 1) {
      const later = after(row, k);
      if (dot(later, weights) > probability) [row, t] = [later, t + short * 2 ** k];
    }
    const terms = [weights];
    for (let j = 1; j < TERMS; j += 1) terms.push(apply_right(records, terms.at(-1)).map((x) => (-short * x) / j));
    const coefficients = terms.map((vector) => dot(row, vector));
    let [low, high] = [0, 1];
    for (let i = 0; i < BISECTIONS; i += 1) {
      const middle = (low + high) / 2;
      if (coefficients.reduceRight((total, x) => total * middle + x, 0) > probability) low = middle;
      else high = middle;
    }
    return t + short * high;
  }

  return { solve: solve_at, wait_quantile };
})();
