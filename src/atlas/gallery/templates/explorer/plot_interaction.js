"use strict";
// Pointer, touch and keys in a plot: readouts (texts at points of the plot, plot.js) and dragging, which changes
// the state. A view has the index of its readout in `readout_index` and, in values of the axes, the place that the
// reader asked for in `readout_place`.
const plot_interaction = (() => {
  const KEY_STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };

  // Shows a readout, by its index, or none if there is no such index. The next drawing may have other readouts, so
  // `place` is kept, by default that of the readout itself.
  function show_readout(view, index, place) {
    const readout = view.description?.readouts[index];
    view.readout_index = readout ? index : undefined;
    view.readout_place = readout ? place ?? { x: readout.x, y: readout.y } : undefined;
    view.readout_node.textContent = readout?.text ?? "";
    if (is_drawn(view)) plot.set_cursor(view.svg, view.maps, readout, view.height);
  }

  const hide_readout = (view) => show_readout(view, -1);
  const is_drawn = (view) => view.maps && view.svg.childElementCount > 0;

  // The pixels of an event in the plot.
  function pixels(view, event) {
    const box = view.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // After a drawing, shows the readout nearest to the same place again.
  function restore_readout(view) {
    if (!view.readout_place) return;
    const { x, y } = view.readout_place;
    show_readout(view, nearest(view, [view.maps.x.to(x), view.maps.y.to(y)]), view.readout_place);
  }

  function show_readout_at(view, event) {
    const [x, y] = pixels(view, event);
    show_readout(view, nearest(view, [x, y]), { x: view.maps.x.from(x), y: view.maps.y.from(y) });
  }

  // The index of the readout nearest to a pixel: by x only, since y is a function of x, except in the region.
  function nearest(view, [x, y]) {
    let [best, least] = [-1, Infinity];
    const y_weight = view.id === "region" ? 1 : 0;
    view.description.readouts.forEach((one, i) => {
      const distance = (view.maps.x.to(one.x) - x) ** 2 + y_weight * (view.maps.y.to(one.y) - y) ** 2;
      if (distance < least) [best, least] = [i, distance];
    });
    return best;
  }

  // Listens to the events of all views; `set_state(state, final)` gets the states to which the reader drags.
  function attach(views, { set_state, present }) {
    for (const view of views) {
      let is_dragging = false;
      const apply = (x, y, final) => {
        const change = view.description.set?.(x, y);
        if (!change) return;
        const next = state_updates.from_plot(present(), change);
        if (!state.find_fault(next)) set_state(next, final);
      };
      const drag = (event) => {
        const [x, y] = pixels(view, event);
        apply(view.maps.x.from(x), view.maps.y.from(y), false);
      };
      view.svg.addEventListener("pointerdown", (event) => {
        if (!is_drawn(view) || event.button !== 0) return;
        show_readout_at(view, event);
        if (!view.description.set) return;
        is_dragging = true;
        view.svg.setPointerCapture(event.pointerId);
        drag(event);
      });
      view.svg.addEventListener("pointermove", (event) => {
        if (!is_drawn(view)) return;
        if (is_dragging) drag(event);
        show_readout_at(view, event);
      });
      // The end of a drag is a step of its own in the history, also where the plot sets nothing.
      const end_drag = () => {
        if (is_dragging) set_state(present(), true);
        is_dragging = false;
      };
      view.svg.addEventListener("pointerup", (event) => {
        if (is_dragging) drag(event);
        end_drag();
      });
      view.svg.addEventListener("pointercancel", end_drag);
      // A finger that is lifted leaves the plot, but its readout stays.
      view.svg.addEventListener("pointerleave", ({ pointerType }) => { if (!is_dragging && pointerType === "mouse") hide_readout(view); });
      view.svg.addEventListener("blur", () => hide_readout(view));
      view.svg.addEventListener("keydown", (event) => {
        if (!is_drawn(view) || event.ctrlKey || event.altKey || event.metaKey) return;
        const { readouts } = view.description;
        if (event.key in KEY_STEPS) {
          event.preventDefault();
          const from = view.readout_index ?? (KEY_STEPS[event.key] > 0 ? -1 : readouts.length);
          show_readout(view, Math.max(0, Math.min(readouts.length - 1, from + KEY_STEPS[event.key])));
        } else if (event.key === "Enter" && view.readout_index !== undefined) apply(readouts[view.readout_index].x, readouts[view.readout_index].y, true);
        else if (event.key === "Escape") hide_readout(view);
      });
    }
  }

  return { attach, hide_readout, restore_readout };
})();
