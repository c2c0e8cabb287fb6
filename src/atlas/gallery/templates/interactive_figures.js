"use strict";

// Interactive figures. When the pointer or the focus reaches the picture of a figure, its SVG takes the place: a
// tooltip has the values at the nearest point of a curve, and entries of the legend hide their curves. Until then, and
// without scripts, the picture is shown. A mark is a curve or the points or bars of one entry of the legend.
(() => {
  const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
  // The tooltip appears within so many pixels of a mark.
  const MAX_DISTANCE = 24;
  // So many units of the drawing nearer count points than lines through them.
  const POINT_BONUS = 4;
  const STYLE = `
    :host { position: absolute; cursor: crosshair; }
    svg { width: 100%; height: 100%; display: block; }
    .entry { cursor: pointer; outline-offset: 2px; } .entry.off { opacity: 0.3; }
    [hidden] { display: none; }
    .ring { fill: none; stroke: var(--g00); stroke-width: 1; pointer-events: none; }
    output { position: absolute; pointer-events: none; font: 0.8125rem/1.35 var(--plain); padding: 0.25rem 0.5rem; border-radius: 3px; width: max-content; max-width: 20rem; white-space: pre-line; color: var(--ink); background: var(--panel); border: 1px solid var(--edge); }`;
  const drawings = JSON.parse(document.getElementById("drawings").textContent);

  async function decompress(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }

  // Of each scale, the map of a value to a coordinate along the axis, and its inverse.
  const scales = {
    linear: [(x) => x, (y) => y],
    log: [Math.log, Math.exp],
    logit: [(x) => Math.log(x / (1 - x)), (y) => 1 / (1 + Math.exp(-y))],
  };

  // The value at a share of the length of an axis, to three digits, as text.
  function format_value(scale, [low, high], share) {
    const [to, from] = scales[scale];
    const x = from(to(low) + share * (to(high) - to(low)));
    const rounded = Number(x.toPrecision(3));
    const is_long = Math.abs(rounded) >= 1e5 || (rounded !== 0 && Math.abs(rounded) < 1e-3);
    return (is_long ? rounded.toExponential().replace(/e\+?(-?)(\d+)/, " · 10^$1$2") : String(rounded)).replaceAll("-", "−");
  }

  // The positions of a mark in the drawing: lines, each as [x, y, x, y, …], and points [x, y].
  function find_positions(mark) {
    const lines = [...mark.querySelectorAll("path")].filter((path) => !path.closest("defs")).flatMap((path) => (
      path.getAttribute("d").split("M").map((part) => (part.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number)).filter((part) => part.length > 3)));
    const points = [...mark.querySelectorAll("use")].map((use) => [Number(use.getAttribute("x")), Number(use.getAttribute("y"))]);
    return { lines, points };
  }

  // The position of a mark that is nearest to (x, y), and its distance.
  function nearest_position({ lines, points }, x, y) {
    let best = { distance: Infinity };
    const compare = (u, v, bonus) => {
      const distance = Math.hypot(u - x, v - y) - bonus;
      if (distance < best.distance) best = { distance, x: u, y: v };
    };
    for (const [u, v] of points) compare(u, v, POINT_BONUS);
    for (const line of lines) {
      for (let i = 0; i + 3 < line.length; i += 2) {
        const [a, b, c, d] = line.slice(i, i + 4);
        const length = (c - a) ** 2 + (d - b) ** 2;
        const t = length ? Math.max(0, Math.min(1, ((x - a) * (c - a) + (y - b) * (d - b)) / length)) : 0;
        compare(a + t * (c - a), b + t * (d - b), 0);
      }
    }
    return best;
  }

  // Puts the host of the drawing over the picture.
  function cover(host, image) {
    const [box, around] = [image.getBoundingClientRect(), host.offsetParent.getBoundingClientRect()];
    Object.assign(host.style, { left: `${box.left - around.left}px`, top: `${box.top - around.top}px`, width: `${box.width}px`, height: `${box.height}px` });
  }

  // Shows the drawing of a figure in place of its picture.
  async function replace_picture(link, { svg: compressed, readings }) {
    const image = link.querySelector("img");
    const host = document.createElement("div");
    const shadow = host.attachShadow({ mode: "open" });
    // The rules of `dark_mode` select the root of a document and its fragment: here they select the host.
    const text = (await decompress(compressed)).replaceAll(":root", ":host").replace(/#(light|dark):target ~ g, #\1:target ~ defs/g, ':host([data-theme="$1"])');
    const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    const style = document.createElement("style");
    style.textContent = STYLE;
    const tooltip = document.createElement("output");
    tooltip.hidden = true;
    shadow.append(style, svg, tooltip);
    link.after(host);
    cover(host, image);
    new ResizeObserver(() => cover(host, image)).observe(image);
    const copy_theme = () => { host.dataset.theme = document.documentElement.dataset.theme ?? ""; };
    new MutationObserver(copy_theme).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    copy_theme();
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", image.alt);
    image.style.visibility = "hidden";
    host.addEventListener("click", () => link.click());
    const marks = readings.marks.map((mark) => ({ ...mark, node: shadow.getElementById(mark.id) })).filter(({ node }) => node);
    for (const mark of marks) mark.positions = find_positions(mark.node);
    readings.entries.forEach((entry, i) => attach_entry(entry, marks.filter((mark) => mark.entry === i), shadow));
    const ring = svg.appendChild(document.createElementNS(SVG_NAMESPACE, "circle"));
    ring.setAttribute("class", "ring");
    ring.setAttribute("r", 3.5);
    const hide_tooltip = () => { tooltip.hidden = true; ring.setAttribute("visibility", "hidden"); };
    hide_tooltip();
    host.addEventListener("pointerleave", hide_tooltip);
    host.addEventListener("pointermove", (event) => {
      const scale = svg.viewBox.baseVal.width / host.clientWidth;
      const frame = host.getBoundingClientRect();
      const [x, y] = [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
      const found = nearest_mark(marks, readings.axes, x, y, MAX_DISTANCE * scale);
      if (!found) return hide_tooltip();
      tooltip.hidden = false;
      tooltip.textContent = describe(found, readings);
      const [left, top] = [found.x / scale, found.y / scale];
      Object.assign(tooltip.style, {
        left: `${Math.max(0, Math.min(left + 12, host.clientWidth - tooltip.offsetWidth))}px`,
        top: `${top > tooltip.offsetHeight + 14 ? top - tooltip.offsetHeight - 10 : top + 14}px`,
      });
      ring.setAttribute("cx", found.x);
      ring.setAttribute("cy", found.y);
      return ring.setAttribute("visibility", "visible");
    });
  }

  // The nearest position of a mark that is shown, inside its axes and less than `max_distance` away, or null.
  function nearest_mark(marks, axes, x, y, max_distance) {
    let best = { distance: max_distance };
    for (const mark of marks.filter(({ read, node }) => read && !node.hasAttribute("hidden"))) {
      const [left, top, right, bottom] = axes[mark.axes].box;
      if (x < left - 4 || x > right + 4 || y < top - 4 || y > bottom + 4) continue;
      const position = nearest_position(mark.positions, x, y);
      const is_inside = position.x > left - 1 && position.x < right + 1 && position.y > top - 1 && position.y < bottom + 1;
      if (position.distance < best.distance && is_inside) best = { ...position, mark };
    }
    return best.mark ? best : null;
  }

  // The text of the tooltip.
  function describe({ mark, x, y }, { axes, entries }) {
    const { box: [left, top, right, bottom], scales: [x_scale, y_scale], limits, labels } = axes[mark.axes];
    const [u, v] = [format_value(x_scale, limits[0], (x - left) / (right - left)), format_value(y_scale, limits[1], (bottom - y) / (bottom - top))];
    return [entries[mark.entry].label, `${labels[0] || "x"}: ${u}`, `${labels[1] || "y"}: ${v}`].join("\n");
  }

  // An entry of the legend hides its marks and shows them again, by pointer or key.
  function attach_entry({ label, ids }, marks, shadow) {
    if (!marks.length) return;
    const nodes = ids.map((id) => shadow.getElementById(id)).filter(Boolean);
    const button = nodes.at(-1);
    const toggle = (event) => {
      event.stopPropagation();
      event.preventDefault();
      const hide = button.getAttribute("aria-pressed") === "true";
      button.setAttribute("aria-pressed", String(!hide));
      for (const node of nodes) node.classList.toggle("off", hide);
      for (const { node } of marks) node.toggleAttribute("hidden", hide);
    };
    for (const node of nodes) {
      node.classList.add("entry");
      // The area between the strokes also belongs to the entry.
      node.setAttribute("pointer-events", "bounding-box");
      node.addEventListener("click", toggle);
    }
    for (const [key, value] of Object.entries({ tabindex: 0, role: "button", "aria-pressed": "true", "aria-label": `Show ${label}` })) button.setAttribute(key, value);
    button.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") toggle(event); });
  }

  for (const link of document.querySelectorAll("a.zoom")) {
    const drawing = drawings[link.closest("article").id];
    if (!drawing || typeof DecompressionStream === "undefined") continue;
    let replacement = null;
    // If a phone shows only part of a picture, a finger scrolls it and it stays a picture.
    const replace = () => { if (link.scrollWidth <= link.clientWidth) replacement ??= replace_picture(link, drawing); };
    link.addEventListener("pointerenter", replace);
    link.addEventListener("focus", replace);
  }
})();
