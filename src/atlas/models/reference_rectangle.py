"""P(N > k) of two classes of rigid jobs under a policy that depends only on their numbers.

With exponential durations (N_1, N_2) is a Markov chain. The policy of the job-level simulator gives
the servers of each class; no code is shared with `enumeration`, which has its own rules. The chain
is truncated at N_1, N_2 ≤ m, where m grows until the probability of the border is negligible. Its
states are eliminated one by one without subtraction, so that small probabilities keep their digits
(Grassmann, Taksar and Heyman, *Oper. Res.* 33, 1985). With x = (m + 1) N_1 + N_2 the rates lie in a
band of half-width m + 1.
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
# The largest probability of the border, relative to the smallest tail; and the largest m tried.
NEGLIGIBLE, MOST = 1e-14, 200


def tails(queue: Queue, rate: float, ks: Sequence[int]) -> dict[int, float]:
    """P(N > k) for each k; empty unless there are two classes, exponential durations and a policy
    in `RULES`, or if m would exceed `MOST`."""
    policy, classes = queue.policy, queue.system.classes
    rule = RULES.get((policy.name, *(str(v) for v in policy.options.values())))
    exponential = all(isinstance(X, Exponential) for X in queue.system.durations)
    if not ks or rule is None or len(classes) != 2 or not exponential:
        return {}
    m = 32
    while m <= MOST:
        p = _distribution(queue, rule, rate, m)
        total = np.add.outer(np.arange(m + 1), np.arange(m + 1))
        tails = {k: float(p[total > k].sum()) for k in ks}
        if p[-1].sum() + p[:, -1].sum() <= NEGLIGIBLE * min(tails.values()):
            return tails
        m += m // 2
    return {}


def _distribution(
    queue: Queue, rule: Callable[..., None], rate: float, m: int
) -> NDArray[np.float64]:
    """P(N_1 = i, N_2 = j) for i, j ≤ m, where class 1 has the smaller need."""
    small, large = sorted(queue.system.classes, key=lambda c: c.need)
    needs, allotted = np.array([small.need, large.need]), np.zeros(2, dtype=np.int64)
    unused = np.zeros((2, round(queue.system.capacity)), dtype=np.int64)
    size, band = (m + 1) ** 2, m + 1
    flat = np.zeros(size * (2 * band + 1))
    step = flat.strides[0]
    # Entry (x, y) of a window of the band is the rate from x to y, for |x − y| ≤ m + 1.
    rates = as_strided(flat[band:], (size, size), (2 * band * step, step))
    for x in range(size):
        present = np.array(divmod(x, band))
        rule(present, unused, needs, queue.system.servers, allotted)
        for c, (job, stride) in enumerate(((small, band), (large, 1))):
            if present[c] < m:
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
    return (distribution / distribution.sum()).reshape(band, band)
