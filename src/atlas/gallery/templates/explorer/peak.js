"use strict";
// The mix of two classes that wastes the most servers, and the servers to add until few are wasted.
const peak = (() => {
  // The grid goes from −MAX_LOG_ODDS to MAX_LOG_ODDS in log(p2/p1): p2 from 1e-12 to 1 − 1e-12.
  const MAX_LOG_ODDS = 27.6;
  // Terms between two yields.
  const TERMS_PER_YIELD = 2e6;
  const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

  const expit = (x) => 1 / (1 + Math.exp(-x));

  // The result of `search_peak`.
  function find_peak_wastage(servers, needs, rates, points = 2001, tolerance = 1e-9) {
    const search = search_peak(servers, needs, rates, points, tolerance);
    for (;;) {
      const { done, value } = search.next();
      if (done) return value;
    }
  }

  // The p2 in (0, 1) at which most servers are wasted, with the wastage, utilisation and share of the load there.
  // Wastage can have several maxima in p2: a grid of `points` in log(p2/p1) picks the highest, and a golden-section
  // search refines it to the accuracy `tolerance` of log(p2/p1). A million servers take seconds, so the generator
  // yields the share of the grid that is done.
  function* search_peak(servers, needs, rates, points, tolerance) {
    const spacing = (2 * MAX_LOG_ODDS) / (points - 1);
    const grid = Float64Array.from({ length: points }, (_, i) => i * spacing - MAX_LOG_ODDS);
    const wasted = [];
    const batch = Math.max(1, Math.floor(TERMS_PER_YIELD / servers));
    for (let i = 0; i < points; i += batch) {
      wasted.push(...dispatch.sweep(servers, needs, rates, grid.subarray(i, i + batch).map(expit)).wastage);
      yield wasted.length / points;
    }
    const top = wasted.indexOf(Math.max(...wasted));
    const wastage = (x) => dispatch.sweep(servers, needs, rates, expit(x)).wastage[0];
    let [lower, upper] = [grid[Math.max(top - 1, 0)], grid[Math.min(top + 1, points - 1)]];
    let [left, right] = [upper - GOLDEN_RATIO * (upper - lower), lower + GOLDEN_RATIO * (upper - lower)];
    let [at_left, at_right] = [wastage(left), wastage(right)];
    while (upper - lower > tolerance) {
      if (batch === 1) yield 1;
      if (at_left > at_right) {
        [upper, right, at_right] = [right, left, at_left];
        left = upper - GOLDEN_RATIO * (upper - lower);
        at_left = wastage(left);
      } else {
        [lower, left, at_left] = [left, right, at_right];
        right = lower + GOLDEN_RATIO * (upper - lower);
        at_right = wastage(right);
      }
    }
    const probability_2 = expit((lower + upper) / 2);
    const most = wastage((lower + upper) / 2);
    const demands = [((1 - probability_2) * needs[0]) / rates[0], (probability_2 * needs[1]) / rates[1]];
    return {
      probability_2,
      wastage: most,
      utilisation: 1 - most / servers,
      load_share_2: demands[1] / (demands[0] + demands[1]),
    };
  }

  // Yields [n, E[N_idle]/n] for the same classes and n, n + 1, …, `most` servers. The share is not monotone in n: to
  // find the least n that is enough, all smaller ones must be tried.
  function* wasted_shares(system, most) {
    const is_single_duration = dispatch.choose(system) === "single duration";
    // The coefficients are the same for all numbers of servers.
    const l = is_single_duration ? single_duration.log_series(most, system.classes) : null;
    for (let n = system.servers; n <= most; n += 1) {
      const larger = model.with_servers(system, n);
      const found = is_single_duration ? single_duration.solve(larger, l) : dispatch.solve(larger);
      yield [n, found.wastage / n];
    }
  }

  return { find_peak_wastage, search_peak, wasted_shares };
})();
