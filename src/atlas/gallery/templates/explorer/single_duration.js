"use strict";
// The saturated system when all durations are Exp(μ), for any distribution p_v of the server need v
// (product-form-saturated, Theorem 1; two-class-stability, Theorem 8.1): with l_s the coefficients
// of −log(1 − Σ_v p_v x^v),
//
//     E[N_idle] = Σ_s (n − s) l_s P(V > n − s) / Σ_s l_s P(V > n − s),    s = 1 … n,
//     λ* = μ (n − E[N_idle])/E[V],
//
// by the renewal sequence u_s = Σ_v p_v u_{s−v}, u_0 = 1, and s l_s = Σ_v v p_v u_{s−v}: sums of
// positive terms, O(n d) for d needs. Neither u nor l depends on n, so one pass gives every number of
// servers up to n.
const single_duration = (() => {
  // The coefficients l_0 = 0, l_1, …, l_n.
  function log_series(n, classes) {
    const u = new Float64Array(n + 1);
    const l = new Float64Array(n + 1);
    u[0] = 1;
    for (let s = 1; s <= n; s += 1) {
      let [renewal, weighted] = [0, 0];
      for (const { need, probability } of classes) {
        if (need > s) continue;
        const term = probability * u[s - need];
        renewal += term;
        weighted += need * term;
      }
      u[s] = renewal;
      l[s] = weighted / s;
    }
    return l;
  }

  // P(N_idle = k) for k = 0, …, max V − 1 on n servers, given l up to n or further.
  function idle_distribution(n, classes, l = log_series(n, classes)) {
    const distribution = new Float64Array(Math.min(n, Math.max(...classes.map((c) => c.need))));
    const needs = new Set(classes.map((c) => c.need));
    let [mass, larger] = [0, 1];
    for (let idle = 0; idle < distribution.length; idle += 1) {
      // P(V > idle), which changes at needs only.
      if (needs.has(idle)) larger = model.sum(classes.map((c) => (c.need > idle ? c.probability : 0)));
      distribution[idle] = l[n - idle] * larger;
      mass += distribution[idle];
    }
    return distribution.map((x) => x / mass);
  }

  // λ*, E[N_idle] and utilisation for classes of distinct needs and equal rates.
  function solve({ servers, classes }, l = log_series(servers, classes)) {
    const wastage = idle_distribution(servers, classes, l).reduce((total, share, idle) => total + share * idle, 0);
    const mean_need = model.sum(classes.map((c) => c.need * c.probability));
    const throughput = ((servers - wastage) * classes[0].rate) / mean_need;
    return { throughput, wastage, utilisation: (servers - wastage) / servers };
  }

  return { idle_distribution, log_series, solve };
})();
