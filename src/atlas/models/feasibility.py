"""Checks, before a computation starts, that it is not too large.

The exact solution of FCFS multiserver jobs holds dense matrices, one for each number of jobs; their
sizes follow from the needs alone. For other finite-skip models they follow from the fronts, which
are enumerated until they are too many. Networks hold tables over the numbers of permanent jobs and
the sets of classes of a queue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from atlas.fields.block import misfit, refusing, require, requirement
from atlas.models.systems import SystemBlock, TwoNeedsBlock
from multiserver.errors import NotKnownError, TooLargeError
from multiserver.open import elastic
from multiserver.open.multiserver_jobs import MAX_BLOCK_ENTRIES
from multiserver.open.phase_count import block_entries
from multiserver.queue import Queue
from multiserver.saturated import chain as saturated
from multiserver.sharing import chain, networks
from multiserver.sharing.queue import MultiServerQueue

SIMULATE = "or the study simulated-policy, which needs no exact solution"
MOST_STATES = 10_000_000
MOST_CELLS = 100_000_000_000

_entries = cache(block_entries)


class SolvableBlock(SystemBlock):
    """A system of multiserver jobs whose exact solution under FCFS fits into memory."""

    @requirement
    def _can_be_solved(self) -> None:
        require_solvable(self.servers, self.needs)


class SweptBlock(TwoNeedsBlock):
    """Two-class systems whose saturated states are within reach at all `points`."""

    @requirement
    def _is_within_reach(self) -> None:
        require_states(self.servers, self.needs[0], self.solved_points)

    @property
    def solved_points(self) -> int:
        """At how many points the states are computed."""
        return getattr(self, "points", 1)


def is_solvable(servers: int, needs: Sequence[int]) -> bool:
    """Whether the exact solution of FCFS is within reach."""
    return _entries(servers, tuple(needs)) <= MAX_BLOCK_ENTRIES


def require_solvable(servers: int, needs: Sequence[int]) -> None:
    """Raise a misfit unless the exact solution of FCFS is within reach."""
    entries = _entries(servers, tuple(needs))
    size = f"{entries:.2g}" if entries < float("inf") else "far more"
    require(
        entries <= MAX_BLOCK_ENTRIES,
        f"{servers} servers and needs {list(needs)}: matrices of {size} numbers",
        f"at most {MAX_BLOCK_ENTRIES}: simulate it (simulated-response-time, simulated-classes),"
        " merge classes, or make one server of several",
        "needs",
    )


def require_front(queue: Queue) -> None:
    """Raise a misfit if a finite-skip model has a chain of the front that is out of reach."""
    try:
        queue.process()
    except NotKnownError as error:
        if isinstance(error.__cause__, TooLargeError):
            expected = "a smaller front: fewer servers or classes, or sizes of fewer phases; "
            found = f"{queue.policy.name}: {error.__cause__}"
            raise misfit(found, expected + SIMULATE, "system") from None


def require_levels(jobs: elastic.ElasticInelastic, load: float) -> None:
    """Raise a misfit unless the chain of elastic and inelastic jobs is within reach."""
    try:
        elastic.truncation(jobs, load / jobs.mean_size)
    except TooLargeError as error:
        expected = f"fewer servers or a lower load; {SIMULATE}"
        raise misfit(f"{jobs.first}-first: {error}", expected, "highest_load") from None


def require_enumerable(servers: int, needs: Sequence[int], *at: str | int) -> None:
    """Raise a misfit unless the saturated chain can be enumerated."""
    with refusing("fewer servers, larger needs or fewer classes", *at, of=TooLargeError):
        saturated.possible_counts(servers, np.array(needs))


def require_means(
    queues: Sequence[MultiServerQueue], populations: Sequence[int], *at: str | int
) -> None:
    """Raise a misfit unless the exact means of a network are within reach."""
    expected = "fewer permanent jobs, or classes with the same servers made one"
    with refusing(expected, *at, of=TooLargeError):
        networks.require_fits(queues, populations)


def require_chain(network: networks.Network, most: int) -> None:
    """Raise a misfit unless the chain of a network, job by job, is within reach."""
    states = chain.count_states(network, most)
    found = f"a chain of {'more' if states == math.inf else f'{states:.2g}'} states"
    expected = f"at most {chain.MOST_STATES:.2g}: fewer jobs (`most`, populations) or classes; the"
    expected += " study network-means needs no chain"
    require(states <= chain.MOST_STATES, found, expected, "most")


def require_states(servers: int, need_1: int, points: int) -> None:
    """Raise a misfit if a sweep over two-class systems of n/n1 + 1 states each is too large."""
    states = servers // need_1 + 1
    found = f"{states:.2g} states at each of {points} points"
    expected = f"at most {MOST_STATES:.0g} states and {MOST_CELLS:.0g} in all: fewer servers,"
    expected += " larger needs or fewer points"
    require(states <= MOST_STATES and states * points <= MOST_CELLS, found, expected, "servers")
