"""Intervals and estimates scale and shift as numbers do.

A value V is mapped to a V + b for real a and b. Scaling by a keeps the relative precision of an
estimate, shifting by b keeps the length of its interval, and a negative a swaps the two bounds. Two
values are neither added nor multiplied: how their errors depend on each other is not known here.
An attempt raises a `TypeError` that says what to do instead.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Self

from multiserver.checks import as_float, is_number, require_number


class Affine(ABC):
    """Arithmetic with real numbers for a class that defines `_mapped`."""

    __slots__ = ()
    # Makes a numpy number on the left defer to `__radd__` and the like.
    __array_ufunc__: ClassVar[None] = None

    @abstractmethod
    def _mapped(self, factor: float, shift: float) -> Self: ...

    def mapped(self, factor: float, shift: float) -> Self:
        """factor · self + shift. Raises `ValueError` unless both are numbers."""
        return self._mapped(require_number("factor", factor), require_number("shift", shift))

    def __mul__(self, factor: float) -> Self:
        return self.mapped(as_float(factor), 0.0) if _is_exact(factor) else NotImplemented

    def __rmul__(self, factor: float) -> Self:
        return self * factor

    def __truediv__(self, divisor: float) -> Self:
        return self.mapped(1 / as_float(divisor), 0.0) if _is_exact(divisor) else NotImplemented

    def __add__(self, shift: float) -> Self:
        return self.mapped(1.0, as_float(shift)) if _is_exact(shift) else NotImplemented

    def __radd__(self, shift: float) -> Self:
        return self + shift

    def __sub__(self, shift: float) -> Self:
        return self.mapped(1.0, -as_float(shift)) if _is_exact(shift) else NotImplemented

    def __rsub__(self, other: float) -> Self:
        return self.mapped(-1.0, as_float(other)) if _is_exact(other) else NotImplemented

    def __neg__(self) -> Self:
        return self.mapped(-1.0, 0.0)


def _is_exact(other: object) -> bool:
    """Whether the other operand is a number; raises `TypeError` for estimates and intervals."""
    if isinstance(other, Affine):
        raise TypeError(
            "two estimates or intervals are not combined, as how their errors depend on each other"
            " is not known: take numbers, float(estimate) or the ends of an interval. The standard"
            " error of a sum or difference is √(a² + b²) if the runs are independent (seeds that"
            " differ), where a and b are their `standard_error`"
        )
    return is_number(other)


def with_error(mean: float, error: float, spec: str = "") -> str:
    """`mean ± error`, both in the format `spec`; without one, the error to two digits."""
    if not spec:
        spec = f".{_places(error)}f" if 0 < error < math.inf else ".6g"
    return f"{mean:{spec}} ± {error:{spec}}"


def in_brackets(mean: float, error: float) -> str:
    """The error, to two digits, in units of the last digit of the mean: 12.70(34)."""
    if not 0 < error < math.inf:
        return f"{mean:.6g}"
    places = _places(error)
    digits = round(error * 10.0**places) if places else round(error)
    return f"{mean:.{places}f}({digits})"


def _places(error: float) -> int:
    """Decimal places that show two digits of an error, or all digits of a large one."""
    return max(0, 1 - math.floor(math.log10(float(f"{error:.1e}"))))
