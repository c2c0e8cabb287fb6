"use strict";

// What is looked for: words, which may stand anywhere, and phrases, which must stand as they are
// written: those in quotes, and the number after Fig., Section, Theorem and the like.
const finder = (() => {
  const PART = /["“”]([^"“”]+)["“”]|((?:figs?|sections?|theorems?|lemmas?|tables?|eqs?|appendix|corollary|proposition)\.?\s+\(?\d\S*)|(\S+)/giu;
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // Tests of a text, each of which must hold.
  function read(words) {
    return [...words.toLowerCase().matchAll(PART)].map(([, quoted, place, word]) => {
      if (word) return (text) => text.includes(word);
      const phrase = escape((quoted ?? place).trim()).replace(/\s+/g, "\\s+");
      const whole = new RegExp(`(?<![\\p{L}\\p{N}])${phrase}(?![\\p{L}\\p{N}])(?!\\.\\d)`, "u");
      return (text) => whole.test(text);
    });
  }

  const state = () => new URLSearchParams(location.hash.slice(1));
  // The choices of a form stand in the address, so that they can be linked to.
  function keep(form) {
    const chosen = [...new FormData(form)].filter(([, value]) => value !== "");
    try { history.replaceState(null, "", `#${new URLSearchParams(chosen)}`); } catch { /* they hold anyway */ }
  }

  function restore(form) {
    const chosen = state();
    for (const { name } of form.elements) {
      const field = form.elements[name];
      if (!name) continue;
      if (field instanceof RadioNodeList) for (const radio of field) radio.checked = radio.value === (chosen.get(name) ?? "");
      else field.value = chosen.get(name) ?? "";
    }
  }

  return { keep, read, restore, state };
})();

// As many rows as fill some screens, and a button for more.
const STEP = matchMedia("(max-width: 46rem)").matches ? 25 : 60;

function attach(form, show) {
  const more = document.querySelector(".more button");
  let limit = STEP;
  const again = () => show(limit, (count) => {
    if (!more) return;
    more.hidden = count <= limit;
    more.textContent = `Show ${Math.min(STEP, count - limit)} more of ${count - limit}`;
  });
  const fresh = () => {
    limit = STEP;
    again();
  };
  more?.addEventListener("click", () => {
    limit += STEP;
    again();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    finder.keep(form);
    fresh();
  });
  addEventListener("hashchange", () => {
    finder.restore(form);
    fresh();
  });
  finder.restore(form);
  fresh();
}

const collator = new Intl.Collator("en", { numeric: true });

// The ledger and the scores: rows that are there and may be hidden.
const filters = document.querySelector(".filters:not(.finder)");
if (filters) {
  const rows = [...document.querySelectorAll("tr[data-show]")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase().replace(/\s+/g, " ")]));
  const keys = {
    verdict: (row) => row.dataset.show,
    where: (row) => row.querySelector(".where").textContent,
    quote: (row) => row.querySelector(".said").textContent,
  };

  const sort = (key) => {
    const place = new Map(rows.map((row, i) => [row, i]));
    const compare = keys[key] ? (a, b) => collator.compare(keys[key](a), keys[key](b)) : () => 0;
    const sorted = [...rows].sort((a, b) => compare(a, b) || place.get(a) - place.get(b));
    rows[0]?.parentElement.append(...sorted);
    return sorted;
  };

  let order = null;
  attach(filters, (limit, tell) => {
    const { show = "", paper, words, sort: key = "" } = Object.fromEntries(new FormData(filters));
    if (keys[key] || order) order = sort(key);
    const tests = finder.read(words);
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const wanted = (order ?? rows).filter((row) => (show === "" || row.dataset.show === show)
      && (paper === "" || row.dataset.paper === paper)
      && tests.every((test) => test(texts.get(row))));
    const seen = new Set(wanted.slice(0, limit));
    for (const row of rows) row.hidden = !seen.has(row) && row !== target;
    const count = wanted.filter((row) => !row.classList.contains("total")).length;
    const what = document.querySelector(".stated") ? "claim" : "simulated series";
    filters.querySelector("[role=status]").textContent = `${count} ${what}${what === "claim" && count !== 1 ? "s" : ""}`;
    tell(wanted.length);
    // The address may name a row that was not there when the page was laid out.
    if (target && rows.includes(target)) target.scrollIntoView({ block: "center" });
  });
}

// A column's heading sorts by it, then the other way round.
for (const button of document.querySelectorAll("button.sort")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const [column, body] = [[...head.parentElement.children].indexOf(head), button.closest("table").tBodies[0]];
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const text = (row) => row.children[column].textContent.trim();
    const value = (row) => parseFloat(text(row));
    const compare = (a, b) => (Number.isNaN(value(a) - value(b)) ? collator.compare(text(a), text(b)) : value(a) - value(b));
    body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * compare(a, b)));
  });
}

// The search over everything: rows are made as they are found.
const finding = document.querySelector(".finder");
if (finding) {
  const entries = JSON.parse(document.getElementById("entries").textContent);
  const texts = entries.map(({ kind, paper, title, text }) => `${kind} ${paper} ${title} ${text}`.toLowerCase());
  const list = document.querySelector(".found");
  const make = (name, properties, ...children) => {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  };
  // Some words around what was found, or the beginning.
  const excerpt = (text, words) => {
    const first = words.toLowerCase().replace(/["“”]/g, "").split(/\s+/).find((word) => word && text.toLowerCase().includes(word));
    const at = first ? Math.max(0, text.toLowerCase().indexOf(first) - 60) : 0;
    return `${at ? "… " : ""}${text.slice(at, at + 220)}${at + 220 < text.length ? " …" : ""}`;
  };
  attach(finding, (limit, tell) => {
    const { q, kind, paper } = Object.fromEntries(new FormData(finding));
    const tests = finder.read(q);
    const wanted = entries.filter((entry, i) => (kind === "" || entry.kind === kind)
      && (paper === "" || entry.paper === paper) && tests.every((test) => test(texts[i])));
    list.replaceChildren(...wanted.slice(0, limit).map((entry) => make("li", {},
      make("a", { href: entry.href }, entry.title),
      make("span", { className: "where" }, ` ${entry.kind}, ${entry.paper}`),
      make("p", { className: "values" }, excerpt(entry.text, q)))));
    finding.querySelector("[role=status]").textContent = `${wanted.length} found`;
    tell(wanted.length);
  });
}
