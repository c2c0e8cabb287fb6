r"""Printed numbers: read one that a paper states, and print a recomputed one in the same way.

A number is stated as text where its digits count: "0.60" says more than "0.6"; "6.4 %" is 0.064. A
recomputed number is printed with the same unit and the same last digit. It gets more digits only if
it would look equal to the stated number although it is not.
"""

from __future__ import annotations

import re
from typing import Any

from atlas.io.claim_values import show
from atlas.io.latex import escape

NUMBER = re.compile(r"^([-+−]?\d+(?:\.(\d+))?)(?:e([-+]?\d+))?( ?%)?$")
# Words for which the recomputed number is printed with the decimals of the stated one.
DIGITS_COUNT = {"printed", "about", "around", "roughly"}
# The digits of a recomputed number if those of the paper say nothing; and the most for any number.
FEW, MOST = 3, 6


def parse(stated: str, *, significant: bool = False) -> tuple[float, float] | None:
    """A printed number and the unit of its last digit, or None if the text is no number.

    With `significant`, zeros at the end of a whole number are not digits: 500 has the unit 100.
    """
    match = NUMBER.match(stated)
    if match is None:
        return None
    digits, decimals, exponent, percent = match.groups()
    power = int(exponent or 0) - (2 if percent else 0)
    place = -len(decimals or "")
    if significant and not decimals:
        place = len(digits) - len(digits.rstrip("0")) if digits.strip("-+−0") else 0
    return float(f"{digits.replace('−', '-')}e{power}"), 10.0 ** (place + power)


def set_stated(stated: Any) -> str:
    r"""What a paper states as LaTeX, its numbers by `\multiserver@num` and `\multiserver@percent`.

    A list is set as in a sentence; lists in a list are set in parentheses.
    """
    if isinstance(stated, list):
        return _join([set_stated(item) for item in stated], stated)
    if isinstance(stated, bool) or stated is None:
        return escape(show(stated))
    text = str(stated).replace("−", "-")
    if NUMBER.match(text) is None:
        return escape(show(stated, f".{MOST}g"))
    if "%" not in text and len(text.strip("-0.").replace(".", "")) > MOST:
        text = _digits(float(text), MOST)
    return _number(text)


def set_found(value: Any, stated: Any, within: str, *, holds: bool | None, style: str = "") -> str:
    """The same for a recomputed value; the paper says `stated`, with the word `within`.

    `holds` says whether the value is within what the word allows. A value that is equal up to
    rounding errors is printed as stated; one that is not equal never is. `style`, a Python format,
    sets the digits if it is given.
    """
    if isinstance(value, list):
        likes = stated if isinstance(stated, list) and len(stated) == len(value) else None
        each = likes or [stated] * len(value)
        pairs = zip(value, each, strict=True)
        parts = [set_found(x, like, within, holds=holds, style=style) for x, like in pairs]
        return _join(parts, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return escape(show(value))
    like = stated[0] if isinstance(stated, list) and stated else stated
    like = str(like).replace("−", "-")
    match, percent = NUMBER.match(like), like.endswith("%")
    if style:
        percent = percent or style.endswith("%")
        style = style.replace("%", "f")
        return _number(format(100 * value if percent else value, f"z{style}") + " %" * percent)
    number = 100 * value if percent else value
    if match is None:
        return _number(_digits(number, FEW))
    if within == "exact" and holds:
        return set_stated(stated if not isinstance(stated, list) else like)
    if isinstance(value, int):
        return _number(str(value))
    text = _digits(number, FEW)
    if within in DIGITS_COUNT and not match[3] and len(match[2] or "") <= MOST:
        text = f"{number:.{len(match[2] or '')}f}"
        for digits in range(FEW, MOST + 1):
            if holds or float(text) != float(match[1]):
                break
            text = _digits(number, digits)
    elif percent:
        text = f"{number:.{max(len(match[2] or ''), 0 if abs(number) >= 10 else 1)}f}"
        text = text if holds or float(text) != float(match[1]) else _digits(number, FEW)
    return _number(text + " %" * percent)


def _digits(number: float, digits: int) -> str:
    """A number to so many significant digits, with an exponent only where the format g has one."""
    text = f"{number:.{digits}g}"
    mantissa, _, power = text.partition("e")
    return f"{mantissa}e{int(power)}" if power else text


def _number(text: str) -> str:
    digits = text.removesuffix("%").strip()
    command = "percent" if text.endswith("%") else "num"
    mantissa, _, power = digits.partition("e")
    plain = mantissa.replace("-", r"\ensuremath{-}")
    if power:
        factor = "" if mantissa == "1" else rf"{mantissa} \cdot "
        plain = rf"\ensuremath{{{factor}10^{{{int(power)}}}}}"
    return rf"\multiserver@{command}{{{digits}}}{{{plain}}}"


def _join(parts: list[str], items: list[Any]) -> str:
    parts = [
        f"({part.replace(' and ', ', ')})" if isinstance(item, list) else part
        for part, item in zip(parts, items, strict=True)
    ]
    return " and ".join([", ".join(parts[:-1])] * (len(parts) > 1) + parts[-1:]) or "nothing"
