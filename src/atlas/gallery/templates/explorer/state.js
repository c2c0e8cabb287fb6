"use strict";
// The state that the reader has set: {servers, classes, wasted, fraction}. `wasted` is the percentage of servers
// that may be wasted, `fraction` the load λ/λ* at which response times are read. The fragment of the page's URL
// holds the whole state.
const state = (() => {
  const INITIAL = {
    servers: 200,
    classes: [{ need: 1, rate: 2, probability: 0.99 }, { need: 200, rate: 1, probability: 0.01 }],
    wasted: 10,
    fraction: 0.8,
  };
  const MAX_CLASSES = 32;

  // JavaScript writes as many digits as make a number exact, so `from_hash` gives back an equal state. The plus of 1e+21
  // would be read as a space.
  function to_hash({ servers, classes, wasted, fraction }) {
    const rows = classes.map((c) => `class=${c.need},${c.rate},${c.probability}`);
    return [`servers=${servers}`, ...rows, `wasted=${wasted}`, `fraction=${fraction}`].join("&").replaceAll("+", "");
  }

  // What the fragment of a URL says, whether or not it can be.
  function parse_hash(hash) {
    const parameters = new URLSearchParams(hash.replace(/^#/, ""));
    const classes = parameters.getAll("class").map((text) => {
      const [need, rate, probability] = text.split(",").map(Number);
      return { need, rate, probability };
    });
    const number = (key) => (parameters.has(key) ? Number(parameters.get(key)) : INITIAL[key]);
    return { servers: Number(parameters.get("servers")), classes, wasted: number("wasted"), fraction: number("fraction") };
  }

  // The state in the fragment of a URL, or null if there is none.
  function from_hash(hash) {
    const found = parse_hash(hash);
    return find_fault(found) ? null : found;
  }

  function find_fault(candidate) {
    const { classes, wasted, fraction } = candidate;
    if (classes.length > MAX_CLASSES) return `There may be at most ${MAX_CLASSES} classes.`;
    if (!(wasted > 0 && wasted < 100)) return "The servers that may be wasted must lie between 0 and 100 %.";
    if (!(fraction > 0 && fraction < 1)) return "λ/λ* must lie between 0 and 100 %.";
    return model.find_fault(candidate);
  }

  // The history for undo and redo. `set` changes the present state; `commit` makes it a step of its own, so that
  // all changes of a drag are one step.
  function history(first) {
    let [steps, index, present] = [[first], 0, first];
    const is_committed = () => to_hash(present) === to_hash(steps[index]);
    const move = (by) => {
      commit();
      index = Math.max(0, Math.min(steps.length - 1, index + by));
      present = steps[index];
    };
    function commit() {
      if (is_committed()) return;
      steps = [...steps.slice(0, index + 1), present];
      index += 1;
    }
    return {
      get present() { return present; },
      get can_undo() { return index > 0 || !is_committed(); },
      get can_redo() { return index < steps.length - 1; },
      set: (next) => { present = next; },
      commit,
      undo: () => move(-1),
      redo: () => move(1),
    };
  }

  return { INITIAL, MAX_CLASSES, find_fault, from_hash, history, parse_hash, to_hash };
})();
