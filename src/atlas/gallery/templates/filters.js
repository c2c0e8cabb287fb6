"use strict";

// Queries. A query has words, which may occur anywhere, phrases in quotes, which must occur as written, and
// references: the number after Fig., Section, Theorem and the like, however the kind is written.
const query = (() => {
  const KINDS = "fig(?:ure)?|sec(?:tion)?|th(?:eore)?m|lem(?:ma)?|tab(?:le)?|eq(?:uation)?|app(?:endix)?|cor(?:ollary)?|prop(?:osition)?|rem(?:ark)?|def(?:inition)?";
  const NUMBER = "\\(?(?:\\d[\\w.]*(?:\\(\\w\\))?|[a-z](?:\\.\\d+)*(?![\\w’']))\\)?";
  // References in a text; a kind in the plural has several numbers.
  const REFERENCES = new RegExp(`(?<![\\p{L}\\p{N}])(${KINDS}|corollaries|lemmata|appendices)(?:e?s)?\\.?\\s*(${NUMBER}(?:(?:,|,? and|–)\\s*${NUMBER})*)`, "giu");
  // A phrase, a reference or a word of a query.
  const PART = new RegExp(`["“”]([^"“”]+)["“”]|(?<![\\p{L}\\p{N}])(${KINDS})s?\\.?\\s*(${NUMBER})(?![\\p{L}\\p{N}])|(\\S+)`, "giu");
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // One spelling for each reference: "fig 9(a", "thm 4.2".
  const normalise = (kind, number) => `${kind.slice(0, 3).replace("the", "thm")} ${number.replace(/[().]+$|[()]/g, "")}`;

  // What the tests of a query take: the text in lower case, and its references.
  function prepare(text) {
    const lower = text.toLowerCase().replace(/\s+/g, " ");
    const references = [...lower.matchAll(REFERENCES)].flatMap(([, kind, numbers]) => numbers.split(/,? and |, ?|–/).map((one) => normalise(kind, one.trim())));
    return { lower, references };
  }

  // The tests of a query. Each returns 0 if it fails, 1 if the text has only a part of the reference, as 9(a) is one
  // of 9 and 8.1 one of 8, and otherwise 2.
  function parse(text) {
    return [...text.toLowerCase().matchAll(PART)].map(([, phrase, kind, number, word]) => {
      if (word) return ({ lower }) => (lower.includes(word) ? 2 : 0);
      if (phrase) {
        const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escape(phrase.trim()).replace(/\s+/g, "\\s+")}(?![\\p{L}\\p{N}])(?!\\.\\d)`, "u");
        return ({ lower }) => (pattern.test(lower) ? 2 : 0);
      }
      const reference = normalise(kind, number);
      const part = new RegExp(`^${escape(reference)}(?:[a-z]|\\.\\d)`, "u");
      return ({ references }) => (references.includes(reference) ? 2 : references.some((one) => part.test(one)) ? 1 : 0);
    });
  }

  return { parse, prepare };
})();

// The fields of a form are kept in the address, so that a selection can be linked to.
const form_address = {
  save(form) {
    const fields = [...new FormData(form)].filter(([, value]) => value !== "");
    try { history.replaceState(null, "", `#${new URLSearchParams(fields)}`); } catch { /* A browser may refuse: the form holds them. */ }
  },

  restore(form) {
    const fields = new URLSearchParams(location.hash.slice(1));
    for (const { name } of form.elements) {
      if (!name) continue;
      const field = form.elements[name];
      const value = fields.get(name) ?? "";
      if (field instanceof RadioNodeList) for (const radio of field) radio.checked = radio.value === value;
      else field.value = value;
    }
  },
};

// Rows shown at first, a few screens, and with each click on the button for more.
const ROWS_PER_STEP = matchMedia("(max-width: 46rem)").matches ? 25 : 60;

// Calls `show(limit, report)` whenever the form or the address changes: it shows at most `limit` rows and reports how
// many there are. Returns the function that shows the rows again, from the first.
function attach_form(form, show) {
  const more = document.querySelector(".more button");
  let limit = ROWS_PER_STEP;
  const show_to_limit = () => show(limit, (count) => {
    more.hidden = count <= limit;
    more.textContent = `Show ${Math.min(ROWS_PER_STEP, count - limit)} more of ${count - limit}`;
  });
  const restart = () => {
    limit = ROWS_PER_STEP;
    show_to_limit();
  };
  more.addEventListener("click", () => {
    limit += ROWS_PER_STEP;
    show_to_limit();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    form_address.save(form);
    restart();
  });
  addEventListener("hashchange", () => {
    form_address.restore(form);
    restart();
  });
  // The printed page has all rows, as it has no button for more; results of a search are printed as they are.
  if (!form.matches(".search-form")) {
    addEventListener("beforeprint", () => show(Infinity, () => {}));
    addEventListener("afterprint", show_to_limit);
  }
  form_address.restore(form);
  restart();
  return restart;
}

const NO_RESULT = "Nothing has all of this: try fewer words, or another choice beside them.";
const collator = new Intl.Collator("en", { numeric: true });

// The ledger and the scores: their rows are in the page, and some are hidden.
const filters = document.querySelector(".filters:not(.search-form)");
if (filters) {
  const rows = [...document.querySelectorAll("tr[data-paper]")];
  const texts = new Map(rows.map((row) => [row, query.prepare(row.textContent)]));
  const sort_keys = {
    paper: (row) => row.dataset.index,
    verdict: (row) => row.dataset.verdict,
    where: (row) => row.querySelector(".where").textContent,
    quote: (row) => row.querySelector(".quote").textContent,
  };
  const what = document.querySelector(".stated") ? ["claim", "claims"] : ["simulated series", "simulated series"];
  // The rows in their order on the page, which a heading of a column may have changed.
  let [ordered, sorted_by] = [rows, ""];

  // Array.sort is stable: rows with equal keys stay in their first order.
  function sort_rows(by) {
    if (by === sorted_by) return;
    const key = sort_keys[by];
    ordered = key ? rows.toSorted((a, b) => collator.compare(key(a), key(b))) : rows;
    sorted_by = by;
    rows[0]?.parentElement.append(...ordered);
  }

  // The row that the address names, if it is one.
  function find_target() {
    try {
      return rows.find((row) => row.id === decodeURIComponent(location.hash.slice(1)));
    } catch {
      // A search text with a % of its own is no encoded id.
      return undefined;
    }
  }

  const restart = attach_form(filters, (limit, report) => {
    const { show: verdict = "", paper, words, sort: by = "" } = Object.fromEntries(new FormData(filters));
    sort_rows(by);
    const tests = query.parse(words);
    const target = find_target();
    const matches = ordered.filter((row) => (verdict === "" || row.dataset.verdict === verdict)
      && (paper === "" || row.dataset.paper === paper)
      && tests.every((test) => test(texts.get(row))));
    const shown = new Set(matches.slice(0, limit));
    for (const row of rows) row.hidden = !shown.has(row) && row !== target;
    const count = matches.filter((row) => !row.classList.contains("total")).length;
    filters.querySelector("[role=status]").textContent = count ? `${count} ${what[count === 1 ? 0 : 1]}` : NO_RESULT;
    report(matches.length);
    // The row was perhaps hidden when the browser looked for it.
    target?.scrollIntoView({ block: "center" });
  });

  // The heading of a column sorts all rows by the column, then in reverse, and the first of them are shown.
  for (const button of document.querySelectorAll("button.sort")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const column = [...head.parentElement.children].indexOf(head);
      const is_descending = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", is_descending ? "descending" : "ascending");
      const text = (row) => row.children[column].textContent.trim();
      const value = (row) => parseFloat(text(row));
      const compare = (a, b) => (Number.isNaN(value(a) - value(b)) ? collator.compare(text(a), text(b)) : value(a) - value(b));
      ordered = ordered.toSorted((a, b) => (is_descending ? -1 : 1) * compare(a, b));
      rows[0]?.parentElement.append(...ordered);
      restart();
    });
  }
}

// The search over everything: its results are created.
const search_form = document.querySelector(".search-form");
if (search_form) {
  const entries = JSON.parse(document.getElementById("entries").textContent);
  const texts = entries.map(({ kind, paper, title, text }) => query.prepare(`${kind} ${paper} ${title} ${text}`));
  const titles = entries.map(({ title }) => query.prepare(title));
  const list = document.querySelector(".search-results");
  const create = (name, properties, ...children) => {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  };
  // The text around the first match, or its beginning.
  const excerpt = (text, words) => {
    const first = words.toLowerCase().replace(/["“”]/g, "").split(/\s+/).find((word) => word && text.toLowerCase().includes(word));
    const start = first ? Math.max(0, text.toLowerCase().indexOf(first) - 60) : 0;
    return `${start ? "… " : ""}${text.slice(start, start + 220)}${start + 220 < text.length ? " …" : ""}`;
  };
  attach_form(search_form, (limit, report) => {
    const { q, kind, paper } = Object.fromEntries(new FormData(search_form));
    const tests = query.parse(q);
    const lowest = (text) => Math.min(...tests.map((test) => test(text)));
    // Matches in the title come first, then exact matches, then those of a part of a reference.
    const rank = (i) => (tests.length ? lowest(texts[i]) + 3 * lowest(titles[i]) : 0);
    const results = entries.map((entry, i) => [entry, rank(i), i])
      .filter(([entry, , i]) => (kind === "" || entry.kind === kind)
        && (paper === "" || entry.paper === paper) && tests.every((test) => test(texts[i])))
      .sort((a, b) => b[1] - a[1]).map(([entry]) => entry);
    list.replaceChildren(...results.slice(0, limit).map((entry) => create("li", {},
      create("a", { href: entry.href }, entry.title),
      create("span", { className: "where" }, ` ${entry.kind}, ${entry.paper}`),
      create("p", { className: "values" }, excerpt(entry.text, q)))));
    search_form.querySelector("[role=status]").textContent = results.length ? `${results.length} found` : NO_RESULT;
    report(results.length);
  });
}
