"use strict";
// A plot from its description:
//
//     {x: {label, scale, low, high}, y: {…},            axes, `scale` is one of axes.js
//      areas: [[[x, y], …], …],                          filled polygons
//      bands: [{low, high, label}],                      intervals of x in the background
//      curves: [{label, points: [[x, y], …], style}],    `style` 0 … 3: a colour and a dash pattern
//      horizontals: [{y, label, style}],                 horizontal lines
//      markers: [{x, y, label, shape}],                  `shape` is a key of SHAPES
//      readouts: [{x, y, text}],                         texts that pointer and keys show, at their places
//      set: (x, y) => change}                            what dragging to (x, y) changes, or null: see from_plot
//                                                        in state_updates.js
//
// Only x, y and curves are required. Entries without a label are not in the legend.
const plot = (() => {
  const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
  const MARGIN = { right: 20, bottom: 44, left: 68 };
  // Pixels of a row of the legend, and about the width of a letter.
  const [ROW_HEIGHT, LETTER_WIDTH] = [18, 6.6];
  const SHAPES = { point: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0", diamond: "M0 -6L6 0L0 6L-6 0Z" };

  function element(parent, name, attributes, text) {
    const node = document.createElementNS(SVG_NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    parent?.append(node);
    return node;
  }

  const pixel = (x) => x.toFixed(1);
  const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${pixel(x)} ${pixel(y)}`).join("");

  // Maps of both axes to pixels and back, for a plot of this size whose axes end at `top`.
  function map_axes({ x, y }, width, height, top) {
    const axis = ({ scale, low, high }, start, end) => {
      const { to, from } = axes.scales[scale];
      const [a, b] = [to(low), to(high)];
      // Browsers draw no lines to coordinates that are too large.
      const clamp = (u) => Math.max(Math.min(start, end) - 1e4, Math.min(Math.max(start, end) + 1e4, u));
      return {
        to: (value) => clamp(start + ((to(value) - a) / (b - a)) * (end - start)),
        from: (pixel) => from(a + ((pixel - start) / (end - start)) * (b - a)),
      };
    };
    return { x: axis(x, MARGIN.left, width - MARGIN.right), y: axis(y, height - MARGIN.bottom, top) };
  }

  // The entries of the legend in rows that fit the width, each as [entry, x].
  function lay_out_legend({ curves, horizontals = [], markers = [] }, width) {
    const rows = [[]];
    let x = MARGIN.left;
    for (const entry of [...curves, ...horizontals, ...markers].filter((e) => e.label)) {
      const entry_width = 34 + LETTER_WIDTH * entry.label.length;
      if (x + entry_width > width && rows.at(-1).length) {
        rows.push([]);
        x = MARGIN.left;
      }
      rows.at(-1).push([entry, x]);
      x += entry_width + 10;
    }
    return rows.filter((row) => row.length);
  }

  function draw_legend(svg, rows) {
    rows.forEach((row, i) => {
      for (const [entry, x] of row) {
        const y = 14 + i * ROW_HEIGHT;
        if (entry.shape) {
          element(svg, "path", { class: `marker ${entry.shape}`, d: SHAPES[entry.shape], transform: `translate(${x + 12} ${y - 4})` });
        } else element(svg, "path", { class: `curve style${entry.style}`, d: `M${x} ${y - 4}h24` });
        element(svg, "text", { x: x + 30, y }, entry.label);
      }
    });
  }

  function draw_axes(svg, { x, y }, maps, width, height, top) {
    const bottom = height - MARGIN.bottom;
    const right = width - MARGIN.right;
    const grid = element(svg, "g", { class: "axis" });
    for (const [value, text] of axes.scales[x.scale].ticks(x.low, x.high, (width - 70) / 62)) {
      element(grid, "path", { d: `M${pixel(maps.x.to(value))} ${bottom}V${top}` });
      element(grid, "text", { x: pixel(maps.x.to(value)), y: bottom + 17, "text-anchor": "middle" }, text);
    }
    for (const [value, text] of axes.scales[y.scale].ticks(y.low, y.high, (bottom - top) / 44)) {
      element(grid, "path", { d: `M${MARGIN.left} ${pixel(maps.y.to(value))}H${right}` });
      element(grid, "text", { x: MARGIN.left - 7, y: pixel(maps.y.to(value) + 4), "text-anchor": "end" }, text);
    }
    element(grid, "path", { class: "edge", d: `M${MARGIN.left} ${top}V${bottom}H${right}` });
    // Names of many digits are squeezed rather than cut.
    const title = (room, attributes, text) => {
      const node = element(grid, "text", { class: "title", "text-anchor": "middle", ...attributes }, text);
      if (node.getComputedTextLength() <= room) return;
      node.setAttribute("textLength", room);
      node.setAttribute("lengthAdjust", "spacingAndGlyphs");
    };
    const middle = (top + bottom) / 2;
    title(right - MARGIN.left + 2 * MARGIN.right, { x: (MARGIN.left + right) / 2, y: height - 8 }, x.label);
    title(2 * Math.min(middle, height - middle), { transform: `translate(13 ${middle}) rotate(-90)` }, y.label);
  }

  // Draws into `svg`, and returns the maps between values and pixels.
  function draw(svg, description, width, height) {
    const rows = lay_out_legend(description, width - MARGIN.right);
    const top = 12 + rows.length * ROW_HEIGHT;
    const maps = map_axes(description, width, height, top);
    const at = ([x, y]) => [maps.x.to(x), maps.y.to(y)];
    const [bottom, right] = [height - MARGIN.bottom, width - MARGIN.right];
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    // A nested SVG clips everything outside the axes.
    const box = [MARGIN.left, top - 1, right - MARGIN.left + 1, bottom - top + 2];
    const clipped = element(svg, "svg", { x: box[0], y: box[1], width: box[2], height: box[3], viewBox: box.join(" "), overflow: "hidden", "aria-hidden": "true" });
    for (const [i, { low, high, label }] of (description.bands ?? []).entries()) {
      const [left, end] = [Math.max(maps.x.to(low), MARGIN.left), Math.min(maps.x.to(high), right)];
      element(clipped, "rect", { class: `band ${i % 2 ? "odd" : ""}`, x: pixel(left), y: top, width: pixel(Math.max(0, end - left)), height: bottom - top });
      if (end - left > LETTER_WIDTH * label.length) element(clipped, "text", { class: "band-label", x: pixel((left + end) / 2), y: top + 14, "text-anchor": "middle" }, label);
    }
    for (const area of description.areas ?? []) element(clipped, "path", { class: "area", d: `${path(area.map(at))}Z` });
    draw_axes(svg, description, maps, width, height, top);
    svg.append(clipped);
    for (const { y, style } of description.horizontals ?? []) {
      element(clipped, "path", { class: `curve style${style}`, d: `M${MARGIN.left} ${pixel(maps.y.to(y))}H${right}` });
    }
    for (const { points, style } of description.curves) element(clipped, "path", { class: `curve style${style}`, d: path(points.map(at)) });
    for (const { x, y, shape } of description.markers ?? []) {
      element(svg, "path", { class: `marker ${shape}`, d: SHAPES[shape], transform: `translate(${at([x, y]).map(pixel)})` });
    }
    draw_legend(svg, rows);
    return maps;
  }

  // Puts the cursor, a line and a ring, at a readout, or removes it if there is none.
  function set_cursor(svg, maps, readout, height) {
    svg.querySelector(".cursor")?.remove();
    if (!readout) return;
    const [x, y] = [pixel(maps.x.to(readout.x)), pixel(maps.y.to(readout.y))];
    const cursor = element(svg, "g", { class: "cursor" });
    element(cursor, "path", { d: `M${x} ${y}V${height - MARGIN.bottom}` });
    element(cursor, "circle", { cx: x, cy: y, r: 6 });
  }

  return { draw, element, set_cursor };
})();
