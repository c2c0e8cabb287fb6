"use strict";
// The fronts of first come, first served multiserver jobs, without those that wait behind.
//
// A front (u, h) has u_c jobs of class c in service and a job of class h that blocks the head of the queue, or
// none. It is *settled* if no job can join it: one blocks, or fewer than v_min servers are idle. Into an
// *unsettled* one the next job is drawn, at once if one waits; then it has no job that blocks.
const fronts = (() => {
  const NOBODY = -1;
  // Settled and unsettled ones: so many take seconds a point.
  const MOST = 500;

  class TooLarge extends Error {}

  // The settled fronts, of which `blocked` tells whether a job blocks, and the unsettled ones, those in which a
  // job may be drawn while others wait before the rest. Rates `within` and `opened` lead from settled ones to
  // settled and unsettled ones, `emptier` among these; `settles` and `further` are the probabilities of where a
  // draw leads; `drawn` is how many come first, and `held` how many servers are, in unsettled fronts and in settled.
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
    // Where a front with nobody blocked is: whether it is settled, and its number.
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
    // What full servers lead to comes first, then what is left of it when nobody waits.
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
    // How many servers each front holds.
    const held = [...unsettled.found, ...settled.found.map(([front]) => front)].map((front) => servers - idle_of(front));
    return { ...Object.fromEntries(filled), drawn, held, blocked: settled.found.map(([, head]) => (head === NOBODY ? 0 : 1)) };
  }

  return { MOST, TooLarge, enumerate };
})();
