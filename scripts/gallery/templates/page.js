"use strict";

// Light or dark. Figures follow the page by themselves where the browser hands them its scheme; the
// fragment makes them follow in the others.
const root = document.documentElement;
const theme = document.querySelector(".theme");
const system = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
}

function paint() {
  theme.setAttribute("aria-pressed", String(isDark()));
  for (const image of document.querySelectorAll("img.adaptive")) {
    const file = image.getAttribute("src").split("#")[0];
    const wanted = root.dataset.theme ? `${file}#${root.dataset.theme}` : file;
    if (image.getAttribute("src") !== wanted) image.src = wanted;
  }
}

theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not remembered then */ }
  paint();
});
system.addEventListener("change", paint);
paint();

// The ledger's filters, kept in the address so that a choice can be linked to.
const filters = document.querySelector(".filters");
if (filters) {
  const rows = [...document.querySelectorAll("tr[data-show]")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  const filter = () => {
    const { show, paper, words } = Object.fromEntries(new FormData(filters));
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      row.hidden = (show !== "" && row.dataset.show !== show)
        || (paper !== "" && row.dataset.paper !== paper)
        || !wanted.every((word) => texts.get(row).includes(word));
    }
    for (const section of document.querySelectorAll("main > section")) {
      section.hidden = !section.querySelector("tbody tr:not([hidden])");
    }
    const claims = rows.filter((row) => !row.hidden && row.dataset.show !== "simulation").length;
    const series = rows.filter((row) => !row.hidden && row.dataset.show === "simulation" && !row.classList.contains("total")).length;
    filters.querySelector("[role=status]").textContent = `${claims} claims and ${series} simulated series shown`;
  };

  const restore = () => {
    const chosen = new URLSearchParams(location.hash.slice(1));
    for (const radio of filters.elements.show) radio.checked = radio.value === (chosen.get("show") ?? "");
    filters.elements.paper.value = chosen.get("paper") ?? "";
    filter();
  };

  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("input", () => {
    const { show, paper } = Object.fromEntries(new FormData(filters));
    try { history.replaceState(null, "", `#${new URLSearchParams({ paper, show })}`); } catch { /* the filter holds anyway */ }
    filter();
  });
  addEventListener("hashchange", restore);
  restore();
}

// The enlarged figure.
const viewer = document.querySelector(".viewer");
if (viewer) {
  const stage = viewer.querySelector(".stage");
  const image = stage.querySelector("img");
  const links = [...document.querySelectorAll("a.zoom")];
  let place = 0;
  let scale = 1;
  let fitted = 1;

  // What lies at (x, y) of the window stays there.
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

  const open = (i) => {
    place = (i + links.length) % links.length;
    const thumbnail = links[place].querySelector("img");
    for (const name of ["src", "alt", "class", "width", "height"]) image.setAttribute(name, thumbnail.getAttribute(name));
    viewer.querySelector("h2").textContent = links[place].closest("article").querySelector("h2").textContent;
    if (!viewer.open) viewer.showModal();
    const [width, height] = [Number(image.getAttribute("width")), Number(image.getAttribute("height"))];
    fitted = 0.96 * Math.min(stage.clientWidth, stage.clientHeight * width / height);
    magnify(1);
  };

  const actions = {
    in: () => magnify(scale * 1.4),
    out: () => magnify(scale / 1.4),
    fit: () => magnify(1),
    previous: () => open(place - 1),
    next: () => open(place + 1),
    close: () => viewer.close(),
  };
  const keys = { "+": "in", "=": "in", "-": "out", "0": "fit", p: "previous", n: "next" };

  links.forEach((link, i) => {
    link.setAttribute("aria-haspopup", "dialog");
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(i);
    });
  });
  viewer.addEventListener("close", () => links[place].focus());
  viewer.addEventListener("click", (event) => actions[event.target.closest("[data-do]")?.dataset.do]?.());
  viewer.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    actions[keys[event.key]]();
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
}
