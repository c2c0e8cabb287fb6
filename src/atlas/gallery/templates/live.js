"use strict";

// Interactive figures. When the pointer or the focus reaches a picture, its drawing replaces it: the nearest
// mark shows its values, and entries of the legend hide their curves. Until then, and without scripts, the
// picture is shown.
const live = (() => {
  const SPACE = "http://www.w3.org/2000/svg";
  // The largest distance in pixels from a mark that can be read.
  const REACH = 24;
  const STYLE = `
    :host { position: absolute; cursor: crosshair; }
    svg { width: 100%; height: 100%; display: block; }
    .entry { cursor: pointer; outline-offset: 2px; } .entry.away { opacity: 0.3; }
    [hidden] { display: none; }
    .ring { fill: none; stroke: var(--g00); stroke-width: 1; pointer-events: none; }
    output { position: absolute; pointer-events: none; font: 0.8125rem/1.35 var(--plain); padding: 0.25rem 0.5rem; border-radius: 3px; width: max-content; max-width: 20rem; white-space: pre-line; color: var(--ink); background: var(--panel); border: 1px solid var(--edge); }`;
  const drawings = JSON.parse(document.getElementById("drawings").textContent);

  async function unpack(text) {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(plain).text();
  }

  const scales = {
    linear: [(x) => x, (y) => y],
    log: [Math.log, Math.exp],
    logit: [(x) => Math.log(x / (1 - x)), (y) => 1 / (1 + Math.exp(-y))],
  };

  // The value at a place between two ends of an axis, to three digits.
  function value(scale, [low, high], share) {
    const [to, from] = scales[scale];
    const x = from(to(low) + share * (to(high) - to(low)));
    const digits = Number(x.toPrecision(3));
    return (Math.abs(digits) >= 1e5 || (digits !== 0 && Math.abs(digits) < 1e-3) ? digits.toExponential().replace(/e\+?(-?)(\d+)/, " · 10^$1$2") : String(digits)).replaceAll("-", "−");
  }

  // The positions of a mark in the drawing: lines of points, and single points.
  function places(mark) {
    const lines = [...mark.querySelectorAll("path")].filter((path) => !path.closest("defs")).flatMap((path) => (
      path.getAttribute("d").split("M").map((part) => (part.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number)).filter((part) => part.length > 3)));
    const points = [...mark.querySelectorAll("use")].map((use) => [Number(use.getAttribute("x")), Number(use.getAttribute("y"))]);
    return { lines, points };
  }

  // The position of a mark that is nearest to (x, y); points take precedence over lines through them.
  function nearest({ lines, points }, x, y) {
    let best = { distance: Infinity };
    const look = (u, v, bonus) => {
      const distance = Math.hypot(u - x, v - y) - bonus;
      if (distance < best.distance) best = { distance, x: u, y: v };
    };
    for (const [u, v] of points) look(u, v, 4);
    for (const line of lines) {
      for (let i = 0; i + 3 < line.length; i += 2) {
        const [a, b, c, d] = line.slice(i, i + 4);
        const length = (c - a) ** 2 + (d - b) ** 2;
        const t = length ? Math.max(0, Math.min(1, ((x - a) * (c - a) + (y - b) * (d - b)) / length)) : 0;
        look(a + t * (c - a), b + t * (d - b), 0);
      }
    }
    return best;
  }

  function stand(host, image) {
    const [box, around] = [image.getBoundingClientRect(), host.offsetParent.getBoundingClientRect()];
    Object.assign(host.style, { left: `${box.left - around.left}px`, top: `${box.top - around.top}px`, width: `${box.width}px`, height: `${box.height}px` });
  }

  // The drawing of a figure in place of its picture.
  async function wake(link, { svg: packed, readings }) {
    const image = link.querySelector("img");
    const host = document.createElement("div");
    const shade = host.attachShadow({ mode: "open" });
    // The colour schemes of `dark_mode`, for a part of a page.
    const text = (await unpack(packed)).replaceAll(":root", ":host").replace(/#(light|dark):target ~ g, #\1:target ~ defs/g, ':host([data-theme="$1"])');
    const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    const style = document.createElement("style");
    style.textContent = STYLE;
    const told = document.createElement("output");
    told.hidden = true;
    shade.append(style, svg, told);
    link.after(host);
    stand(host, image);
    new ResizeObserver(() => stand(host, image)).observe(image);
    const paint = () => { host.dataset.theme = document.documentElement.dataset.theme ?? ""; };
    new MutationObserver(paint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    paint();
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", image.alt);
    image.style.visibility = "hidden";
    host.addEventListener("click", () => link.click());
    const marks = readings.marks.map((mark) => ({ ...mark, node: shade.getElementById(mark.id) })).filter(({ node }) => node);
    for (const mark of marks) mark.places = places(mark.node);
    readings.entries.forEach((entry, i) => enter(entry, marks.filter((mark) => mark.entry === i), shade));
    const ring = svg.appendChild(document.createElementNS(SPACE, "circle"));
    ring.setAttribute("class", "ring");
    ring.setAttribute("r", 3.5);
    const rest = () => { told.hidden = true; ring.setAttribute("visibility", "hidden"); };
    rest();
    host.addEventListener("pointerleave", rest);
    host.addEventListener("pointermove", (event) => {
      const scale = svg.viewBox.baseVal.width / host.clientWidth;
      const frame = host.getBoundingClientRect();
      const [x, y] = [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
      const found = seek(marks, readings.axes, x, y, REACH * scale);
      if (!found) return rest();
      told.hidden = false;
      told.textContent = describe(found, readings);
      const [left, top] = [found.x / scale, found.y / scale];
      Object.assign(told.style, {
        left: `${Math.max(0, Math.min(left + 12, host.clientWidth - told.offsetWidth))}px`,
        top: `${top > told.offsetHeight + 14 ? top - told.offsetHeight - 10 : top + 14}px`,
      });
      ring.setAttribute("cx", found.x);
      ring.setAttribute("cy", found.y);
      return ring.setAttribute("visibility", "visible");
    });
  }

  function seek(marks, axes, x, y, reach) {
    let best = { distance: reach };
    for (const mark of marks.filter(({ read, node }) => read && !node.hasAttribute("hidden"))) {
      const [left, top, right, bottom] = axes[mark.axes].box;
      if (x < left - 4 || x > right + 4 || y < top - 4 || y > bottom + 4) continue;
      const found = nearest(mark.places, x, y);
      if (found.distance < best.distance && found.x > left - 1 && found.x < right + 1 && found.y > top - 1 && found.y < bottom + 1) best = { ...found, mark };
    }
    return best.mark ? best : null;
  }

  function describe({ mark, x, y }, { axes, entries }) {
    const { box: [left, top, right, bottom], scales: [across, up], limits, labels } = axes[mark.axes];
    const [u, v] = [value(across, limits[0], (x - left) / (right - left)), value(up, limits[1], (bottom - y) / (bottom - top))];
    return [entries[mark.entry].label, `${labels[0] || "x"}: ${u}`, `${labels[1] || "y"}: ${v}`].join("\n");
  }

  // An entry of the legend hides its marks and shows them again, by pointer or key.
  function enter({ label, ids }, marks, shade) {
    if (!marks.length) return;
    const nodes = ids.map((id) => shade.getElementById(id)).filter(Boolean);
    const button = nodes.at(-1);
    const toggle = (event) => {
      event.stopPropagation();
      event.preventDefault();
      const away = button.getAttribute("aria-pressed") === "true";
      button.setAttribute("aria-pressed", String(!away));
      for (const node of nodes) node.classList.toggle("away", away);
      for (const { node } of marks) node.toggleAttribute("hidden", away);
    };
    for (const node of nodes) {
      node.classList.add("entry");
      // The area between the strokes also belongs to the entry.
      node.setAttribute("pointer-events", "bounding-box");
      node.addEventListener("click", toggle);
    }
    for (const [key, to] of Object.entries({ tabindex: 0, role: "button", "aria-pressed": "true", "aria-label": `Show ${label}` })) button.setAttribute(key, to);
    button.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") toggle(event); });
  }

  for (const link of document.querySelectorAll("a.zoom")) {
    const drawing = drawings[link.closest("article").id];
    if (!drawing || typeof DecompressionStream === "undefined") continue;
    let asked = null;
    // If a phone shows only part of a picture, a finger scrolls it and it stays a picture.
    const begin = () => { if (link.scrollWidth <= link.clientWidth) asked ??= wake(link, drawing); };
    link.addEventListener("pointerenter", begin);
    link.addEventListener("focus", begin);
  }
  return { value };
})();
