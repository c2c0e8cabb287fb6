"use strict";
// The fronts of FCFS multiserver jobs, without the jobs that wait behind them.
//
// A front (u, h) has u_c jobs of class c in service and a job of class h that blocks the head of the queue, or
// none. It is *settled* if no job can join it: a job blocks, or fewer than v_min servers are idle. Otherwise it
// is *unsettled*: no job blocks, and the next job is drawn, immediately if one waits.
const fronts = (() => {
  const NOBODY = -1;
  // The most settled and unsettled fronts: this many take seconds per point.
  const MOST = 500;

  class TooLarge extends Error {}

  // The settled fronts, where `blocked` says whether a job blocks, and the unsettled ones; of these the first
  // `drawn` are those in which a job may be drawn while others wait. Rates `within` and `opened` lead from settled
  // fronts to settled and unsettled ones, `emptier` between unsettled ones. `settles` and `further` are the
  // probabilities that a draw leads to each. `held` is the number of servers held, in unsettled, then settled fronts.
  function enumerate({ servers, classes }) {
    const smallest = Math.min(...classes.map((c) => c.need));
    const idle_of = (counts) => servers - counts.reduce((total, u, c) => total + u * classes[c].need, 0);
    const shifted = (counts, c, by) => counts.map((u, i) => (i === c ? u + by : u));
    const list = () => {
      const [found, numbers] = [[], new Map()];
      const number = (front) => {
        const key = String(front);
        if (!numbers.has(key)) {
          numbers.set(key, found.length);
          found.push(front);
        }
        return numbers.get(key);
      };
      return { found, number };
    };
    const [settled, unsettled] = [list(), list()];
    const jumps = { within: [], opened: [], settles: [], further: [], emptier: [] };
    // The place of a front in which no job blocks: whether it is settled, and its number.
    const settle = (counts, head) => [true, settled.number([counts, head])];
    const place = (counts) => (idle_of(counts) < smallest ? settle(counts, NOBODY) : [false, unsettled.number(counts)]);
    const complete = (i) => {
      const [counts, head] = settled.found[i];
      for (const [c, { rate }] of classes.entries()) {
        if (!counts[c]) continue;
        const left = shifted(counts, c, -1);
        const enters = head !== NOBODY && classes[head].need <= idle_of(left);
        const [stays, j] = head === NOBODY || enters ? place(enters ? shifted(left, head, 1) : left) : settle(left, head);
        jumps[stays ? "within" : "opened"].push([i, j, counts[c] * rate]);
      }
    };
    const draw = (i) => {
      const counts = unsettled.found[i];
      for (const [c, { need, probability }] of classes.entries()) {
        const [stays, j] = need <= idle_of(counts) ? place(shifted(counts, c, 1)) : settle(counts, c);
        jumps[stays ? "settles" : "further"].push([i, j, probability]);
      }
    };
    const leave = (i) => {
      const counts = unsettled.found[i];
      for (const [c, { rate }] of classes.entries()) {
        if (counts[c]) jumps.emptier.push([i, unsettled.number(shifted(counts, c, -1)), counts[c] * rate]);
      }
    };
    let [completed, tried, left] = [0, 0, 0];
    const explore = () => {
      while (completed < settled.found.length || tried < unsettled.found.length) {
        if (settled.found.length + unsettled.found.length > MOST) throw new TooLarge();
        if (tried < unsettled.found.length) draw(tried++);
        else complete(completed++);
      }
    };
    // First the fronts reached from full servers, then those reached from them when no job waits.
    const alone = classes.findIndex((c) => c.need === smallest);
    settle(classes.map((_, c) => (c === alone ? Math.floor(servers / smallest) : 0)), NOBODY);
    explore();
    const drawn = unsettled.found.length;
    for (; left < unsettled.found.length; explore()) leave(left++);
    const sizes = { within: [0, 0], opened: [0, 1], settles: [1, 0], further: [1, 1], emptier: [1, 1] };
    const counts = [settled.found.length, unsettled.found.length];
    const filled = Object.entries(sizes).map(([name, [from, to]]) => {
      const matrix = matrices.zeros(counts[from], counts[to]);
      for (const [i, j, x] of jumps[name]) matrix[i][j] += x;
      return [name, matrix];
    });
    // The number of servers that each front holds.
    const held = [...unsettled.found, ...settled.found.map(([front]) => front)].map((front) => servers - idle_of(front));
    return { ...Object.fromEntries(filled), drawn, held, blocked: settled.found.map(([, head]) => (head === NOBODY ? 0 : 1)) };
  }

  return { MOST, TooLarge, enumerate };
})();
