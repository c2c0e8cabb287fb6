"use strict";
// Numbers, shares and names of classes as text.
const format = (() => {
  const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

  // A number to `digits` digits; small ones, and those with more than `max_digits` before the point, as powers of ten.
  function number(x, digits = 4, max_digits = 6) {
    if (x === 0) return "0";
    if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "–";
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    if (exponent < -4 || exponent >= (digits > 1 ? Math.max(digits, max_digits) : 4)) {
      const power = `10${[...String(Number(exponent))].map((c) => SUPERSCRIPTS[c]).join("")}`;
      const factor = String(Number(mantissa)).replace("-", "−");
      return factor === "1" ? power : `${factor} · ${power}`;
    }
    return String(Number(x.toPrecision(digits))).replace("-", "−");
  }

  // A whole number with narrow spaces between groups of three digits.
  function count(x) {
    return String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  }

  // A share in per cent. A share just below 1 is shown with enough digits not to read 100, or as 100 minus the rest.
  function percent(share) {
    if (share < 1 && 1 - share < 5e-7) return `100 − ${number(100 * (1 - share), 2)} %`;
    const nines = share < 1 ? Math.min(11, Math.floor(-Math.log10(1 - share))) : 0;
    return `${number(100 * share, Math.max(3, nines + 1))} %`;
  }

  // "one job in 100 needs 200 servers", or "50 % of all jobs need 200 servers" if the share is not small.
  function share_and_need({ need, probability }) {
    const what = count_of(need, "server");
    if (probability > 0.2) return `${percent(probability)} of all jobs need ${what}`;
    return `one job in ${probability > 1e-6 ? count(1 / probability) : number(1 / probability, 3)} needs ${what}`;
  }

  const capitalise = (text) => text[0].toUpperCase() + text.slice(1);

  // "1 server", "2 servers".
  const count_of = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

  // The same for a number that need not be whole: "2.5 servers".
  const amount_of = (x, noun, digits = 4) => `${number(x, digits)} ${noun}${number(x, digits) === "1" ? "" : "s"}`;

  // The name of the jobs of a class: their need, and the number of the class if another has the same need.
  function class_name({ classes }, c) {
    const shared = classes.filter((k) => k.need === classes[c].need).length > 1;
    return `${count(classes[c].need)}-server jobs${shared ? ` (class ${c + 1})` : ""}`;
  }

  return { amount_of, capitalise, class_name, count, count_of, number, percent, share_and_need };
})();
