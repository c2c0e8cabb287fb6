"""Numbers as labels write them: with the digits that they need, and no more."""

from __future__ import annotations

import math

import pandas as pd

from atlas.drawings.marks import percent, rounded


def number(value: float, text: str) -> str:
    """A number as `text`, or with a power of ten if it is too large or too small for a label or
    `text` has an e."""
    if value == 0 or ("e" not in text and 1e-5 <= abs(value) < 1e5) or not math.isfinite(value):
        return text
    digits, exponent = f"{value:.3e}".split("e")
    return rf"${float(digits):g}\times 10^{{{int(exponent)}}}$"


def inner(p: float, digits: int) -> str:
    """A number strictly between 0 and 1, with so many digits that it looks like neither."""
    if p > 0.5:
        return f"{p:.{max(digits, 1 - math.floor(math.log10(1 - p)))}f}" if p < 1 else "1"
    return number(p, rounded(p, digits))


def power_law(law: pd.Series) -> tuple[str, str]:
    """The formula of a power law of need and mean duration, and the correlation of the two."""
    # A minus sign as wide as that of the exponent.
    correlation = f"{law.correlation:.2f}".replace("-", "\N{MINUS SIGN}")
    return f"$t \\propto v^{{{law.exponent:.2f}}}$", f"correlation {correlation}"


def chance(p: float, digits: int) -> str:
    """How a probability, which is neither 0 nor 1, compares with its percentage: = 1.23 %."""
    least = 0.5 * 10.0 ** -(digits + 2)
    if p < least:
        return f"< {percent(least, digits + 1)}"
    if p > 1 - least:
        return f"> {percent(1 - least, digits + 1)}"
    return f"= {percent(p, digits)}"
