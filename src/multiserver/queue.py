"""A queue: a system under a policy, and the questions one asks of it.

`operating_point` says at which λ, `little` completes what a method found.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

from multiserver.compiling import announced
from multiserver.errors import NotKnownError, TooLargeError
from multiserver.exactness import ExactMethods
from multiserver.knowledge import Known
from multiserver.limits import of_capacity, of_limit
from multiserver.little import completed
from multiserver.network import Network
from multiserver.operating_point import rate_of
from multiserver.policies.answers import JOB_LEVEL, PHASE_LEVEL, Constants, Process
from multiserver.policies.capacity import highest
from multiserver.policies.policy import (
    PRECISE,
    Effort,
    Limit,
    Means,
    Method,
    Policy,
    Question,
)
from multiserver.results import Kind, Result, Stability
from multiserver.system import System

LEVELS = {"jobs": JOB_LEVEL, "phases": PHASE_LEVEL}


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
        system, policy = self.system, self.policy
        if not isinstance(policy, Policy):
            raise ValueError(f"a policy must be one such as ms.FCFS, found {policy!r}")
        if system.model not in policy.methods:
            from multiserver.policies import names

            raise ValueError(
                f"the policies of {system.model} are {', '.join(names(system.model))};"
                f" found {policy.name}, which is for {', '.join(policy.models)}"
            )
        if lacks := policy.lacks(system):
            raise ValueError(
                f"{policy.name} is defined for {lacks}, found needs {system.needs}"
                f" and {system.servers} servers"
            )

    def stability(
        self, *, relative_completions: bool = False, half_width: float = 0.01, seed: int = 1
    ) -> Stability:
        """λ*, below which the queue is stable, and how it was found.

        With `relative_completions` the cheapest method that gives E[Δ(Y_d)] too, where there is
        one. Where λ* is known from simulation alone, `estimate` has its interval at 95 %, of about
        the relative `half_width` asked for, from the random streams of `seed`. Where λ* is not
        known `limit` is None, and `highest` is what no policy exceeds. Raises `NotKnownError` if
        λ* takes too much.
        """
        return self._limited(relative_completions, half_width, seed)

    def exact(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
    ) -> Result:
        """The exact means, by the cheapest method that applies and keeps nine digits; by the best,
        which then says how good it is, if none does.

        A closed network has no operating point. Raises `NotKnownError` if there is no method, or
        not enough room for it, `UnstableError` unless λ < λ*, and `ValueError` unless the operating
        point is said in one way.
        """
        try:
            if self._applying("exact"):
                # What takes too much says so before λ* is looked for, which may take long.
                self._exact.prepare()
            rate = self._rate(load, arrival_rate, fraction_of_limit)
            method, found = self._exact.at(rate)
        except TooLargeError as error:
            raise self._too_large("exact", error) from error
        return self._result("exact", method, rate, found)

    def bounds(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
        refined: bool = True,
    ) -> Result:
        """Bounds on the means: by the refined constants where there are, or those printed.

        Raises as `exact` does.
        """
        rate = self._rate(load, arrival_rate, fraction_of_limit)
        method = self._method("bounds")
        found = method.answer(self.system, refined=refined, **self.policy.options)(rate)
        return self._result("bounds", method, rate, found)

    def simulate(
        self,
        *,
        load: float | None = None,
        arrival_rate: float | None = None,
        fraction_of_limit: float | None = None,
        jobs: int,
        seed: int,
        replications: int = 32,
        warm_up: float = 0.2,
        confidence: float = 0.95,
        key: tuple[int, ...] = (),
        level: str = "jobs",
    ) -> Result:
        """Estimates with intervals at `confidence`, from about `jobs` jobs in all replications.

        Each replication starts empty and leaves out its first jobs, a share `warm_up`; where the
        servers take longer to fill, more jobs pass first. `level` is "jobs", any durations, or
        "phases", which samples the process that `exact` solves. Equal seeds and keys give equal
        bits. A class that was never sampled has None for its times.

        Raises `ValueError` unless there are at least 2 replications (one has no interval) and jobs
        for all of them, `UnstableError` unless λ < λ* where that is known and below what no policy
        exceeds where it is not, or if the jobs in the system grow, and `NotKnownError`.
        """
        for name, value, least in (("replications", replications, 2), ("jobs", jobs, 1)):
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                why = " (one has no interval)" if name == "replications" else ""
                raise ValueError(f"{name} must be an integer from {least} on{why}, found {value!r}")
        if not 0 <= warm_up < 1 or not 0 < confidence < 1:
            raise ValueError(
                "warm_up must lie in [0, 1) and confidence in (0, 1),"
                f" found {warm_up!r} and {confidence!r}"
            )
        if level not in LEVELS:
            raise ValueError(f"level must be 'jobs' or 'phases', found {level!r}")
        rate = self._rate(load, arrival_rate, fraction_of_limit)
        method = self._method("simulation", LEVELS[level])
        runs = int(jobs), seed, int(replications), warm_up, confidence, tuple(key)
        effort = Effort(*runs, stable_below=self._limit)
        with announced():
            try:
                found = method.answer(self.system, **self.policy.options)(rate, effort)
            except TooLargeError as error:
                raise self._too_large("simulation", error) from error
        return self._result("simulated", method, rate, found)

    def known(self) -> Known:
        """What is known of this queue, how and from where; `print` it, or take its `rows()`."""
        return Known.of(self.system, self.policy, self.highest_rate)

    def process(self) -> Process:
        """The Markov process that `exact` solves. Raises `NotKnownError` where there is none."""
        first, methods = self._method("exact"), self._applying("exact")
        method = next((m for m in methods if m.basis is not None), None)
        if method is None:
            raise NotKnownError(self._advice("no process", [f"exact() is by {first.name}"]))
        try:
            return method.basis(self.system, **self.policy.options)
        except TooLargeError as error:
            raise self._too_large("exact", error) from error

    def constants(self, *, refined: bool = True) -> Constants:
        """The constants of `bounds`, for a capacity of 1. Raises `NotKnownError`."""
        return self._method("bounds").basis(self.system, refined=refined)

    @cached_property
    def _stabilities(self) -> dict[tuple[bool, float, int], Stability]:
        return {}

    def _limited(self, relative_completions: bool, half_width: float, seed: int) -> Stability:
        """Found once for each question."""
        asked = relative_completions, half_width, seed
        if asked not in self._stabilities:
            self._stabilities[asked] = self._find_limit(*asked)
        return self._stabilities[asked]

    def _find_limit(self, relative_completions: bool, half_width: float, seed: int) -> Stability:
        options = dict(self.policy.options)
        try:
            method = self._method("stability")
        except NotKnownError:
            found, method = self._highest
            if method is None:
                raise
            return of_capacity(self.system, self.policy, method, found)
        if method.sampled:
            options |= {"half_width": half_width, "seed": seed}
        try:
            found = method.answer(self.system, relative_completions=relative_completions, **options)
        except TooLargeError as error:
            raise self._too_large("stability", error) from error
        return of_limit(self.system, self.policy, method, found, self.highest_rate)

    @property
    def highest_rate(self) -> float:
        """A λ from which on no policy is stable; NaN for a network, whose λ* is known."""
        return self._highest[0].arrival_rate

    @cached_property
    def _highest(self) -> tuple[Limit, Method | None]:
        """What no policy exceeds, and how it was found."""
        return highest(self.system)

    @cached_property
    def _exact(self) -> ExactMethods:
        self._method("exact")
        return ExactMethods(self.system, self.policy, self._applying("exact"))

    @cached_property
    def _limit(self) -> float | None:
        """λ* if it is known without a simulation."""
        try:
            return None if self._method("stability").sampled else self.stability().limit
        except NotKnownError:
            return None

    def _rate(
        self, load: float | None, arrival_rate: float | None, fraction: float | None
    ) -> float | None:
        limit = self._limit if fraction is None else self.stability().limit
        if fraction is not None and limit is None:
            self._method("stability")
        most = limit, "λ* ="
        if limit is None:
            found, method = self._highest
            most = found.arrival_rate, f"any limit, by {method.name}:"
        point = {"load": load, "arrival_rate": arrival_rate, "fraction_of_limit": fraction}
        return rate_of(self.system, repr(self.policy), limit, most, point)

    def _result(self, kind: Kind, method: Method, rate: float | None, found: Means) -> Result:
        rough = f"good to about {found.imprecision:.0e}" if found.imprecision > PRECISE else ""
        name = ", ".join(filter(None, [method.name, found.note, rough]))
        said = (kind, repr(self.policy), name, method.source)
        return completed(self.system, rate, self._limit, found, *said)

    def _applying(self, question: Question) -> list[Method]:
        return [m for m in self.policy.of(self.system.model, question) if not m.lacks(self.system)]

    def _method(self, question: Question, name: str | None = None) -> Method:
        """The first method that applies; what there is instead, if none does."""
        methods = self.policy.of(self.system.model, question)
        methods = tuple(m for m in methods if name in (None, m.name))
        for method in methods:
            if not method.lacks(self.system):
                return method
        asked = question if name is None else f"{question} {name}"
        why = [f"{m.name} is for {m.lacks(self.system)}" for m in methods]
        raise NotKnownError(self._advice(f"{asked} is not known", why))

    def _too_large(self, question: Question, error: TooLargeError) -> NotKnownError:
        # Sampling by phases needs the states of the exact solution.
        useless = {f"{question}()", "exact()", "simulate(level='phases')"}
        return NotKnownError(self._advice(f"{question} takes too much", [str(error)], useless))

    def _advice(self, what: str, why: list[str], useless: Collection[str] = ()) -> str:
        """What was asked, why it has no answer, and what has one."""
        methods = self.policy.of(self.system.model)
        said = dict.fromkeys(_said(m) for m in methods if not m.lacks(self.system))
        others = [ask for ask in said if ask not in useless]
        reasons = f" ({'; '.join(why)})" if why else ""
        instead = f"ask {', '.join(others)}" if others else "nothing else is"
        return f"{self.system.model} under {self.policy}: {what}{reasons}; {instead}"


def _said(method: Method) -> str:
    """How one asks for a method."""
    if method.question != "simulation":
        return f"{method.question}()"
    return "simulate()" if method.name == JOB_LEVEL else "simulate(level='phases')"
