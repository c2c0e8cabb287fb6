"""Distributions of job sizes and durations.

S is the size of a job: the time that it spends in service at speed 1. Its *largest expected
remaining size* (`finite-skip`, Section 2.2) is

    rem_max = sup_{x ≥ 0} E[S − x | S > x],

and E[S²] ≤ 2 E[S] rem_max. A *phase-type* size is the time until absorption of a Markov chain that
starts in phase i with probability α_i and moves at the rates T: P(S > x) = α exp(T x) 1.

Parameters are numbers within [1e-100, 1e100], so that no moment that is finite overflows.
Probabilities are divided by their sum, which must be 1 up to 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import SUM_TOLERANCE
from multiserver.phase_type import PhaseType

Phases = tuple[NDArray[np.float64], NDArray[np.float64]]

LARGEST = 1e100


@dataclass(frozen=True, slots=True)
class Exponential:
    """P(S > x) = exp(−rate x). Raises `ValueError` unless the rate is within range."""

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _positive("rate", self.rate))

    @property
    def mean(self) -> float:
        """E[S]."""
        return 1 / self.rate

    @property
    def second_moment(self) -> float:
        """E[S²]."""
        return 2 * self.variance

    @property
    def variance(self) -> float:
        """E[S²] − E[S]²."""
        return 1 / self.rate**2

    @property
    def largest_remaining(self) -> float:
        """rem_max, the mean: the exponential has no memory."""
        return self.mean

    def phases(self) -> Phases:
        """α (1,) and T (1, 1)."""
        return np.ones(1), np.array([[-self.rate]])


@dataclass(frozen=True, slots=True)
class Hyperexponential:
    """Exponential of rate `rates[i]` with probability `probabilities[i]`.

    Raises `ValueError` unless there are as many rates as probabilities, at least one, the rates
    within range and the probabilities in (0, 1] with sum 1.
    """

    rates: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __post_init__(self) -> None:
        _set_mixture(self, "rates", self.rates, self.probabilities)

    @property
    def mean(self) -> float:
        """E[S]."""
        return math.fsum(p / r for r, p in self._branches())

    @property
    def second_moment(self) -> float:
        """E[S²]."""
        return math.fsum(2 * p / r**2 for r, p in self._branches())

    @property
    def variance(self) -> float:
        """E[S²] − E[S]², within branches and between them."""
        mean = self.mean
        return math.fsum(p * (1 / r**2 + (1 / r - mean) ** 2) for r, p in self._branches())

    @property
    def largest_remaining(self) -> float:
        """rem_max, the mean of the slowest branch, approached by a job of great age."""
        return 1 / min(self.rates)

    def phases(self) -> Phases:
        """α (m,) and T (m, m) of the m branches."""
        return np.array(self.probabilities), -np.diag(self.rates)

    def _branches(self) -> Iterable[tuple[float, float]]:
        return zip(self.rates, self.probabilities, strict=True)


@dataclass(frozen=True, slots=True)
class Erlang:
    """The sum of `stages` independent exponentials, each of rate `rate`.

    Raises `ValueError` unless `stages` is a positive integer and the rate within range.
    """

    stages: int
    rate: float

    def __post_init__(self) -> None:
        m = self.stages
        if isinstance(m, bool) or not isinstance(m, Integral) or not 1 <= m <= LARGEST:
            raise ValueError(f"stages must be a positive integer, found {m!r}")
        object.__setattr__(self, "stages", int(m))
        object.__setattr__(self, "rate", _positive("rate", self.rate))

    @property
    def mean(self) -> float:
        """E[S]."""
        return self.stages / self.rate

    @property
    def second_moment(self) -> float:
        """E[S²]."""
        return (self.stages + 1) * self.variance

    @property
    def variance(self) -> float:
        """E[S²] − E[S]²."""
        return self.stages / self.rate**2

    @property
    def largest_remaining(self) -> float:
        """rem_max, the mean: an older job has fewer stages left."""
        return self.mean

    def phases(self) -> Phases:
        """α (m,) and T (m, m) of the m stages."""
        m = self.stages
        return np.eye(1, m)[0], self.rate * (np.eye(m, k=1) - np.eye(m))


@dataclass(frozen=True, slots=True)
class Deterministic:
    """S = value. Raises `ValueError` unless the value is within range."""

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _positive("value", self.value))

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

    @property
    def largest_remaining(self) -> float:
        """rem_max, the value: a job that has just started."""
        return self.value

    def phases(self) -> Phases:
        """Raises `ValueError`: no finite number of phases has this size."""
        raise _not_phase_type(self)


@dataclass(frozen=True, slots=True)
class Bimodal:
    """S = `values[i]` with probability `probabilities[i]`, for two or any finite number of values.

    Raises `ValueError` unless there are as many values as probabilities, at least one, the values
    within range and the probabilities in (0, 1] with sum 1.
    """

    values: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __post_init__(self) -> None:
        _set_mixture(self, "values", self.values, self.probabilities)

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

    @property
    def largest_remaining(self) -> float:
        """rem_max, found at age 0 or at one of the values: E[S − x | S > x] falls in between."""
        return max(self._remaining(x) for x in (0.0, *self.values) if x < max(self.values))

    def phases(self) -> Phases:
        """Raises `ValueError`: no finite number of phases has this size."""
        raise _not_phase_type(self)

    def _atoms(self) -> Iterable[tuple[float, float]]:
        return zip(self.values, self.probabilities, strict=True)

    def _remaining(self, age: float) -> float:
        longer = [(v, p) for v, p in self._atoms() if v > age]
        return math.fsum(p * (v - age) for v, p in longer) / math.fsum(p for _, p in longer)


@dataclass(frozen=True, slots=True)
class Pareto:
    """P(S > x) = (scale/x)^shape for x ≥ scale. Raises `ValueError` unless both are within range.

    Moments of order `shape` and above are infinite; `warning` says what follows.
    """

    shape: float
    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _positive("shape", self.shape))
        object.__setattr__(self, "scale", _positive("scale", self.scale))

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

    @property
    def largest_remaining(self) -> float:
        """rem_max, infinite: a job of age x ≥ scale has x/(shape − 1) left on average."""
        return math.inf

    @property
    def warning(self) -> str:
        """Which of the first three moments are infinite and what that does; empty if none is."""
        if self.shape <= 1:
            return "the mean is infinite: no arrival rate is stable"
        if self.shape <= 2:
            return "the second moment is infinite: so is the mean wait for one server"
        if self.shape <= 3:
            return "the third moment is infinite: so is the variance of the wait for one server"
        return ""

    def phases(self) -> Phases:
        """Raises `ValueError`: no finite number of phases has this size."""
        raise _not_phase_type(self)


Size = Exponential | Hyperexponential | Erlang | Deterministic | Bimodal | Pareto | PhaseType

_RATES, _TIMES = {"rate", "rates"}, {"value", "values", "scale"}


def scaled(size: Size, factor: float) -> Size:
    """The distribution of `factor` times S. Raises `ValueError` if that is out of range."""
    if isinstance(size, PhaseType):
        return size.scaled(factor)
    changed = {}
    for field in fields(size):
        value = getattr(size, field.name)
        if field.name in _RATES | _TIMES:
            by = factor if field.name in _TIMES else 1 / factor
            many = isinstance(value, tuple)
            changed[field.name] = tuple(by * x for x in value) if many else by * value
    return replace(size, **changed)


def _positive(name: str, value: object) -> float:
    number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else value
    if not 1 / LARGEST <= number <= LARGEST:
        raise ValueError(f"{name} must be a number in [1e-100, 1e100], found {value!r}")
    return float(number)


def _set_mixture(
    size: object, name: str, values: Iterable[float], probabilities: Iterable[float]
) -> None:
    """Set the field `name` and the probabilities of a frozen mixture, checked."""
    values, probabilities = tuple(values), tuple(probabilities)
    if len(values) != len(probabilities) or not values:
        raise ValueError(
            f"{name} and probabilities must be equally many and at least one,"
            f" found {len(values)} and {len(probabilities)}"
        )
    for p in probabilities:
        if isinstance(p, bool) or not isinstance(p, Real) or not 0 < p <= 1:
            raise ValueError(f"probability must lie in (0, 1], found {p!r}")
    total = math.fsum(probabilities)
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(f"probabilities must sum to 1, found a sum of {total!r}")
    object.__setattr__(size, name, tuple(_positive(name, value) for value in values))
    object.__setattr__(size, "probabilities", tuple(float(p) / total for p in probabilities))


def _not_phase_type(size: object) -> ValueError:
    return ValueError(f"only phase-type sizes have phases, found {size!r}")
