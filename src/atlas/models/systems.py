"""A system of multiserver jobs, in config and as an object of the library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from atlas.fields.block import Block, misfit, refusing, require, requirement
from atlas.fields.vocabulary import (
    HalfWidth,
    Jobs,
    Needs,
    Probabilities,
    Rates,
    Replications,
    Seed,
    Servers,
    StreamKey,
    Text,
    TwoNeeds,
    TwoRates,
)
from multiserver.model import MultiserverJobSystem
from multiserver.sizes import Size
from multiserver.system import JobClass, System

# Shares of jobs sum to less than this, and a log has more jobs.
FEW = 1.5
CPUS = "; needs are CPUs here, and nodes if `trace` says need: nodes"


class SystemBlock(Block):
    """n servers and the classes of the jobs that arrive at them."""

    servers: Servers
    needs: Needs
    rates: Rates
    probabilities: Probabilities

    @requirement
    def _exists(self) -> None:
        with refusing("a system that can exist (from servers, needs, rates, probabilities)"):
            _ = self.system

    @property
    def system(self) -> MultiserverJobSystem:
        """The system as the library knows it."""
        return MultiserverJobSystem.of(self.servers, self.needs, self.rates, self.probabilities)


class TwoNeedsBlock(Block):
    """n servers and two needs, whatever the rates and the mix."""

    servers: Servers
    needs: TwoNeeds

    @requirement
    def _fit(self) -> None:
        require_room(self.servers, self.needs)


class TwoClassBlock(TwoNeedsBlock):
    """n servers, two needs and their rates, whatever the mix."""

    rates: TwoRates


class SimulatedBlock(Block):
    """How long a series is simulated, and from which seed."""

    jobs: Jobs
    seed: Seed
    replications: Replications = 32
    stream: StreamKey = None

    def effort(self) -> dict[str, Any]:
        """The keyword arguments of simulators, without the key."""
        return self.model_dump(include={"jobs", "replications", "seed"})


class PilotedBlock(SimulatedBlock):
    """A simulated series in which a pilot run sets the length of each point
    (`multiserver.pilot`)."""

    half_width: HalfWidth = 0.0

    def effort(self) -> dict[str, Any]:
        """The keyword arguments of `Queue.simulate`, without the key."""
        return super().effort() | {"half_width": self.half_width or None}


Systems = Annotated[
    dict[Text, SystemBlock], Field(min_length=1, max_length=1000, description="systems, by name")
]


def class_names(count: int) -> list[str]:
    """The names of so many classes, `class-1` first."""
    return [f"class-{c}" for c in range(1, count + 1)]


def require_room(servers: int, needs: Sequence[int], at: str = "needs") -> None:
    """Raise a misfit, at a key, if a job could never start."""
    largest = max(needs)
    require(
        largest <= servers,
        f"need {largest} exceeds the {servers} servers: such a job never starts",
        "needs of at most all servers",
        at,
    )


def require_servers(
    largest: int,
    servers: int,
    *at: str | int,
    unrounded: int | None = None,
    which: str = "",
) -> None:
    """Raise a misfit, at the number of servers, if a job of the largest need could never start.
    It is `unrounded` before needs are rounded up to powers of two, if they are; `which` says which
    jobs there are of such needs."""
    rounded = unrounded not in (None, largest)
    need = f"{unrounded}, rounded up to the power of two {largest}," if rounded else f"{largest}"
    if largest > servers:
        found = f"need {need} exceeds {servers} servers: such a job never starts{which}"
        other = ", or rounding: none" if rounded and unrounded <= servers else ""
        raise misfit(found, f"servers for the largest need{other}", *at)


def tell_wide(
    needs: NDArray[np.float64],
    jobs: NDArray[np.float64],
    work: NDArray[np.float64],
    servers: int,
    *,
    by_cpus: bool,
) -> str:
    """How many jobs need more than all servers, or which share of them, and their share of the
    work; nothing if none does. `jobs` are the numbers of jobs, or their shares, and `work` their
    server-seconds. `by_cpus` says that needs are CPUs because config did not choose."""
    wide = needs > servers
    if not wide.any():
        return ""
    number, total = jobs[wide].sum(), jobs.sum()
    many = f"{100 * number:.3g} % of the" if total < FEW else f"{number:.0f} of {total:.0f}"
    share = 100 * work[wide].sum() / work.sum()
    return f"; {many} jobs need more than {servers}, with {share:.3g} % of the work{CPUS * by_cpus}"


def require_existing(servers: int, sets: Sequence[Sequence[int]], *at: str | int) -> None:
    """Raise a misfit, at the number of the server, unless the servers of each class, which are
    numbered from 1, are among so many."""
    for i, own in enumerate(sets):
        for k, server in enumerate(own):
            found = f"server {server} of {servers}"
            require(server <= servers, found, f"numbers of 1 to {servers}", *at, i, k)


def require_equal(**columns: Iterable) -> None:
    """Raise a misfit unless all have the same length."""
    counts = {name.replace("_", " "): len(list(column)) for name, column in columns.items()}
    found = ", ".join(f"{count} {name}" for name, count in counts.items())
    require(len(set(counts.values())) == 1, found, "equally many, one a class")


def with_sizes(system: MultiserverJobSystem, sizes: Sequence[Size]) -> System:
    """The system with these durations, class by class, as a `System` for policies."""
    rows = zip(system.needs, sizes, system.probabilities, strict=True)
    classes = [JobClass(need=v, duration=X, probability=p) for v, X, p in rows]
    return System(system.servers, classes)
