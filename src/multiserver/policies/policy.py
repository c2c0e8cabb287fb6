"""A policy, as the library represents it: a name, a definition, and the methods known for it.

A *method* answers one question about the queues of one model under one policy. It has a name, the
conditions under which it applies, a cost and a source; `answer` does the work. The questions, and
the arguments and results of `answer`:

==============  ===================================================================
question        answer(system, …)
==============  ===================================================================
`capacity`      a `Limit` that no policy exceeds; it depends only on the model
                (`policies.capacity`)
`stability`     a `Limit`, with E[Δ(Y_d)] if the flag `relative_completions` is
                set; a `sampled` method takes `half_width` and `seed` as well
`exact`         a function of λ that gives `Means` of plain numbers
`distribution`  a function of λ that gives the `Times` of jobs
`bounds`        a function of λ that gives `Means` of intervals
`simulation`    a function of λ and an `Effort` that gives `Means` of estimates
==============  ===================================================================

Methods for one question are in order of cost, and the first that applies is used. For exact means
it is the first whose error is at most `PRECISE`, or the best if there is none
(`multiserver.exactness`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from multiserver.checks import as_float, is_number
from multiserver.policies.effort import MOST_JOBS as MOST_JOBS
from multiserver.policies.effort import MOST_STATES as MOST_STATES
from multiserver.policies.effort import PRECISE as PRECISE
from multiserver.policies.effort import Budget as Budget
from multiserver.policies.effort import Effort as Effort
from multiserver.simulation.estimate import Estimate
from multiserver.system import System
from multiserver.wcfs.bounds import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from multiserver.network import Network
    from multiserver.simulation.run_length import RunLength

# Servers wasted below this part of the capacity are rounding.
ROUNDING = 1e-12
Question = Literal["capacity", "stability", "exact", "distribution", "bounds", "simulation"]
# A number, bounds on it, or an estimate of it.
Value = float | Interval | Estimate


class Limit(NamedTuple):
    """λ* (jobs per unit of time) as `arrival_rate`; `wastage`, the mean number of servers idle at
    λ* while jobs wait, and E[Δ(Y_d)], each None if not found. `note` adds to the method's name."""

    arrival_rate: float
    wastage: float | None = None
    relative_completions: float | None = None
    note: str = ""
    estimate: Estimate | None = None

    @classmethod
    def of(
        cls, system: System | Network, arrival_rate: float, relative: float | None = None
    ) -> Limit:
        """λ* and E[Δ(Y_d)] = `relative`, with the wastage that follows by Little's law."""
        idle = system.capacity - arrival_rate * system.mean_size
        # If no server is wasted, the difference is only rounding.
        return cls(arrival_rate, idle if idle > ROUNDING * system.capacity else 0.0, relative)


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """The results of a method at one arrival rate; None for what it does not compute.

    `class_times` are E[T_c] and `class_jobs` E[N_c], in the order of the system's classes; `times`
    and `jobs` are E[T] and E[N] over all classes. `waiting` is E[Q], the jobs not in service, and
    `class_waits` are E[W_c], if they are known better than as E[T_c] − E[X_c]. `busy` is the mean
    number of servers (or speed) at work; `tail(k)` is P(N > k). `note` adds to the method's name,
    `counts` has a simulator's counts by replication, and `sampled` the times of each job, if
    requested. The `length` of the run decides which estimates have intervals; so do its `parts`, by
    the classes that they are for. `imprecision` is an exact method's own estimate of its relative
    error, within a factor of about ten; 0 for a closed form.
    """

    times: Value | None = None
    jobs: Value | None = None
    class_times: tuple[Value | None, ...] | None = None
    class_jobs: tuple[Value | None, ...] | None = None
    waiting: Value | None = None
    class_waits: tuple[Value, ...] | None = None
    busy: Value | None = None
    tail: Callable[[int], Value] | None = None
    note: str = ""
    counts: Any = None
    sampled: Any = None
    length: RunLength | None = None
    parts: Callable[[RunLength], Mapping[tuple[int, ...], RunLength]] | None = None
    imprecision: float = 0.0


class Times(Protocol):
    """Waiting and response times at one arrival rate, in 2C + 2 columns: W_c at c, W of all jobs at
    C, T_c at C + 1 + c and T of all jobs at 2C + 1. `at_once` (C + 1,) is P(W = 0), and
    `imprecision` is as in `Means`."""

    at_once: NDArray[np.float64]
    imprecision: float

    def survival(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(time > t) (T, 2C + 2) at `times` (T,) ≥ 0."""

    def quantiles(
        self, levels: NDArray[np.float64], columns: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The least t (R,) with P(time > t) at most `levels` (R,), for the times `columns` (R,)."""

    def moments(self, k: int) -> NDArray[np.float64]:
        """E[time^k] (2C + 2,)."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a system: its description, and a function that tests it."""

    text: str
    holds: Callable[[System], bool]


def _unmet(conditions: Iterable[Condition], system: System) -> str:
    return " and ".join(dict.fromkeys(c.text for c in conditions if not c.holds(system)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method for one question; see above. `source` names a paper as the documentation cites it.

    `basis(system, …)` gives the object behind the answer, if it is public: the `Process` that is
    solved exactly, or the `Constants` of bounds. `sampled` says that a limit is simulated.
    `iterates` says that exact means cost more the more precise they are; `answer` then takes a
    `Budget` too. `fcfs_if` is the condition, in words, under which a policy is FCFS and has this
    method from it; empty for its own methods.
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
    fcfs_if: str = ""

    @property
    def range(self) -> str:
        """The conditions in words."""
        return "; ".join(dict.fromkeys(c.text for c in self.conditions)) or "all"

    def unmet_conditions(self, system: System) -> str:
        """The conditions that do not hold, in words; empty if the method applies."""
        return _unmet(self.conditions, system)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A rule that decides which jobs are served, with the methods known for it.

    `definition` states the rule, ties included; `preemptive` says whether it ever interrupts a job
    in service (with exponential durations of one mean, parallel processing may be read either way).
    `methods` has the methods for each model for which the policy is defined, on systems that meet
    the conditions in `requires`. `options` are its parameters, each one of the words in `choices`
    or a number from 0. `beyond` explains, by question, why no answer is known if no method applies.
    `monotone_in_servers` are the models in which an extra server makes no job start later.
    `ranges` gives, for an option whose values depend on the system, a function that says in words
    which the system allows, if not the given one. Calling a policy gives the same policy with other
    options. Raises `ValueError` on an unknown option or an invalid value.

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
    ranges: Mapping[str, Callable[[System, Any], str]] = field(default_factory=dict)

    def __call__(self, **options: Any) -> Policy:
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"the options of {self.name} are {known}; found {name!r}")
            if not self.allows(name, value):
                raise ValueError(f"{name} must be {self.expected(name)}, found {value!r}")
            if is_number(value):
                # Numbers of numpy would be shown as such wherever the policy is named.
                options[name] = int(value) if isinstance(value, Integral) else float(value)
        return replace(self, options={**self.options, **options})

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self.options.items())))  # mappings have no hash

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.name}({options})" if options else self.name

    def __reduce__(self) -> tuple[Any, ...]:
        # Conditions and methods are functions, which cannot be pickled: a policy is its name.
        return _named, (self.name, dict(self.options))

    def allows(self, option: str, value: object) -> bool:
        """Whether a value is valid for an option."""
        if option in self.choices:
            return value in self.choices[option]
        return 0 <= as_float(value) < math.inf

    def expected(self, option: str) -> str:
        """The valid values of an option, in words."""
        return " or ".join(map(repr, self.choices.get(option, ()))) or "a finite number from 0"

    @property
    def models(self) -> tuple[str, ...]:
        """The models for which it is defined."""
        return tuple(self.methods)

    def lacks(self, system: System) -> str:
        """The conditions in `requires` and of `ranges` that the system does not meet, in words;
        empty if none.

        >>> import multiserver as ms
        >>> jobs = [ms.JobClass(need=2, duration=ms.Exponential(rate=1.0))]
        >>> ms.ServerFilling.lacks(ms.System(servers=3, classes=jobs))
        'needs that divide each other and the servers'
        """
        unmet = _unmet(self.requires.get(system.model, ()), system)
        return unmet or " of ".join(self.misfit(system))

    def misfit(self, system: System) -> tuple[str, ...]:
        """An option whose value the system does not allow, and those that it does, in words; empty
        if there is none, or if `requires` is not met."""
        if _unmet(self.requires.get(system.model, ()), system):
            return ()
        found = ((name, allow(system, self.options[name])) for name, allow in self.ranges.items())
        return next((pair for pair in found if pair[1]), ())

    def of(self, model: str, question: Question | None = None) -> tuple[Method, ...]:
        """Its methods for a model, in order of cost: for one question, or for all."""
        return tuple(m for m in self.methods[model] if question in (None, m.question))


def _named(name: str, options: Mapping[str, Any]) -> Policy:
    from multiserver import policies

    found = policies.policy(name)
    return found if options == found.options else found(**options)
