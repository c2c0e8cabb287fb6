"use strict";
// Scales of axes and their ticks. A scale is {to, from, ticks}: the map of a value to a coordinate along the axis,
// its inverse, and a function that returns about `count` ticks between two values, each as [value, label].
const axes = (() => {
  const label = (x) => format.number(x, 6);
  const power_label = (x) => format.number(x, x < 1e4 ? 6 : 1);

  // A label of a large number, with as many digits as distinguish the ticks.
  function large_label(x, step, high) {
    const digits = Math.floor(Math.log10(high)) - Math.floor(Math.log10(step)) + 1;
    return format.number(x, Math.max(digits, 2), 5);
  }

  // Multiples of a step that is 1, 2 or 5 times a power of ten.
  function linear_ticks(low, high, count) {
    const min_step = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(min_step));
    const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= min_step));
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); i += 1) {
      const x = Number((i * step).toPrecision(12));
      ticks.push([i * step, high < 1e5 ? label(x) : large_label(x, step, high)]);
    }
    return ticks;
  }

  // Powers of ten, and 2 and 5 times them if there are few.
  function log_ticks(low, high, count) {
    const decades = Math.log10(high / low);
    const every = Math.max(1, Math.ceil(decades / count));
    const factors = decades < 2.5 ? [1, 2, 5] : [1];
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
      if (power % every) continue;
      for (const factor of factors) {
        const x = Number(`${factor}e${power}`);
        if (x >= low * (1 - 1e-12) && x <= high * (1 + 1e-12)) ticks.push([x, power_label(x)]);
      }
    }
    return ticks;
  }

  // Shares: 10^−k up to 10 %, one half, and 1 − 10^−k from 90 % to 99.99 %; one half stays if some are left out.
  function logit_ticks(low, high, count) {
    const small = [];
    for (let power = -1; power >= -31; power -= 1) small.push(Number(`1e${power}`));
    const all = [...small.toReversed().map((x) => [x, format.percent(x)]), [0.5, "50 %"],
      ...small.slice(0, 4).map((x) => [1 - x, `${label(Number((100 - 100 * x).toPrecision(12)))} %`])];
    const inside = all.filter(([x]) => x >= low && x <= high);
    const every = Math.ceil(inside.length / count);
    const half = inside.findIndex(([x]) => x === 0.5);
    return inside.filter((_, i) => (i - Math.max(half, 0)) % every === 0);
  }

  const scales = {
    linear: { to: (x) => x, from: (y) => y, ticks: linear_ticks },
    log: { to: Math.log, from: Math.exp, ticks: log_ticks },
    logit: {
      to: (x) => Math.log(x) - Math.log1p(-x),
      from: (y) => 1 / (1 + Math.exp(-y)),
      ticks: logit_ticks,
    },
  };

  // `count` values from `low` to `high`, evenly spaced on a scale. Rounding does not change the two ends.
  function spread(scale, low, high, count) {
    const { to, from } = scales[scale];
    const [a, b] = [to(low), to(high)];
    return Float64Array.from({ length: count }, (_, i) => (
      i === 0 ? low : i === count - 1 ? high : from(a + ((b - a) * i) / (count - 1))));
  }

  return { scales, spread };
})();
