"use strict";
// Edits of a state by the controls: pure functions of a state and a value.
const edits = (() => {
  const round = (x) => Number(x.toPrecision(3));
  const change = (state, c, part) => ({ ...state, classes: state.classes.map((k, i) => (i === c ? { ...k, ...part } : k)) });

  // A class that needs all servers still does so afterwards, and needs that no longer fit become all servers.
  function set_servers(state, servers) {
    const all = (need) => state.servers > 1 && need === state.servers;
    const need_of = ({ need }) => (all(need) ? servers : Math.min(need, servers));
    return { ...state, servers, classes: state.classes.map((c) => ({ ...c, need: need_of(c) })) };
  }

  const set_need = (state, c, need) => change(state, c, { need });
  const set_rate = (state, c, rate) => change(state, c, { rate });

  // A share with three digits of its distance to 0 or 1.
  const tidy_share = (p) => (p < 0.5 ? round(p) : 1 - round(1 - p));

  // The others keep their proportions. With one class there is nothing to set.
  function set_share(state, c, p) {
    return state.classes.length > 1 ? model.with_probability(state, c, p) : state;
  }

  // The class of smallest need, and the share of all others.
  function _large(state) {
    const needs = state.classes.map((c) => c.need);
    const smallest = needs.indexOf(Math.min(...needs));
    return [smallest, model.sum(state.classes.filter((_, i) => i !== smallest).map((c) => c.probability))];
  }

  // α of the systems of multilevel-scaling: all except the smallest jobs together have the share n^−α.
  const exponent_of = (state) => (state.servers > 1 && state.classes.length > 1 ? -Math.log(_large(state)[1]) / Math.log(state.servers) : 0);

  function set_exponent(state, alpha) {
    const [smallest, share] = _large(state);
    const wanted = state.servers ** -alpha;
    return { ...state, classes: state.classes.map((k, i) => ({ ...k, probability: i === smallest ? 1 - wanted : (k.probability * wanted) / share })) };
  }

  function add_class(state) {
    const taken = new Set(state.classes.map((c) => c.need));
    let need = Math.max(1, Math.round(Math.sqrt(state.servers)));
    while (taken.has(need) && need < state.servers) need += 1;
    const classes = [...state.classes, { need, rate: 1, probability: 0 }];
    return set_share({ ...state, classes }, classes.length - 1, 0.05);
  }

  function remove_class(state, c) {
    const left = state.classes.filter((_, i) => i !== c);
    const total = model.sum(left.map((k) => k.probability));
    return { ...state, classes: left.map((k) => ({ ...k, probability: left.length > 1 ? k.probability / total : 1 })) };
  }

  // The edits by dragging in a plot.
  function follow(state, { probability, rate, fraction }) {
    if (probability) return set_share(state, probability[0], Math.min(1 - 1e-12, Math.max(1e-12, tidy_share(probability[1]))));
    if (rate) return set_rate(state, rate[0], round(rate[1]));
    return { ...state, fraction: round(fraction) };
  }

  // The need of the second of two classes at which the worst mix wastes most; neighbours have similar peaks.
  function _with_worst_need(servers, [first, second]) {
    const wastage = (need) => peak.find_peak_wastage(servers, [first[0], need], [first[1], second[1]], 61, 1e-3).wastage;
    let [worst, most] = [first[0] + 1, 0];
    for (let need = first[0] + 1; need <= servers; need += 1) {
      const found = wastage(need);
      if (found > most) [worst, most] = [need, found];
    }
    return [first, [worst, ...second.slice(1)]];
  }

  // A preset's system; if it leaves the mix or the second need open, the worst one.
  function take(state, { servers, classes, mix, need }) {
    if (need === "worst") return take(state, { servers, classes: _with_worst_need(servers, classes), mix });
    let taken = { ...state, servers, classes: classes.map(([need, rate, probability]) => ({ need, rate, probability })) };
    if (mix === "worst") {
      const column = (key) => taken.classes.map((c) => c[key]);
      // As many points as cause no noticeable delay.
      const points = Math.round(Math.max(61, Math.min(2001, 4e6 / dispatch.terms_of(taken))));
      const worst = peak.find_peak_wastage(servers, column("need"), column("rate"), points);
      taken = set_share(taken, 1, round(worst.probability_2));
    }
    return taken;
  }

  return { add_class, exponent_of, follow, remove_class, round, set_exponent, set_need, set_rate, set_servers, set_share, take, tidy_share };
})();
