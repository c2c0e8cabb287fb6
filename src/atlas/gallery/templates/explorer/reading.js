"use strict";
// Reading values from a plot by mouse, touch and keys, and dragging in it.
const reading = (() => {
  const KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };

  // Shows reading number i of a view, or none. The requested place is kept as values, because the next
  // drawing has other readings and shows the one nearest to it.
  function read(view, i, wanted) {
    const found = view.description?.readings[i];
    view.at = found ? i : undefined;
    view.held = found ? wanted ?? { x: found.x, y: found.y } : undefined;
    view.read.textContent = found?.text ?? "";
    if (view.maps && view.svg.childElementCount) plot.point_at(view.svg, view.maps, found, view.height);
  }

  function position(view, event) {
    const box = view.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // Shows the reading at the same place again after a drawing.
  function resume(view) {
    if (!view.held) return;
    const { x, y } = view.held;
    read(view, nearest(view, [view.maps.x.to(x), view.maps.y.to(y)]), view.held);
  }

  function point(view, event) {
    const [x, y] = position(view, event);
    read(view, nearest(view, [x, y]), { x: view.maps.x.from(x), y: view.maps.y.from(y) });
  }

  // The reading nearest to a place: horizontally, or in both directions if the curve turns back.
  function nearest(view, [x, y]) {
    let [best, least] = [-1, Infinity];
    const far = view.id === "region" ? 1 : 0;
    view.description.readings.forEach((one, i) => {
      const distance = (view.maps.x.to(one.x) - x) ** 2 + far * (view.maps.y.to(one.y) - y) ** 2;
      if (distance < least) [best, least] = [i, distance];
    });
    return best;
  }

  function attach(views, { hold, present }) {
    for (const view of views) {
      let dragged = false;
      const take = (x, y, complete) => {
        const change = view.description.set?.(x, y);
        if (!change) return;
        const next = edits.follow(present(), change);
        if (!state.find_fault(next)) hold(next, complete);
      };
      const drag = (event, complete) => {
        const [x, y] = position(view, event);
        take(view.maps.x.from(x), view.maps.y.from(y), complete);
      };
      const live = () => view.maps && view.svg.childElementCount > 0;
      view.svg.addEventListener("pointerdown", (event) => {
        if (!live() || event.button !== 0) return;
        point(view, event);
        if (!view.description.set) return;
        dragged = true;
        view.svg.setPointerCapture(event.pointerId);
        drag(event, false);
      });
      view.svg.addEventListener("pointermove", (event) => {
        if (!live()) return;
        if (dragged) drag(event, false);
        point(view, event);
      });
      view.svg.addEventListener("pointerup", (event) => {
        if (dragged) drag(event, true);
        dragged = false;
      });
      view.svg.addEventListener("pointercancel", () => {
        if (dragged) hold(present(), true);
        dragged = false;
      });
      // The reading stays when the finger is lifted.
      view.svg.addEventListener("pointerleave", ({ pointerType }) => { if (!dragged && pointerType === "mouse") read(view, -1); });
      view.svg.addEventListener("blur", () => read(view, -1));
      view.svg.addEventListener("keydown", (event) => {
        if (!live() || event.ctrlKey || event.altKey || event.metaKey) return;
        const { readings } = view.description;
        if (event.key in KEYS) {
          event.preventDefault();
          const from = view.at ?? (KEYS[event.key] > 0 ? -1 : readings.length);
          read(view, Math.max(0, Math.min(readings.length - 1, from + KEYS[event.key])));
        } else if (event.key === "Enter" && view.at !== undefined) take(readings[view.at].x, readings[view.at].y, true);
        else if (event.key === "Escape") read(view, -1);
      });
    }
  }

  return { attach, read, resume };
})();
