"""Exact means of one queue, by the cheapest of its methods that is precise enough.

Methods are tried in order of cost. Each estimates the error of its means (`Means.imprecision`), or
refuses a point. If it refuses or its error is too large, the next method is tried, and the most
precise means are taken. Methods that iterate are given a `Budget`: the error to reach, and the
states that may be used. Near λ* no method has more digits than λ* − λ, which is a difference of
rounded numbers: no error is stated that is smaller than the relative error of that difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from multiserver.errors import NotKnownError, TooLargeError
from multiserver.network import Network
from multiserver.policies.policy import Budget, Means, Method, Policy
from multiserver.system import System

Answer = Callable[[float | None], Means]
# Methods know their errors within such a factor.
WITHIN = 10.0


class ExactMethods:
    """The `methods`, one or more, that apply to a system under a policy; each is prepared once, on
    first use."""

    def __init__(self, system: System | Network, policy: Policy, methods: Sequence[Method]) -> None:
        self._system, self._policy, self._methods = system, policy, methods
        self._prepared: dict[tuple[str, Budget | None], Answer | TooLargeError] = {}

    def prepare(self) -> None:
        """Raise the `TooLargeError` of the first method if the system is too large for all."""
        found = [answer for _, answer in self._in_turn(Budget(), until_one_has_room=True)]
        if isinstance(found[-1], TooLargeError):
            raise found[0]

    def at(self, rate: float | None, budget: Budget, rounding: float = 0.0) -> tuple[Method, Means]:
        """The method used and its means at λ = `rate`: the first within `budget.enough`, or else
        the most precise. `rounding` is the relative error of λ* − λ.

        If all methods fail, raises the error of the first.
        """
        best: tuple[Method, Means] | None = None
        refused: list[ValueError] = []
        for method, answer in self._in_turn(budget):
            if isinstance(answer, TooLargeError):
                refused.append(answer)
                continue
            try:
                found = answer(rate)
                if any(x != x for x in (found.times, found.jobs)):
                    raise NotKnownError(f"{method.name}: numbers left the range of floats")
            except (NotKnownError, TooLargeError) as error:
                refused.append(error)
                continue
            error = max(found.imprecision, rounding)
            if best is None or error < best[1].imprecision:
                best = method, replace(found, imprecision=error)
            # Another method would hardly be more precise.
            if found.imprecision <= max(budget.enough, WITHIN * rounding):
                break
        if best is None:
            raise refused[0]
        return best

    def _in_turn(
        self, budget: Budget, *, until_one_has_room: bool = False
    ) -> Iterator[tuple[Method, Answer | TooLargeError]]:
        for method in self._methods:
            place = method.name, budget if method.iterates else None
            if place not in self._prepared:
                arguments = (budget,) if method.iterates else ()
                try:
                    answer = method.answer(self._system, *arguments, **self._policy.options)
                except TooLargeError as error:
                    answer = error
                self._prepared[place] = answer
            yield method, self._prepared[place]
            if until_one_has_room and not isinstance(self._prepared[place], TooLargeError):
                return
