"use strict";
// Parses numbers as people write them: 1000, 1,000, 1 000, 1.5, 1,5, 1e6, 2 · 10⁶. A text that may mean two
// numbers is refused, and the error message names both.
const number_input = (() => {
  const SPACES = /[\s'’_]/g;
  const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const POWER_OF_TEN = /(^|\s*[·×*]\s*)10(?:\^([-+]?\d+)|([⁻⁺]?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+))$/;
  const MANTISSA_AND_EXPONENT = /^([-+]?[\d.,\s'’_]+)(e[-+]?\d+)?$/;
  const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)$/;
  // Groups of three digits with spaces, commas or points between them.
  const [SPACED, COMMAS, POINTS] = ["[\\s'’_]", ",", "\\."].map((mark) => new RegExp(`^[-+]?[1-9]\\d{0,2}(?:${mark}\\d{3})+$`));

  const to_e_notation = (_, factor, plain, sign, superscripts) => (
    `${factor ? "" : "1"}e${plain ?? (sign === "⁻" ? "-" : "") + superscripts.replace(/./g, (c) => SUPERSCRIPTS.indexOf(c))}`);

  // {digits}, a text that Number() takes, or {fault}, the error message. `whole` says that the number is a count,
  // `is_percent` that it may end with %.
  function parse(text, whole = false, is_percent = false) {
    const typed = text.trim();
    const plain = typed.replaceAll("−", "-").replace(is_percent ? /\s*%$/ : "", "").replace(POWER_OF_TEN, to_e_notation).toLowerCase();
    const [, mantissa, exponent = ""] = plain.match(MANTISSA_AND_EXPONENT) ?? [];
    const { digits, fault } = mantissa === undefined ? {} : _remove_separators(mantissa, whole);
    if (fault) return { fault };
    return DECIMAL.test(digits) ? { digits: `${digits}${exponent}` } : { fault: `${typed ? `“${typed}”` : "An empty box"} is no number.` };
  }

  // {digits} without separators of thousands and with a decimal point, {fault}, or {} if it is no number.
  function _remove_separators(text, whole) {
    if (text.search(SPACES) >= 0) {
      const [head, tail] = text.split(/[.,](?=\d*$)/);
      return SPACED.test(head) ? { digits: [head.replace(SPACES, ""), ...(tail === undefined ? [] : [tail])].join(".") } : {};
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
    // One separator with three digits after it: a comma in a count separates thousands, a point in a measurement
    // is the decimal point. The other two cases are ambiguous.
    if (grouped.test(text) && (mark === ",") !== whole) {
      return { fault: `“${text}” may mean ${joined} or ${Number(text.replace(mark, "."))}: write one of them.` };
    }
    return { digits: grouped.test(text) && whole ? joined : text.replace(",", ".") };
  }

  return { parse };
})();
