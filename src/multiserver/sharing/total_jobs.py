"""The number of all jobs under balanced fairness: P(N > k) by recursions of positive terms.

By Theorem 1 of `parallel-processing`, a sequence of jobs weighs ∏ λ/μ(S), S being the servers of
the jobs up to each place, so that P(N = m) = c_m/G with c_m the weight of the sequences of m jobs,
and G = Σ_m c_m. The rate μ depends on a sequence through one of finitely many *states*: the set A
of its classes, or in a pool of equal servers the number u of servers that its jobs have. Let w_m be
the weights of the sequences of m jobs by state. One more job leads from w_m to w_{m+1} = M w_m,
w_0 = e_0, with

    M_{A,A} = λ(A)/μ(A),    M_{A,A∖i} = λ_i/μ(A),    M_{u+j,u} = Σ_r λ_r q_r(u, u + j)/μ(u + j)

(`balanced_fairness` and `symmetric` define λ(A), μ and q_r). M is lower triangular, and its
diagonal is below 1 if the queue is stable. Then c_m = 1ᵀ w_m, and the weights of all sequences of
more than k jobs are h = (I − M)⁻¹ M w_k, in which nothing is subtracted but on the diagonal:
P(N > k) = 1ᵀ h/G keeps its digits however small it is. For one job type with d servers the c_m are
those of the sum of geometric variables in `symmetric`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.sparse.linalg import spsolve_triangular

from multiserver.errors import TooLargeError
from multiserver.sharing.queue import MultiServerQueue, layers, over_subsets, require_stable
from multiserver.sharing.symmetric import JobType, ServerPool, joining

# So many numbers are multiplied at most for one P(N > k), minutes, if a product takes as long as
# so many more numbers do.
MOST_PRODUCTS, OVERHEAD = 10**10, 1000


def steps_by_classes(queue: MultiServerQueue, arrival_rates: ArrayLike) -> csr_array:
    """M over the sets of classes, for λ = `arrival_rates` (N,). Raises `UnstableError` unless the
    queue is stable, and `TooLargeError` beyond 16 classes."""
    rates, served = require_stable(queue, arrival_rates), queue.ranks()
    sets = np.arange(1, served.size)
    parts = [(sets, sets, over_subsets(rates)[1:] / served[1:])]
    for layer in layers(queue.classes):
        for i, with_i, without_i in layer:
            parts.append((with_i, without_i, rates[i] / served[with_i]))
    rows, columns, values = map(np.concatenate, zip(*parts, strict=True))
    return csr_array((values, (rows, columns)), shape=(served.size, served.size))


def steps_by_servers(pool: ServerPool, types: list[JobType]) -> csr_array:
    """M over the numbers of servers, 0 … n, for types of jobs in one pool."""
    n = pool.servers
    bands = np.zeros((max(kind.degrees[0] for kind in types) + 1, n + 1))
    for kind in types:
        (degree,) = kind.degrees
        bands[: degree + 1] += kind.arrival_rate * joining(n, degree).T
    served = pool.rate * np.arange(1, n + 1)
    bands[0, 1:] /= served
    for j in range(1, len(bands)):
        bands[j, : n + 1 - j] /= served[j - 1 :]
    found = [band[: n + 1 - j] for j, band in enumerate(bands)]
    return csr_array(diags_array(found, offsets=[-j for j in range(len(bands))]))


def tail_by_classes(
    queue: MultiServerQueue, arrival_rates: ArrayLike, log_total: float, k: int
) -> float:
    """P(N > k) from M over the sets of classes. Raises as `tail` and `steps_by_classes`."""
    return tail(steps_by_classes(queue, arrival_rates), log_total, k)


def tail_by_servers(pool: ServerPool, types: list[JobType], log_total: float, k: int) -> float:
    """P(N > k) from M over the numbers of servers. Raises as `tail`."""
    return tail(steps_by_servers(pool, types), log_total, k)


def tail(steps: csr_array, log_total: float, k: int) -> float:
    """P(N > k) for M = `steps` and log G = `log_total`. Raises `TooLargeError` if k is so large
    that it would take minutes."""
    if k < 0:
        return 1.0
    # P(N > k) decays by the largest element of the diagonal, and is below all floats after 800
    # times as long as it takes to decay by e; the next power of 2 may be twice as far.
    end = 2 * 800 / max(1 - float(steps.diagonal().max()), math.ulp(0.5))
    if min(k, end) * (steps.nnz + OVERHEAD) > MOST_PRODUCTS:
        raise TooLargeError(
            f"P(N > k) takes k = {k} products with {steps.nnz} numbers each,"
            f" at most {MOST_PRODUCTS // (steps.nnz + OVERHEAD)}"
        )
    # The weights as floats times powers of two, which scale without rounding.
    power = math.floor(-log_total / math.log(2))
    none = math.exp(-log_total - power * math.log(2))
    weights = np.zeros(steps.shape[0])
    weights[0] = none
    below = math.ldexp(none, power)
    for m in range(1, k + 1):
        weights = steps @ weights
        _, scale = math.frexp(float(weights.max()))
        weights, power = np.ldexp(weights, -scale), power + scale
        mass = math.ldexp(float(weights.sum()), power)
        below += mass
        # A larger k has no larger probability. Only powers of 2 are tried: each takes a solution.
        if mass == 0.0 and below >= 0.5 and m & (m - 1) == 0 and not _beyond(steps, weights, power):
            return 0.0
    # Far below the median the weights of longer sequences may overflow; above it they do not.
    if below < 0.5:
        return 1 - below
    return _beyond(steps, weights, power)


def _beyond(steps: csr_array, weights: NDArray[np.float64], power: int) -> float:
    """The weight of all sequences longer than those of `weights` times 2^`power`."""
    return math.ldexp(float(_longer(steps, weights).sum()), power)


def _longer(steps: csr_array, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(I − M)⁻¹ M w."""
    matrix = csr_array(eye_array(steps.shape[0]) - steps)
    # SuperLU takes indices of 32 bits alone, to which SciPy before 1.17.1 does not convert them.
    matrix.indices, matrix.indptr = (x.astype(np.intc) for x in (matrix.indices, matrix.indptr))
    return np.asarray(spsolve_triangular(matrix, steps @ weights, lower=True))
