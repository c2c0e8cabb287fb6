"""Checks of arguments, with uniform messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

from multiserver.errors import TooLargeError

# Probabilities and shares are typed as decimals: thirds do not sum to exactly 1. A sum nearer to 1
# than by SUM_ROUNDING is that of floats.
SUM_TOLERANCE, SUM_ROUNDING = 1e-9, 1e-14
# A sum that differs from 1 by less is taken for that of probabilities with too few digits.
ROUNDED = 1e-3

# Parameters of distributions lie in [1/LARGEST, LARGEST]: squares and their inverses are floats.
LARGEST = 1e100
# k! of a larger k is no float.
LARGEST_FACTORIAL = 170

# The most needs that a message lists.
MOST_LISTED = 12

_WORDS = {0: "a non-negative integer", 1: "a positive integer"}


def is_number(value: object) -> bool:
    """Whether the value is a real number, be it a float, a fraction or a decimal; a truth value and
    an array are none."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def as_float(value: object) -> float:
    """A real number as a plain float, and NaN for anything else: short floats of numpy lose digits
    or overflow."""
    if not is_number(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value > 0 or -1)
    except ValueError:
        return math.nan  # The signalling NaN of decimals.


def require_number(name: str, value: object, least: float = -math.inf) -> float:
    """The value as a float. Raises `ValueError` unless it is a number, of at least `least`."""
    if not (number := as_float(value)) >= least:
        bound = "" if least == -math.inf else f" from {least:g} on"
        raise ValueError(f"{name} must be a number{bound}, found {value!r}")
    return number


def members(value: object) -> tuple[Any, ...] | None:
    """What an iterable holds; None for a text or bytes and for what cannot be iterated over, as an
    array of numpy that is one number."""
    if isinstance(value, str | bytes | bytearray):
        return None
    try:
        return tuple(value)
    except TypeError:
        return None


def require_integer(name: str, value: object, least: int = 1) -> int:
    """The value as an integer. Raises `ValueError` unless it is one, of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        expected = _WORDS.get(least, f"an integer of at least {least}")
        raise ValueError(f"{name} must be {expected}, found {value!r}")
    return int(value)


def require_room(what: str, count: int, most: int) -> None:
    """Raise `TooLargeError` if there are more than `most` of what an exact method must list."""
    if count > most:
        raise TooLargeError(f"found more than {most:.0e} {what}, which are listed one by one")


def is_index(value: object) -> bool:
    """Whether the value is an integer from 0 on; a truth value is none."""
    return isinstance(value, Integral) and not isinstance(value, bool) and value >= 0


def require_among(name: str, number: int, count: int) -> None:
    """Raise `ValueError` unless the number is one of 1, …, `count`."""
    if not 1 <= number <= count:
        raise ValueError(f"{name} must be a number from 1 to {count}, found {number}")


def require_count(name: str, value: object, least: int = 1, why: str = "") -> int:
    """A count as an integer; the float 1e6 is accepted as a million.

    Raises `ValueError`, with the reason `why`, unless it is an integer of at least `least`.
    """
    whole = isinstance(value, Integral) or as_float(value).is_integer()
    if not is_number(value) or not whole or value < least:
        reason = f" ({why})" if why else ""
        raise ValueError(f"{name} must be an integer from {least} on{reason}, found {value!r}")
    return int(value)


def servers_or_speeds(given: object) -> int | tuple[float, ...]:
    """The number of servers, or the speed of each. Raises `ValueError` for anything else."""
    speeds = members(given)
    if isinstance(given, Set | Mapping):
        raise ValueError(f"speeds must be in a list, one a server, found {given!r}")
    if speeds is None:
        if (number := require_integer("servers", given)) > LARGEST:
            raise ValueError(f"servers must be at most {LARGEST:g}, found a larger number")
        return number
    if not speeds:
        raise ValueError("a system needs at least one server, found no speed")
    for v in speeds:
        if not 0 < as_float(v) < math.inf:
            raise ValueError(f"speeds must be positive finite numbers, found {v!r}")
    return tuple(map(as_float, speeds))


def sum_near_1(probabilities: Iterable[float]) -> float:
    """The sum of probabilities. Raises `ValueError` unless it is 1, up to their digits."""
    total = math.fsum(probabilities)
    if abs(total - 1) > SUM_TOLERANCE:
        near = "; if digits are missing, divide each, as a float of 64 bits, by the sum"
        hint = near * (abs(total - 1) < ROUNDED)
        raise ValueError(f"probabilities must sum to 1, found a sum of {total!r}{hint}")
    return total


def summing_to_1(classes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The classes, with the probabilities nearest to theirs (Σ (Δp/p)² is least) that sum to 1, if
    more than rounding is missing: methods differ in where they use the sum, and 1e-9 of it would be
    1e-3 of a mean at 0.999999 λ*.

    Raises `ValueError` unless they sum to 1, up to their digits.
    """
    probabilities = [float(c.probability) for c in classes]
    total = sum_near_1(probabilities)
    if abs(total - 1) < SUM_ROUNDING:
        return classes
    part = (1 - total) / math.fsum(p * p for p in probabilities)
    rows = zip(classes, probabilities, strict=True)
    return tuple(replace(c, probability=p + part * p * p) for c, p in rows)


def listed(needs: Iterable[int]) -> str:
    """Needs for a message: the first `MOST_LISTED` classes.

    >>> listed((1, 4)), listed(range(1, 1001))
    ('(1, 4)', '(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, … of 1000 classes)')
    """
    needs = tuple(needs)
    if len(needs) <= MOST_LISTED:
        return str(needs)
    return f"({', '.join(map(str, needs[:MOST_LISTED]))}, … of {len(needs)} classes)"


def divide_servers(servers: int, needs: Iterable[int]) -> bool:
    """Whether every need divides n."""
    return not any(servers % v for v in needs)


def divide_each_other(servers: int, needs: Iterable[int]) -> bool:
    """Whether, in increasing order, each need divides the next and the largest divides n."""
    return not any(larger % v for v, larger in pairwise([*sorted(set(needs)), servers]))


def require_divisors(servers: int, needs: Iterable[int], *, each_other: bool = False) -> None:
    """Raise `ValueError` unless the needs divide n and, with `each_other`, one another."""
    needs = tuple(needs)
    if not (divide_each_other if each_other else divide_servers)(servers, needs):
        also = "each other and " if each_other else ""
        raise ValueError(f"needs must divide {also}the {servers} servers, found {listed(needs)}")
