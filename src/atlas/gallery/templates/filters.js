"use strict";

// A query has words, which may occur anywhere, phrases in quotes, which must occur as written, and places:
// the number after Fig., Section, Theorem and the like, in any spelling.
const finder = (() => {
  const KINDS = "fig(?:ure)?|sec(?:tion)?|th(?:eore)?m|lem(?:ma)?|tab(?:le)?|eq(?:uation)?|app(?:endix)?|cor(?:ollary)?|prop(?:osition)?|rem(?:ark)?|def(?:inition)?";
  const NUMBER = "\\(?(?:\\d[\\w.]*(?:\\(\\w\\))?|[a-z](?:\\.\\d+)*(?![\\w’']))\\)?";
  const PLACES = new RegExp(`(?<![\\p{L}\\p{N}])(${KINDS}|corollaries|lemmata|appendices)(?:e?s)?\\.?\\s*(${NUMBER}(?:(?:,|,? and|–)\\s*${NUMBER})*)`, "giu");
  const PART = new RegExp(`["“”]([^"“”]+)["“”]|(?<![\\p{L}\\p{N}])(${KINDS})s?\\.?\\s*(${NUMBER})(?![\\p{L}\\p{N}])|(\\S+)`, "giu");
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const named = (kind, number) => `${kind.slice(0, 3).replace("the", "thm")} ${number.replace(/[().]+$|[()]/g, "")}`;

  // A text to test: the text itself and its places, each of a list separately.
  function text(plain) {
    const lower = plain.toLowerCase().replace(/\s+/g, " ");
    const places = [...lower.matchAll(PLACES)].flatMap(([, kind, numbers]) => numbers.split(/,? and |, ?|–/).map((one) => named(kind, one.trim())));
    return { lower, places };
  }

  // Tests of a text: each returns 0 if it fails, 1 if only a part of the number is found (9(a) of 9, 8.1 of
  // 8), and otherwise 2.
  function read(words) {
    return [...words.toLowerCase().matchAll(PART)].map(([, quoted, kind, number, word]) => {
      if (word) return ({ lower }) => (lower.includes(word) ? 2 : 0);
      if (quoted) {
        const whole = new RegExp(`(?<![\\p{L}\\p{N}])${escape(quoted.trim()).replace(/\s+/g, "\\s+")}(?![\\p{L}\\p{N}])(?!\\.\\d)`, "u");
        return ({ lower }) => (whole.test(lower) ? 2 : 0);
      }
      const place = named(kind, number);
      const part = new RegExp(`^${escape(place)}(?:[a-z]|\\.\\d)`, "u");
      return ({ places }) => (places.includes(place) ? 2 : places.some((one) => part.test(one)) ? 1 : 0);
    });
  }

  const state = () => new URLSearchParams(location.hash.slice(1));
  // The choices of a form are kept in the address, so that they can be linked to.
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

  return { keep, read, restore, state, text };
})();

// Rows for a few screens, and a button for more.
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
  // Printing shows all rows, as it has no button for more.
  if (!form.matches(".finder")) {
    addEventListener("beforeprint", () => show(Infinity, () => {}));
    addEventListener("afterprint", again);
  }
  finder.restore(form);
  fresh();
}

const NOTHING = "Nothing has all of this: try fewer words, or another choice beside them.";
const collator = new Intl.Collator("en", { numeric: true });

// The ledger and the scores: existing rows that may be hidden.
const filters = document.querySelector(".filters:not(.finder)");
if (filters) {
  const rows = [...document.querySelectorAll("tr[data-show]")];
  const texts = new Map(rows.map((row) => [row, finder.text(row.textContent)]));
  const keys = {
    paper: (row) => row.dataset.place,
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
    filters.querySelector("[role=status]").textContent = count ? `${count} ${what}${what === "claim" && count !== 1 ? "s" : ""}` : NOTHING;
    tell(wanted.length);
    // The address may name a row that was not shown when the page was laid out.
    if (target && rows.includes(target)) target.scrollIntoView({ block: "center" });
  });
}

// A column's heading sorts by the column, then in reverse.
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

// The search over everything: rows are created as they are found.
const finding = document.querySelector(".finder");
if (finding) {
  const entries = JSON.parse(document.getElementById("entries").textContent);
  const texts = entries.map(({ kind, paper, title, text }) => finder.text(`${kind} ${paper} ${title} ${text}`));
  const titles = entries.map(({ title }) => finder.text(title));
  const list = document.querySelector(".found");
  const make = (name, properties, ...children) => {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  };
  // Some words around the match, or the beginning.
  const excerpt = (text, words) => {
    const first = words.toLowerCase().replace(/["“”]/g, "").split(/\s+/).find((word) => word && text.toLowerCase().includes(word));
    const at = first ? Math.max(0, text.toLowerCase().indexOf(first) - 60) : 0;
    return `${at ? "… " : ""}${text.slice(at, at + 220)}${at + 220 < text.length ? " …" : ""}`;
  };
  attach(finding, (limit, tell) => {
    const { q, kind, paper } = Object.fromEntries(new FormData(finding));
    const tests = finder.read(q);
    // Matches in the title come first, then exact matches, then those of a part of the number.
    const rank = (i) => Math.min(...tests.map((test) => test(texts[i]))) + 3 * Math.min(...tests.map((test) => test(titles[i])));
    const wanted = entries.map((entry, i) => [entry, tests.length ? rank(i) : 0, i])
      .filter(([entry, , i]) => (kind === "" || entry.kind === kind)
        && (paper === "" || entry.paper === paper) && tests.every((test) => test(texts[i])))
      .sort((a, b) => b[1] - a[1] || a[2] - b[2]).map(([entry]) => entry);
    list.replaceChildren(...wanted.slice(0, limit).map((entry) => make("li", {},
      make("a", { href: entry.href }, entry.title),
      make("span", { className: "where" }, ` ${entry.kind}, ${entry.paper}`),
      make("p", { className: "values" }, excerpt(entry.text, q)))));
    finding.querySelector("[role=status]").textContent = wanted.length ? `${wanted.length} found` : NOTHING;
    tell(wanted.length);
  });
}
