"use strict";
// A plot from its description:
//
//     {x: {label, kind, low, high}, y: {…},             axes, `kind` a scale of axes.js
//      areas: [[[x, y], …], …], bands: [{low, high, label}],
//      curves: [{label, points: [[x, y], …], look}],     look 0 … 3: colour and dash
//      levels: [{y, label, look}], marks: [{x, y, label, shape}],
//      readings: [{x, y, text}],                         values that the pointer can show
//      set: (x, y) => state}                             the state that dragging there sets, if any
const plot = (() => {
  const SPACE = "http://www.w3.org/2000/svg";
  const MARGIN = { right: 20, bottom: 44, left: 68 };
  const LINE = 18;
  const LETTER = 6.6;
  const SHAPES = { point: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0", diamond: "M0 -6L6 0L0 6L-6 0Z" };

  function element(parent, name, attributes, text) {
    const node = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    parent?.append(node);
    return node;
  }

  const place = (x) => x.toFixed(1);
  const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${place(x)} ${place(y)}`).join("");

  // Maps of both axes to pixels and back, for a plot of this size below `top`.
  function frame({ x, y }, width, height, top) {
    const axis = ({ kind, low, high }, start, end) => {
      const { to, from } = axes.kinds[kind];
      const [a, b] = [to(low), to(high)];
      const inside = (u) => Math.max(Math.min(start, end) - 1e4, Math.min(Math.max(start, end) + 1e4, u));
      return {
        to: (value) => inside(start + ((to(value) - a) / (b - a)) * (end - start)),
        from: (pixel) => from(a + ((pixel - start) / (end - start)) * (b - a)),
      };
    };
    return { x: axis(x, MARGIN.left, width - MARGIN.right), y: axis(y, height - MARGIN.bottom, top) };
  }

  // The legend in rows that fit the width: rows of [entry, x].
  function legend({ curves, levels = [], marks = [] }, width) {
    const rows = [[]];
    let x = MARGIN.left;
    for (const entry of [...curves, ...levels, ...marks].filter((e) => e.label)) {
      const wide = 34 + LETTER * entry.label.length;
      if (x + wide > width && rows.at(-1).length) {
        rows.push([]);
        x = MARGIN.left;
      }
      rows.at(-1).push([entry, x]);
      x += wide + 10;
    }
    return rows.filter((row) => row.length);
  }

  function draw_legend(svg, rows) {
    rows.forEach((row, i) => {
      for (const [entry, x] of row) {
        const y = 14 + i * LINE;
        if (entry.shape) {
          element(svg, "path", { class: `mark ${entry.shape}`, d: SHAPES[entry.shape], transform: `translate(${x + 12} ${y - 4})` });
        } else element(svg, "path", { class: `curve look${entry.look}`, d: `M${x} ${y - 4}h24` });
        element(svg, "text", { x: x + 30, y, class: "key" }, entry.label);
      }
    });
  }

  function draw_axes(svg, { x, y }, { x: across, y: up }, width, height, top) {
    const bottom = height - MARGIN.bottom;
    const right = width - MARGIN.right;
    const grid = element(svg, "g", { class: "axis" });
    for (const [value, text] of axes.kinds[x.kind].ticks(x.low, x.high, (width - 70) / 62)) {
      element(grid, "path", { d: `M${place(across.to(value))} ${bottom}V${top}` });
      element(grid, "text", { x: place(across.to(value)), y: bottom + 17, "text-anchor": "middle" }, text);
    }
    for (const [value, text] of axes.kinds[y.kind].ticks(y.low, y.high, (bottom - top) / 44)) {
      element(grid, "path", { d: `M${MARGIN.left} ${place(up.to(value))}H${right}` });
      element(grid, "text", { x: MARGIN.left - 7, y: place(up.to(value) + 4), "text-anchor": "end" }, text);
    }
    element(grid, "path", { class: "edge", d: `M${MARGIN.left} ${top}V${bottom}H${right}` });
    element(grid, "text", { class: "title", x: (MARGIN.left + right) / 2, y: height - 8, "text-anchor": "middle" }, x.label);
    element(grid, "text", { class: "title", transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.label);
  }

  // Draws into `svg`, and returns the maps between values and pixels.
  function draw(svg, description, width, height) {
    const rows = legend(description, width - MARGIN.right);
    const top = 12 + rows.length * LINE;
    const maps = frame(description, width, height, top);
    const at = ([x, y]) => [maps.x.to(x), maps.y.to(y)];
    const [bottom, right] = [height - MARGIN.bottom, width - MARGIN.right];
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    // A nested SVG clips everything outside the axes.
    const room = [MARGIN.left, top - 1, right - MARGIN.left + 1, bottom - top + 2];
    const [left_edge, upper, wide, tall] = room;
    const inside = element(svg, "svg", { x: left_edge, y: upper, width: wide, height: tall, viewBox: room.join(" "), overflow: "hidden", "aria-hidden": "true" });
    for (const [i, { low, high, label }] of (description.bands ?? []).entries()) {
      const [left, end] = [Math.max(maps.x.to(low), MARGIN.left), Math.min(maps.x.to(high), right)];
      element(inside, "rect", { class: `band band${i % 2}`, x: place(left), y: top, width: place(Math.max(0, end - left)), height: bottom - top });
      if (end - left > LETTER * label.length) element(inside, "text", { class: "band-name", x: place((left + end) / 2), y: top + 14, "text-anchor": "middle" }, label);
    }
    for (const area of description.areas ?? []) element(inside, "path", { class: "area", d: `${path(area.map(at))}Z` });
    draw_axes(svg, description, maps, width, height, top);
    svg.append(inside);
    for (const { y, look } of description.levels ?? []) {
      element(inside, "path", { class: `curve look${look}`, d: `M${MARGIN.left} ${place(maps.y.to(y))}H${right}` });
    }
    for (const { points, look } of description.curves) element(inside, "path", { class: `curve look${look}`, d: path(points.map(at)) });
    for (const { x, y, shape } of description.marks ?? []) {
      element(svg, "path", { class: `mark ${shape}`, d: SHAPES[shape], transform: `translate(${at([x, y]).map(place)})` });
    }
    draw_legend(svg, rows);
    return maps;
  }

  // A line and a ring at the reading, or nothing.
  function point_at(svg, maps, reading, height) {
    svg.querySelector(".cursor")?.remove();
    if (!reading) return;
    const [x, y] = [place(maps.x.to(reading.x)), place(maps.y.to(reading.y))];
    const cursor = element(svg, "g", { class: "cursor" });
    element(cursor, "path", { d: `M${x} ${y}V${height - MARGIN.bottom}` });
    element(cursor, "circle", { cx: x, cy: y, r: 6 });
  }

  return { draw, element, point_at };
})();
