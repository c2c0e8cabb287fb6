"""Check a matplotlib style file: each setting must be known and within bounds, and a figure must be
drawable with it.

Matplotlib ignores settings that it does not know, and accepts widths of -1 and 1e9 dots per inch,
with which jobs fail or exhaust the memory.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from atlas.config.errors import Fault, raise_for, show, suggest

# The first pattern that matches a key bounds its numbers: text sizes in points, resolutions in dots
# per inch, and lengths in points, inches or units of the text size.
BOUNDS = (
    (r"font\.size|.*(label|title|font)size", 1, 100),
    (r".*dpi", 10, 2400),
    (r".*_pattern", 0.01, 1000),
    (r"figure\.constrained_layout\..*", 0, 10),
    (r".*(pad|limits)", -1000, 1000),
    (r".*", 0, 10_000),
)
# The most dots across the widest figure; a picture takes 4 bytes per dot in memory.
MOST_DOTS = 20_000


def check_style(text: str, name: str, widest: float) -> None:
    """Raise `ConfigError` with the lines of a style file that are not valid settings. Figures are
    at most `widest` inches wide."""
    faults, lines, dots = _read(text)
    if not faults and dots * widest > MOST_DOTS:
        found = f"{dots:g} dots per inch, and a figure of {widest:g} inches"
        faults = (Fault(("savefig.dpi",), found, f"at most {MOST_DOTS} dots across a figure"),)
    raise_for(faults, name, lines)


def require_drawable(text: str, name: str) -> None:
    """Raise `ConfigError` if the settings of a checked style file do not work together. This draws
    a sample, which takes a second and is not done when planning."""
    if why := _try(text):
        _, lines, _ = _read(text)
        ours = text.splitlines()
        without = ("\n".join(ours[: n - 1] + ours[n:]) for n in lines.values())
        blamed = next((key for key, rest in zip(lines, without, strict=True) if not _try(rest)), ())
        raise_for((Fault(blamed, why, "settings with which a figure can be drawn"),), name, lines)


@cache
def _read(text: str) -> tuple[tuple[Fault, ...], dict, float]:
    """Faults of a style file, the lines of its settings, and the dots per inch of a picture."""
    # Slow to import; a cached plan does not need it.
    from matplotlib import RcParams
    from matplotlib.cbook import _strip_comment

    settings, lines, faults = RcParams(), {}, []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            key, _, value = (part.strip() for part in _strip_comment(line).partition(":"))
        except ValueError:
            key, lines[line,] = "", number
            faults.append(Fault((line,), repr(line[:80]), 'a closing " for each opening one'))
        if not key:
            continue
        if (key,) in lines:
            faults.append(Fault((key,), f"{key} on line {lines[key,]} too", "each setting once"))
        lines[key,] = number
        faults += _check(settings, key, value)
    dots = settings.get("savefig.dpi", "figure")
    return tuple(faults), lines, settings.get("figure.dpi", 100.0) if dots == "figure" else dots


def _check(settings: Any, key: str, value: str) -> Iterator[Fault]:
    from matplotlib import colormaps, rcParamsDefault

    from atlas.io.style import NEEDED

    if key not in rcParamsDefault:
        hint = suggest(key, rcParamsDefault)
        yield Fault((key,), key, "a setting of matplotlib", hint)
        return
    bare = value[1:-1] if value[:1] == value[-1:] == '"' and len(value) > 1 else value
    try:
        settings[key] = bare
    except Exception as error:  # matplotlib's checks raise different kinds
        why = str(error).removeprefix(f"Key {key}: ")
        expected = f"such a value as {show(rcParamsDefault[key])} ({' '.join(why.split())[:300]})"
        yield Fault((key,), repr(bare[:80]), expected)
        return
    found = settings[key]
    if key in NEEDED and found != NEEDED[key]:
        yield Fault((key,), repr(bare), f"{NEEDED[key]!r}, which the drawings are made for")
    if key == "image.cmap" and found not in colormaps:
        hint = suggest(found, colormaps)
        yield Fault((key,), repr(found), "a colour map of matplotlib", hint)
    if key.startswith("font.") and key.removeprefix("font.") in ("family", "sans-serif", "serif"):
        yield from _check_fonts(key, found)
    low, high = next((low, high) for like, low, high in BOUNDS if re.fullmatch(like, key))
    numbers = found if isinstance(found, list | tuple) else [found]
    numbers = [x for x in numbers if isinstance(x, int | float) and not isinstance(x, bool)]
    if not all(math.isfinite(x) and low <= x <= high for x in numbers):
        yield Fault((key,), bare[:80], f"a number from {low:g} to {high:g}")


def _check_fonts(key: str, names: list[str]) -> Iterator[Fault]:
    from matplotlib.font_manager import FontProperties, findfont, font_family_aliases

    def is_there(name: str) -> bool:
        try:
            return bool(findfont(FontProperties(family=name), fallback_to_default=False))
        except ValueError:
            return False

    if not any(name.lower() in font_family_aliases or is_there(name) for name in names):
        yield Fault((key,), ", ".join(names) or "nothing", "a font of this machine: DejaVu Sans")


def _try(text: str) -> str:
    """Why no figure can be drawn with a style; empty if one can."""
    from atlas.io.rendering import draw_sample

    try:
        draw_sample(text, ("png",))
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return ""
