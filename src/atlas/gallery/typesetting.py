"""Numbers, parameters, headings and running text as a page shows them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from atlas.gallery.collect import Exhibit
from atlas.io.latex import MATHEMATICS
from atlas.io.tabulars import short

SYMBOLS = {command[1:]: symbol for symbol, command in MATHEMATICS.items()}
TOKEN = re.compile(r"\\([A-Za-z]+) ?|\\(.)|([_^])|([{}$])|([^\\_^{}$])")
SPACES = set(",;: ")
UPRIGHT = {"mathrm", "text", "operatorname"}
# A letter with an index, and a power, in running text: Y_d, λ_naive, n^-0.5, n^{2−α}.
INDEX = re.compile(r"(?<![A-Za-z_])([A-Za-zα-ωΑ-Ω∏∑∫∪∩])_(?:\{([^{}]*)\}|([A-Za-z0-9]+))")
# A symbol with its number: n1, p2, μ1, a0, H2, and μn; not v2 of a version or part of a word.
NUMBERED = re.compile(
    r"(?<![\w.#])(?<![A-Za-z]-)([a-uw-zλμνπρσγαHCX])([0-9]{1,2}|(?<=μ)n)(?![\w])(?!\.[0-9])"
)
POWER = re.compile(
    r"\^(?:(\*)|\{([^{}]*)\}|\(([^()]*)\)"
    r"|([-−]?(?:[0-9]+(?:\.[0-9]+)?|[A-Za-zα-ωℓ]+|∞)|[-−]\([^()]*\)))"
)
SLANTED = re.compile("[A-Za-zα-ω]")


def number(value: Any) -> str:
    """A number of a data table, to six digits."""
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.6g}"
    return "yes" if value is True else "no" if value is False else str(value)


def parameter(value: Any, limit: int = 8) -> str:
    """A parameter in one line; lists longer than `limit` (unless it is 0) are shortened."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {parameter(x, limit)}" for key, x in value.items())
    if isinstance(value, list):
        texts = [parameter(x, limit) for x in value]
        parts = [f"({t})" if isinstance(x, list) else t for x, t in zip(value, texts, strict=True)]
        if limit and len(parts) > limit:
            return f"{', '.join(parts[:limit])}, … ({len(parts)} values)"
        return ", ".join(parts)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10_000:
        return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return number(value)


def cell(value: Any, style: str) -> Markup:
    """A number of a typeset table in its format, with an exponent shown as a power of ten."""
    if isinstance(value, str | bool):
        return escape(number(value))
    if math.isnan(value):
        return Markup("–")
    digits, e, exponent = format(value, style or short(value)).partition("e")
    if not e or value == 0:
        return escape("0" if e else digits)
    factor = "" if digits == "1" else f"{digits} · "
    return Markup("{}10<sup>{}</sup>").format(factor, str(int(exponent)).replace("-", "−"))


def heading(latex: str) -> Markup:
    """The mathematics of a column's heading, in the subset of LaTeX that headings use.

    A command that is not a symbol, such as `ln`, is set as its name.
    """
    parts: list[str] = []
    ends: list[tuple[str, bool]] = []
    mathematics, upright, script, roman = False, False, "", False
    for command, character, mark, brace, text in TOKEN.findall(latex):
        if brace == "$":
            mathematics = not mathematics
        elif mark:
            script = "sub" if mark == "_" else "sup"
        elif command in UPRIGHT:
            roman = True
        elif brace == "{":
            ends.append((f"</{script}>" if script else "", upright))
            parts.append(f"<{script}>" if script else "")
            upright, script, roman = upright or roman, "", False
        elif brace == "}":
            end, upright = ends.pop()
            parts.append(end)
        else:
            named = command and command not in SYMBOLS
            # Commands for small spaces become a space.
            piece = SYMBOLS.get(command, command) or (" " if character in SPACES else character)
            piece = piece or text
            inner = str(escape(piece))
            if mathematics and not upright and not named and SLANTED.fullmatch(piece):
                inner = f"<i>{inner}</i>"
            parts.append(f"<{script}>{inner}</{script}>" if script else inner)
            script = ""
    return Markup("".join(parts))


def prose(text: str) -> Markup:
    """Running text with indices, powers and names marked up."""
    parts = text.split("`")
    if len(parts) > 2:
        named, rest = escape(parts[1]), "`".join(parts[2:])
        return Markup("{}<code>{}</code>{}").format(prose(parts[0]), named, prose(rest))
    text = re.sub("(?<=[0-9]) (?=%)", "\N{NARROW NO-BREAK SPACE}", text)
    indexed = INDEX.sub(lambda m: f"{m[1]}<sub>{m[2] or m[3]}</sub>", str(escape(text)))
    raised = POWER.sub(
        lambda m: f"<sup>{m[1] or m[2] or m[3] or m[4].replace('-', '−')}</sup>", indexed
    )
    return Markup(NUMBERED.sub(r"\1<sub>\2</sub>", raised))


def numeral(product: Exhibit) -> str:
    """The number of a figure or table in the paper, or a label for further ones."""
    kind = "Figure" if product.stage == "draw" else "Table"
    figure = product.source.get("figure")
    if not figure:
        return f"Further {kind.lower()}"
    return f"{kind} {figure}" if product.spec["faithful"] else f"In the manner of {kind} {figure}"
