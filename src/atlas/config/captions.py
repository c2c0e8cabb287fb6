"""Titles and captions that match what is drawn: templates over its parameters.

A text is a Jinja2 expression template. Its names are the series, with underscores for hyphens, and
their parameters; `drawing` with its options; `all`, in which a parameter has the value that all
series share, or all of their values; and `faithful`, which says whether the parameters are those
that the figure's `source` gives for the paper. Texts come from users too. So a template may only
read values, choose between them and filter them: there are no calls, no loops, no operators that
build up text and no attributes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import wraps
from typing import Any

from jinja2 import StrictUndefined, TemplateError, nodes
from jinja2.sandbox import SandboxedEnvironment

from atlas.config.errors import Fault, Path, suggest

# What texts may name besides the series.
OTHERS = ("drawing", "all", "faithful")
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ALLOWED = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Const,
    nodes.Filter,
    nodes.CondExpr,
    nodes.Compare,
    nodes.Operand,
)
# Raised by an invalid template, one that nests too deep, or a filter on a value of another kind.
REFUSED = (TemplateError, TypeError, ValueError, LookupError)
REFUSED += (AttributeError, ArithmeticError, RecursionError)


class Alternatives(tuple):
    """The values that a parameter has in different series."""


def render(text: str, series: Mapping[str, Mapping[str, Any]], *, faithful: bool) -> str:
    """A text with the parameters of `series` filled in; a text without braces is unchanged.

    Raises `TemplateError` if it is not a template, or if a name is not there.
    """
    if not any(mark in text for mark in ("{{", "{%", "{#")):
        return text
    environment = _TextEnvironment()
    for node in (tree := environment.parse(text)).find_all(nodes.Node):
        if not isinstance(node, ALLOWED):
            kind = type(node).__name__.lower()
            raise TemplateError(f"'{kind}' is not for texts: values, filters and if-else only")
    template = environment.from_string(tree)
    parameters = _plain(series)
    drawn = [block for name, block in parameters.items() if name != "drawing"]
    everything = _unite(drawn)
    return template.render(parameters | {"all": everything, "faithful": faithful})


def fill_texts(
    block: dict[str, Any], series: Mapping[str, Any], path: Path, *, faithful: bool
) -> list[Fault]:
    """Fill in the texts of a figure or table, such as the caption, labels and headings of columns;
    faults of them."""
    expected = f"another name: in texts, {', '.join(OTHERS)} mean something else"
    faults = [Fault((*path, "series", k), repr(k), expected) for k in OTHERS if k in series]
    names = {**series, "drawing": block.get("drawing", {})}

    def fill(value: Any, at: Path) -> Any:
        if isinstance(value, str):
            try:
                return render(value, names, faithful=faithful)
            except REFUSED as error:
                missing = str(error).partition("'")[2].partition("'")[0]
                known = [*names, *OTHERS, *FILTERS, *(key for one in names.values() for key in one)]
                hint = suggest(missing, known) if missing else ""
                expected = "a template over the parameters of the series: " + ", ".join(series)
                faults.append(Fault(at, str(error), expected, hint))
                return value
        if isinstance(value, dict):
            return {key: fill(item, (*at, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [fill(item, (*at, i)) for i, item in enumerate(value)]
        return value

    for key in ("title", "caption", "drawing", "columns"):
        if key in block:
            block[key] = fill(block[key], (*path, key))
    if "note" in block.get("source", {}):
        note = fill(block["source"]["note"], (*path, "source", "note"))
        block["source"] = block["source"] | {"note": note}
    return faults


def number(value: Any) -> str:
    """A value as in running text: 0.5, 2/3, 1e6, `1, 2 and 4`, `4 or 8`."""
    if isinstance(value, Alternatives):
        return _join(value, "or")
    if isinstance(value, list | tuple):
        return _join(value, "and")
    if isinstance(value, Mapping):
        raise TypeError(f"several values, of {', '.join(value)}, where a text names one")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if not math.isfinite(value):
        return str(value)
    if value == int(value):
        digits = str(int(value))
        zeros = len(digits) - len(digits.rstrip("0"))
        return f"{digits[:-zeros]}e{zeros}" if zeros >= 5 and len(digits) - zeros == 1 else digits
    fraction = Fraction(value).limit_denominator(50)
    if len(repr(value)) > 6 and abs(float(fraction) - value) < 1e-12:
        return f"{fraction.numerator}/{fraction.denominator}"
    return f"{value:.6g}"


def _join(values: Any, word: str) -> str:
    *first, last = [number(value) for value in values] or [""]
    return f"{', '.join(first)} {word} {last}" if first else last


def _each_alternative(filter: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that applies to each of several values by itself; values that lack the parameters it
    needs are left out."""

    @wraps(filter)
    def each(value: Any, *rest: Any) -> Any:
        if isinstance(value, Alternatives):
            found = []
            for item in value:
                with suppress(KeyError):
                    found.append(filter(item, *rest))
            return _unite(found)
        return filter(value, *rest)

    return each


def _percent(value: float) -> str:
    if not math.isfinite(100 * value):
        raise OverflowError(f"{value} is too large for a percentage")
    return f"{number(float(f'{100 * value:.10g}'))} %"


def _count(value: int) -> str:
    return COUNTS[value] if 0 <= value < len(COUNTS) else number(value)


def _commas(value: list[Any]) -> str:
    return ", ".join(number(item) for item in value)


def _system(value: Mapping[str, Any]) -> str:
    """n1-n2-n."""
    return "-".join(number(item) for item in (*value["needs"], value["servers"]))


def _size(value: Mapping[str, Any]) -> str:
    """A distribution of sizes."""
    ((kind, given),) = value.items()
    if kind == "exponential":
        return f"Exp({number(given)})"
    if not isinstance(given, Mapping):
        return f"{kind} {number(given)}"
    if "law" in given:
        return f"{kind} to {_size(given['law'])}"
    parts = (f"{key.replace('_', ' ')} {number(item)}" for key, item in given.items())
    return f"{kind} ({', '.join(parts)})"


def _jobs(value: Mapping[str, Any]) -> str:
    """(need, duration) or (threshold, size) of every class."""
    firsts = value.get("needs") or value["thresholds"]
    sizes = value.get("durations") or value["sizes"]
    pairs = zip(firsts, sizes, strict=True)
    return _join([f"({number(first)}, {_size(size)})" for first, size in pairs], "and")


def _sizes(value: Mapping[str, Any]) -> str:
    """The server needs of a mix in terms of n; `shares`: those of n/2 and n among large jobs."""
    return _join([1, *_used(("n/2", "n"), value)], "and")


def _needs(value: Mapping[str, Any]) -> str:
    """The same server needs as numbers."""
    n = value["servers"]
    return _join([1, *_used((n // 2, n), value)], "and")


def _used(large: Iterable[Any], value: Mapping[str, Any]) -> list[Any]:
    """What stands for n/2 and n, where that share of the large jobs is not 0."""
    return [item for item, share in zip(large, value["shares"], strict=True) if share]


def _rates(value: Mapping[str, Any]) -> str:
    """The rates of these classes; the rate of one-server jobs may grow as a power of n."""
    first, *large = value["rates"]
    power = {0: "", 1: "n"}.get(k := value["rate_1_exponent"], f"n^{number(k)}")
    factor = number(first) if first != 1 or not power else ""
    return _join([" ".join(filter(None, (factor, power))), *_used(large, value)], "and")


FILTERS: dict[str, Callable[..., Any]] = {
    "number": number,
    "percent": _each_alternative(_percent),
    "count": _each_alternative(_count),
    "commas": _each_alternative(_commas),
    "length": _each_alternative(len),
    "system": _each_alternative(_system),
    "size": _each_alternative(_size),
    "jobs": _each_alternative(_jobs),
    "sizes": _each_alternative(_sizes),
    "needs": _each_alternative(_needs),
    "rates": _each_alternative(_rates),
}


class _TextEnvironment(SandboxedEnvironment):
    """Templates that see values, but no Python objects behind them."""

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, finalize=number, keep_trailing_newline=True)
        self.filters, self.tests, self.globals = FILTERS, {}, {}

    def getattr(self, obj: Any, attribute: str) -> Any:
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, StrictUndefined):
            return obj
        if isinstance(obj, Alternatives):
            found = [self.getitem(item, argument) for item in obj]
            known = [item for item in found if not isinstance(item, StrictUndefined)]
            return _unite(known) if known else self.undefined(obj=obj, name=argument)
        if isinstance(obj, Mapping) and argument in obj:
            return obj[argument]
        if isinstance(obj, list) and isinstance(argument, int) and argument < len(obj):
            return obj[argument]
        hint = f"no {argument!r} among {', '.join(obj)}" if isinstance(obj, Mapping) else None
        return self.undefined(hint, obj, argument)


def _plain(value: Any) -> Any:
    """Parameters under names that a template can use."""
    if isinstance(value, Mapping):
        return {str(key).replace("-", "_"): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _unite(values: list[Any]) -> Any:
    distinct: list[Any] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
    return distinct[0] if len(distinct) == 1 else Alternatives(distinct)
