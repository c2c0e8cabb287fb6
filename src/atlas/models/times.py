"""Waiting and response times of a queue, as config describes them: their groups of jobs, and the
probabilities of quantiles.

A group of jobs is a class, or `all`. Each job has two times: `waiting` until its start and
`response` until its departure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from atlas.fields.block import INCREASING, refusing, require, requirement
from atlas.fields.columns import Words
from atlas.fields.vocabulary import InnerProbability
from atlas.models.described_systems import FiniteSkipBlock
from atlas.models.finite_skip import methods
from atlas.models.policies import PolicyBlock
from atlas.models.systems import class_names
from multiserver.errors import NotKnownError
from multiserver.queue import Queue

TIMES = ("waiting", "response")
# The units of a quantile and of what it is a quantile of.
QUANTILE = {"class": Words("name"), "time": Words("name"), "probability": "1", "quantile": "s"}
QuantilesAt = Annotated[
    list[InnerProbability],
    Field(min_length=1, max_length=100, description="the probabilities p of the quantiles"),
    INCREASING,
]
KNOWN = "a policy under which the distribution of times is exact, as FCFS for durations with phases"
INSTEAD = "or the study simulated-time-quantiles, which is for every policy"


def distributed(queue: Queue) -> bool:
    """Whether a method gives the distribution of times exactly, given enough memory."""
    return bool(methods(queue, "distribution"))


class TimesBlock(FiniteSkipBlock):
    """A queue whose times have distributions that are known exactly."""

    policy: PolicyBlock = PolicyBlock(name="fcfs")

    @requirement
    def _distributed(self) -> None:
        known = distributed(self.queue)
        require(known, f"{self.policy.label} in this system", f"{KNOWN}, {INSTEAD}", "policy")


def require_distribution(queue: Queue, load: float) -> None:
    """Raise a misfit unless the distribution at a load is within reach."""
    with refusing(f"a smaller system, {INSTEAD}", "system", of=NotKnownError):
        queue.distribution(load=load)


def load_limit(queue: Queue) -> float:
    """The largest stable load or, if it is not known, a load from which on no policy is stable."""
    known = queue.stability().load_limit
    return queue.system.load(queue.highest_rate) if known is None else known


def require_stable(queue: Queue, load: float, at: str) -> None:
    """Raise a misfit if a queue is known not to be stable at a load."""
    limit = load_limit(queue)
    require(load < limit, f"a load of {load}", f"loads below {limit:.6g}, the limit", at)


def groups(found: Any) -> Iterator[tuple[str, Any]]:
    """The classes of a distribution, exact or simulated, by name, and all jobs."""
    yield from zip(class_names(len(found.by_class)), found.by_class, strict=True)
    yield "all", found


def quantiles(
    queue: Queue, probabilities: Sequence[float], **point: float
) -> dict[tuple[str, str, float], float]:
    """Exact quantiles (s) by class, time and probability, at an operating point."""
    return {
        (name, time, p): quantile
        for name, group in groups(queue.distribution(**point))
        for time in TIMES
        for p, quantile in zip(
            probabilities,
            getattr(group, f"{time}_time").quantile(np.array(probabilities)).tolist(),
            strict=True,
        )
    }
