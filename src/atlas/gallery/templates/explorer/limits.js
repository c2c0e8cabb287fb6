"use strict";
// Wastage of two classes as one becomes far faster than the other (two-class-stability, Section 9.2).
const limits = (() => {
  // A rate μ2 beside μ1 = 1 at which nothing differs from the limit.
  const INFINITE_RATE = 1e90;

  // n mod n2: the limit of E[N_idle] as μ2/μ1 → 0.
  function slow_class_2_wastage(servers, [, n2]) {
    return servers % n2;
  }

  // The limit as μ2/μ1 → ∞, 0 < p2 < 1: only class 1 is in service, with a = a0 … A jobs, where
  // a0 = ⌈(n − n2 + 1)/n1⌉, A = ⌊n/n1⌋, P(a) ∝ p1^(a − a0) p2/a for a < A and p1^(A − a0)/A at A.
  // Needs 1 and n may have 1e8 terms: there the means at INFINITE_RATE take no sum.
  function fast_class_2_wastage(servers, [n1, n2], probability_2) {
    if (n1 === 1 && n2 === servers) return one_or_n.solve(servers, probability_2, 1, INFINITE_RATE).wastage;
    const [first, last] = [Math.ceil((servers - n2 + 1) / n1), Math.floor(servers / n1)];
    let [mass, idle, power] = [0, 0, 1];
    for (let a = first; a <= last; a += 1) {
      const weight = (power * (servers - a * n1 >= n1 ? probability_2 : 1)) / a;
      mass += weight;
      idle += weight * (servers - a * n1);
      power *= 1 - probability_2;
    }
    return idle / mass;
  }

  return { fast_class_2_wastage, slow_class_2_wastage };
})();
