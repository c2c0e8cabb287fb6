"""What arguments must be, said in one way."""

from __future__ import annotations

from numbers import Integral

# Probabilities and shares are decimal fractions typed by people: thirds do not sum to 1.
SUM_TOLERANCE = 1e-9

_WORDS = {0: "a non-negative integer", 1: "a positive integer"}


def require_integer(name: str, value: object, least: int = 1) -> int:
    """The value as an integer. Raises `ValueError` unless it is one, of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        wanted = _WORDS.get(least, f"an integer of at least {least}")
        raise ValueError(f"{name} must be {wanted}, found {value!r}")
    return int(value)
