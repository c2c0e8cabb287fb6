"""Work and service of the front, from exact chains: the quantities in the proof of Theorem 3.3.

In a state s of a finite-skip chain W(s) is the expected work at the front and B(s) its service
rate; a job in the queue has expected work E[S] (`finite-skip`, Section 2.3). Both are computed from
the phases of the jobs and the rule of the model, not from its transitions, so that Eq. (2) relates
quantities that are computed independently. A `system` and a `policy` are those of the studies;
loads are ρ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from atlas.claims import Found, Queue
from atlas.claims.finite_skip import jobs_at_front
from atlas.models.finite_skip import Model, read_model
from multiserver.open.finite_skip import Front, FrontBlocks
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.qbd import solve
from multiserver.open.server_filling import DivisibleServerFilling, ServerFilling
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.sizes import Size
from multiserver.wcfs.bounds import pooled_work

ROUTE = "exact chain of the front, work and service read from the phases of the jobs"
CONFIRMED = "simulation of the front (rows simulated-in-bounds); sums over states apart"
GROUP = "finite_skip_proofs"

Work = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Means:
    """E[W], E[W_Q], E[W (1 − B)], E[B], E[T_Q] and E[T_F]."""

    work: float
    queued_work: float
    idle_work: float
    busy: float
    queueing: float
    front: float

    @property
    def response(self) -> float:
        """E[T]."""
        return self.queueing + self.front


def equation_2_gap(*, loads: Sequence[float], **model: Unpack[Queue]) -> float:
    """The largest relative gap between the sides of Eq. (2) over the loads."""
    model = read_model(model)
    gaps = []
    for load, found in _over(model, loads):
        pooled = pooled_work(model.arrival_rate(load), model.mean_size, model.second_moment)
        gaps.append(abs(found.work / (found.idle_work / (1 - load) + pooled) - 1))
    return max(gaps)


def busy_gap(*, loads: Sequence[float], **model: Unpack[Queue]) -> float:
    """The largest |E[B]/ρ − 1| over the loads."""
    found = _over(read_model(model), loads)
    return max(abs(means.busy / load - 1) for load, means in found)


def slack_of_equation_1(*, loads: Sequence[float], **model: Unpack[Queue]) -> list[float]:
    """The least of E[T_Q] − (E[W] − w_nonfull) and of E[W] − E[T_Q] over the loads, with w_nonfull
    as printed: both are 0 or more by Eq. (1)."""
    model = read_model(model)
    most = model.constants().nonfull_work
    rows = [
        (found.queueing - found.work + most, found.work - found.queueing)
        for _, found in _over(model, loads)
    ]
    return np.min(rows, axis=0).tolist()


def slack_of_work_bounds(*, loads: Sequence[float], **model: Unpack[Queue]) -> list[float]:
    """The least of w_nonbusy − E[W (1 − B)]/(1 − ρ) and of E[W] − λE[S²]/(2(1 − ρ)) over the loads,
    with w_nonbusy over the states of the chain: both are 0 or more."""
    most = constants(**model)[1]
    model = read_model(model)
    rows = []
    for load, found in _over(model, loads):
        pooled = pooled_work(model.arrival_rate(load), model.mean_size, model.second_moment)
        rows.append((most - found.idle_work / (1 - load), found.work - pooled))
    return np.min(rows, axis=0).tolist()


def queued_work_times_slack(*, loads: Sequence[float], **model: Unpack[Queue]) -> list[float]:
    """(1 − ρ) E[W_Q] / (E[S²]/(2 E[S])) at the loads: finite, with the limit 1 as ρ → 1."""
    model = read_model(model)
    scale = model.second_moment / (2 * model.mean_size)
    return [(1 - load) * found.queued_work / scale for load, found in _over(model, loads)]


def slack_of_excess(*, loads: Sequence[float], **model: Unpack[Queue]) -> Found:
    """The smallest distances, over the loads, of E[T] − E[T^{M/G/1}] above c1 = −w_nonfull and
    below c2 = w_nonbusy + E[S]/r_min − E[S]."""
    model = read_model(model)
    constants = model.constants()
    excess = [found.response - model.pooled(load) for load, found in _over(model, loads)]
    most = constants.nonbusy_work + model.mean_size * (1 / constants.service_to_number - 1)
    least = -constants.nonfull_work
    at = f"{min(excess):.4g} to {max(excess):.4g} between {least:.4g} and {most:.4g}"
    return Found(min(min(excess) - least, most - max(excess)), at)


def least_over_pooled(*, loads: Sequence[float], **model: Unpack[Queue]) -> Found:
    """The least E[T]/E[T^{M/G/1}] over the loads."""
    model = read_model(model)
    ratios = {load: found.response / model.pooled(load) for load, found in _over(model, loads)}
    best = min(ratios, key=ratios.__getitem__)
    return Found(ratios[best], f"ρ = {best:g}")


def pooled_formula_gap(*, size: Mapping[str, Any], loads: Sequence[float]) -> float:
    """The largest relative gap between the formula for E[T^{M/G/1}] and the chain of one server."""
    system = {"limited-processor-sharing": {"limit": 1, "sizes": [size]}}
    model = read_model({"system": system, "policy": "equal-shares"})
    found = _over(model, loads)
    return max(abs(means.response / model.pooled(load) - 1) for load, means in found)


def rate_of_work(**model: Unpack[Queue]) -> list[float]:
    """The least and the largest ratio of dW/dt to B over all fronts with a job, between arrivals.

    dW/dt is the mean change per unit of time through all events except arrivals, with an empty
    queue.
    """
    blocks = read_model(model).blocks()
    model = blocks.model
    ratios = []
    for front in (f for fronts in blocks.fronts for f in fronts if sum(model.counts(f))):
        work, busy = _work_and_service(model, front)
        change = sum(
            rate * (_work_and_service(model, model.at_rest(after))[0] - work)
            for rate, after, _ in model.events(front)
        )
        ratios.append(change / busy)
    return [min(ratios), max(ratios)]


def constants(**model: Unpack[Queue]) -> list[float]:
    """w_nonfull, w_nonbusy and r_min over all states of the chain."""
    rule, known = _fronts(read_model(model))
    jobs = {f: sum(rule.counts(f)) for f, *_ in known}
    return [
        max(w for f, w, _ in known if not rule.is_full(f)),
        max(w for _, w, busy in known if busy < 1 - 1e-12),
        min(busy / jobs[f] for f, _, busy in known if jobs[f]),
    ]


def least_service_when_full(**model: Unpack[Queue]) -> Found:
    """The least B over all full states of the chain: if it is 1, w_nonbusy is over fewer states
    than w_nonfull, and no larger."""
    rule, known = _fronts(read_model(model))
    nonfull, nonbusy, _ = constants(**model)
    at = f"w_nonfull = {nonfull:.4g}, w_nonbusy = {nonbusy:.4g}"
    return Found(min(busy for f, _, busy in known if rule.is_full(f)), at)


def work_constants(**model: Unpack[Queue]) -> list[float]:
    """w_nonfull and w_nonbusy over all states of the chain, in units of the printed values; if 0 is
    printed for w_nonbusy, its value itself."""
    printed = read_model(model).constants()
    nonfull, nonbusy, _ = constants(**model)
    return [
        nonfull / printed.nonfull_work,
        nonbusy / printed.nonbusy_work if printed.nonbusy_work else nonbusy,
    ]


def service_constants(**model: Unpack[Queue]) -> list[float]:
    """r_min over all states of the chain, in units of the printed value and of b_min/n."""
    rule, known = _fronts(read_model(model))
    *_, ratio = constants(**model)
    largest = max(sum(rule.counts(f)) for f, *_ in known)
    slowest = min(busy for f, _, busy in known if any(rule.counts(f)))
    printed = read_model(model).constants()
    return [ratio / printed.service_to_number, ratio * largest / slowest]


def _fronts(model: Model) -> tuple[Any, list[tuple]]:
    """The rule of the front, and all fronts with their W and B."""
    blocks = model.blocks()
    fronts = dict.fromkeys(f for level in blocks.fronts for f in level)
    return blocks.model, [(f, *_work_and_service(blocks.model, f)) for f in fronts]


def _over(model: Model, loads: Sequence[float]) -> list[tuple[float, _Means]]:
    blocks = model.blocks()
    return [(load, _means(blocks, model.arrival_rate(load), model.mean_size)) for load in loads]


def _means(blocks: FrontBlocks, arrival_rate: float, mean_size: float) -> _Means:
    result = solve(blocks.at(arrival_rate))
    front_work = idle_work = busy = 0.0
    for mass, fronts in zip((*result.boundary, result.above), blocks.fronts, strict=True):
        known = np.array([_work_and_service(blocks.model, front) for front in fronts])
        W, B = known.T
        # A front that is not busy is not full, so no work waits behind it.
        idle_work += mass @ (W * (1 - B))
        front_work += mass @ W
        busy += mass @ B
    jobs = jobs_at_front(blocks, result)
    queued = result.mean_jobs - jobs
    return _Means(
        work=float(front_work + queued * mean_size),
        queued_work=float(queued * mean_size),
        idle_work=float(idle_work),
        busy=float(busy),
        queueing=float(queued / arrival_rate),
        front=float(jobs / arrival_rate),
    )


def _work_and_service(model: Any, front: Front) -> Work:
    """W and B of a front, in capacity times time and as a share of capacity."""
    return _RULES[type(model)](model, front)


def _remaining(size: Size) -> NDArray[np.float64]:
    """Mean remaining size in each phase, (−T)⁻¹ 1."""
    _, T = size.phases()
    return np.linalg.solve(-T, np.ones(len(T)))


def _shared(model: LimitedProcessorSharing, front: tuple[int, ...]) -> Work:
    return float(np.dot(front, _remaining(model.size))), float(sum(front) > 0)


def _heterogeneous(model: HeterogeneousServers, front: tuple[int, ...]) -> Work:
    return float(_remaining(model.size)[list(front)].sum()), sum(model.speeds[: len(front)])


def _threshold(model: ThresholdParallelism, front: tuple[tuple[int, ...], int]) -> Work:
    counts, newest = front
    kinds = [(c, m) for c, size in enumerate(model.sizes) for m in _remaining(size)]
    jobs = [u + (kind == newest) for kind, u in enumerate(counts)]
    demand = sum(u * model.thresholds[c] for u, (c, _) in zip(jobs, kinds, strict=True))
    work = sum(u * m for u, (_, m) in zip(jobs, kinds, strict=True))
    return float(work), min(demand, model.servers) / model.servers


def _filling(model: Any, front: tuple, total: Callable[[Iterable[int]], int] = sum) -> Work:
    """Of jobs of all needs, which fill servers together, or of one need alone (`max`)."""
    n, system = model.system.servers, model.system
    jobs = list(zip(model.counts(front), system.needs, system.rates, strict=True))
    filled = total(u * v for u, v, _ in jobs)
    return sum(u * v / rate for u, v, rate in jobs) / n, min(filled, n) / n


_RULES: dict[type, Callable[[Any, Any], Work]] = {
    LimitedProcessorSharing: _shared,
    HeterogeneousServers: _heterogeneous,
    ThresholdParallelism: _threshold,
    ServerFilling: _filling,
    DivisibleServerFilling: partial(_filling, total=max),
}
