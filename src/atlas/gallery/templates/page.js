"use strict";

// Light or dark. Figures follow the page automatically if the browser passes on its colour scheme; in other
// browsers the fragment of their address makes them follow.
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
// Printing uses the light scheme.
let chosen = "";
addEventListener("beforeprint", () => {
  chosen = root.dataset.theme ?? "";
  root.dataset.theme = "light";
  paint();
});
addEventListener("afterprint", () => {
  root.dataset.theme = chosen;
  paint();
});
paint();

// On a phone the figures come first: their details open on demand.
if (matchMedia("(max-width: 46rem)").matches) {
  for (const part of document.querySelectorAll("details.fold")) part.open = false;
}

// A button copies its text to the clipboard, or selects it if copying is refused; a link is copied as a
// complete address.
function copy(text, button) {
  const said = button.textContent;
  const done = (word) => {
    button.textContent = word;
    setTimeout(() => { button.textContent = said; }, 1500);
  };
  const select = () => {
    const area = document.createElement("textarea");
    area.value = text;
    button.after(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    button.focus();
    done(copied ? "Copied" : "Not allowed");
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => done("Copied"), select);
  else select();
}

const whole = (link) => new URL(link, location.href).href;
for (const button of document.querySelectorAll("button.copy")) {
  const { copy: text } = button.dataset;
  button.addEventListener("click", () => copy(/^[\w.-]+\.html#/.test(text) ? whole(text) : text, button));
}
for (const anchor of document.querySelectorAll("a.anchor[href^='#']")) {
  anchor.addEventListener("click", () => copy(whole(anchor.getAttribute("href")), anchor));
}
