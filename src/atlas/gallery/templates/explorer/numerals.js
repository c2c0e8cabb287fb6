"use strict";
// Numbers as people write them: 1000, 1,000, 1 000, 1.5, 1,5, 1e6, 2 · 10⁶. An ambiguous text is refused,
// and the fault names both numbers.
const numerals = (() => {
  const SPACES = /[\s'’_]/g;
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const POWER = /(^|\s*[·×*]\s*)10(?:\^([-+]?\d+)|([⁻⁺]?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+))$/;
  const PARTS = /^([-+]?[\d.,\s'’_]+)(e[-+]?\d+)?$/;
  const PLAIN = /^[-+]?(?:\d+\.?\d*|\.\d+)$/;
  // Thousands separated by spaces, commas or points.
  const [APART, COMMAS, POINTS] = ["[\\s'’_]", ",", "\\."].map((mark) => new RegExp(`^[-+]?[1-9]\\d{0,2}(?:${mark}\\d{3})+$`));

  const exponent = (_, before, plain, sign, raised) => (
    `${before ? "" : "1"}e${plain ?? (sign === "⁻" ? "-" : "") + raised.replace(/./g, (c) => RAISED.indexOf(c))}`);

  // {digits} as JavaScript writes them, or {fault} in words. `whole` says that the number is a count.
  function read(text, whole = false) {
    const typed = text.trim();
    const plain = typed.replaceAll("−", "-").replace(/\s*%$/, "").replace(POWER, exponent).toLowerCase();
    const [, mantissa, power = ""] = plain.match(PARTS) ?? [];
    const { digits, fault } = mantissa === undefined ? {} : _join(mantissa, whole);
    if (fault) return { fault };
    return PLAIN.test(digits) ? { digits: `${digits}${power}` } : { fault: `“${typed}” is no number.` };
  }

  function _join(text, whole) {
    if (text.search(SPACES) >= 0) {
      const [head, tail] = text.split(/[.,](?=\d*$)/);
      return APART.test(head) ? { digits: [head.replace(SPACES, ""), ...(tail === undefined ? [] : [tail])].join(".") } : {};
    }
    const last = Math.max(text.lastIndexOf(","), text.lastIndexOf("."));
    if (last < 0) return { digits: text };
    const [mark, other] = text[last] === "," ? [",", "."] : [".", ","];
    const grouped = mark === "," ? COMMAS : POINTS;
    if (text.includes(other)) {
      const head = text.slice(0, last);
      return (other === "," ? COMMAS : POINTS).test(head) ? { digits: `${head.replaceAll(other, "")}.${text.slice(last + 1)}` } : {};
    }
    const joined = text.replaceAll(mark, "");
    if (text.indexOf(mark) < last) return grouped.test(text) ? { digits: joined } : {};
    // One separator and three digits after it: a comma is read in a count, and a point in a measure.
    if (grouped.test(text) && (mark === ",") !== whole) {
      return { fault: `“${text}” may mean ${joined} or ${Number(text.replace(mark, "."))}: write one of them.` };
    }
    return { digits: grouped.test(text) && whole ? joined : text.replace(",", ".") };
  }

  return { read };
})();
