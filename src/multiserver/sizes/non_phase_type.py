"""Sizes that are not phase-type: atoms, and a power-law tail."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from multiserver.checks import require_integer
from multiserver.sizes.parameters import positive, set_mixture

if TYPE_CHECKING:
    from multiserver.sizes.bounded_pareto import BoundedPareto


@dataclass(frozen=True, slots=True)
class Deterministic:
    """S = value. Raises `ValueError` unless the value is within range."""

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", positive("value", self.value))

    @property
    def mean(self) -> float:
        """E[S]."""
        return self.value

    @property
    def second_moment(self) -> float:
        """E[S²]."""
        return self.value**2

    @property
    def variance(self) -> float:
        """0."""
        return 0.0

    def moment(self, k: int) -> float:
        """E[S^k]. Raises `ValueError` unless k is an integer from 0 on."""
        k = require_integer("k", k, least=0)
        return self.value**k

    @property
    def largest_remaining(self) -> float:
        """rem_max, the value, attained by a job that has just started."""
        return self.value

    def phases(self) -> NoReturn:
        """Raises `ValueError`: the distribution is not phase-type."""
        raise not_phase_type(self)


@dataclass(frozen=True, slots=True)
class Bimodal:
    """S = `values[i]` with probability `probabilities[i]`, for two or any finite number of values.

    Raises `ValueError` unless there are as many values as probabilities, at least one, the values
    within range and the probabilities in (0, 1] with sum 1.
    """

    values: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __post_init__(self) -> None:
        set_mixture(self, "values", self.values, self.probabilities)

    @property
    def mean(self) -> float:
        """E[S]."""
        return math.fsum(p * v for v, p in self._atoms())

    @property
    def second_moment(self) -> float:
        """E[S²]."""
        return math.fsum(p * v**2 for v, p in self._atoms())

    @property
    def variance(self) -> float:
        """E[(S − E[S])²]."""
        mean = self.mean
        return math.fsum(p * (v - mean) ** 2 for v, p in self._atoms())

    def moment(self, k: int) -> float:
        """E[S^k]. Raises `ValueError` unless k is an integer from 0 on."""
        k = require_integer("k", k, least=0)
        return math.fsum(p * v**k for v, p in self._atoms())

    @property
    def largest_remaining(self) -> float:
        """rem_max, at age 0 or at one of the values, as E[S − x | S > x] decreases in between."""
        return max(self._remaining(x) for x in (0.0, *self.values) if x < max(self.values))

    def phases(self) -> NoReturn:
        """Raises `ValueError`: the distribution is not phase-type."""
        raise not_phase_type(self)

    def _atoms(self) -> Iterable[tuple[float, float]]:
        return zip(self.values, self.probabilities, strict=True)

    def _remaining(self, age: float) -> float:
        longer = [(v, p) for v, p in self._atoms() if v > age]
        return math.fsum(p * (v - age) for v, p in longer) / math.fsum(p for _, p in longer)


@dataclass(frozen=True, slots=True)
class Pareto:
    """P(S > x) = (scale/x)^shape for x ≥ scale. Raises `ValueError` unless both are within range.

    Moments of order `shape` and above are infinite; `warning` states the consequences.
    """

    shape: float
    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", positive("shape", self.shape))
        object.__setattr__(self, "scale", positive("scale", self.scale))

    @property
    def mean(self) -> float:
        """E[S], infinite if shape ≤ 1."""
        return self.scale * self.shape / (self.shape - 1) if self.shape > 1 else math.inf

    @property
    def second_moment(self) -> float:
        """E[S²], infinite if shape ≤ 2."""
        return self.scale**2 * self.shape / (self.shape - 2) if self.shape > 2 else math.inf

    @property
    def variance(self) -> float:
        """E[S²] − E[S]², infinite if shape ≤ 2."""
        if self.shape <= 2:
            return math.inf
        return self.scale**2 * self.shape / (self.shape - 2) / (self.shape - 1) / (self.shape - 1)

    def moment(self, k: int) -> float:
        """E[S^k], infinite if shape ≤ k. Raises `ValueError` unless k is an integer from 0 on."""
        k = require_integer("k", k, least=0)
        return self.scale**k * self.shape / (self.shape - k) if self.shape > k else math.inf

    def seen(self, jobs: float) -> BoundedPareto:
        """The distribution up to the size that one of `jobs` exceeds on average."""
        from multiserver.sizes.bounded_pareto import BoundedPareto

        return BoundedPareto(self.shape, self.scale, self.scale * (1 + jobs) ** (1 / self.shape))

    @property
    def largest_remaining(self) -> float:
        """rem_max, infinite: a job of age x ≥ scale has x/(shape − 1) left on average."""
        return math.inf

    @property
    def warning(self) -> str:
        """Which of the first three moments is infinite, and the consequence; empty if none is."""
        if self.shape <= 1:
            return "the mean is infinite: no arrival rate is stable"
        if self.shape <= 2:
            return "the second moment is infinite: so is the mean wait for one server"
        if self.shape <= 3:
            return "the third moment is infinite: so is the variance of the wait for one server"
        return ""

    def phases(self) -> NoReturn:
        """Raises `ValueError`: the distribution is not phase-type."""
        raise not_phase_type(self)


def not_phase_type(size: object) -> ValueError:
    """The error to raise if such a size is asked for its phases."""
    return ValueError(f"only phase-type sizes have phases, found {size!r}")
