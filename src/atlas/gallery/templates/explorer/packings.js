"use strict";
// The rate that no policy exceeds, λ_max. The jobs in service are a packing k, Σ_c v_c k_c ≤ n, at every moment, and
// λ a on average, a_c = p_c/μ_c. So λ a lies in the convex hull of the packings, and λ_max = 1/Σ_k x_k for the least
// Σ_k x_k with Σ_k x_k k ≥ a. This linear program is solved by column generation, as in the library's `packings`:
// the columns of the basis B are packings, its prices y solve Bᵀ y = 1, and the packing of greatest worth enters.
const packings = (() => {
  // The most numbers in the table of a knapsack, which takes milliseconds.
  const MAX_TABLE_SIZE = 2e6;
  // A packing enters if its worth exceeds 1 by more than rounding does.
  const ROUNDING = 1e-13;
  const MAX_BASES = 1000;

  const gcd = (a, b) => (b ? gcd(b, a % b) : a);

  // The packing of greatest worth, and its worth, or null if the table of the knapsack is too large. Let v be the need
  // of greatest worth per server. Of any v other jobs some need a multiple of v servers together, which jobs of need v
  // would fill for no less: so fewer than v other jobs are enough, and the rest of the servers run jobs of need v.
  function most_valuable(servers, needs, prices) {
    const worth_per_server = needs.map((v, c) => prices[c] / v);
    const top = Math.max(...worth_per_server) * (1 - 1e-14);
    const best = worth_per_server.findIndex((d) => d >= top);
    const packing = needs.map(() => 0);
    packing[best] = Math.floor(Math.max(servers - (needs[best] - 1) * Math.max(...needs), 0) / needs[best]);
    let n = servers - packing[best] * needs[best];
    const order = needs.map((_, c) => c).filter((c) => prices[c] > 0 && needs[c] <= n);
    if ((order.length + 1) * (n + 1) > MAX_TABLE_SIZE) return null;
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

  // The index of the column that leaves the basis: the lexicographically least row of (B⁻¹ a, B⁻¹)/(B⁻¹ packing), so
  // that no basis comes twice.
  function leaving_column(inverse, a, packing) {
    const pivots = matrices.multiply(inverse, packing.map((k) => [k])).map(([x]) => x);
    const level = matrices.multiply(inverse, a.map((x) => [x])).map(([x]) => x);
    const row = (i) => [level[i], ...inverse[i]].map((x) => x / pivots[i]);
    const is_less = (one, other) => {
      const k = one.findIndex((x, j) => x !== other[j]);
      return k >= 0 && one[k] < other[k];
    };
    return pivots.map((_, i) => i).filter((i) => pivots[i] > 1e-12).reduce((i, j) => (is_less(row(j), row(i)) ? j : i));
  }

  // λ_max in jobs per second, or null if the table of a knapsack is too large.
  function highest_rate({ servers, classes }) {
    const distinct_needs = [...new Set(classes.map((c) => c.need))].sort((x, y) => x - y);
    const a = distinct_needs.map((v) => model.sum(classes.filter((c) => c.need === v).map((c) => c.probability / c.rate)));
    const divisor = distinct_needs.reduce(gcd);
    const [n, needs] = [Math.floor(servers / divisor), distinct_needs.map((v) => v / divisor)];
    const columns = needs.map((v, c) => needs.map((_, i) => (i === c ? Math.floor(n / v) : 0)));
    for (let k = 0; k < MAX_BASES; k += 1) {
      // Rows of `columns` are the columns of B, so this solves Bᵀ y = 1.
      const y = matrices.solve(columns, columns.map(() => [1])).map(([x]) => Math.max(x, 0));
      const found = most_valuable(n, needs, y);
      if (!found) return null;
      if (found.worth <= 1 + ROUNDING) return Math.max(found.worth, 1) / model.sum(y.map((x, c) => x * a[c]));
      const basis = needs.map((_, i) => columns.map((column) => column[i]));
      const identity = needs.map((_, i) => needs.map((__, j) => (i === j ? 1 : 0)));
      columns[leaving_column(matrices.solve(basis, identity).map((r) => [...r]), a, found.packing)] = found.packing;
    }
    return null;
  }

  return { highest_rate };
})();
