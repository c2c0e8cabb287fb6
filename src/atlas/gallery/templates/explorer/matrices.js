"use strict";
// Small dense matrices, as arrays of rows. Rows are Float64Array.
const matrices = (() => {
  const zeros = (rows, columns) => Array.from({ length: rows }, () => new Float64Array(columns));

  function multiply(a, b) {
    const product = zeros(a.length, b[0].length);
    product.forEach((row, i) => {
      for (let k = 0; k < b.length; k += 1) {
        const [x, other] = [a[i][k], b[k]];
        if (x !== 0) for (let j = 0; j < row.length; j += 1) row[j] += x * other[j];
      }
    });
    return product;
  }

  function add(a, b) {
    return a.map((row, i) => row.map((x, j) => x + b[i][j]));
  }

  // I − A.
  function complement(a) {
    return a.map((row, i) => row.map((x, j) => (i === j) - x));
  }

  // The row x A of a row x.
  function apply(vector, matrix) {
    return multiply([vector], matrix)[0];
  }

  // The X with A X = B, by elimination with partial pivoting.
  function solve(A, B) {
    const [a, x] = [A, B].map((rows) => rows.map((row) => Float64Array.from(row)));
    const size = a.length;
    for (let k = 0; k < size; k += 1) {
      let pivot = k;
      for (let i = k + 1; i < size; i += 1) if (Math.abs(a[i][k]) > Math.abs(a[pivot][k])) pivot = i;
      [a[k], a[pivot], x[k], x[pivot]] = [a[pivot], a[k], x[pivot], x[k]];
      const [pivot_row, right_row] = [a[k], x[k]];
      for (let i = k + 1; i < size; i += 1) {
        const [row, found, factor] = [a[i], x[i], a[i][k] / pivot_row[k]];
        if (factor === 0) continue;
        for (let j = k; j < size; j += 1) row[j] -= factor * pivot_row[j];
        for (let j = 0; j < found.length; j += 1) found[j] -= factor * right_row[j];
      }
    }
    for (let k = size - 1; k >= 0; k -= 1) {
      const found = x[k];
      for (let i = k + 1; i < size; i += 1) {
        const [factor, known] = [a[k][i], x[i]];
        if (factor !== 0) for (let j = 0; j < found.length; j += 1) found[j] -= factor * known[j];
      }
      for (let j = 0; j < found.length; j += 1) found[j] /= a[k][k];
    }
    return x;
  }

  // The stationary distribution of a chain with the given rates, whose diagonal is ignored, without subtraction
  // (Grassmann, Taksar and Heyman). States before `first` have no way back from it: they are transient.
  function stationary_distribution(rates) {
    const flow = rates.map((row) => Float64Array.from(row));
    let first = 0;
    for (let k = flow.length - 1; k > 0; k -= 1) {
      const leaving = model.sum(flow[k].subarray(0, k));
      if (leaving === 0) {
        first = k;
        break;
      }
      for (let i = 0; i < k; i += 1) {
        const [row, through] = [flow[i], flow[k]];
        row[k] /= leaving;
        if (row[k] !== 0) for (let j = 0; j < k; j += 1) row[j] += row[k] * through[j];
      }
    }
    const distribution = new Float64Array(flow.length);
    distribution[first] = 1;
    for (let k = first + 1; k < distribution.length; k += 1) {
      for (let i = first; i < k; i += 1) distribution[k] += distribution[i] * flow[i][k];
    }
    const total = model.sum(distribution);
    return distribution.map((x) => x / total);
  }

  return { add, apply, complement, multiply, solve, stationary_distribution, zeros };
})();
