"""Checks of the parameters of sizes.

They must be numbers within [1e-100, 1e100], so that neither their squares nor the inverses of these
overflow. Probabilities are divided by their sum, which must be 1 to within 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterable

from multiserver.checks import LARGEST, as_float, members, sum_near_1


def positive(name: str, value: object) -> float:
    """The value as a float. Raises `ValueError` unless it is a number in [1e-100, 1e100]."""
    number = as_float(value)
    if not 1 / LARGEST <= number <= LARGEST:
        raise ValueError(f"{name} must be a number in [1e-100, 1e100], found {value!r}")
    return number


def set_mixture(
    size: object, name: str, values: Iterable[float], probabilities: Iterable[float]
) -> None:
    """Check the field `name` and the probabilities of a frozen mixture, and set them."""
    found = members(values), members(probabilities)
    if None in found:
        raise ValueError(
            f"{name} and probabilities must be lists of numbers, found {values!r} and"
            f" {probabilities!r}"
        )
    values, probabilities = found
    if len(values) != len(probabilities) or not values:
        raise ValueError(
            f"{name} and probabilities must be equally many and at least one,"
            f" found {len(values)} and {len(probabilities)}"
        )
    for p in probabilities:
        if not 0 < as_float(p) <= 1:
            never = f": leave it out of `probabilities` and `{name}`" if as_float(p) == 0 else ""
            raise ValueError(f"probability must lie in (0, 1], found {p!r}{never}")
    total = sum_near_1(map(as_float, probabilities))
    object.__setattr__(size, name, tuple(positive(name, value) for value in values))
    object.__setattr__(size, "probabilities", tuple(float(p) / total for p in probabilities))
