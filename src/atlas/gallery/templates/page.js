"use strict";

// The light or dark theme. Figures follow the colour scheme of the system by themselves; if the page has another, the
// fragment of their address tells them.
const root = document.documentElement;
const theme_button = document.querySelector(".theme");
const dark_scheme = matchMedia("(prefers-color-scheme: dark)");

function is_dark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : dark_scheme.matches;
}

function apply_theme() {
  theme_button.setAttribute("aria-pressed", String(is_dark()));
  for (const image of document.querySelectorAll("img.adaptive")) {
    const file = image.getAttribute("src").split("#")[0];
    const source = root.dataset.theme ? `${file}#${root.dataset.theme}` : file;
    if (image.getAttribute("src") !== source) image.src = source;
  }
}

theme_button.addEventListener("click", () => {
  root.dataset.theme = is_dark() ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* A browser may refuse: the next page forgets it. */ }
  apply_theme();
});
dark_scheme.addEventListener("change", apply_theme);
// Printing uses the light scheme.
let theme_on_screen = "";
addEventListener("beforeprint", () => {
  theme_on_screen = root.dataset.theme ?? "";
  root.dataset.theme = "light";
  apply_theme();
});
addEventListener("afterprint", () => {
  root.dataset.theme = theme_on_screen;
  apply_theme();
});
apply_theme();

// On a phone the figures come first: their details open on demand.
if (matchMedia("(max-width: 46rem)").matches) {
  for (const part of document.querySelectorAll("details.fold")) part.open = false;
}

// Copies a text to the clipboard, in the old way if the browser refuses the new one, and says so on the button.
function copy(text, button) {
  const report = (result) => {
    button.dataset.label ??= button.textContent;
    button.textContent = result;
    setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
  };
  const copy_selection = () => {
    const area = document.createElement("textarea");
    area.value = text;
    button.after(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    button.focus();
    report(copied ? "Copied" : "Not allowed");
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => report("Copied"), copy_selection);
  else copy_selection();
}

const absolute = (link) => new URL(link, location.href).href;
for (const button of document.querySelectorAll("button.copy")) {
  const { copy: text } = button.dataset;
  button.addEventListener("click", () => copy(/^[\w.-]+\.html#/.test(text) ? absolute(text) : text, button));
}
for (const anchor of document.querySelectorAll("a.anchor[href^='#']")) {
  anchor.addEventListener("click", () => copy(absolute(anchor.getAttribute("href")), anchor));
}
