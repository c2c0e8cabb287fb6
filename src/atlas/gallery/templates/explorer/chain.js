"use strict";
// The saturated system of any finite set of classes, enumerated.
//
// A state is (u, h): u_c jobs of class c in service, and the class h of the job that blocks the head of
// the queue, or none if no job could fit and the class of the next job is not sampled. Between two
// completions jobs enter one by one in zero time; these *instantaneous* states are kept, so that a
// state has at most as many successors as there are classes. From a *timed* state a job of class c
// completes at rate u_c μ_c; the blocking job enters if it now fits; otherwise the next job is drawn.
//
// The state with ⌊n/v_min⌋ smallest jobs can be reached from every state: the states that can be reached
// from it are the only recurrent class, and only these are enumerated.
const chain = (() => {
  const UNSAMPLED = -1;

  // The message says what is too large.
  class TooLarge extends Error {}

  const too_large = (largest) => new TooLarge(`the jobs in service have more than ${words.count(largest)} states`);

  // All states with `idle` servers and `rate` of completion (0 if instantaneous), and all jumps
  // `from` one state `to` another with a `chance`. Throws TooLarge beyond `largest` states.
  function enumerate_chain({ servers, classes }, largest) {
    const needs = classes.map((c) => c.need);
    const smallest = Math.min(...needs);
    const radix = needs.map((v) => Math.floor(servers / v) + 1);
    const numbers = new Map();
    const queue = [];
    const states = { idle: [], rate: [], in_service: [] };
    const jumps = { from: [], to: [], chance: [] };

    const locate = (counts, head) => {
      const key = counts.reduce((total, u, c) => total * radix[c] + u, head + 1);
      if (!Number.isSafeInteger(key)) throw too_large(largest);
      if (!numbers.has(key)) {
        if (numbers.size >= largest) throw too_large(largest);
        const idle = servers - model.sum(counts.map((u, c) => u * needs[c]));
        numbers.set(key, numbers.size);
        queue.push([counts, head]);
        states.idle.push(idle);
        states.in_service.push(counts);
        const timed = head !== UNSAMPLED || idle < smallest;
        states.rate.push(timed ? model.sum(counts.map((u, c) => u * classes[c].rate)) : 0);
      }
      return numbers.get(key);
    };
    const jump = (from, counts, head, chance) => {
      // Find the target first: the columns must keep equal lengths if it is one state too many.
      const to = locate(counts, head);
      jumps.from.push(from);
      jumps.to.push(to);
      jumps.chance.push(chance);
    };
    const shifted = (counts, c, by) => counts.map((u, i) => (i === c ? u + by : u));

    locate(needs.map((v) => (v === smallest ? 1 : 0)).map((one, c) => (
      one && needs.indexOf(smallest) === c ? Math.floor(servers / smallest) : 0)), UNSAMPLED);
    for (let state = 0; state < queue.length; state += 1) {
      const [[counts, head], idle, rate] = [queue[state], states.idle[state], states.rate[state]];
      for (const [c, { need, probability }] of classes.entries()) {
        if (rate === 0) {
          const fits = need <= idle;
          jump(state, fits ? shifted(counts, c, 1) : counts, fits ? UNSAMPLED : c, probability);
        } else if (counts[c] > 0) {
          const chance = (counts[c] * classes[c].rate) / rate;
          const left = shifted(counts, c, -1);
          const enters = head !== UNSAMPLED && needs[head] <= idle + need;
          jump(state, enters ? shifted(left, head, 1) : left, enters ? UNSAMPLED : head, chance);
        }
      }
    }
    return { size: queue.length, ...states, ...jumps };
  }

  return { enumerate_chain, TooLarge };
})();
