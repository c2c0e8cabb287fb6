"use strict";
// The rate that no policy exceeds. Jobs in service are a packing k, Σ_c v_c k_c ≤ n, at every moment,
// and λ a on average, a_c = p_c/μ_c; so λ a lies in the hull of the packings, up to λ_max = 1/Σ_k x_k,
// the least Σ_k x_k with Σ_k x_k k ≥ a. Columns are generated as in the library's `packings`: the basis
// B gives prices y, Bᵀ y = 1, and the packing of greatest worth enters.
const packings = (() => {
  // The most numbers in the table of a knapsack: some milliseconds.
  const MOST = 2e6;
  const EXCESS = 1e-13;
  const BASES = 1000;

  const gcd = (a, b) => (b ? gcd(b, a % b) : a);

  // The packing of greatest worth, and its worth; nothing if the table is too large. Apart from jobs of
  // the need v of greatest worth per server, it has fewer than v jobs.
  function heaviest(servers, needs, prices) {
    const density = needs.map((v, c) => prices[c] / v);
    const top = Math.max(...density) * (1 - 1e-14);
    const best = density.findIndex((d) => d >= top);
    const packing = needs.map(() => 0);
    packing[best] = Math.floor(Math.max(servers - (needs[best] - 1) * Math.max(...needs), 0) / needs[best]);
    let n = servers - packing[best] * needs[best];
    const order = needs.map((_, c) => c).filter((c) => prices[c] > 0 && needs[c] <= n);
    if ((order.length + 1) * (n + 1) > MOST) return null;
    const table = [new Float64Array(n + 1)];
    for (const c of order) {
      const row = Float64Array.from(table.at(-1));
      for (let j = needs[c]; j <= n; j += 1) row[j] = Math.max(row[j], row[j - needs[c]] + prices[c]);
      table.push(row);
    }
    for (let i = order.length; i > 0; i -= 1) {
      const [c, v] = [order[i - 1], needs[order[i - 1]]];
      while (n >= v && table[i][n] !== table[i - 1][n]) {
        packing[c] += 1;
        n -= v;
      }
    }
    return { packing, worth: model.sum(packing.map((k, c) => k * prices[c])) };
  }

  // The column that leaves: the lexicographically least row of (B⁻¹ a, B⁻¹)/(B⁻¹ packing).
  function leaving(inverse, a, packing) {
    const used = matrices.multiply(inverse, packing.map((k) => [k])).map(([x]) => x);
    const level = matrices.multiply(inverse, a.map((x) => [x])).map(([x]) => x);
    const row = (i) => [level[i], ...inverse[i]].map((x) => x / used[i]);
    const before = (one, other) => {
      const k = one.findIndex((x, j) => x !== other[j]);
      return k >= 0 && one[k] < other[k];
    };
    return used.map((_, i) => i).filter((i) => used[i] > 1e-12).reduce((i, j) => (before(row(j), row(i)) ? j : i));
  }

  // λ_max in jobs per second, or nothing if the page cannot find it.
  function highest_rate({ servers, classes }) {
    const kinds = [...new Set(classes.map((c) => c.need))].sort((x, y) => x - y);
    const a = kinds.map((v) => model.sum(classes.filter((c) => c.need === v).map((c) => c.probability / c.rate)));
    const divisor = kinds.reduce(gcd);
    const [n, needs] = [Math.floor(servers / divisor), kinds.map((v) => v / divisor)];
    const columns = needs.map((v, c) => needs.map((_, i) => (i === c ? Math.floor(n / v) : 0)));
    for (let k = 0; k < BASES; k += 1) {
      // Rows of `columns` are the columns of B, so this solves Bᵀ y = 1.
      const y = matrices.solve(columns, columns.map(() => [1])).map(([x]) => Math.max(x, 0));
      const found = heaviest(n, needs, y);
      if (!found) return null;
      if (found.worth <= 1 + EXCESS) return Math.max(found.worth, 1) / model.sum(y.map((x, c) => x * a[c]));
      const basis = needs.map((_, i) => columns.map((column) => column[i]));
      const identity = needs.map((_, i) => needs.map((__, j) => (i === j ? 1 : 0)));
      columns[leaving(matrices.solve(basis, identity).map((r) => [...r]), a, found.packing)] = found.packing;
    }
    return null;
  }

  return { highest_rate };
})();
