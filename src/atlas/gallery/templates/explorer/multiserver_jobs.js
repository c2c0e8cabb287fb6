"use strict";
// First come, first served multiserver jobs with Poisson arrivals, as a quasi-birth-death process.
//
// The level k is the number of jobs in the system, the phase the state (u, h) of the front: u_c jobs of
// class c in service and the class h of the job that blocks the head of the queue; the classes of the
// jobs behind are left unsampled, and h too where fewer than v_min servers are idle. Level k holds
// all settled fronts of at most k jobs and the unsettled ones of exactly k. From level B = ⌊n/v_min⌋
// on all levels are alike. (two-class-stability, Sections 3.1 and 3.2.)
const multiserver_jobs = (() => {
  const UNSAMPLED = -1;
  // So many levels of so many phases take a second a point.
  const MOST_PHASES = 100;
  const MOST_LEVELS = 100;

  class TooLarge extends Error {}

  function _count_vectors({ servers, classes }) {
    let found = [[[], servers]];
    for (const { need } of classes) {
      const further = [];
      for (const [counts, idle] of found) {
        for (let u = 0; u * need <= idle; u += 1) further.push([[...counts, u], idle - u * need]);
      }
      // Each u is a phase of some level.
      if (further.length > MOST_PHASES * MOST_LEVELS) throw new TooLarge();
      found = further;
    }
    // Fuller fronts come first: what a front may become is then known before it.
    return found
      .map(([counts, idle]) => ({ counts, idle, served: model.sum(counts) }))
      .sort((a, b) => a.idle - b.idle);
  }

  // The levels 0 … B and the repeating one: `entries[k]` holds the probabilities that an arrival leads
  // from a phase of level k to one of level k + 1, `completions[k]` the rates down to level k − 1.
  // Throws TooLarge beyond MOST_PHASES phases or MOST_LEVELS levels.
  function prepare(system) {
    const { servers, classes } = system;
    const smallest = Math.min(...classes.map((c) => c.need));
    const top = Math.floor(servers / smallest);
    if (top > MOST_LEVELS) throw new TooLarge();
    const fitting = _count_vectors(system);
    const key = (counts, head) => `${counts},${head}`;
    const shifted = (counts, c, by) => counts.map((u, i) => (i === c ? u + by : u));
    const idle_of = (counts) => servers - model.sum(counts.map((u, c) => u * classes[c].need));

    const on_level = (k) => fitting.flatMap(({ counts, idle, served }) => {
      if (served === k || (served < k && idle < smallest)) return [[counts, UNSAMPLED]];
      if (served > k) return [];
      return classes.flatMap(({ need }, h) => (need > idle ? [[counts, h]] : []));
    });
    const fronts = Array.from({ length: top + 1 }, (_, k) => on_level(k));
    if (Math.max(...fronts.map((level) => level.length)) > MOST_PHASES) throw new TooLarge();
    const places = fronts.map((level) => new Map(level.map(([counts, head], i) => [key(counts, head), i])));

    const arrivals = (k) => fronts[k].map(([counts, head]) => {
      const row = new Float64Array(fronts[k + 1].length);
      const idle = idle_of(counts);
      if (head !== UNSAMPLED || idle < smallest) row[places[k + 1].get(key(counts, head))] = 1;
      else {
        classes.forEach(({ need, probability }, c) => {
          const after = need <= idle ? key(shifted(counts, c, 1), UNSAMPLED) : key(counts, c);
          row[places[k + 1].get(after)] += probability;
        });
      }
      return row;
    });

    // Laws on a level of `jobs` jobs once all that can start have started, by the jobs in service.
    const settle = (level, jobs) => {
      const distributions = new Map();
      for (const { counts, idle, served } of fitting) {
        if (served > jobs) continue;
        const distribution = new Float64Array(level.size);
        distributions.set(String(counts), distribution);
        if (served === jobs || idle < smallest) distribution[level.get(key(counts, UNSAMPLED))] = 1;
        else {
          classes.forEach(({ need, probability }, c) => {
            if (need > idle) distribution[level.get(key(counts, c))] += probability;
            else distributions.get(String(shifted(counts, c, 1))).forEach((x, i) => { distribution[i] += probability * x; });
          });
        }
      }
      return distributions;
    };

    const completions = (k, below, jobs) => {
      const settled = settle(below, jobs);
      return fronts[k].map(([counts, head]) => {
        const row = new Float64Array(below.size);
        counts.forEach((u, c) => {
          if (!u) return;
          const [left, rate] = [shifted(counts, c, -1), u * classes[c].rate];
          const enters = head !== UNSAMPLED && classes[head].need <= idle_of(left);
          if (head !== UNSAMPLED && !enters) row[below.get(key(left, head))] += rate;
          else settled.get(String(enters ? shifted(left, head, 1) : left)).forEach((x, i) => { row[i] += rate * x; });
        });
        return row;
      });
    };

    const entries = Array.from({ length: top }, (_, k) => arrivals(k));
    const down = Array.from({ length: top }, (_, k) => completions(k + 1, places[k], k));
    const repeating = completions(top, places[top], top);
    const distribution = matrices.stationary_distribution(repeating);
    const throughput = model.sum(repeating.map((row, i) => distribution[i] * model.sum([...row])));
    return { entries, completions: [null, ...down, repeating], phases: distribution.length, throughput };
  }

  return { MOST_PHASES, MOST_LEVELS, TooLarge, prepare };
})();
