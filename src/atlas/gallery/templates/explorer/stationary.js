"use strict";
// The distribution of the saturated chain, for any classes: states are eliminated one after another, those
// with fewest neighbours first, without subtraction (Grassmann, Taksar and Heyman, Oper. Res. 33 (1985)),
// so that small probabilities are as accurate as large ones. Once each state is adjacent to a tenth of the
// others, the rest is eliminated as one dense matrix, row by row.
const stationary = (() => {
  const FAR = 1e150;
  const DENSE = 10;
  const MOST_DENSE = 3000;
  // States, or rows of a dense matrix, between two progress reports.
  const TOLD = 64;

  // The flow z through the states, z = z P, up to a factor. `tell` is called with about the share of the
  // work that is done.
  function solve_flow({ size, from, to, chance }, tell = () => {}) {
    const [out, into] = [from, to].map(() => Array.from({ length: size }, () => new Map()));
    const add = (i, j, x) => {
      if (i === j) return;
      out[i].set(j, (out[i].get(j) ?? 0) + x);
      into[j].set(i, true);
    };
    from.forEach((i, k) => add(i, to[k], chance[k]));

    const buckets = [];
    const file = (i) => {
      const fill = out[i].size * into[i].size;
      (buckets[fill] ??= []).push(i);
      return fill;
    };
    let least = Math.min(...out.map((_, i) => file(i)));
    const left = new Uint8Array(size).fill(1);
    const order = [];
    while (order.length < size - 1) {
      while (!buckets[least]?.length) least += 1;
      const k = buckets[least].pop();
      if (!left[k] || out[k].size * into[k].size !== least) continue;
      const others = size - order.length;
      if (others <= MOST_DENSE && least * DENSE ** 2 > others ** 2) break;
      left[k] = 0;
      const leaving = model.sum([...out[k].values()]);
      const arrivals = [...into[k].keys()].map((i) => [i, out[i].get(k) / leaving]);
      for (const [i, share] of arrivals) {
        out[i].delete(k);
        for (const [j, x] of out[k]) add(i, j, share * x);
      }
      for (const j of out[k].keys()) into[j].delete(k);
      order.push([k, arrivals]);
      for (const i of new Set([...into[k].keys(), ...out[k].keys()])) least = Math.min(least, file(i));
      if (order.length % TOLD === 0) tell(order.length / size);
    }

    const flow = new Float64Array(size);
    _solve_rest(out, [...left.keys()].filter((i) => left[i]), tell).forEach(([i, x]) => { flow[i] = x; });
    for (const [k, arrivals] of order.reverse()) {
      for (const [i, share] of arrivals) flow[k] += flow[i] * share;
      // The last state to be eliminated may be a rare one, so rescale.
      if (flow[k] > FAR) flow.forEach((x, i) => { flow[i] = x / FAR; });
    }
    return flow;
  }

  // [state, flow] of the remaining states, with the rates `out` between them.
  function _solve_rest(out, states, tell) {
    const size = states.length;
    const place = new Map(states.map((state, i) => [state, i]));
    const rows = states.map(() => new Float64Array(size));
    states.forEach((state, i) => { for (const [j, x] of out[state]) rows[i][place.get(j)] = x; });
    for (let k = size - 1; k > 0; k -= 1) {
      const last = rows[k];
      let leaving = 0;
      for (let j = 0; j < k; j += 1) leaving += last[j];
      for (let i = 0; i < k; i += 1) {
        const row = rows[i];
        const share = row[k] / leaving;
        row[k] = share;
        if (share !== 0) for (let j = 0; j < k; j += 1) row[j] += share * last[j];
      }
      if (k % TOLD === 0) tell(1 - (k / size) ** 3);
    }
    const flow = new Float64Array(size);
    flow[0] = 1;
    for (let k = 1; k < size; k += 1) {
      for (let i = 0; i < k; i += 1) flow[k] += flow[i] * rows[i][k];
      if (flow[k] > FAR) flow.forEach((x, i) => { flow[i] = x / FAR; });
    }
    return states.map((state, i) => [state, flow[i]]);
  }

  // Means of the saturated system, and the distribution in time of its idle servers. Throws
  // chain.TooLarge if probabilities of states are too far apart for numbers of 64 bits.
  function solve(system, largest, tell) {
    const found = chain.enumerate_chain(system, largest);
    const flow = solve_flow(found, tell);
    let [mass, time, idle] = [0, 0, 0];
    const by_idle = new Float64Array(system.servers + 1);
    for (let i = 0; i < found.size; i += 1) {
      if (found.rate[i] === 0) continue;
      const sojourn = flow[i] / found.rate[i];
      mass += flow[i];
      time += sojourn;
      idle += sojourn * found.idle[i];
      by_idle[found.idle[i]] += sojourn;
    }
    if (!Number.isFinite(mass / time)) {
      throw new chain.TooLarge("probabilities of its states are more than 300 powers of ten apart");
    }
    const wastage = idle / time;
    return {
      throughput: mass / time,
      wastage,
      utilisation: 1 - wastage / system.servers,
      by_idle: by_idle.map((x) => x / time),
      states: found.size,
    };
  }

  return { solve };
})();
