"use strict";
// The distribution of the saturated chain, for any classes: states are eliminated one after another, those
// with fewest neighbours first, and no difference is ever formed (Grassmann, Taksar and Heyman, Oper.
// Res. 33 (1985)), so that small probabilities are as accurate as large ones.
const stationary = (() => {
  const FAR = 1e150;

  // The flow z through the states, z = z P, up to a factor.
  function solve_flow({ size, from, to, chance }) {
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
    }

    const flow = new Float64Array(size);
    flow[left.indexOf(1)] = 1;
    for (const [k, arrivals] of order.reverse()) {
      for (const [i, share] of arrivals) flow[k] += flow[i] * share;
      // The state that was left may be a rare one.
      if (flow[k] > FAR) flow.forEach((x, i) => { flow[i] = x / FAR; });
    }
    return flow;
  }

  // Means of the saturated system, and the distribution in time of its idle servers.
  function solve(system, largest) {
    const found = chain.enumerate_chain(system, largest);
    const flow = solve_flow(found);
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
