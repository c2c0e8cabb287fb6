"""Tables: in plain text, in a notebook, and as a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame


class Table:
    """What has `rows`, plain values with names, and shows a `title`, `cells` and `notes`."""

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Plain values."""
        raise NotImplementedError

    def title(self) -> str:
        """What the table is of."""
        raise NotImplementedError

    def cells(self) -> list[list[str]]:
        """What is shown, the head first."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """What stands below."""
        return []

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
    """Rows of equally many cells in columns, the first row above a rule."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_lines(rows, widths))


def fitted(rows: Sequence[Sequence[str]], leading: int, width: int | None = None) -> str:
    """The same, long cells wrapped so that lines are no longer than `width`, by default that of
    the terminal: the widest columns give way first. Where columns of whole words do not fit, rows
    are `listed`, below their `leading` cells."""
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
    """Rows below each other, a line or more for each cell with its name: under a heading of their
    `leading` cells, which stands once for all that share it, and the cell after these."""
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
