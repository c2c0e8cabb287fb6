"""Exact means of one queue: by the cheapest of its methods that is precise enough.

Methods stand in order of cost. Each says of its means how good they are (`Means.imprecision`), or
refuses a point: what follows then is asked too, and the best answer is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from multiserver.errors import NotKnownError, TooLargeError
from multiserver.network import Network
from multiserver.policies.policy import PRECISE, Means, Method, Policy
from multiserver.system import System

Answer = Callable[[float | None], Means]


class ExactMethods:
    """The `methods`, one or more, that apply to a system under a policy; each is prepared once,
    when it is first asked."""

    def __init__(self, system: System | Network, policy: Policy, methods: Sequence[Method]) -> None:
        self._system, self._policy, self._methods = system, policy, methods
        self._prepared: dict[str, Answer | TooLargeError] = {}

    def prepare(self) -> None:
        """Raise the `TooLargeError` of the first method if none of them has room."""
        found = [answer for _, answer in self._in_turn(until_one_has_room=True)]
        if isinstance(found[-1], TooLargeError):
            raise found[0]

    def at(self, rate: float | None) -> tuple[Method, Means]:
        """The means at λ = `rate`, and their method.

        Raises what the first method raises if none has an answer.
        """
        best: tuple[Method, Means] | None = None
        refused: list[ValueError] = []
        for method, answer in self._in_turn():
            if isinstance(answer, TooLargeError):
                refused.append(answer)
                continue
            try:
                found = answer(rate)
            except (NotKnownError, TooLargeError) as error:
                refused.append(error)
                continue
            if best is None or found.imprecision < best[1].imprecision:
                best = method, found
            if found.imprecision <= PRECISE:
                break
        if best is None:
            raise refused[0]
        return best

    def _in_turn(
        self, *, until_one_has_room: bool = False
    ) -> Iterator[tuple[Method, Answer | TooLargeError]]:
        for method in self._methods:
            if method.name not in self._prepared:
                try:
                    answer = method.answer(self._system, **self._policy.options)
                except TooLargeError as error:
                    answer = error
                self._prepared[method.name] = answer
            yield method, self._prepared[method.name]
            if until_one_has_room and not isinstance(self._prepared[method.name], TooLargeError):
                return
