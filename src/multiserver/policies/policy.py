"""What a policy is to the library: a name, a definition, and what is known of it.

A *method* answers one question about the queues of one model under one policy. It has a name, the
conditions under which it applies, what it costs and where it is proved; `answer` does the work. The
questions, and what `answer` takes and gives:

==============  ===================================================================
question        answer(system, …)
==============  ===================================================================
`capacity`      a `Limit` that no policy exceeds, a question to the model
                (`policies.capacity`)
`stability`     a `Limit`, given `relative_completions`, whether these are wanted
                too; a `sampled` method takes `half_width` and `seed` as well
`exact`         a function of λ that gives `Means` of plain numbers
`distribution`  a function of λ that gives the `Times` of jobs
`bounds`        a function of λ that gives `Means` of intervals
`simulation`    a function of λ and an `Effort` that gives `Means` of estimates
==============  ===================================================================

Methods of one question stand in order of cost: the first that applies is taken; of the exact ones,
the first whose means are good to `PRECISE`, or the best if none are (`multiserver.exactness`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from multiserver.checks import whole
from multiserver.simulation.estimate import Estimate
from multiserver.system import System
from multiserver.wcfs.bounds import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Relative; where exact means are worse, the result says so.
PRECISE = 1e-9
MOST_STATES = 8_000_000
Question = Literal["capacity", "stability", "exact", "distribution", "bounds", "simulation"]
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
    `counts` is what a simulator counted, replication by replication, and `sampled` the times of
    jobs, if they are wanted. `imprecision` is the relative error that an exact method sees in
    itself, within a factor of about ten; 0 of a closed form.
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
    sampled: Any = None
    imprecision: float = 0.0


class Times(Protocol):
    """Waiting and response times at one arrival rate, in 2C + 2 columns: W_c at c, W of all jobs at
    C, T_c at C + 1 + c and T of all at 2C + 1. `at_once` (C + 1,) is P(W = 0), and `imprecision`
    that of `Means`."""

    at_once: NDArray[np.float64]
    imprecision: float

    def survival(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(time > t) (T, 2C + 2) at `times` (T,) ≥ 0."""

    def quantiles(
        self, levels: NDArray[np.float64], columns: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The first t (R,) with P(time > t) at most `levels` (R,), for the times `columns` (R,)."""

    def moments(self, k: int) -> NDArray[np.float64]:
        """E[time^k] (2C + 2,)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a method that iterates goes on for, until a relative error of `enough` is left, and what
    it may take: chains of numbers of jobs by class have at most so many states. Raises `ValueError`
    unless both are positive.
    """

    enough: float = PRECISE
    most_states: int = MOST_STATES

    def __post_init__(self) -> None:
        if not self.enough > 0:
            raise ValueError(f"enough must be a positive relative error, found {self.enough!r}")
        if not self.most_states > 0:
            raise ValueError(f"most_states must be a positive number, found {self.most_states!r}")


@dataclass(frozen=True, slots=True)
class Effort:
    """R `replications` that simulate `jobs` jobs together; each leaves out its first, a share
    `warm_up`, and draws from the stream of `seed`, `key` and r. `stable_below` is λ*, None if it
    is not known; `times` says whether those of each job are wanted. Raises `ValueError` unless
    there are 2 replications or more, and jobs for them.
    """

    jobs: int
    seed: int
    replications: int
    warm_up: float
    confidence: float
    key: tuple[int, ...]
    stable_below: float | None = None
    times: bool = False

    def __post_init__(self) -> None:
        replications = whole("replications", self.replications, 2, "one has no interval")
        object.__setattr__(self, "replications", replications)
        object.__setattr__(self, "jobs", whole("jobs", self.jobs))
        if not 0 <= self.warm_up < 1 or not 0 < self.confidence < 1:
            raise ValueError(
                "warm_up must lie in [0, 1) and confidence in (0, 1),"
                f" found {self.warm_up!r} and {self.confidence!r}"
            )

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
    return " and ".join(dict.fromkeys(c.text for c in conditions if not c.holds(system)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to one answer; see above. `source` names a paper as the documentation cites it.

    `basis(system, …)` is what the answer rests on, where that can be looked at: the `Process` that
    is solved exactly, the `Constants` of bounds. `sampled` says that a limit is simulated, and
    `iterates` that exact means cost more the better they are: `answer` then takes a `Budget` too.
    """

    question: Question
    name: str
    source: str
    cost: str
    answer: Callable[..., Any]
    conditions: tuple[Condition, ...] = ()
    basis: Callable[..., Any] | None = None
    sampled: bool = False
    iterates: bool = False

    @property
    def range(self) -> str:
        """The conditions in words."""
        return "; ".join(dict.fromkeys(c.text for c in self.conditions)) or "all"

    def lacks(self, system: System) -> str:
        """The conditions that do not hold, in words; empty if the method applies."""
        return _unmet(self.conditions, system)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A rule that says who is served, and what is known of it.

    `definition` says it with its ties, and `preemptive` whether it ever interrupts a job that is in
    service (with exponential durations of one mean, parallel processing may be read either way).
    `methods` are those of each model for which it is defined, of systems that meet the conditions
    in `requires`; `options` are its parameters: one of the words in `choices`, or a number from 0.
    `beyond` says of a question why there is no answer where no method applies.
    `monotone_in_servers` are the models in which no server more makes any job start later.
    Calling a policy gives the same policy with other options. Raises `ValueError` on an option that
    it has not, or that cannot be.

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
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    beyond: Mapping[Question, str] = field(default_factory=dict)
    monotone_in_servers: tuple[str, ...] = ()

    def __call__(self, **options: Any) -> Policy:
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"the options of {self.name} are {known}; found {name!r}")
            if not self.allows(name, value):
                raise ValueError(f"{name} must be {self.expected(name)}, found {value!r}")
        return replace(self, options={**self.options, **options})

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.name}({options})" if options else self.name

    def allows(self, option: str, value: object) -> bool:
        """Whether one of its options may have a value."""
        if option in self.choices:
            return value in self.choices[option]
        number = isinstance(value, Real) and not isinstance(value, bool)
        return number and 0 <= value < math.inf

    def expected(self, option: str) -> str:
        """What one of its options may be, in words."""
        return " or ".join(map(repr, self.choices.get(option, ()))) or "a finite number from 0"

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
