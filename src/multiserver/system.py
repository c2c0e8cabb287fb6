"""A system: its servers, and the classes of the jobs that come to them.

Jobs arrive in a Poisson process; a job is of class c with probability p_c. The model is determined
by how jobs may use the servers:

===========================  =========  ====================================================
model                        servers    a job of class c
===========================  =========  ====================================================
`multiserver-jobs`           n          holds `need` v_c servers, all at once (rigid)
`threshold-parallelism`      n          uses any number of servers up to its `threshold` v_c
`heterogeneous`              speeds     uses one server, of any speed
`limited-processor-sharing`  1          shares the server; at most `limit` jobs do
`parallel-processing`        n, speeds  uses all of its `compatible` servers at once, or of
                                        `degree` servers drawn at random for it
===========================  =========  ====================================================

X_c, the `duration`, is the time that a job takes on the v_c servers that it can use, each of speed
1. In the last three models v_c = 1, and X_c is the size of the job. With S = v_c X_c, in
server-seconds, and n the total speed of the servers, *load* always means

    ρ = λ E[S]/n,    E[S] = Σ_c p_c v_c E[X_c]:

the share of the capacity that is at work if the queue is stable. No queue is stable for ρ ≥ 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multiserver.checks import (
    as_float,
    is_index,
    listed,
    members,
    require_integer,
    require_number,
    servers_or_speeds,
    summing_to_1,
)
from multiserver.sizes import Size

if TYPE_CHECKING:
    from multiserver.policies.policy import Policy
    from multiserver.queue import Queue

USES = ("need", "threshold", "compatible", "degree")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobClass:
    """Jobs of one kind: their duration X, their probability p, and the servers they use.

    At most one of `need`, `threshold`, `compatible` (indices of servers, from 0) and `degree` may
    be given; without any, a job needs one server. Raises `ValueError` unless the duration has a
    finite mean, 0 < p ≤ 1, and the numbers of servers are positive integers.

    >>> import multiserver as ms
    >>> ms.JobClass(need=4, duration=ms.Erlang(stages=3, rate=1.5), probability=0.1).demand
    8.0
    """

    duration: Size
    probability: float = 1.0
    need: int | None = None
    threshold: int | None = None
    compatible: frozenset[int] | None = None
    degree: int | None = None

    if TYPE_CHECKING:
        # The types accepted; the fields above have the types stored.
        def __init__(
            self,
            *,
            duration: Size,
            probability: float = 1.0,
            need: int | None = None,
            threshold: int | None = None,
            compatible: Collection[int] | None = None,
            degree: int | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.duration, Size):
            raise ValueError(
                "duration must be a distribution, such as ms.Exponential(rate=2),"
                f" found {self.duration!r}"
            )
        if not self.duration.mean < math.inf:
            raise ValueError(
                f"the mean of {self.duration!r} is infinite: no arrival rate is stable"
            )
        if not 0 < (p := as_float(self.probability)) <= 1:
            raise ValueError(
                f"probability must lie in (0, 1], found {self.probability!r}"
                " (leave out a class that never comes)"
            )
        object.__setattr__(self, "probability", p)
        uses = [name for name in USES if getattr(self, name) is not None]
        if len(uses) > 1:
            raise ValueError(f"a class has one of {', '.join(USES)}; found {' and '.join(uses)}")
        if not uses:
            object.__setattr__(self, "need", 1)
        elif uses == ["compatible"]:
            servers = members(given := self.compatible)
            if not servers or not all(map(is_index, servers)):
                raise ValueError(
                    f"compatible must be numbers of servers, from 0, in a set; found {given!r}"
                )
            # A row of 0 and 1, one a server, would be read as the servers 0 and 1.
            if len(set(servers)) < len(servers):
                raise ValueError(f"compatible must name each server once, found {given!r}")
            object.__setattr__(self, "compatible", frozenset(map(int, servers)))
        else:
            # Plain integers: those of numpy may overflow.
            object.__setattr__(self, uses[0], require_integer(uses[0], getattr(self, uses[0])))

    def __repr__(self) -> str:
        rest = f"duration={self.duration!r}, probability={self.probability!r}"
        return f"JobClass({self.use}={getattr(self, self.use)!r}, {rest})"

    @property
    def use(self) -> str:
        """How its jobs use servers: the name of the field that is set."""
        return next(name for name in USES if getattr(self, name) is not None)

    @property
    def servers(self) -> int:
        """v: the number of servers in the demand v X; 1 for `compatible` and `degree`."""
        return self.need or self.threshold or 1

    @property
    def demand(self) -> float:
        """E[v X] in server-seconds."""
        return self.servers * self.duration.mean


@dataclass(frozen=True, slots=True)
class System:
    """Servers (their number, or the speed of each) and classes of jobs.

    With `limit` it is a single server shared by at most `limit` jobs. Raises `ValueError` unless
    the classes use servers in the same way, fit the servers, and have probabilities that sum to 1.

    >>> import multiserver as ms
    >>> system = ms.System(servers=4, classes=[
    ...     ms.JobClass(need=4, duration=ms.Exponential(rate=1.0), probability=0.25),
    ...     ms.JobClass(need=1, duration=ms.Exponential(rate=0.5), probability=0.75)])
    >>> system.model, system.mean_size, system.arrival_rate(load=0.5)
    ('multiserver-jobs', 2.5, 0.8)
    >>> round(system.under(ms.ServerFilling).exact(load=0.5).mean_jobs, 9)
    2.01549018
    """

    servers: int | tuple[float, ...]
    classes: tuple[JobClass, ...]
    limit: int | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            servers: int | Iterable[float],
            classes: Iterable[JobClass],
            limit: int | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", listed_classes(self.classes))
        object.__setattr__(self, "servers", servers_or_speeds(self.servers))
        if self.limit is not None:
            object.__setattr__(self, "limit", require_integer("limit", self.limit))
        object.__setattr__(self, "classes", summing_to_1(self.classes))
        uses = {c.use for c in self.classes}
        if len(uses) > 1 and uses != {"compatible", "degree"}:
            raise ValueError(f"classes must use servers alike, found {' and '.join(sorted(uses))}")
        _CHECKS[self.model](self)

    def __repr__(self) -> str:
        limit = "" if self.limit is None else f", limit={self.limit!r}"
        return f"System(servers={self.servers!r}, classes={list(self.classes)!r}{limit})"

    @property
    def model(self) -> str:
        """The name of the model: a row of the table above."""
        uses = {c.use for c in self.classes}
        if self.limit is not None:
            return "limited-processor-sharing"
        if uses & {"compatible", "degree"}:
            return "parallel-processing"
        if "threshold" in uses:
            return "threshold-parallelism"
        return "heterogeneous" if isinstance(self.servers, tuple) else "multiserver-jobs"

    @property
    def speeds(self) -> tuple[float, ...]:
        """The speed of each server; 1 if only their number was given."""
        return self.servers if isinstance(self.servers, tuple) else (1.0,) * self.servers

    @property
    def capacity(self) -> float:
        """n, the total speed: their number, if all servers have speed 1."""
        return math.fsum(self.servers) if isinstance(self.servers, tuple) else float(self.servers)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """p_c, class by class."""
        return tuple(c.probability for c in self.classes)

    @property
    def durations(self) -> tuple[Size, ...]:
        """X_c, class by class."""
        return tuple(c.duration for c in self.classes)

    @property
    def needs(self) -> tuple[int, ...]:
        """v_c, class by class: needs, thresholds, or 1."""
        return tuple(c.servers for c in self.classes)

    @property
    def mean_size(self) -> float:
        """E[S] = Σ_c p_c v_c E[X_c] in server-seconds."""
        return math.fsum(
            p * c.demand for p, c in zip(self.probabilities, self.classes, strict=True)
        )

    def arrival_rate(self, load: float) -> float:
        """λ = ρ n/E[S] in jobs per unit of time. Raises `ValueError` unless ρ is a number
        from 0 on."""
        return require_number("load", load, 0) * self.capacity / self.mean_size

    def load(self, arrival_rate: float) -> float:
        """ρ = λ E[S]/n. Raises `ValueError` unless λ is a number from 0 on."""
        return require_number("arrival_rate", arrival_rate, 0) * self.mean_size / self.capacity

    def under(self, policy: Policy) -> Queue:
        """This system under a policy, which must be defined for it (else `ValueError`)."""
        # The only upward import, so that code can read `system.under(policy)`. Letting `queue`
        # register itself here would make `under` fail until `queue` has been imported.
        from multiserver.queue import Queue

        return Queue(self, policy)


def listed_classes(classes: Iterable[JobClass]) -> tuple[JobClass, ...]:
    """The classes as a tuple. Raises `ValueError` unless they are a list of one class or more."""
    found = members(classes)
    if not found or not all(isinstance(c, JobClass) for c in found):
        given = classes if found is None else found
        raise ValueError(f"classes must be one ms.JobClass or more, in a list; found {given!r}")
    return found


def _check_equal_servers(system: System) -> None:
    if isinstance(system.servers, tuple):
        raise ValueError(f"servers must be a number in {system.model}, found speeds")
    for c in system.classes:
        if c.servers > system.servers:
            why = "no job can use more" if c.use == "threshold" else "such a job never starts"
            raise ValueError(f"{c.use} {c.servers} exceeds the {system.servers} servers: {why}")


def _check_heterogeneous(system: System) -> None:
    if len(system.classes) > 1 or system.needs != (1,):
        raise ValueError(
            "servers of different speeds take one class of jobs of one server each (or compatible"
            f" servers), found {len(system.classes)} classes of needs {listed(system.needs)}"
        )


def _check_limited(system: System) -> None:
    one = len(system.classes) == 1 and system.classes[0].use == "need" and system.needs == (1,)
    if system.servers != 1 or not one:
        raise ValueError(
            "limited processor sharing has one server and one class of jobs that need it, found"
            f" servers = {system.servers!r} and {len(system.classes)} classes of needs"
            f" {listed(system.needs)}"
        )


def _check_parallel(system: System) -> None:
    # Servers that are only numbered may be too many to list.
    size = len(system.servers) if isinstance(system.servers, tuple) else system.servers
    for c in system.classes:
        if (c.degree or 0) > size or (c.compatible and max(c.compatible) >= size):
            raise ValueError(
                f"the servers are 0 … {size - 1}, found {c.use} = {getattr(c, c.use)!r}"
            )


_CHECKS = {
    "multiserver-jobs": _check_equal_servers,
    "threshold-parallelism": _check_equal_servers,
    "heterogeneous": _check_heterogeneous,
    "limited-processor-sharing": _check_limited,
    "parallel-processing": _check_parallel,
}
