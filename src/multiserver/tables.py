"""Tables: in plain text, in a notebook, and as a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

# The probabilities of the quantiles that tables show.
SHOWN_QUANTILES = (0.5, 0.95, 0.99)


class Table:
    """Base class of objects with `rows` of named plain values, shown by `title`, `cells` and
    `notes`."""

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries of plain values.

        NaN stands for a number that there is not; strict JSON has no NaN, but
        `to_frame().to_json(orient="records")` writes null for it.
        """
        raise NotImplementedError

    def title(self) -> str:
        """The heading of the table."""
        raise NotImplementedError

    def cells(self) -> list[list[str]]:
        """The cells as text, the header row first."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """Lines shown below the table."""
        return []

    def __str__(self) -> str:
        return "\n".join([self.title(), aligned(self.cells()), *self.notes()])

    def to_frame(self) -> DataFrame:
        """The `rows` as a `pandas.DataFrame`. Raises `ModuleNotFoundError` without pandas."""
        from multiserver.notebook import frame

        return frame(self.rows())

    def _repr_html_(self) -> str:
        title = "<br>".join(escape(line) for line in self.title().splitlines())
        head, *body = self.cells()
        lines = [_line("th", head), *(_line("td", row) for row in body)]
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        return f"<p>{title}</p><table>{''.join(lines)}</table>{notes}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of equal length as aligned columns, with a rule below the first row."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_lines(rows, widths))


def wrapped(rows: Sequence[Sequence[str]], leading: int, width: int | None = None) -> str:
    """Like `aligned`, with long cells wrapped so that lines are at most `width` long, by default
    that of the terminal. The widest columns are narrowed first. If columns of whole words do not
    fit, rows are `listed` below their first `leading` cells."""
    width = get_terminal_size().columns if width is None else width
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [max(len(word) for c in column for word in c.split() or [""]) for column in columns]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        wide = [i for i, w in enumerate(widths) if w > least[i]]
        if not wide:
            return listed(rows, leading, width)
        widths[max(wide, key=lambda i: widths[i])] -= 1
    broken = []
    for row in rows:
        parts = [wrap(cell, w) or [""] for cell, w in zip(row, widths, strict=True)]
        high = max(map(len, parts))
        broken.append([[*part, *[""] * (high - len(part))] for part in parts])
    head, *body = [list(zip(*parts, strict=True)) for parts in broken]
    rule = "  ".join("─" * w for w in widths)
    lines = [*_plain(head, widths), rule]
    lines += [line for row in body for line in _plain(row, widths)]
    return "\n".join(lines)


def listed(rows: Sequence[Sequence[str]], leading: int, width: int) -> str:
    """Rows as a list, grouped under headings of their first `leading` cells. Each row shows its
    next cell, then the other cells with their names, on one or more lines each."""
    names, *body = rows
    column = max(map(len, names[leading + 1 :])) + 6
    groups: dict[str, list[Sequence[str]]] = {}
    for row in body:
        groups.setdefault(", ".join(row[:leading]), []).append(row[leading:])
    lines: list[str] = []
    for heading, cells in groups.items():
        lines += ["", *wrap(heading, width)]
        for first, *others in cells:
            lines += wrap(first, width, initial_indent="  ", subsequent_indent="  ")
            for name, cell in zip(names[leading + 1 :], others, strict=True):
                head = f"    {name}".ljust(column)
                lines += wrap(cell, width, initial_indent=head, subsequent_indent=" " * column)
    return "\n".join(lines)


def _plain(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _lines(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    head, *body = _plain(rows, widths)
    return [head, "  ".join("─" * width for width in widths), *body]


def _line(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
