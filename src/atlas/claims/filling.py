"""ServerFilling by its printed rule, on explicit lists of jobs: which jobs wait or are skipped.

The two settings are those of `finite-skip`, Section 7.2.3 (needs divide each other) and Appendix
B.2 (needs divide k). A list holds the needs of the jobs present, oldest first; both rules are
implemented here independently, from the text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, Literal, Unpack

import numpy as np

from atlas.claims import Found, Queue
from atlas.models.finite_skip import read_model
from multiserver.open.qbd import solve
from multiserver.wcfs.models import divisible_front_size

ROUTE = "all sets and orders of jobs, by the printed rule; chain of the front"
CONFIRMED = "the models of the front (tests/claims/test_finite_skip_proofs.py)"
GROUP = "finite_skip_proofs"


def serve_exponential(servers: int, jobs: Sequence[int]) -> list[int]:
    """The positions in `jobs` of the jobs in service, if needs divide each other."""
    total, m = 0, 0
    while m < len(jobs) and total < servers:
        total += jobs[m]
        m += 1
    if total < servers:
        return list(range(m))
    idle, found = servers, []
    for place in sorted(range(m), key=lambda i: (-jobs[i], i)):
        if jobs[place] <= idle:
            found.append(place)
            idle -= jobs[place]
    return found


def serve_divisible(servers: int, jobs: Sequence[int]) -> list[int]:
    """The positions in `jobs` of the jobs in service, if needs divide k."""
    places: dict[int, list[int]] = {}
    for i, v in enumerate(jobs):
        if len(places.setdefault(v, [])) < servers // v:
            places[v].append(i)
    return max(places.values(), key=lambda p: (len(p) * jobs[p[0]], -p[-1]), default=[])


RULES: dict[str, Callable[[int, Sequence[int]], list[int]]] = {
    "exponential": serve_exponential,
    "divisible": serve_divisible,
}


def most_skipped(
    *,
    servers: int,
    needs: Sequence[int],
    setting: Literal["exponential", "divisible"],
    completions: int,
    seed: int,
) -> Found:
    """The most older jobs that were still present when a job completed, in a saturated run under
    the policy, minus n − 1."""
    rng = np.random.default_rng(seed)
    bound = servers if setting == "exponential" else divisible_front_size(servers, needs)
    jobs, most = [], 0
    for _ in range(completions):
        while len(jobs) < bound + 2:
            # Long sequences of one need reach the extremes.
            jobs += [int(rng.choice(needs))] * int(rng.integers(1, servers + 1))
        place = int(rng.choice(RULES[setting](servers, jobs)))
        most = max(most, place)
        del jobs[place]
    return Found(most - (bound - 1), f"{most} jobs, n = {bound}")


def waiting_less_bound(*, servers: int, needs: Sequence[int]) -> int:
    """The largest number of jobs at a full front that are not in service, minus v − 1, with v the
    need of its newest job: at most 0 (Appendix B.1.1). Over all full fronts of the exponential
    setting.
    """
    return max(
        len(front) - len(serve_exponential(servers, front)) - (front[-1] - 1)
        for front in full_fronts(needs, servers)
    )


def fronts_without_newest(*, servers: int, needs: Sequence[int]) -> Found:
    """The number of full fronts whose newest job is not in service, by the rule of the exponential
    setting."""
    served = [
        len(front) - 1 in serve_exponential(servers, front) for front in full_fronts(needs, servers)
    ]
    return Found(served.count(False), f"{len(served)} fronts")


def least_rate_at_front(*, servers: int, needs: Sequence[int]) -> float:
    """The least ratio of B to the number of jobs over all sets of up to c(k, supp V) jobs, the most
    at a front, in units of 1/Σ k/v: at least 1 (Appendix B.2.1)."""
    bound = 1 / sum(servers // v for v in needs)
    ratios = []
    for size in range(1, divisible_front_size(servers, needs) + 1):
        for jobs in combinations_with_replacement(sorted(needs), size):
            filled = sum(jobs[i] for i in serve_divisible(servers, jobs))
            ratios.append(filled / servers / size / bound)
    return min(ratios)


def most_jobs_not_filling(*, servers: int, needs: Sequence[int]) -> Found:
    """The most jobs present such that no need alone fills all k servers in the divisible setting,
    minus c(k, supp V) = Σ (k/v − 1) + 1."""
    most = 0
    for size in range(1, sum(servers // v for v in needs) + 1):
        for jobs in combinations_with_replacement(sorted(needs), size):
            served = serve_divisible(servers, jobs)
            if sum(jobs[i] for i in served) < servers:
                most = size
    c = divisible_front_size(servers, needs)
    return Found(most - c, f"{most} jobs, c = {c}")


def largest_divisor_sum_ratio(*, least: int, largest: int) -> Found:
    """The largest σ(k)/(k log log k) for k from `least` to `largest`, over its limit superior
    e^γ."""
    sums = np.zeros(largest + 1)
    for d in range(1, math.isqrt(largest) + 1):
        sums[d * d] += d
        sums[d * (d + 1) :: d] += d + np.arange(d + 1, largest // d + 1)
    k = np.arange(least, largest + 1)
    ratios = sums[least:] / (k * np.log(np.log(k)))
    return Found(float(ratios.max()) / math.exp(np.euler_gamma), f"k = {k[ratios.argmax()]}")


def in_service_gap(*, system: Mapping[str, Any], loads: Sequence[float]) -> float:
    """The largest relative gap between the mean number of jobs of need v in service, in the chain
    of ServerFilling, and λ E[X; V = v] (Appendix B.1.1)."""
    model = read_model({"system": system, "policy": "server-filling"})
    blocks = model.blocks()
    rigid = blocks.model.system
    expected = np.array(rigid.probabilities) / np.array(rigid.rates)
    gaps = []
    for load in loads:
        result = solve(blocks.at(model.arrival_rate(load)))
        served = blocks.mean(result, lambda front: _served(rigid, front))
        gaps.append(np.abs(served / (model.arrival_rate(load) * expected) - 1).max())
    return float(max(gaps))


def spread_that_bounds_allow(*, systems: Mapping[str, Mapping[str, Any]], load: float) -> float:
    """The factor by which E[T] over that of the M/G/1 may differ between the systems at `load`,
    from the bounds of Corollary 3.8 on ServerFilling alone: a factor near 1 proves that the policy
    is robust."""
    highest, lowest = [], []
    for system in systems.values():
        model = read_model({"system": system, "policy": "server-filling"})
        low, high = model.constants().at(model.arrival_rate(load)).response
        highest.append(high / model.pooled(load))
        lowest.append(low / model.pooled(load))
    return max(highest) / min(lowest)


def drift_limit(**model: Unpack[Queue]) -> float:
    """The load at which the drift of the exact chain changes its sign: 1 for a policy with an
    optimal stability region."""
    model = read_model(model)
    result = solve(model.blocks().at(model.arrival_rate(0.5)))
    return result.throughput_limit * model.mean_size


def _served(rigid: Any, front: tuple[tuple[int, ...], ...]) -> list[int]:
    """Jobs in service by class; needs differ, so a front is given by its jobs of each need."""
    # In decreasing order of need the front serves the first jobs that fill the servers.
    order = sorted(rigid.needs)
    jobs = [v for v, classes in zip(order, front, strict=True) for _ in classes][::-1]
    counts = Counter(jobs[i] for i in serve_exponential(rigid.servers, jobs))
    return [counts[v] for v in rigid.needs]


def full_fronts(needs: Sequence[int], room: int) -> Iterator[list[int]]:
    """All orders of jobs that need `room` servers together, and no fewer of the oldest do."""
    if room <= 0:
        yield []
        return
    for v in needs:
        for rest in full_fronts(needs, room - v):
            yield [v, *rest]
