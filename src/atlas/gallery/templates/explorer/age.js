"use strict";
// Response and waiting times under FCFS, by the age of the head of the line, as `multiserver.open.age_process`.
//
// The age is how long ago the job that blocks came or, if none does, the last one that joined the front. It
// rises at rate 1 while the front is settled and falls by an exponential time of rate λ for each job that is
// drawn. With M the outflow of settled fronts, A₀ the rates among them, C those to unsettled ones, E and F the
// probabilities that a draw settles an unsettled front or leads to another, the unsettled front Ψ in which the
// age is first below what it was solves
//
//     (M − A₀) Ψ + Ψ λ (I − F) = C + λ Ψ E Ψ,
//
// and T = M − A₀ − λ Ψ E is minus the generator of the fronts at records of age (B. Sengupta, 1989). With q jobs
// undrawn behind them settled fronts have the probabilities x_0 R^q, R = λ (λ + T)⁻¹. Jobs start in order of
// arrival: given its wait W, a job leaves a Poisson number Q of mean λ W waiting, so that E[y^Q] is the transform
// of W at λ (1 − y). Q is q + 1 behind a job that blocks (1_h), q otherwise, and
//
//     P(W > t) = b exp(−T t) w,    w = 1 + T 1_h/λ,    E[W] = b T⁻¹ w,    b = x_0 + x_0 λ T⁻¹.
//
// Digits are lost if rates are many decades apart; comparing the servers held with λ E[S] detects it.
// Ψ is found by doubling (W.-G. Wang, W.-C. Wang and R.-C. Li, 2012), exp(−T t) by squaring that of a short time.
const age = (() => {
  const { add, apply, complement, multiply, solve, stationary_distribution, zeros } = matrices;
  const CONVERGED = 1e-16;
  const MOST_STEPS = 60;
  const TERMS = 14;
  const BISECTIONS = 60;
  const MOST_DOUBLINGS = 100;
  const PRECISE = 1e-9;

  class Imprecise extends Error {
    why = "The rates are so far apart that the arithmetic of this page loses its digits: queue.exact of the library may keep them, and queue.simulate takes any.";
  }

  const scaled = (matrix, factor) => matrix.map((row) => row.map((x) => factor * x));
  const unit = (size) => complement(zeros(size, size));
  const inverse = (matrix) => solve(matrix, unit(matrix.length));
  const largest = (matrix) => matrix.reduce((most, row) => row.reduce((top, x) => Math.max(top, Math.abs(x)), most), 0);
  const sum = (vector) => vector.reduce((total, x) => total + x, 0);
  const dot = (a, b) => a.reduce((total, x, i) => total + x * b[i], 0);
  const times = (matrix, vector) => Float64Array.from(matrix, (row) => dot(row, vector));
  const diagonal = (matrix) => matrix.map((row, i) => row[i]);
  const transposed = (matrix) => Array.from(matrix[0], (_, j) => Float64Array.from(matrix, (row) => row[j]));
  const from_left = (vector, matrix) => solve(transposed(matrix), Array.from(vector, (x) => Float64Array.of(x))).map(([x]) => x);

  // Ψ, of A Ψ + Ψ D = B + Ψ C Ψ.
  function return_distribution(A, B, C, D) {
    const [alpha, beta] = [A, D].map((matrix) => Math.max(...diagonal(matrix)));
    const [m, d, both] = [A.length, D.length, alpha + beta];
    const of_A = inverse(add(A, scaled(unit(m), beta)));
    const D_alpha = add(D, scaled(unit(d), alpha));
    const through_A = multiply(of_A, B);
    const middle = inverse(add(D_alpha, scaled(multiply(C, through_A), -1)));
    const side = multiply(through_A, middle);
    let H = scaled(side, both);
    let E = add(unit(d), scaled(middle, -both));
    let F = add(of_A, multiply(side, multiply(C, of_A)));
    let G = scaled(solve(D_alpha, multiply(C, F)), both);
    F = add(unit(m), scaled(F, -both));
    for (let step = 0; step < MOST_STEPS; step += 1) {
      // E and G side by side, for a single elimination.
      const joined = solve(complement(multiply(G, H)), E.map((row, i) => Float64Array.of(...row, ...G[i])));
      const [ahead, back] = [joined.map((row) => row.subarray(0, d)), joined.map((row) => row.subarray(d))];
      const through = multiply(F, H);
      const growth = multiply(through, ahead);
      H = add(H, growth);
      if (largest(growth) <= CONVERGED) break;
      const over = multiply(back, F);
      [G, E, F] = [add(G, multiply(E, over)), multiply(E, ahead), add(multiply(F, F), multiply(through, over))];
      // Only products of E and F matter: one grows as the other shrinks.
      const balance = Math.sqrt(largest(E) / largest(F));
      [E, F] = [scaled(E, 1 / balance), scaled(F, balance)];
    }
    return H.map((row) => row.map((x) => x / sum(row)));
  }

  // The distribution at λ < λ*, with E[S] = `demand`: b, T, w, and the mean wait. Throws Imprecise.
  function solve_at({ within, opened, settles, further, emptier, drawn, held, blocked }, rate, demand) {
    const [m, e] = [within.length, settles.length];
    const part = (matrix) => matrix.map((row) => row.subarray(0, drawn));
    const climbing = scaled(within, -1);
    within.forEach((row, i) => { climbing[i][i] += sum(row) + sum(opened[i]); });
    const [some_settle, some_further] = [settles.slice(0, drawn), part(further.slice(0, drawn))];
    const back = return_distribution(climbing, part(opened), scaled(some_settle, rate), scaled(complement(some_further), rate));
    const landing = scaled(multiply(back, some_settle), rate);
    const records = add(climbing, scaled(landing, -1));
    // No undrawn jobs: from settled fronts to unsettled ones, through these, and back.
    const again = scaled(multiply(back, some_further), rate);
    const chain = zeros(e + m, e + m);
    for (let i = 0; i < e; i += 1) {
      for (let j = 0; j < e; j += 1) chain[i][j] = rate * further[i][j] + emptier[i][j];
      for (let j = 0; j < m; j += 1) chain[i][e + j] = rate * settles[i][j];
    }
    for (let i = 0; i < m; i += 1) {
      for (let j = 0; j < e; j += 1) chain[e + i][j] = opened[i][j] + (j < drawn ? again[i][j] : 0);
      for (let j = 0; j < m; j += 1) chain[e + i][e + j] = within[i][j] + landing[i][j];
    }
    const level = stationary_distribution(chain);
    const none = level.subarray(e);
    const above = scaled([from_left(none, records)], rate)[0];
    const mass = 1 + sum(above);
    const start = Float64Array.from(none, (x, i) => (x + above[i]) / mass);
    const busy = dot(level.subarray(0, e), held) / mass + dot(start, held.slice(e));
    if (!(Math.abs(busy / (rate * demand) - 1) < PRECISE)) throw new Imprecise();
    const weights = times(records, blocked).map((x) => 1 + x / rate);
    return { start, records, weights, waiting: dot(from_left(start, records), weights) };
  }

  // The least t with P(W > t) ≤ `level`.
  function quantile({ start, records, weights }, level) {
    // Rounding must not give a positive wait.
    if (dot(start, weights) <= level * (1 + 1e-12)) return 0;
    const short = 1 / (8 * Math.max(...diagonal(records)));
    const one = unit(start.length);
    let step = one;
    for (let j = TERMS; j > 0; j -= 1) step = add(one, multiply(scaled(records, -short / j), step));
    const steps = [step];
    const after = (row, k) => {
      while (steps.length <= k) steps.push(multiply(steps.at(-1), steps.at(-1)));
      return apply(row, steps[k]);
    };
    let top = 0;
    for (let far = after(start, 0); dot(far, weights) > level; top += 1) {
      if (top > MOST_DOUBLINGS) throw new Imprecise();
      far = after(far, top);
    }
    let [row, t] = [start, 0];
    for (let k = top - 1; k >= 0; k -= 1) {
      const further = after(row, k);
      if (dot(further, weights) > level) [row, t] = [further, t + short * 2 ** k];
    }
    const terms = [weights];
    for (let j = 1; j < TERMS; j += 1) terms.push(times(records, terms.at(-1)).map((x) => (-short * x) / j));
    const parts = terms.map((vector) => dot(row, vector));
    let [low, high] = [0, 1];
    for (let i = 0; i < BISECTIONS; i += 1) {
      const middle = (low + high) / 2;
      if (parts.reduceRight((total, x) => total * middle + x, 0) > level) low = middle;
      else high = middle;
    }
    return t + short * high;
  }

  return { quantile, solve: solve_at };
})();
