"""A queue: a system under a policy, and the questions it can answer.

`method_selection` chooses the method, `limits` finds λ* and hence λ, `little` completes the means
by Little's law, and `curves` repeats a question along an array of operating points.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any, overload

from multiserver.compiling import announced
from multiserver.curves import SYMBOLS, Curve, Points, along_points
from multiserver.distribution import Distribution, Distributions
from multiserver.errors import TooLargeError
from multiserver.exactness import ExactMethods
from multiserver.fitted import mark_as_fitted
from multiserver.knowledge import Known
from multiserver.limits import Limits
from multiserver.little import complete_result
from multiserver.method_selection import Methods
from multiserver.network import Network
from multiserver.pilot import enough_jobs
from multiserver.policies import require_defined
from multiserver.policies.policy import MOST_STATES, PRECISE, Budget, Effort, Means, Method, Policy
from multiserver.policies.process import LEVELS, Process
from multiserver.results import Kind, Result, Stability
from multiserver.simulation.estimate import Estimate
from multiserver.system import System
from multiserver.undersampled import withhold_intervals
from multiserver.wcfs.bounds import Constants, Interval


@dataclass(frozen=True)
class Queue:
    """A system under a policy. Raises `ValueError` unless the policy is defined for the system.

    >>> import multiserver as ms
    >>> system = ms.System(servers=2, classes=[ms.JobClass(duration=ms.Exponential(rate=1.0))])
    >>> queue = system.under(ms.FCFS)
    >>> print(queue.stability())
    multiserver-jobs under fcfs, stability: saturated system, one class (`two-class-stability`, \
Theorem 4.3)
    λ* = 2,  ρ* = 1,  wastage = 0,  utilisation = 1,  E[Δ] = 0
    >>> round(queue.exact(load=0.5).mean_response_time, 12)
    1.333333333333
    """

    system: System | Network
    policy: Policy

    def __post_init__(self) -> None:
        require_defined(self.policy, self.system)

    def __reduce__(self) -> tuple[Any, ...]:
        return Queue, (self.system, self.policy)  # without the caches, which hold functions

    def stability(
        self, *, relative_completions: bool = False, half_width: float = 0.01, seed: int = 1
    ) -> Stability:
        """λ*, below which the queue is stable, and how it was found.

        `relative_completions` asks for E[Δ(Y_d)] too, from the cheapest method that gives it, if
        any does. If λ* can only be simulated, `estimate` holds its 95 % interval, of about the
        relative `half_width` given, from the random streams of `seed`. If λ* is not known, `limit`
        is None and `highest` bounds it for any policy. Raises `NotKnownError` if λ* is too costly.
        """
        return self._limits.stability(relative_completions, half_width, seed)

    @overload
    def exact(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
        fit: bool = False,
        enough: float = PRECISE,
        most_states: int = MOST_STATES,
    ) -> Result[float]: ...

    @overload
    def exact(
        self,
        *,
        load: Points | None = None,
        arrival_rate: Points | None = None,
        fraction_of_limit: Points | None = None,
        fit: bool = False,
        enough: float = PRECISE,
        most_states: int = MOST_STATES,
    ) -> Curve[float]: ...

    @along_points
    def exact(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
        fit: bool = False,
        enough: float = PRECISE,
        most_states: int = MOST_STATES,
    ) -> Result[Any]:
        """The exact means, by the cheapest applicable method that keeps nine digits. If none keeps
        nine, the most precise is used and the result states its error. Iterative methods stop at a
        relative error of `enough`, and refuse chains of more than `most_states` states.

        With `fit`, durations that are not phase-type are replaced by phase-type ones with the same
        two or three moments, and the `kind` of the result is "fitted", unless one has no fit and
        the means are known without. A closed network has no operating point. Raises `NotKnownError`
        if no method applies or each is too large, `UnstableError` unless λ < λ*, and `ValueError`
        unless exactly one operating point is given and `enough` and `most_states` are positive.
        """
        budget = Budget(enough, most_states)
        if fit and (other := self._methods.fit_of(self.system)) != self.system:
            arguments = dict(zip(SYMBOLS, (load, arrival_rate, fraction_of_limit), strict=True))
            result = Queue(other, self.policy).exact(**arguments, **asdict(budget))
            return mark_as_fitted(result, self.system, other)
        try:
            if self._methods.applying("exact"):
                # Refuse chains that are too large before computing λ*, which may take long.
                self._exact.prepare()
            rate = self._limits.rate(load, arrival_rate, fraction_of_limit)
            method, found = self._exact.at(rate, budget, self._limits.rounding(rate))
        except TooLargeError as error:
            if fraction_of_limit is None:
                self._limits.rate_below_any_limit(load, arrival_rate)
            raise self._methods.too_large("exact", error) from error
        return self._result("exact", method, rate, found)

    def distribution(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
    ) -> Distribution:
        """The exact distributions of waiting and response times. Raises as `exact` does."""
        self._methods.first("distribution")
        return self._distributions.at(self._limits.rate(load, arrival_rate, fraction_of_limit))

    @overload
    def bounds(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
        refined: bool = True,
    ) -> Result[Interval]: ...

    @overload
    def bounds(
        self,
        *,
        load: Points | None = None,
        arrival_rate: Points | None = None,
        fraction_of_limit: Points | None = None,
        refined: bool = True,
    ) -> Curve[Interval]: ...

    @along_points
    def bounds(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
        refined: bool = True,
    ) -> Result[Any]:
        """Bounds on the means, by `refined` constants if there are any, or the printed ones. Near
        λ*, the name of the method states the error by rounding. Raises as `exact` does."""
        rate = self._limits.rate(load, arrival_rate, fraction_of_limit)
        method = self._methods.first("bounds")
        at = method.answer(self._methods.system, refined=refined, **self.policy.options)
        found = replace(at(rate), imprecision=self._limits.rounding(rate))
        return self._result("bounds", method, rate, found)

    @overload
    def simulate(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
        jobs: float,
        seed: int,
        replications: int = 32,
        warm_up: float = 0.2,
        confidence: float = 0.95,
        key: tuple[int, ...] = (),
        level: str = "jobs",
        times: bool = False,
        half_width: float | None = None,
    ) -> Result[Estimate]: ...

    @overload
    def simulate(
        self,
        *,
        load: Points | None = None,
        arrival_rate: Points | None = None,
        fraction_of_limit: Points | None = None,
        jobs: float,
        seed: int,
        replications: int = 32,
        warm_up: float = 0.2,
        confidence: float = 0.95,
        key: tuple[int, ...] = (),
        level: str = "jobs",
        times: bool = False,
        half_width: float | None = None,
    ) -> Curve[Estimate]: ...

    @along_points
    def simulate(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
        jobs: float,
        seed: int,
        replications: int = 32,
        warm_up: float = 0.2,
        confidence: float = 0.95,
        key: tuple[int, ...] = (),
        level: str = "jobs",
        times: bool = False,
        half_width: float | None = None,
    ) -> Result[Any]:
        """Estimates with intervals at `confidence`, from about `jobs` jobs over all replications.

        Each replication starts empty and discards its first jobs: a share `warm_up`, or more where
        the servers take longer to fill. `level` is "jobs", for any durations, or "phases", which
        samples the process that `exact` solves. With `times`, 40 bytes are kept of each job for the
        quantiles of `Result.distribution` and for `Result.tail`. With a relative `half_width`,
        `jobs` is the maximum: a pilot of a sixteenth of it decides how many give E[T], of all jobs
        and of each class, an interval of about that width. Equal seeds and keys give equal bits.
        Raises `ValueError` for fewer than 2 replications, `UnstableError` unless λ < λ*, if known,
        or if jobs accumulate, and `NotKnownError` if no method applies or it is too large.
        """
        effort = Effort(jobs, seed, replications, warm_up, confidence, key, times=times)
        if not isinstance(level, str) or level not in LEVELS:
            raise ValueError(f"level must be 'jobs' or 'phases', found {level!r}")
        rate = self._limits.rate(load, arrival_rate, fraction_of_limit)
        method = self._methods.first("simulation", LEVELS[level])
        effort = replace(effort, stable_below=(limit := self._limits.known))
        with announced():
            try:
                run = partial(method.answer(self._methods.system, **self.policy.options), rate)
                if half_width is not None:
                    fraction = rate / limit if rate and limit else None
                    effort = replace(effort, jobs=enough_jobs(run, effort, half_width, fraction))
                found = withhold_intervals(self.system, rate, run(effort))
            except TooLargeError as error:
                raise self._methods.too_large("simulation", error) from error
        return replace(self._result("simulated", method, rate, found), jobs=effort.jobs)

    def known(self) -> Known:
        """The methods for this queue, with source and cost; `print` it, or take its `rows()`."""
        return Known.of(self._methods.system, self.policy, self.highest_rate)

    def process(self) -> Process:
        """The Markov process that `exact` solves. Raises `NotKnownError` where there is none."""
        return self._methods.process()

    def constants(self, *, refined: bool = True) -> Constants:
        """The constants of `bounds`, for a capacity of 1. Raises `NotKnownError`."""
        return self._methods.first("bounds").basis(self._methods.system, refined=refined)

    @cached_property
    def _methods(self) -> Methods:
        return Methods(self.system, self.policy)

    @cached_property
    def _limits(self) -> Limits:
        return Limits(self._methods)

    @property
    def highest_rate(self) -> float:
        """A λ at and above which no policy is stable; NaN for a network, whose λ* is known."""
        return self._limits.upper_bound[0].arrival_rate

    @cached_property
    def _exact(self) -> ExactMethods:
        self._methods.first("exact")
        return ExactMethods(self._methods.system, self.policy, self._methods.applying("exact"))

    @cached_property
    def _distributions(self) -> Distributions:
        return Distributions(self._methods, self._limits)

    def _result(self, kind: Kind, method: Method, rate: float | None, found: Means) -> Result[Any]:
        rough = f"good to about {found.imprecision:.0e}" if found.imprecision > PRECISE else ""
        name = ", ".join(filter(None, [method.name, found.note, rough]))
        labels = (kind, repr(self.policy), name, method.source)
        return complete_result(self.system, rate, self._limits.known, found, *labels)
