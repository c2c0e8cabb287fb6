"use strict";
// The stationary distribution of the chain of chain.js, for any classes. States are eliminated one after another
// without subtraction (Grassmann, Taksar and Heyman, Oper. Res. 33 (1985)), so that small probabilities are as
// accurate as large ones. First go the states with the smallest product of the numbers of predecessors and successors.
// Once each of the rest has about a tenth of them as neighbours, the rest is eliminated as one dense matrix.
const stationary = (() => {
  // Flows are rescaled beyond this value.
  const MAX_FLOW = 1e150;
  // The rest is dense once its states have 1/SPARSITY of it as neighbours; it may have MAX_DENSE_STATES states.
  const SPARSITY = 10;
  const MAX_DENSE_STATES = 3000;
  // States, or rows of a dense matrix, between two reports of progress.
  const PROGRESS_INTERVAL = 64;

  // The flow z through the states, z = z P, up to a factor. `on_progress` is called with about the share of the work
  // that is done.
  function solve_flow({ size, from, to, probability }, on_progress = () => {}) {
    // By state, the rates to its successors, and its predecessors.
    const [out, into] = [from, to].map(() => Array.from({ length: size }, () => new Map()));
    const add = (i, j, x) => {
      if (i === j) return;
      out[i].set(j, (out[i].get(j) ?? 0) + x);
      into[j].set(i, true);
    };
    from.forEach((i, k) => add(i, to[k], probability[k]));

    // States by that product, which is the number of rates that their elimination adds. An entry may be out of date.
    const buckets = [];
    const add_to_bucket = (i) => {
      const fill = out[i].size * into[i].size;
      (buckets[fill] ??= []).push(i);
      return fill;
    };
    let least = Math.min(...out.map((_, i) => add_to_bucket(i)));
    const remains = new Uint8Array(size).fill(1);
    const eliminated = [];
    while (eliminated.length < size - 1) {
      while (!buckets[least]?.length) least += 1;
      const k = buckets[least].pop();
      if (!remains[k] || out[k].size * into[k].size !== least) continue;
      const rest = size - eliminated.length;
      if (rest <= MAX_DENSE_STATES && least * SPARSITY ** 2 > rest ** 2) break;
      remains[k] = 0;
      const leaving = model.sum([...out[k].values()]);
      const arrivals = [...into[k].keys()].map((i) => [i, out[i].get(k) / leaving]);
      for (const [i, share] of arrivals) {
        out[i].delete(k);
        for (const [j, x] of out[k]) add(i, j, share * x);
      }
      for (const j of out[k].keys()) into[j].delete(k);
      eliminated.push([k, arrivals]);
      for (const i of new Set([...into[k].keys(), ...out[k].keys()])) least = Math.min(least, add_to_bucket(i));
      if (eliminated.length % PROGRESS_INTERVAL === 0) on_progress(eliminated.length / size);
    }

    const flow = new Float64Array(size);
    _solve_rest(out, [...remains.keys()].filter((i) => remains[i]), on_progress).forEach(([i, x]) => { flow[i] = x; });
    for (const [k, arrivals] of eliminated.reverse()) {
      for (const [i, share] of arrivals) flow[k] += flow[i] * share;
      // The flow is relative to that of the last state, which may be a rare one.
      if (flow[k] > MAX_FLOW) flow.forEach((x, i) => { flow[i] = x / MAX_FLOW; });
    }
    return flow;
  }

  // [state, flow] of each of `states`, with the rates `out` between them.
  function _solve_rest(out, states, on_progress) {
    const size = states.length;
    const index_of = new Map(states.map((state, i) => [state, i]));
    const rows = states.map(() => new Float64Array(size));
    states.forEach((state, i) => { for (const [j, x] of out[state]) rows[i][index_of.get(j)] = x; });
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
      if (k % PROGRESS_INTERVAL === 0) on_progress(1 - (k / size) ** 3);
    }
    const flow = new Float64Array(size);
    flow[0] = 1;
    for (let k = 1; k < size; k += 1) {
      for (let i = 0; i < k; i += 1) flow[k] += flow[i] * rows[i][k];
      if (flow[k] > MAX_FLOW) flow.forEach((x, i) => { flow[i] = x / MAX_FLOW; });
    }
    return states.map((state, i) => [state, flow[i]]);
  }

  // λ*, E[N_idle] and utilisation of the saturated system, the distribution `by_idle` of its idle servers in time, and
  // the number of `states`. Throws chain.TooLarge beyond `max_states`, or if probabilities of states are too far apart
  // for numbers of 64 bits.
  function solve(system, max_states, on_progress) {
    const states = chain.enumerate_chain(system, max_states);
    const flow = solve_flow(states, on_progress);
    let [mass, time, idle] = [0, 0, 0];
    const by_idle = new Float64Array(system.servers + 1);
    for (let i = 0; i < states.size; i += 1) {
      if (states.rate[i] === 0) continue;
      const sojourn = flow[i] / states.rate[i];
      mass += flow[i];
      time += sojourn;
      idle += sojourn * states.idle[i];
      by_idle[states.idle[i]] += sojourn;
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
      states: states.size,
    };
  }

  return { solve };
})();
