"""What cannot be computed on any machine at hand, said before it is tried.

The exact solution of FCFS multiserver jobs holds dense matrices, one for each number of jobs; how
large they are follows from the needs alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Self

from pydantic import model_validator

from declared.block import require
from models.systems import SystemBlock
from multiserver.open.multiserver_jobs import LARGEST
from multiserver.open.phase_count import block_entries

MOST_STATES = 10_000_000
MOST_CELLS = 100_000_000_000


class SolvableBlock(SystemBlock):
    """A system of multiserver jobs whose exact solution under FCFS fits into memory."""

    @model_validator(mode="after")
    def _can_be_solved(self) -> Self:
        require_solvable(self.servers, self.needs)
        return self


def is_solvable(servers: int, needs: Sequence[int]) -> bool:
    """Whether the exact solution of FCFS is within reach."""
    return _entries(servers, tuple(needs)) <= LARGEST


def require_solvable(servers: int, needs: Sequence[int]) -> None:
    """Raise a misfit unless the exact solution of FCFS is within reach."""
    entries = _entries(servers, tuple(needs))
    size = f"{entries:.2g}" if entries < float("inf") else "far more"
    require(
        entries <= LARGEST,
        f"{servers} servers and needs {list(needs)}: matrices of {size} numbers",
        f"at most {LARGEST}: simulate it (simulated-response-time, simulated-classes), merge"
        " classes, or make one server of several",
        "needs",
    )


def require_states(servers: int, need_1: int, points: int) -> None:
    """Raise a misfit if a sweep over two-class systems of n/n1 + 1 states each would not end."""
    states = servers // need_1 + 1
    found = f"{states:.2g} states at each of {points} points"
    expected = f"at most {MOST_STATES:.0g} states and {MOST_CELLS:.0g} in all: fewer servers,"
    expected += " larger needs or fewer points"
    require(states <= MOST_STATES and states * points <= MOST_CELLS, found, expected, "servers")


@cache
def _entries(servers: int, needs: tuple[int, ...]) -> float:
    return block_entries(servers, needs)
