"""The multi-server queue with parallel processing, its rank function and its stability.

Server s has rate μ_s. Jobs of class i have exponential sizes with mean 1 and can be served by the
servers S_i, several at once: a job is served at the sum of the rates of the servers that work on
it. Each server serves the jobs that it can serve in order of arrival (`parallel-processing`,
Section 2). Classes and servers are numbered from 0, and a set of classes is a bit mask: bit i of A
stands for class i. The servers matter only through the rank function

    μ(A) = Σ_s μ_s 1{s ∈ ∪_{i∈A} S_i},

the rate at which jobs leave while A is the set of classes present. With λ_i the rate at which jobs
of class i arrive, from outside and by routing, the queue is stable if and only if

    Σ_{i∈A} λ_i < μ(A)    for every non-empty set A of classes        (`parallel-processing`, (7)),

that is, if the *load* max_A Σ_{i∈A} λ_i / μ(A) is below 1. A set that attains the maximum *binds*.
(As printed, (7) includes the empty set, for which it says 0 < 0.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver import checks
from multiserver.checks import as_float
from multiserver.errors import TooLargeError, UnstableError

# Tables over sets of classes have 2^N entries.
MOST_CLASSES = 16
# Sets whose loads differ by rounding only are equally binding.
TIE = 1e-12


@dataclass(frozen=True, slots=True)
class MultiServerQueue:
    """Servers of rates μ_s and classes of jobs with their sets S_i of compatible servers.

    A server may have rate 0, but each class needs a server of positive rate. Rates keep their type,
    so fractions give exact ranks. Raises ValueError on invalid arguments.
    """

    rates: tuple[Real, ...]
    compatible: tuple[frozenset[int], ...]

    if TYPE_CHECKING:
        # The types accepted; the fields above have the types stored.
        def __init__(
            self, rates: Iterable[float | Real], compatible: Iterable[Iterable[int]]
        ) -> None: ...

    def __post_init__(self) -> None:
        rates, sets = checks.members(self.rates), checks.members(self.compatible)
        if rates is None:
            raise ValueError(f"rates must be in a list, one a server, found {self.rates!r}")
        if sets is None or any(checks.members(servers) is None for servers in sets):
            raise ValueError(
                f"compatible must be a set of servers for each class, found {self.compatible!r}"
            )
        plain = tuple(as_float(rate) if isinstance(rate, Decimal) else rate for rate in rates)
        object.__setattr__(self, "rates", plain)
        lists = tuple(map(checks.members, sets))
        object.__setattr__(self, "compatible", tuple(map(frozenset, lists)))
        if not self.rates or not self.compatible:
            raise ValueError("a queue needs at least one server and one class, found none")
        for rate in self.rates:
            if not 0 <= as_float(rate) < math.inf:
                raise ValueError(f"rates must be finite numbers of at least 0, found {rate!r}")
        for i, servers in enumerate(lists):
            strange = [s for s in servers if not checks.is_index(s) or s >= self.size]
            if strange:
                raise ValueError(
                    f"class {i} names servers {strange}, expected numbers in 0 … {self.size - 1}"
                )
            if len(self.compatible[i]) < len(servers):
                raise ValueError(
                    f"class {i} must name each of its servers once, found {list(servers)}"
                )
            if not self.rank(1 << i) > 0:
                raise ValueError(f"class {i} has no server of positive rate: its jobs never end")

    @property
    def size(self) -> int:
        """The number S of servers."""
        return len(self.rates)

    @property
    def classes(self) -> int:
        """The number N of classes."""
        return len(self.compatible)

    def rank(self, mask: int) -> Real:
        """μ(A), the total rate of the servers of the classes in the bit mask A."""
        return _rank(self, mask)

    def ranks(self) -> NDArray[np.float64]:
        """μ(A) of all sets of classes, shape (2^N,), read-only.

        Raises TooLargeError beyond `MOST_CLASSES` classes.
        """
        return _ranks(self)


@dataclass(frozen=True, slots=True)
class Stability:
    """Whether condition (7) holds, and by how much.

    `fraction_of_limit` is max_A λ(A)/μ(A), and `scale` its inverse (the queue is stable if all
    arrival rates are multiplied by less than that). `binding` is the smallest set that attains the
    maximum (empty if nothing arrives), and `margin` its μ(A) − λ(A) in jobs per unit of time.
    """

    stable: bool
    fraction_of_limit: float
    binding: tuple[int, ...]
    margin: float
    scale: float


def stability(queue: MultiServerQueue, arrival_rates: ArrayLike) -> Stability:
    """Condition (7) for arrival rates λ = `arrival_rates`, shape (N,), jobs per unit of time."""
    rates = as_rates(arrival_rates, queue.classes)
    arriving, served = over_subsets(rates), queue.ranks()
    shares = np.divide(arriving, served, out=np.zeros_like(served), where=served > 0)
    highest = float(shares.max())
    if highest == 0:
        return Stability(True, 0.0, (), math.inf, math.inf)
    tied = np.flatnonzero(shares >= highest * (1 - TIE))
    mask = int(min(tied, key=lambda a: (int(a).bit_count(), a)))
    return Stability(
        stable=highest < 1,
        fraction_of_limit=highest,
        binding=members(mask),
        margin=float(served[mask] - arriving[mask]),
        scale=1 / highest,
    )


def require_stable(
    queue: MultiServerQueue, arrival_rates: ArrayLike, first: int = 0
) -> NDArray[np.float64]:
    """λ as an array; raises UnstableError, with the binding set, if condition (7) fails.

    The error numbers the classes from `first`.
    """
    rates, found = as_rates(arrival_rates, queue.classes), stability(queue, arrival_rates)
    if not found.stable:
        brought = math.fsum(rates[list(found.binding)])
        binding = tuple(first + i for i in found.binding)
        raise UnstableError(
            f"unstable: classes {list(binding)} bring {brought:.6g} jobs per unit of time to"
            f" servers that finish {brought + found.margin:.6g};"
            f" expected all arrival rates multiplied by less than {found.scale:.6g}",
            binding,
            found.scale,
            arrival_rate=float(rates.sum()),
            limit=float(rates.sum()) * found.scale,
        )
    return rates


def as_rates(arrival_rates: ArrayLike, classes: int) -> NDArray[np.float64]:
    """`arrival_rates` as an array of shape (classes,); ValueError unless finite and at least 0."""
    rates = np.asarray(arrival_rates, dtype=float)
    if rates.shape != (classes,) or not (np.isfinite(rates) & (rates >= 0)).all():
        raise ValueError(
            f"arrival_rates is {arrival_rates!r}, expected {classes} finite numbers of at least 0"
        )
    return rates


def over_subsets(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ_{i∈A} values_i for all sets A, shape (2^N,)."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


@lru_cache(maxsize=8)
def layers(
    classes: int,
) -> tuple[tuple[tuple[int, NDArray[np.int64], NDArray[np.int64]], ...], ...]:
    """Sets of classes by size: for each size ≥ 1, (i, all A ∋ i of that size, A \\ i) per class i.

    A recursion from A \\ i to A goes through the layers in order, one from A to A \\ i in reverse.
    """
    masks = np.arange(1 << classes)
    sizes = np.bitwise_count(masks)
    return tuple(
        tuple(
            (i, chosen, chosen ^ (1 << i))
            for i in range(classes)
            for chosen in [masks[(sizes == size) & (masks >> i & 1 == 1)]]
        )
        for size in range(1, classes + 1)
    )


def members(mask: int) -> tuple[int, ...]:
    """The classes in a bit mask, in ascending order."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def mask_of(classes: Iterable[int]) -> int:
    """The bit mask of a collection of classes."""
    mask = 0
    for i in classes:
        mask |= 1 << i
    return mask


@lru_cache(maxsize=65536)
def _rank(queue: MultiServerQueue, mask: int) -> Real:
    return sum(queue.rates[s] for s in frozenset().union(*_server_sets(queue, mask)))


def _server_sets(queue: MultiServerQueue, mask: int) -> Sequence[frozenset[int]]:
    return [queue.compatible[i] for i in members(mask)]


@lru_cache(maxsize=16)
def _ranks(queue: MultiServerQueue) -> NDArray[np.float64]:
    if queue.classes > MOST_CLASSES:
        raise TooLargeError(
            f"{queue.classes} classes have too many subsets, expected at most {MOST_CLASSES}"
            " (see `symmetric` for pools of equal servers)"
        )
    sets = np.arange(1 << queue.classes)
    table = np.zeros(sets.size)
    for s, rate in enumerate(queue.rates):
        users = mask_of(i for i, servers in enumerate(queue.compatible) if s in servers)
        table += float(rate) * ((sets & users) != 0)
    table.flags.writeable = False
    return table
