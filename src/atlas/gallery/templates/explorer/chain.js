"use strict";
// The saturated system of any finite set of classes, enumerated.
//
// A state is (u, h): u_c jobs of class c in service, and the class h of the job at the head of the queue, which is
// blocked, or UNSAMPLED if the class of the next job is not sampled yet. It is sampled only if a job of some class
// fits. Between two completions jobs start one by one in zero time; these *instantaneous* states are kept, so that a
// state has at most as many successors as there are classes. From a *timed* state, in which a job is blocked or no
// job fits, a job of class c completes at rate u_c μ_c, and the blocked job starts if it now fits. From an
// instantaneous state the next job is sampled.
//
// The state with ⌊n/v_min⌋ smallest jobs can be reached from every state. So the states that can be reached from it
// are the only recurrent class, and only these are enumerated.
const chain = (() => {
  const UNSAMPLED = -1;

  // Its message says what is too large.
  class TooLarge extends Error {}

  const too_large = (max_states) => new TooLarge(`the jobs in service have more than ${format.count(max_states)} states`);

  // The number of states `size`; by state, its `idle` servers and the `rate` of completions (0 if instantaneous); by
  // jump, the states `from` and `to` and its `probability`. Throws TooLarge beyond `max_states` states.
  function enumerate_chain({ servers, classes }, max_states) {
    const needs = classes.map((c) => c.need);
    const smallest = Math.min(...needs);
    const radix = needs.map((v) => Math.floor(servers / v) + 1);
    const index_of = new Map();
    const queue = [];
    const states = { idle: [], rate: [] };
    const jumps = { from: [], to: [], probability: [] };

    const locate = (counts, head) => {
      const key = counts.reduce((total, u, c) => total * radix[c] + u, head + 1);
      if (!Number.isSafeInteger(key)) throw too_large(max_states);
      if (!index_of.has(key)) {
        if (index_of.size >= max_states) throw too_large(max_states);
        const idle = servers - model.sum(counts.map((u, c) => u * needs[c]));
        index_of.set(key, index_of.size);
        queue.push([counts, head]);
        states.idle.push(idle);
        const is_timed = head !== UNSAMPLED || idle < smallest;
        states.rate.push(is_timed ? model.sum(counts.map((u, c) => u * classes[c].rate)) : 0);
      }
      return index_of.get(key);
    };
    const jump = (from, counts, head, probability) => {
      jumps.from.push(from);
      jumps.to.push(locate(counts, head));
      jumps.probability.push(probability);
    };
    const shifted = (counts, c, by) => counts.map((u, i) => (i === c ? u + by : u));

    const c_smallest = needs.indexOf(smallest);
    locate(needs.map((v, c) => (c === c_smallest ? Math.floor(servers / v) : 0)), UNSAMPLED);
    for (let state = 0; state < queue.length; state += 1) {
      const [[counts, head], idle, rate] = [queue[state], states.idle[state], states.rate[state]];
      for (const [c, { need, probability }] of classes.entries()) {
        if (rate === 0) {
          const fits = need <= idle;
          jump(state, fits ? shifted(counts, c, 1) : counts, fits ? UNSAMPLED : c, probability);
        } else if (counts[c] > 0) {
          const completes = (counts[c] * classes[c].rate) / rate;
          const remaining = shifted(counts, c, -1);
          const starts = head !== UNSAMPLED && needs[head] <= idle + need;
          jump(state, starts ? shifted(remaining, head, 1) : remaining, starts ? UNSAMPLED : head, completes);
        }
      }
    }
    return { size: queue.length, ...states, ...jumps };
  }

  return { enumerate_chain, TooLarge };
})();
