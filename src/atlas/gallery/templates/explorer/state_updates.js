"use strict";
// What the controls, the plots and the presets do to the state: each function returns a new state.
const state_updates = (() => {
  const round = (x) => Number(x.toPrecision(3));
  const update_class = (state, c, part) => ({ ...state, classes: state.classes.map((k, i) => (i === c ? { ...k, ...part } : k)) });

  // A class that needs all servers still does so afterwards, and needs that no longer fit become all servers.
  function set_servers(state, servers) {
    const needs_all = (need) => state.servers > 1 && need === state.servers;
    const new_need = ({ need }) => (needs_all(need) ? servers : Math.min(need, servers));
    return { ...state, servers, classes: state.classes.map((c) => ({ ...c, need: new_need(c) })) };
  }

  const set_need = (state, c, need) => update_class(state, c, { need });
  const set_rate = (state, c, rate) => update_class(state, c, { rate });

  // Rounds a share to three digits of its distance to 0 or 1, whichever is nearer.
  const round_share = (p) => (p < 0.5 ? round(p) : 1 - round(1 - p));

  // The other classes keep their proportions. A single class always has the share 1.
  function set_share(state, c, p) {
    return state.classes.length > 1 ? model.with_probability(state, c, p) : state;
  }

  const _is_larger = (state) => {
    const smallest = Math.min(...state.classes.map((c) => c.need));
    return (c) => c.need > smallest;
  };
  const _share_of = (classes) => model.sum(classes.map((c) => c.probability));

  // Whether α says anything: with one server, or needs that are all equal, no job is larger.
  const has_exponent = (state) => state.servers > 1 && state.classes.some((c) => c.need !== state.classes[0].need);

  // α of the systems of multilevel-scaling: all except the smallest jobs together have the share n^−α.
  const exponent_of = (state) => (has_exponent(state) ? -Math.log(_share_of(state.classes.filter(_is_larger(state)))) / Math.log(state.servers) : 0);

  function set_exponent(state, alpha) {
    const [is_larger, share] = [_is_larger(state), state.servers ** -alpha];
    const larger = share / _share_of(state.classes.filter(is_larger));
    const smallest = (1 - share) / _share_of(state.classes.filter((c) => !is_larger(c)));
    return { ...state, classes: state.classes.map((c) => ({ ...c, probability: c.probability * (is_larger(c) ? larger : smallest) })) };
  }

  function add_class(state) {
    const taken = new Set(state.classes.map((c) => c.need));
    let need = Math.max(1, Math.round(Math.sqrt(state.servers)));
    while (taken.has(need) && need < state.servers) need += 1;
    const classes = [...state.classes, { need, rate: 1, probability: 0 }];
    return set_share({ ...state, classes }, classes.length - 1, 0.05);
  }

  function remove_class(state, c) {
    const rest = state.classes.filter((_, i) => i !== c);
    const total = model.sum(rest.map((k) => k.probability));
    return { ...state, classes: rest.map((k) => ({ ...k, probability: rest.length > 1 ? k.probability / total : 1 })) };
  }

  // What `set` of a plot (plot.js) returns: {probability: [class, p]}, {rate: [class, rate]} or {fraction}.
  function from_plot(state, { probability, rate, fraction }) {
    if (probability) return set_share(state, probability[0], Math.min(1 - 1e-12, Math.max(1e-12, round_share(probability[1]))));
    if (rate) return set_rate(state, rate[0], round(rate[1]));
    return { ...state, fraction: round(fraction) };
  }

  // The need of the second of two classes at which the worst mix wastes most. All needs are tried coarsely:
  // the best of them is clear, however exactly the mix is found.
  function _with_worst_need(servers, [first, second]) {
    const wastage = (need) => peak.find_peak_wastage(servers, [first[0], need], [first[1], second[1]], 61, 1e-3).wastage;
    let [worst, most] = [first[0] + 1, 0];
    for (let need = first[0] + 1; need <= servers; need += 1) {
      const found = wastage(need);
      if (found > most) [worst, most] = [need, found];
    }
    return [first, [worst, ...second.slice(1)]];
  }

  // The system of a preset. If the preset leaves the mix or the second need open, the worst one is taken.
  function from_preset(state, { servers, classes, mix, need }) {
    if (need === "worst") return from_preset(state, { servers, classes: _with_worst_need(servers, classes), mix });
    const next = { ...state, servers, classes: classes.map(([need, rate, probability]) => ({ need, rate, probability })) };
    if (mix !== "worst") return next;
    const column = (key) => next.classes.map((c) => c[key]);
    // As many points as cause no noticeable delay.
    const points = Math.round(Math.max(61, Math.min(2001, 4e6 / dispatch.terms_of(next))));
    const worst = peak.find_peak_wastage(servers, column("need"), column("rate"), points);
    return set_share(next, 1, round(worst.probability_2));
  }

  return { add_class, exponent_of, from_plot, from_preset, has_exponent, remove_class, round, round_share, set_exponent, set_need, set_rate, set_servers, set_share };
})();
