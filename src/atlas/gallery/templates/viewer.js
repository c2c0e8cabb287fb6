"use strict";

// The enlarged figure.
const viewer = document.querySelector(".viewer");
if (viewer) {
  const stage = viewer.querySelector(".stage");
  const image = stage.querySelector("img");
  const links = [...document.querySelectorAll("a.zoom")];
  let place = 0;
  let scale = 1;
  let fitted = 1;

  // The point at (x, y) of the window stays there.
  const magnify = (wanted, x = innerWidth / 2, y = innerHeight / 2) => {
    const before = image.getBoundingClientRect();
    scale = Math.min(8, Math.max(0.25, wanted));
    image.style.width = `${fitted * scale}px`;
    const after = image.getBoundingClientRect();
    const grown = before.width ? after.width / before.width : 1;
    stage.scrollBy({
      left: after.left - x + (x - before.left) * grown,
      top: after.top - y + (y - before.top) * grown,
    });
    viewer.querySelector("output").textContent = `${Math.round(100 * scale)} %`;
  };

  // The address is updated, so that an enlarged figure can be linked to: fig6a=view.
  const tell = (fragment) => {
    try { history.replaceState(null, "", `#${fragment}`); } catch { /* the figure is open anyway */ }
  };
  const named = (link) => link.closest("article").id;

  const open = (i) => {
    place = (i + links.length) % links.length;
    const thumbnail = links[place].querySelector("img");
    for (const name of ["src", "alt", "class", "width", "height"]) image.setAttribute(name, thumbnail.getAttribute(name));
    viewer.querySelector("h2").textContent = links[place].closest("article").querySelector("h2").textContent;
    if (!viewer.open) viewer.showModal();
    const [width, height] = [Number(image.getAttribute("width")), Number(image.getAttribute("height"))];
    fitted = 0.96 * Math.min(stage.clientWidth, stage.clientHeight * width / height);
    // On a phone a figure that fits is too small to read: a part of it is shown and can be scrolled.
    magnify(image.classList.contains("adaptive") ? Math.max(1, 0.85 * width / fitted) : 1);
    tell(`${named(links[place])}=view`);
  };

  const actions = {
    in: () => magnify(scale * 1.4),
    out: () => magnify(scale / 1.4),
    fit: () => magnify(1),
    previous: () => open(place - 1),
    next: () => open(place + 1),
    first: () => open(0),
    last: () => open(links.length - 1),
    close: () => viewer.close(),
  };
  const keys = {
    "+": "in", "=": "in", "-": "out", "0": "fit", p: "previous", n: "next", ArrowLeft: "previous", ArrowRight: "next",
    PageUp: "previous", PageDown: "next", Home: "first", End: "last",
  };
  const moves = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };

  links.forEach((link, i) => {
    link.setAttribute("aria-haspopup", "dialog");
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(i);
    });
  });
  viewer.addEventListener("close", () => {
    // Closed because the address has changed.
    if (location.hash !== `#${named(links[place])}=view`) return;
    tell(named(links[place]));
    links[place].focus();
  });
  viewer.addEventListener("click", (event) => actions[event.target.closest("[data-do]")?.dataset.do]?.());
  viewer.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [left, top] = (event.shiftKey && moves[event.key]) || [0, 0];
    if (!left && !top && !(event.key in keys)) return;
    event.preventDefault();
    if (left || top) stage.scrollBy({ left, top });
    else actions[keys[event.key]]();
  });
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    magnify(scale * Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
  }, { passive: false });
  stage.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    stage.setPointerCapture(event.pointerId);
    stage.classList.add("moving");
  });
  stage.addEventListener("pointermove", (event) => {
    if (stage.classList.contains("moving")) stage.scrollBy({ left: -event.movementX, top: -event.movementY });
  });
  for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, () => stage.classList.remove("moving"));

  const asked = () => {
    const i = links.findIndex((link) => location.hash === `#${named(link)}=view`);
    if (i >= 0) open(i);
    else if (viewer.open && location.hash.length > 1) viewer.close();
  };
  addEventListener("hashchange", asked);
  asked();
}
