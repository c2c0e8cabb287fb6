"use strict";
// The properties of a state that all views need: {state, system, moving, means, fault, naive, highest,
// worst, order, large, small, two, slow, heavy, terms, points}. `order` has the classes by need, `large`
// and `small` are the last and the first of them, `two` says whether there are two of different needs,
// `slow` whether the chain must be enumerated, and `heavy` whether a sweep takes longer than a frame.
// `points` is the most points of a curve; `fault` says why there are no `means`.
const preparing = (() => {
  const HEAVY = 2e5;
  const QUICK_CHAIN = 300;

  // `moving` is true during a drag; `tell` is called with the progress of the chain.
  function prepare(state, moving, tell) {
    const system = { servers: state.servers, classes: state.classes };
    const order = system.classes.map((_, c) => c).sort((a, b) => system.classes[a].need - system.classes[b].need);
    const [small, large] = [order[0], order.at(-1)];
    const two = order.length === 2 && system.classes[small].need < system.classes[large].need;
    const slow = dispatch.choose(system) === "enumerated chain";
    const about = { state, system, order, small, large, two, slow, moving, means: null, worst: null };
    about.naive = model.naive_throughput(system);
    about.terms = Math.max(1, dispatch.terms_of(system));
    about.heavy = about.terms > HEAVY;
    const several = (least, most, terms) => Math.round(Math.max(least, Math.min(most, terms / about.terms)));
    about.points = moving ? several(25, 81, 1e5) : several(41, 241, 4e7);
    try {
      about.means = dispatch.solve(system, moving ? QUICK_CHAIN : dispatch.LARGEST_CHAIN, tell);
    } catch (error) {
      if (!(error instanceof chain.TooLarge)) throw error;
      about.fault = error.message;
    }
    if (two && about.means && !about.heavy) {
      const [needs, rates] = ["need", "rate"].map((key) => [system.classes[small][key], system.classes[large][key]]);
      about.worst = peak.find_peak_wastage(system.servers, needs, rates, several(61, moving ? 61 : 2001, 4e6), moving ? 1e-3 : 1e-9);
    }
    about.highest = packings.highest_rate(system);
    return about;
  }

  return { prepare };
})();
