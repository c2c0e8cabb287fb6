"""Finite-skip models, prepared for the exact solver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from multiserver.open.finite_skip import FiniteSkipModel, FrontBlocks, prepare, require_fits
from multiserver.open.qbd import QuasiBirthDeath, StationaryDistribution
from multiserver.policies.exponential import ExponentialParts
from multiserver.policies.process import ClassTimes


@dataclass(frozen=True)
class FrontProcess:
    """A finite-skip model to be solved, and the `parts` that map its classes to the user's (None if
    they are the user's own)."""

    model: FiniteSkipModel
    parts: ExponentialParts | None = None

    @classmethod
    def of(cls, model: FiniteSkipModel, parts: ExponentialParts | None = None) -> FrontProcess:
        """The process of a model; raises `TooLargeError` if it has too many fronts."""
        require_fits(model)
        return cls(model, parts)

    @cached_property
    def blocks(self) -> FrontBlocks:
        """The blocks of the model, built on first use."""
        return prepare(self.model)

    def at(self, arrival_rate: float) -> QuasiBirthDeath:
        return self.blocks.at(arrival_rate)

    def class_times(self, distribution: StationaryDistribution) -> ClassTimes:
        times = self.blocks.response_times(distribution)
        if self.parts is None:
            return tuple(map(float, times)), None
        waits = self.blocks.waiting_times(distribution)
        return self.parts.by_owner(times), None if waits is None else self.parts.by_owner(waits)
