"""Phase-type sizes with few parameters; `multiserver.phase_type` has the general one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import LARGEST, require_integer
from multiserver.errors import TooLargeError
from multiserver.sizes.parameters import positive, set_mixture

# The rates of phases are a dense matrix.
MOST_PHASES = 5000

Phases = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Exponential:
    """P(S > x) = exp(−rate x). Raises `ValueError` unless the rate is within range."""

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive("rate", self.rate))

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

    def moment(self, k: int) -> float:
        """E[S^k]. Raises `ValueError` unless k is an integer from 0 on."""
        k = require_integer("k", k, least=0)
        return math.factorial(k) * self.mean**k

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
        set_mixture(self, "rates", self.rates, self.probabilities)

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

    def moment(self, k: int) -> float:
        """E[S^k]. Raises `ValueError` unless k is an integer from 0 on."""
        k = require_integer("k", k, least=0)
        return math.factorial(k) * math.fsum(p / r**k for r, p in self._branches())

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
        object.__setattr__(self, "rate", positive("rate", self.rate))

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

    def moment(self, k: int) -> float:
        """E[S^k] = m (m + 1) … (m + k − 1)/rate^k. Raises `ValueError` unless k is an integer from
        0 on."""
        k = require_integer("k", k, least=0)
        return math.prod(((self.stages + i) / self.rate for i in range(k)), start=1.0)

    @property
    def largest_remaining(self) -> float:
        """rem_max, the mean: an older job has fewer stages left."""
        return self.mean

    def phases(self) -> Phases:
        """α (m,) and T (m, m) of the m stages. Raises `TooLargeError` beyond `MOST_PHASES`."""
        m = self.stages
        if m > MOST_PHASES:
            raise TooLargeError(f"{self!r} has {m} phases in a dense matrix; {MOST_PHASES} fit")
        return np.eye(1, m)[0], self.rate * (np.eye(m, k=1) - np.eye(m))
