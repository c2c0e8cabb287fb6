"use strict";
// The fronts of FCFS multiserver jobs: the jobs whose classes matter, without those that wait behind them.
//
// A front (u, h) has u_c jobs of class c in service, and a blocked job of class h at the head of the queue, or none.
// It is *settled* if no job can join it: a job is blocked, or fewer than v_min servers are idle. Otherwise it is
// *unsettled*: the class of the next job is drawn when it arrives, or immediately if one waits.
const fronts = (() => {
  const NO_HEAD = -1;
  // With so many fronts, settled and unsettled together, a point of the response times takes seconds.
  const MAX_FRONTS = 500;

  class TooLarge extends Error {}

  // Rates of completions: `within` and `opened` from settled fronts to settled and to unsettled ones, `emptier`
  // between unsettled ones. Probabilities of draws in unsettled fronts: `settles` and `further`, to settled and to
  // unsettled ones. In the first `drawn` unsettled fronts a job may be drawn while others wait. By settled front,
  // `blocked` is 1 if a job is blocked. `busy` is the number of busy servers in the unsettled fronts, then in the
  // settled ones.
  function enumerate({ servers, classes }) {
    const smallest = Math.min(...classes.map((c) => c.need));
    const idle_of = (counts) => servers - counts.reduce((total, u, c) => total + u * classes[c].need, 0);
    const shifted = (counts, c, by) => counts.map((u, i) => (i === c ? u + by : u));
    // A list of fronts that finds the index of a front, and adds it if it is new.
    const create_list = () => {
      const [fronts, indices] = [[], new Map()];
      const index_of = (front) => {
        const key = String(front);
        if (!indices.has(key)) {
          indices.set(key, fronts.length);
          fronts.push(front);
        }
        return indices.get(key);
      };
      return { fronts, index_of };
    };
    const [settled, unsettled] = [create_list(), create_list()];
    const jumps = { within: [], opened: [], settles: [], further: [], emptier: [] };
    // Whether a front is settled, and its index among those that are or are not.
    const settled_front = (counts, head) => [true, settled.index_of([counts, head])];
    const front_without_head = (counts) => (idle_of(counts) < smallest ? settled_front(counts, NO_HEAD) : [false, unsettled.index_of(counts)]);
    const add_completions_of_settled = (i) => {
      const [counts, head] = settled.fronts[i];
      for (const [c, { rate }] of classes.entries()) {
        if (!counts[c]) continue;
        const remaining = shifted(counts, c, -1);
        const starts = head !== NO_HEAD && classes[head].need <= idle_of(remaining);
        const [is_settled, j] = head === NO_HEAD || starts ? front_without_head(starts ? shifted(remaining, head, 1) : remaining) : settled_front(remaining, head);
        jumps[is_settled ? "within" : "opened"].push([i, j, counts[c] * rate]);
      }
    };
    const add_draws = (i) => {
      const counts = unsettled.fronts[i];
      for (const [c, { need, probability }] of classes.entries()) {
        const [is_settled, j] = need <= idle_of(counts) ? front_without_head(shifted(counts, c, 1)) : settled_front(counts, c);
        jumps[is_settled ? "settles" : "further"].push([i, j, probability]);
      }
    };
    const add_completions_of_unsettled = (i) => {
      const counts = unsettled.fronts[i];
      for (const [c, { rate }] of classes.entries()) {
        if (counts[c]) jumps.emptier.push([i, unsettled.index_of(shifted(counts, c, -1)), counts[c] * rate]);
      }
    };
    let [next_settled, next_unsettled] = [0, 0];
    const explore = () => {
      while (next_settled < settled.fronts.length || next_unsettled < unsettled.fronts.length) {
        if (settled.fronts.length + unsettled.fronts.length > MAX_FRONTS) throw new TooLarge();
        if (next_unsettled < unsettled.fronts.length) add_draws(next_unsettled++);
        else add_completions_of_settled(next_settled++);
      }
    };
    // First the fronts that are reached while jobs wait, starting with all servers full of smallest jobs, then those
    // that are reached only when no job waits.
    const c_smallest = classes.findIndex((c) => c.need === smallest);
    settled_front(classes.map((_, c) => (c === c_smallest ? Math.floor(servers / smallest) : 0)), NO_HEAD);
    explore();
    const drawn = unsettled.fronts.length;
    for (let i = 0; i < unsettled.fronts.length; i += 1) {
      add_completions_of_unsettled(i);
      explore();
    }
    // For each matrix, whether its rows and its columns are settled (0) or unsettled (1) fronts.
    const kinds = { within: [0, 0], opened: [0, 1], settles: [1, 0], further: [1, 1], emptier: [1, 1] };
    const counts = [settled.fronts.length, unsettled.fronts.length];
    const filled_matrices = Object.entries(kinds).map(([name, [from, to]]) => {
      const matrix = matrices.zeros(counts[from], counts[to]);
      for (const [i, j, x] of jumps[name]) matrix[i][j] += x;
      return [name, matrix];
    });
    const busy = [...unsettled.fronts, ...settled.fronts.map(([front]) => front)].map((front) => servers - idle_of(front));
    return { ...Object.fromEntries(filled_matrices), drawn, busy, blocked: settled.fronts.map(([, head]) => (head === NO_HEAD ? 0 : 1)) };
  }

  return { MAX_FRONTS, TooLarge, enumerate };
})();
