"use strict";
// The state that the reader has set: {servers, classes, wasted, fraction}. `wasted` is the per cent of servers
// that may be wasted, `fraction` the λ/λ* that is marked. It is kept in the address, and in a stack for undo.
const state = (() => {
  const START = {
    servers: 200,
    classes: [{ need: 1, rate: 2, probability: 0.99 }, { need: 200, rate: 1, probability: 0.01 }],
    wasted: 10,
    fraction: 0.8,
  };
  const MOST_CLASSES = 32;

  // The state as the fragment of an address; numbers have enough digits to be exact.
  function write({ servers, classes, wasted, fraction }) {
    const jobs = classes.map((c) => `class=${c.need},${c.rate},${c.probability}`);
    return [`servers=${servers}`, ...jobs, `wasted=${wasted}`, `fraction=${fraction}`].join("&");
  }

  // The state from such a fragment, or null if it is not one.
  function read(hash) {
    const parts = new URLSearchParams(hash.replace(/^#/, ""));
    const classes = parts.getAll("class").map((text) => {
      const [need, rate, probability] = text.split(",").map(Number);
      return { need, rate, probability };
    });
    const given = (key) => (parts.has(key) ? Number(parts.get(key)) : START[key]);
    const found = { servers: Number(parts.get("servers")), classes, wasted: given("wasted"), fraction: given("fraction") };
    return find_fault(found) ? null : found;
  }

  function find_fault(found) {
    if (found.classes.length > MOST_CLASSES) return `There may be at most ${MOST_CLASSES} classes.`;
    if (!(found.wasted > 0 && found.wasted < 100)) return "The servers that may be wasted must lie between 0 and 100 %.";
    if (!(found.fraction > 0 && found.fraction < 1)) return "λ/λ* must lie between 0 and 1.";
    return model.find_fault(found);
  }

  // A stack of states. `set` changes the present state; `keep` makes it a step of its own.
  function history(first) {
    let [steps, place, present] = [[first], 0, first];
    const same = (a, b) => write(a) === write(b);
    const move = (by) => {
      keep();
      place = Math.max(0, Math.min(steps.length - 1, place + by));
      present = steps[place];
    };
    function keep() {
      if (same(present, steps[place])) return;
      steps = [...steps.slice(0, place + 1), present];
      place += 1;
    }
    return {
      get present() { return present; },
      get can_undo() { return place > 0 || !same(present, steps[place]); },
      get can_redo() { return place < steps.length - 1; },
      set: (next) => { present = next; },
      keep,
      undo: () => move(-1),
      redo: () => move(1),
    };
  }

  return { START, MOST_CLASSES, find_fault, history, read, write };
})();
