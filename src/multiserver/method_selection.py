"""Chooses the method that answers a question about a queue, and words the error if none does."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from multiserver.errors import NotKnownError, TooLargeError
from multiserver.fitted import fitted
from multiserver.network import Network
from multiserver.policies.job_level import JOB_LEVEL
from multiserver.policies.policy import Method, Policy, Question
from multiserver.policies.process import Process
from multiserver.sizes import simplest
from multiserver.system import System

ANSWERS: dict[Question, str] = {
    "capacity": "capacity",
    "stability": "limit of stability",
    "exact": "exact solution",
    "distribution": "exact distribution of times",
    "bounds": "bound",
    "simulation": "simulation",
}
# What answers a question about a queue whose durations are replaced by phase-type fits.
FITTED: dict[Question, str] = {
    "exact": "exact(fit=True)",
    "distribution": "distribution() with durations by ms.fit_distribution()",
}


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods of one queue. Its durations are taken in their `simplest` form, since conditions
    on them look at their type."""

    system: System | Network
    policy: Policy

    def __post_init__(self) -> None:
        if isinstance(self.system, System):
            classes = [replace(c, duration=simplest(c.duration)) for c in self.system.classes]
            object.__setattr__(self, "system", replace(self.system, classes=classes))

    def applying(self, question: Question) -> list[Method]:
        """The methods for a question that apply, in order of cost."""
        methods = self.policy.of(self.system.model, question)
        return [m for m in methods if not m.unmet_conditions(self.system)]

    def first(self, question: Question, name: str | None = None) -> Method:
        """The first method that applies, and has the `name` if one is given. If there is none,
        raises `NotKnownError`, which says what can be asked instead."""
        methods = self.policy.of(self.system.model, question)
        methods = tuple(m for m in methods if name in (None, m.name))
        # A policy may also have as FCFS what it has of its own, under more conditions. Several
        # methods may lack the same condition: the first of them is named.
        own = {method.name for method in methods if not method.fcfs_if}
        lacking: dict[str, str] = {}
        for method in methods:
            if not (unmet := method.unmet_conditions(self.system)):
                return method
            if not (method.fcfs_if and method.name in own):
                lacking.setdefault(unmet, method.name)
        answer = " ".join(filter(None, (ANSWERS[question], name)))
        why = [f"{method} is for {unmet}" for unmet, method in lacking.items()]
        if question in self.policy.beyond:
            why.append(self.policy.beyond[question])
        fit = [FITTED[question]] if question in FITTED and self._fits(question) else []
        raise NotKnownError(self.advice(f"no {answer} is known", why, also=fit))

    def process(self) -> Process:
        """As `Queue.process`."""
        first = self.first("exact")
        # A policy's own process is preferred to that of FCFS, with the same means.
        methods = sorted(self.applying("exact"), key=lambda m: bool(m.fcfs_if))
        method = next((m for m in methods if m.basis is not None), None)
        if method is None:
            raise NotKnownError(self.advice("no process", [f"exact() is by {first.name}"]))
        try:
            return method.basis(self.system, **self.policy.options)
        except TooLargeError as error:
            raise self.too_large("exact", error) from error

    def too_large(self, question: Question, error: TooLargeError) -> NotKnownError:
        """The error to raise if a problem is too large for a method."""
        # Simulation by phases needs the states of the exact solution.
        useless = {f"{question}()", "exact()", "simulate(level='phases')"}
        return NotKnownError(self.advice(f"{question}() takes too much", [str(error)], useless))

    def advice(
        self,
        what: str,
        why: list[str],
        useless: Collection[str] = (),
        also: Collection[str] = (),
    ) -> str:
        """A message: the question, why it has no answer, and what has one."""
        methods = self.policy.of(self.system.model)
        calls = dict.fromkeys(_call(m) for m in methods if not m.unmet_conditions(self.system))
        others = [*also, *(call for call in calls if call not in useless)]
        reasons = f" ({'; '.join(why)})" if why else ""
        instead = f"ask {', '.join(others)}" if others else "nothing else is"
        return f"{self.system.model} under {self.policy}: {what}{reasons}; {instead}"

    def fit_of(self, system: System | Network) -> System | Network:
        """This queue's `system` with phase-type durations, or unchanged if one has no fit but an
        exact method needs none. Raises `ValueError` as `fitted`, if none applies."""
        try:
            return fitted(system)
        except ValueError:
            if self.applying("exact"):
                return system
            raise

    def _fits(self, question: Question) -> bool:
        """Whether a method for the question applies once durations are replaced by phase-type
        fits."""
        try:
            fit = fitted(self.system)
        except ValueError:
            return False
        return fit != self.system and bool(Methods(fit, self.policy).applying(question))


def _call(method: Method) -> str:
    """The call that uses a method."""
    if method.question != "simulation":
        return f"{method.question}()"
    return "simulate()" if method.name == JOB_LEVEL else "simulate(level='phases')"
