"use strict";
// The context in which all views are computed, an object made from the state:
//
//     state, dragging           the state, and whether it changes during a drag
//     system                    {servers, classes} of the state
//     order, small, large       the indices of the classes by need; the first and the last of them
//     is_two_class              whether there are two classes, of different needs
//     is_enumerated             whether the chain must be enumerated: no closed form is known
//     is_heavy                  whether a sweep takes longer than a frame
//     terms, max_points         the terms in the sums of one point, and the most points of a curve
//     means, fault              λ*, E[N_idle] and so on (dispatch.js), or null and the reason
//     naive, capacity           n/E[S], and the rate that no policy exceeds, or null if it is not found
//     worst_mix                 the mix that wastes most (peak.js), or null if it is not found yet
//     fronts                    those of fronts.js, added by the view of response times
const view_context = (() => {
  const HEAVY_TERMS = 2e5;
  // During a drag, larger chains wait.
  const MAX_STATES_DRAGGING = 300;

  // `on_progress` is called with the share of the chain that is solved.
  function create(state, dragging, on_progress) {
    const system = { servers: state.servers, classes: state.classes };
    const order = system.classes.map((_, c) => c).sort((a, b) => system.classes[a].need - system.classes[b].need);
    const [small, large] = [order[0], order.at(-1)];
    const is_two_class = order.length === 2 && system.classes[small].need < system.classes[large].need;
    const is_enumerated = dispatch.choose(system) === "enumerated chain";
    const terms = Math.max(1, dispatch.terms_of(system));
    const is_heavy = terms > HEAVY_TERMS;
    const points_for = (least, most, total_terms) => Math.round(Math.max(least, Math.min(most, total_terms / terms)));
    const context = {
      state, dragging, system, order, small, large, is_two_class, is_enumerated, is_heavy, terms, means: null, worst_mix: null,
      max_points: dragging ? points_for(25, 81, 1e5) : points_for(41, 241, 4e7),
      naive: model.naive_throughput(system),
      capacity: packings.highest_rate(system),
    };
    try {
      context.means = dispatch.solve(system, dragging ? MAX_STATES_DRAGGING : dispatch.MAX_CHAIN_STATES, on_progress);
    } catch (error) {
      if (!(error instanceof chain.TooLarge)) throw error;
      context.fault = error.message;
    }
    if (is_two_class && context.means && !is_heavy) {
      const [needs, rates] = ["need", "rate"].map((key) => [system.classes[small][key], system.classes[large][key]]);
      context.worst_mix = peak.find_peak_wastage(system.servers, needs, rates, points_for(61, dragging ? 61 : 2001, 4e6), dragging ? 1e-3 : 1e-9);
    }
    return context;
  }

  return { create };
})();
