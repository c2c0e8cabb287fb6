"use strict";
// The mix of two classes that wastes the most servers, and the servers to add until few are wasted.
const peak = (() => {
  const REACH = 27.6;
  // Terms between two yields.
  const CHUNK = 2e6;
  const GOLDEN = (Math.sqrt(5) - 1) / 2;

  const expit = (x) => 1 / (1 + Math.exp(-x));

  function find_peak_wastage(servers, needs, rates, points = 2001, close = 1e-9) {
    const search = search_peak(servers, needs, rates, points, close);
    for (;;) {
      const { done, value } = search.next();
      if (done) return value;
    }
  }

  // The p2 in (0, 1) at which the most servers are wasted. Wastage can have several maxima in p2: a grid
  // in log(p2/p1) from 1e-12 to 1e12 picks the highest, which is refined to the accuracy `close`.
  // It yields now and then, since a million servers take a second.
  function* search_peak(servers, needs, rates, points, close) {
    const spacing = (2 * REACH) / (points - 1);
    const grid = Float64Array.from({ length: points }, (_, i) => i * spacing - REACH);
    const wasted = [];
    const some = Math.max(1, Math.floor(CHUNK / servers));
    for (let i = 0; i < points; i += some) {
      wasted.push(...dispatch.sweep(servers, needs, rates, grid.subarray(i, i + some).map(expit)).wastage);
      yield wasted.length / points;
    }
    const top = wasted.indexOf(Math.max(...wasted));
    const wastage = (x) => dispatch.sweep(servers, needs, rates, expit(x)).wastage[0];
    let [lower, upper] = [grid[Math.max(top - 1, 0)], grid[Math.min(top + 1, points - 1)]];
    let [left, right] = [upper - GOLDEN * (upper - lower), lower + GOLDEN * (upper - lower)];
    let [at_left, at_right] = [wastage(left), wastage(right)];
    while (upper - lower > close) {
      if (some === 1) yield 1;
      if (at_left > at_right) {
        [upper, right, at_right] = [right, left, at_left];
        left = upper - GOLDEN * (upper - lower);
        at_left = wastage(left);
      } else {
        [lower, left, at_left] = [left, right, at_right];
        right = lower + GOLDEN * (upper - lower);
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

  // E[N_idle]/n for n, n + 1, … servers and the same classes. Wastage is not monotone in n: to find
  // the least n that is enough, all smaller ones must be tried.
  function* wasted_shares(system, most) {
    const shared = dispatch.choose(system) === "single duration";
    // One pass for all numbers of servers.
    const l = shared ? single_duration.log_series(most, system.classes) : null;
    for (let n = system.servers; n <= most; n += 1) {
      const larger = model.with_servers(system, n);
      const found = shared ? single_duration.single_duration(larger, l) : dispatch.solve(larger);
      yield [n, found.wastage / n];
    }
  }

  return { find_peak_wastage, search_peak, wasted_shares };
})();
