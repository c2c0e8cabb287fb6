"""What a policy is to the library: a name, a definition, and what is known of it.

A *method* answers one question about the queues of one model under one policy. It has a name, the
conditions under which it applies, what it costs and where it is proved; `answer` does the work. The
questions, and what `answer` takes and gives:

============  =====================================================================
question      answer(system, …)
============  =====================================================================
`capacity`    a `Limit` that no policy exceeds, a question to the model (`policies.capacity`)
`stability`   a `Limit`, given `relative_completions`, whether these are wanted too; a `sampled`
              method takes `half_width` and `seed` as well
`exact`       a function of λ that gives `Means` of plain numbers
`bounds`      a function of λ that gives `Means` of intervals
`simulation`  a function of λ and an `Effort` that gives `Means` of estimates
============  =====================================================================

Methods of one question stand in order of cost: the first that applies is taken; of the exact ones,
the first whose means are good to `PRECISE`, or the best if none are (`multiserver.exactness`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from multiserver.simulation.estimate import Estimate
from multiserver.system import System
from multiserver.wcfs.bounds import Interval

# Relative; where exact means are worse, the result says so.
PRECISE = 1e-9
Question = Literal["capacity", "stability", "exact", "bounds", "simulation"]
# A number, bounds on it, or an estimate of it.
Value = float | Interval | Estimate


class Limit(NamedTuple):
    """λ* (jobs per unit of time) and, None where not found, the servers idle on average at λ* while
    jobs wait, and E[Δ(Y_d)]. `note` adds to the method's name."""

    arrival_rate: float
    wastage: float | None = None
    relative_completions: float | None = None
    note: str = ""
    estimate: Estimate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a method found at one arrival rate; None where it does not tell.

    `class_times` are E[T_c] and `class_jobs` E[N_c], in the order of the system's classes; `times`
    and `jobs` are over all of them. `waiting` is E[Q], the jobs not in service; `busy` the mean
    number of servers (or speed) at work; `tail(k)` is P(N > k). `note` adds to the method's name,
    `counts` is what a simulator counted, replication by replication. `imprecision` is the relative
    error that an exact method sees in itself, within a factor of about ten; 0 of a closed form.
    """

    times: Value | None = None
    jobs: Value | None = None
    class_times: tuple[Value | None, ...] | None = None
    class_jobs: tuple[Value | None, ...] | None = None
    waiting: Value | None = None
    busy: Value | None = None
    tail: Callable[[int], Value] | None = None
    note: str = ""
    counts: Any = None
    imprecision: float = 0.0


@dataclass(frozen=True, slots=True)
class Effort:
    """R `replications` that simulate `jobs` jobs together; each leaves out its first, a share
    `warm_up`, and draws from the stream of `seed`, `key` and r. `stable_below` is λ*, None if it
    is not known."""

    jobs: int
    seed: int
    replications: int
    warm_up: float
    confidence: float
    key: tuple[int, ...]
    stable_below: float | None = None

    @property
    def jobs_each(self) -> int:
        """Jobs of one replication, those of the warm-up included."""
        return math.ceil(self.jobs / self.replications)


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that must hold of a system, in words, and whether it does."""

    text: str
    holds: Callable[[System], bool]


def _unmet(conditions: Iterable[Condition], system: System) -> str:
    return " and ".join(c.text for c in conditions if not c.holds(system))


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to one answer; see above. `source` names a paper as the documentation cites it.

    `basis(system, …)` is what the answer rests on, where that can be looked at: the `Process` that
    is solved exactly, the `Constants` of bounds. `sampled` says that a limit is simulated.
    """

    question: Question
    name: str
    source: str
    cost: str
    answer: Callable[..., Any]
    conditions: tuple[Condition, ...] = ()
    basis: Callable[..., Any] | None = None
    sampled: bool = False

    @property
    def range(self) -> str:
        """The conditions in words."""
        return "; ".join(c.text for c in self.conditions) or "all"

    def lacks(self, system: System) -> str:
        """The conditions that do not hold, in words; empty if the method applies."""
        return _unmet(self.conditions, system)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A rule that says who is served, and what is known of it.

    `definition` says it with its ties, and `preemptive` whether it ever interrupts a job that is in
    service (with exponential durations of one mean, parallel processing may be read either way).
    `methods` are those of each model for which it is defined, of systems that meet the conditions
    in `requires`; `options` are its parameters. Calling a policy gives the same policy with other
    options. Raises `ValueError` on an option that it has not.

    >>> import multiserver as ms
    >>> ms.RandomInterruptions(per_job=3.0)
    random-interruptions(per_job=3.0)
    """

    name: str
    definition: str
    preemptive: bool
    methods: Mapping[str, tuple[Method, ...]]
    requires: Mapping[str, tuple[Condition, ...]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, **options: Any) -> Policy:
        for name in options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"the options of {self.name} are {known}; found {name!r}")
        return replace(self, options={**self.options, **options})

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.name}({options})" if options else self.name

    @property
    def models(self) -> tuple[str, ...]:
        """The models for which it is defined."""
        return tuple(self.methods)

    def lacks(self, system: System) -> str:
        """What a system of one of its models lacks for it, in words; empty if nothing.

        >>> import multiserver as ms
        >>> jobs = [ms.JobClass(need=2, duration=ms.Exponential(rate=1.0))]
        >>> ms.ServerFilling.lacks(ms.System(servers=3, classes=jobs))
        'needs that divide each other and the servers'
        """
        return _unmet(self.requires.get(system.model, ()), system)

    def of(self, model: str, question: Question | None = None) -> tuple[Method, ...]:
        """Its methods for a model, in order of cost; those of one question, or all."""
        return tuple(m for m in self.methods[model] if question in (None, m.question))
