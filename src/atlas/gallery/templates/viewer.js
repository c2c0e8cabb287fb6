"use strict";

// A dialog with one figure, enlarged.
const viewer = document.querySelector(".viewer");
if (viewer) {
  const stage = viewer.querySelector(".stage");
  const image = stage.querySelector("img");
  const links = [...document.querySelectorAll("a.zoom")];
  let index = 0;
  let scale = 1;
  // The width in pixels at which the figure fits the window.
  let fitted_width = 1;

  // Sets the scale, 1 for a figure that fits. The point of the figure at (x, y) of the window stays there.
  const set_scale = (wanted, x = innerWidth / 2, y = innerHeight / 2) => {
    const before = image.getBoundingClientRect();
    scale = Math.min(8, Math.max(0.25, wanted));
    image.style.width = `${fitted_width * scale}px`;
    const after = image.getBoundingClientRect();
    const growth = before.width ? after.width / before.width : 1;
    stage.scrollBy({
      left: after.left - x + (x - before.left) * growth,
      top: after.top - y + (y - before.top) * growth,
    });
    viewer.querySelector("output").textContent = `${Math.round(100 * scale)} %`;
  };

  // The address of an enlarged figure ends with #fig6a=view, so that it can be linked to.
  const set_fragment = (fragment) => {
    try { history.replaceState(null, "", `#${fragment}`); } catch { /* A browser may refuse: the figure is open anyway. */ }
  };
  const id_of = (link) => link.closest("article").id;

  const open = (i) => {
    index = (i + links.length) % links.length;
    const thumbnail = links[index].querySelector("img");
    for (const name of ["src", "alt", "class", "width", "height"]) image.setAttribute(name, thumbnail.getAttribute(name));
    viewer.querySelector("h2").textContent = links[index].closest("article").querySelector("h2").textContent;
    if (!viewer.open) viewer.showModal();
    const [width, height] = [Number(image.getAttribute("width")), Number(image.getAttribute("height"))];
    fitted_width = 0.96 * Math.min(stage.clientWidth, stage.clientHeight * width / height);
    // On a phone a figure that fits is too small to read: a part of it is shown and can be scrolled.
    set_scale(image.classList.contains("adaptive") ? Math.max(1, 0.85 * width / fitted_width) : 1);
    set_fragment(`${id_of(links[index])}=view`);
  };

  const actions = {
    in: () => set_scale(scale * 1.4),
    out: () => set_scale(scale / 1.4),
    fit: () => set_scale(1),
    previous: () => open(index - 1),
    next: () => open(index + 1),
    first: () => open(0),
    last: () => open(links.length - 1),
    close: () => viewer.close(),
  };
  const actions_of_keys = {
    "+": "in", "=": "in", "-": "out", "0": "fit", p: "previous", n: "next", ArrowLeft: "previous", ArrowRight: "next",
    PageUp: "previous", PageDown: "next", Home: "first", End: "last",
  };
  // Pixels by which arrows with the Shift key scroll an enlarged figure.
  const scroll_steps = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };

  links.forEach((link, i) => {
    link.setAttribute("aria-haspopup", "dialog");
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(i);
    });
  });
  viewer.addEventListener("close", () => {
    // A new address has closed the viewer: leave the address and the focus.
    if (location.hash !== `#${id_of(links[index])}=view`) return;
    set_fragment(id_of(links[index]));
    links[index].focus();
  });
  viewer.addEventListener("click", (event) => actions[event.target.closest("[data-action]")?.dataset.action]?.());
  viewer.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [left, top] = (event.shiftKey && scroll_steps[event.key]) || [0, 0];
    if (!left && !top && !(event.key in actions_of_keys)) return;
    event.preventDefault();
    if (left || top) stage.scrollBy({ left, top });
    else actions[actions_of_keys[event.key]]();
  });
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    set_scale(scale * Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
  }, { passive: false });
  stage.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    stage.setPointerCapture(event.pointerId);
    stage.classList.add("panning");
  });
  stage.addEventListener("pointermove", (event) => {
    if (stage.classList.contains("panning")) stage.scrollBy({ left: -event.movementX, top: -event.movementY });
  });
  for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, () => stage.classList.remove("panning"));

  const follow_address = () => {
    const i = links.findIndex((link) => location.hash === `#${id_of(link)}=view`);
    if (i >= 0) open(i);
    else if (viewer.open && location.hash.length > 1) viewer.close();
  };
  addEventListener("hashchange", follow_address);
  follow_address();
}
