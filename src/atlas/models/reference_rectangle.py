"""P(N > k) of two classes of rigid jobs under a policy that depends only on their numbers.

With exponential durations (N_1, N_2) is a Markov chain. The policy of the job-level simulator gives
the servers of each class; no code is shared with `enumeration`, which has its own rules. The chain
is truncated at N_c ≤ m_c, where m_c grows until the probability of N_c = m_c is negligible. Its
states are eliminated one by one without subtraction, so that small probabilities keep their digits
(Grassmann, Taksar and Heyman, *Oper. Res.* 33, 1985). With x = (m_b + 1) N_a + N_b the rates lie in
a band of half-width m_b + 1, where b is the class of the smaller m_c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from multiserver.queue import Queue
from multiserver.simulation import class_policies
from multiserver.sizes import Exponential

ROUTE = "chain of the numbers of jobs on a square, with the servers that the simulator allots"
RULES: dict[tuple[str, ...], Callable[..., None]] = {
    ("least-servers-first",): class_policies.least_servers_first,
    ("most-servers-first",): class_policies.most_servers_first,
    ("max-weight", "larger", "present"): class_policies.max_weight,
    ("max-weight", "smaller", "present"): class_policies.max_weight_to_smaller,
    ("max-weight", "larger", "all"): class_policies.max_weight_of_all,
    ("max-weight", "smaller", "all"): class_policies.max_weight_of_all_to_smaller,
}
# The largest probability of N_c = m_c, relative to the smallest tail; and the largest m_c tried.
NEGLIGIBLE, MOST = 1e-14, 200


def tails(queue: Queue, rate: float, ks: Sequence[int]) -> dict[int, float]:
    """P(N > k) for each k; empty unless there are two classes, exponential durations and a policy
    in `RULES`, or if an m_c would exceed `MOST`."""
    policy, classes = queue.policy, queue.system.classes
    rule = RULES.get((policy.name, *(str(v) for v in policy.options.values())))
    exponential = all(isinstance(X, Exponential) for X in queue.system.durations)
    if not ks or rule is None or len(classes) != 2 or not exponential:
        return {}
    m = np.array([32, 32])
    while m.max() <= MOST:
        p = _distribution(queue, rule, rate, m)
        total = np.add.outer(*map(np.arange, p.shape))
        tails = {k: float(p[total > k].sum()) for k in ks}
        borders = np.array([p[-1].sum(), p[:, -1].sum()])
        short = borders > NEGLIGIBLE / 2 * min(tails.values())
        if not short.any():
            return tails
        m[short] += m[short] // 2
    return {}


def _distribution(
    queue: Queue, rule: Callable[..., None], rate: float, m: NDArray[np.int64]
) -> NDArray[np.float64]:
    """P(N_1 = i, N_2 = j) for i ≤ m_1, j ≤ m_2, where class 1 has the smaller need."""
    classes = sorted(queue.system.classes, key=lambda c: c.need)
    needs, allotted = np.array([c.need for c in classes]), np.zeros(2, dtype=np.int64)
    unused = np.zeros((2, round(queue.system.capacity)), dtype=np.int64)
    order = np.argsort(-m, kind="stable")
    sides = m[order] + 1
    size, band = sides.prod(), sides[1]
    strides = np.where(order == 0, band, 1)
    flat = np.zeros(size * (2 * band + 1))
    step = flat.strides[0]
    # Entry (x, y) of a window of the band is the rate from x to y, for |x − y| ≤ `band`.
    rates = as_strided(flat[band:], (size, size), (2 * band * step, step))
    for x in range(size):
        present = np.array(np.divmod(x, band))[order]
        rule(present, unused, needs, queue.system.servers, allotted)
        for c, (job, stride) in enumerate(zip(classes, strides, strict=True)):
            if present[c] < m[c]:
                rates[x, x + stride] = rate * job.probability
            if allotted[c]:
                rates[x, x - stride] = allotted[c] / needs[c] / job.duration.mean
    for x in range(size - 1, 0, -1):
        near = slice(max(0, x - band), x)
        rates[near, x] /= rates[x, near].sum()
        rates[near, near] += np.outer(rates[near, x], rates[x, near])
    distribution = np.ones(size)
    for x in range(1, size):
        near = slice(max(0, x - band), x)
        distribution[x] = distribution[near] @ rates[near, x]
    return np.moveaxis((distribution / distribution.sum()).reshape(sides), [0, 1], order)
