"""The fewest servers that meet a target for waiting or response times at a given arrival rate λ.

Under FCFS an extra server makes no job start later. The proof is by induction in order of arrival:
a job starts once the job before it has started and its servers are free, and neither happens later
with more servers. So every n above the smallest that meets the target meets it too, and the search
tries steps of doubling width, then bisects. Other policies need not be monotone
(`Policy.monotone_in_servers`). Nor is FCFS at a given load, where λ grows with n and the servers
left over, n mod need, vary as a saw tooth. So a `Sizing` gives two answers among the n tried: the
smallest that meets the target, and the smallest from which all larger ones do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from scipy.linalg import expm

from multiserver.bisection import bisect
from multiserver.checks import (
    LARGEST,
    as_float,
    members,
    require_among,
    require_integer,
    require_number,
)
from multiserver.errors import UnstableError
from multiserver.policies import require_policy
from multiserver.policies.policy import Policy
from multiserver.progress import Search
from multiserver.queue import Queue
from multiserver.system import JobClass, System, listed_classes
from multiserver.tables import Table

# Relative tolerance of P(X > t), and of the value of a target.
ROUNDING = 1e-12
# Where more servers change less than this part of what is missing, they never meet a target.
NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An upper bound `at_most` on a mean time, or on its quantile at the probability `quantile`
    (both in units of time), or, given `longer_than` t, on the probability P(time > t).

    `time` is "waiting" or "response"; it is that of class `job_class`, counted from 1, or of all
    jobs. Raises `ValueError` if both `quantile` and `longer_than` are given, or a value is invalid.
    """

    at_most: float
    time: Literal["waiting", "response"] = "response"
    quantile: float | None = None
    longer_than: float | None = None
    job_class: int | None = None

    def __post_init__(self) -> None:
        if self.time not in ("waiting", "response"):
            raise ValueError(f"time must be 'waiting' or 'response', found {self.time!r}")
        if self.quantile is not None and self.longer_than is not None:
            raise ValueError("a target is a quantile or P(time > longer_than), found both")
        if (p := self.quantile) is not None and not 0 < as_float(p) < 1:
            raise ValueError(f"quantile must lie in (0, 1), found {p!r}")
        for name in ("at_most", "longer_than"):
            value = getattr(self, name)
            if (value is not None or name == "at_most") and not 0 <= as_float(value) < math.inf:
                raise ValueError(f"{name} must be a finite number from 0 on, found {value!r}")
        if self.longer_than is not None and not as_float(self.at_most) <= 1:
            raise ValueError(f"at_most must be a probability, as 0.05 is; found {self.at_most!r}")
        for name in ("at_most", "quantile", "longer_than"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, as_float(value))
        if self.job_class is not None:
            require_integer("job_class", self.job_class)

    def __str__(self) -> str:
        time = f"{self.time} time" + (f" of class {self.job_class}" if self.job_class else "")
        if self.longer_than is not None:
            return f"P({time} > {self.longer_than:.6g}) ≤ {self.at_most:.6g}"
        what = "mean" if self.quantile is None else f"{self.quantile:.6g} quantile of the"
        return f"{what} {time} ≤ {self.at_most:.6g}"

    def is_met_by(self, value: float) -> bool:
        """Whether a value is at most `at_most`, but for rounding."""
        return value * (1 - ROUNDING) <= self.at_most

    def value(self, queue: Queue, arrival_rate: float) -> float:
        """The exact value to compare with `at_most`; infinite if the queue is not stable.

        Raises as `Queue.exact` and `Queue.distribution` do, and `ValueError` for no queue or class.
        """
        if not isinstance(queue, Queue):
            raise ValueError(f"queue must be one such as system.under(ms.FCFS), found {queue!r}")
        require_among("job_class", self.job_class or 1, len(queue.system.classes))
        mean = self.quantile is None and self.longer_than is None
        try:
            ask = queue.exact if mean else queue.distribution
            found: Any = ask(arrival_rate=require_number("arrival_rate", arrival_rate))
        except UnstableError:
            return math.inf
        group = found if self.job_class is None else found.by_class[self.job_class - 1]
        if mean:
            return float(getattr(group, f"mean_{self.time}_time"))
        distribution = getattr(group, f"{self.time}_time")
        if self.longer_than is not None:
            return distribution.sf(self.longer_than)
        # Where P(time = 0) is the probability, rounding makes a quantile of 0 a positive time.
        just = distribution.sf(self.at_most) <= (1 - self.quantile) * (1 + ROUNDING)
        return min(distribution.quantile(self.quantile), self.at_most if just else math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing(Table):
    """The numbers of servers `tried`, in increasing order, and for each the value of the `target`
    at λ = `arrival_rate`, in `values`."""

    policy: str
    target: Target
    arrival_rate: float
    tried: tuple[int, ...]
    values: tuple[float, ...]

    @property
    def smallest(self) -> int | None:
        """The smallest n tried that meets the target; None if none does."""
        return next((n for n, value in self._pairs() if self.target.is_met_by(value)), None)

    @property
    def from_here_on(self) -> int | None:
        """The smallest n tried from which all larger ones tried meet the target."""
        fails = [n for n, value in self._pairs() if not self.target.is_met_by(value)]
        return min((n for n in self.tried if not fails or n > max(fails)), default=None)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each number of servers: its `value`, infinite if the queue is not stable, and
        whether it `meets` the target."""
        meets = self.target.is_met_by
        return [{"servers": n, "value": v, "meets": meets(v)} for n, v in self._pairs()]

    def title(self) -> str:
        """The two answers in one line."""
        return (
            f"fewest servers under {self.policy} at λ = {self.arrival_rate:.6g} with {self.target}:"
            f" {self.smallest}; all tried from {self.from_here_on} on"
        )

    def cells(self) -> list[list[str]]:
        """The table as text: a line for each number of servers tried."""
        body = [[str(n), f"{value:.6g}", self._verdict(value)] for n, value in self._pairs()]
        return [["servers", "value", "meets"], *body]

    def _pairs(self) -> list[tuple[int, float]]:
        return list(zip(self.tried, self.values, strict=True))

    def _verdict(self, value: float) -> str:
        return "yes" if self.target.is_met_by(value) else "no" if value < math.inf else "not stable"


def fewest_servers(
    classes: Sequence[JobClass],
    target: Target,
    *,
    arrival_rate: float,
    policy: Policy,
    servers: Iterable[int] | None = None,
) -> Sizing:
    """The fewest servers for jobs of these `classes` that arrive at λ = `arrival_rate`.

    The numbers `servers` are tried if given. Otherwise the search starts at the first n that can
    carry the load. If the policy is monotone in servers, it bisects, past any n above the answer
    that is too large; if not, it tries every n until as many in a row meet the target as the
    largest need. An n for which the policy is not defined is skipped.
    Raises `NotKnownError` if the target's value is not known exactly, and `ValueError` if there are
    no classes or no numbers of servers, the target's class does not exist, λ is not positive, or
    the search would not end, as jobs that never wait do not meet the target or the policy is
    defined for no number of servers. Jobs with compatible servers or a degree need `servers`.

    >>> import multiserver as ms
    >>> jobs = [ms.JobClass(duration=ms.Exponential(rate=1.0))]
    >>> target = ms.Target(time="waiting", quantile=0.95, at_most=0.5)
    >>> ms.fewest_servers(jobs, target, arrival_rate=8.0, policy=ms.FCFS).smallest
    12
    """
    classes = listed_classes(classes)
    _check(classes, target, arrival_rate)
    require_policy(policy)
    arrival_rate = as_float(arrival_rate)
    values: dict[int, float] = {}
    search = Search()

    def meets(n: int) -> bool:
        if policy.lacks(system := System(n, classes)):
            return False
        values[n] = target.value(system.under(policy), arrival_rate)
        search.tell("fewest_servers: %d servers give %.6g", n, values[n])
        return target.is_met_by(values[n])

    if servers is not None:
        if not (numbers := members(servers)):
            raise ValueError(f"servers must be numbers to try, in a list; found {servers!r}")
        for n in numbers:
            meets(n)
    else:
        _require_possible(classes, target, policy)
        largest = max(job.servers for job in classes)
        smallest = System(largest, classes)
        first = max(largest, math.floor(arrival_rate * smallest.mean_size) + 1)
        if smallest.model in policy.monotone_in_servers:
            bisect(meets, first)
        else:
            _try_all(meets, values, first, largest, target)
    tried = tuple(sorted(values))
    found = tuple(values[n] for n in tried)
    return Sizing(
        policy=repr(policy), target=target, arrival_rate=arrival_rate, tried=tried, values=found
    )


def _check(classes: Sequence[JobClass], target: Target, arrival_rate: float) -> None:
    """Raise `ValueError` if these are no classes, no target for them or no rate."""
    if not isinstance(target, Target):
        raise ValueError(f"target must be one such as ms.Target(at_most=3), found {target!r}")
    require_among("job_class", target.job_class or 1, len(classes))
    if not 0 < as_float(arrival_rate) < math.inf:
        raise ValueError(f"arrival_rate must be a positive number, found {arrival_rate!r}")
    fewest = max(1 + max(c.compatible) if c.compatible else c.degree or c.servers for c in classes)
    System(fewest, classes)


def _require_possible(classes: Sequence[JobClass], target: Target, policy: Policy) -> None:
    """Raise `ValueError` unless some number of servers meets the target, as far as is known before
    any is tried."""
    if {job.use for job in classes} & {"compatible", "degree"}:
        raise ValueError(
            "which jobs a further server would serve is not known where jobs have compatible"
            " servers or a degree: name the numbers to try in `servers`"
        )
    if not _is_reachable(target, classes):
        some = "some jobs wait, however many servers there are"
        even = "even if no job waited it would not be met, or only just"
        reason = some if target.time == "waiting" else even
        raise ValueError(f"no number of servers meets {target}: {reason}")
    # What a large multiple of all needs lacks, every number lacks; as does the largest number of a
    # system, if no multiple is as small.
    options = [as_float(value) for value in policy.options.values()]
    many = 2 + math.ceil(max((x for x in options if x > 0), default=0))
    many = min(many * math.lcm(*(job.servers for job in classes)), int(LARGEST))
    if lacking := policy.lacks(System(many, classes)):
        raise ValueError(f"{policy!r} is for {lacking}, which no number of servers gives")


def _try_all(
    meets: Callable[[int], bool], values: dict[int, float], first: int, row: int, target: Target
) -> None:
    """Try every n ≥ `first` until `row` in a row meet the target. Raises `ValueError` once the last
    2 `row` of the `values` that `meets` finds hardly differ."""
    met = 0
    for n in count(first):
        met = met + 1 if meets(n) else met if n not in values else 0
        if met == row:
            return
        last = list(values.values())[-2 * row :]
        missing = min(last, default=math.inf) - target.at_most
        if len(last) == 2 * row and max(last) - min(last) < NEGLIGIBLE * missing:
            why = f"more than {n} change hardly anything, and the value is {last[-1]:.6g}"
            raise ValueError(f"no number of servers meets {target}: {why}")


def _is_reachable(target: Target, classes: Sequence[JobClass]) -> bool:
    """Whether jobs that hardly ever wait meet the target, as some always do; True for quantiles and
    P(T > t) of durations that are not phase-type, for which no exact method is known."""
    if target.time == "waiting":
        # However many servers there are, a job may wait, but P(W = 0) may be as large as one likes.
        return target.at_most > 0 or target.quantile is not None
    chosen = classes if target.job_class is None else [classes[target.job_class - 1]]
    shares = [(as_float(job.probability), job.duration) for job in chosen]
    total = math.fsum(p for p, _ in shares)
    if target.quantile is None and target.longer_than is None:
        mean = math.fsum(p * duration.mean for p, duration in shares) / total
        return mean * (1 + ROUNDING) < target.at_most
    time, allowed = target.longer_than, target.at_most
    if target.quantile is not None:
        time, allowed = target.at_most, 1 - target.quantile
    try:
        parts = [(p, *duration.phases()) for p, duration in shares]
    except ValueError:
        return True
    longer = math.fsum(p * float((alpha @ expm(T * time)).sum()) for p, alpha, T in parts)
    return longer / total < allowed * (1 - ROUNDING) or allowed >= 1
