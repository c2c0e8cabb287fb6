"""Read anybody's results: a CSV with the columns system, quantity, value and, where there are,
half_width, class, k and replications.

Everything that is wrong is said at once, each with its line, what was found and what was expected.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NEEDED = ("system", "quantity", "value")
OPTIONAL = ("half_width", "class", "k", "replications")
# Symbols for the quantities.
SYMBOLS = {
    **{"e[n]": "mean_jobs", "e[q]": "mean_waiting", "e[t]": "mean_response_time"},
    **{"e[w]": "mean_waiting_time", "lambda*": "limit", "λ*": "limit"},
    **{"e[busy]": "busy_servers", "e[idle]": "idle_servers", "p(n > k)": "tail"},
}
Json = Mapping[str, Any]
Key = tuple[str, str, int | None]


@dataclass(frozen=True)
class Result:
    """One value of somebody's, and the reference value beside it; widths are of 95 % intervals."""

    line: int
    system: str
    key: Key
    value: float
    half_width: float | None
    replications: int | None
    reference: float
    reference_half_width: float

    @property
    def named(self) -> str:
        """The quantity, with its class or k."""
        quantity, which, k = self.key
        return (
            quantity
            + (f", class {which}" if which != "all" else "")
            + (f", k = {k}" if k is not None else "")
        )


class Unreadable(Exception):
    """Results that cannot be scored, with all their faults."""


@dataclass(frozen=True)
class Reference:
    """The reference systems, by id, and their index."""

    index: Json
    systems: Mapping[str, Json]

    @classmethod
    def load(cls, folder: Path) -> Reference:
        """The files in a folder. Raises `Unreadable` if they are not there or not whole."""
        try:
            index = json.loads((folder / "index.json").read_text("utf-8"))
            files = {one["id"]: folder / one["file"] for one in index["systems"]}
            return cls(index, {id: json.loads(f.read_text("utf-8")) for id, f in files.items()})
        except (OSError, ValueError, KeyError) as error:
            raise Unreadable(f"{folder}: no reference systems there ({error})") from None

    def values(self, system: str) -> dict[Key, Json]:
        """The values of a system by quantity, class and k."""
        return {key_of(value): value for value in self.systems[system]["values"]}


def key_of(value: Json) -> Key:
    """What a value is of."""
    return value["quantity"], value["class"], value.get("k")


def read_results(file: Path, reference: Reference) -> list[Result]:
    """The results in a file. Raises `Unreadable` with all that is wrong."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        raise Unreadable(said(file, line, "bytes that are no text", "text in UTF-8")) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise Unreadable(said(file, line, "a zero byte", "text in UTF-8"))
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise Unreadable(said(file, reader.line_num, str(error), "CSV")) from None
    if not rows:
        raise Unreadable(f"{file}: empty; expected a header with {', '.join(NEEDED)}")
    names = [cell.strip().lower() for cell in rows[0][1]]
    faults = list(_check_header(file, rows[0][0], names))
    if faults:
        raise Unreadable("\n\n".join(faults))
    if len(rows) == 1:
        raise Unreadable(f"{file}: a header and no results")
    results, places = [], {}
    for line, cells in rows[1:]:
        found, wrong = _read_row(names, cells, reference)
        faults += [said(file, line, *one) for one in wrong]
        if found is not None:
            place = found["system"], found["key"]
            if place in places:
                what = f"{found['system']}: {found['key'][0]} a second time"
                faults.append(said(file, line, what, f"each once; it is on line {places[place]}"))
            places.setdefault(place, line)
            results.append(Result(line=line, **found))
    if faults:
        count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''} in {file}; nothing was scored"
        raise Unreadable("\n\n".join([count, *faults]))
    return results


def said(file: Path, line: int, found: str, expected: str, hint: str = "") -> str:
    """A fault as a person reads it."""
    lines = [f"{file}:{line}", f"    found     {found}", f"    expected  {expected}"]
    return "\n".join([*lines, f"    {hint}"] if hint else lines)


def _check_header(file: Path, line: int, names: list[str]) -> Iterable[str]:
    known = (*NEEDED, *OPTIONAL)
    if len(names) == 1 and any(mark in names[0] for mark in ";\t"):
        yield said(file, line, "columns between semicolons or tabs", "columns between commas")
        return
    for name in names:
        if name not in known:
            yield said(file, line, f"a column {name!r}", ", ".join(known), _hint(name, known))
        elif names.count(name) > 1:
            yield said(file, line, f"two columns {name!r}", "each once")
    missing = [name for name in NEEDED if name not in names]
    if missing:
        yield said(file, line, f"no column {' and no column '.join(missing)}", ", ".join(NEEDED))


def _read_row(
    names: list[str], cells: list[str], reference: Reference
) -> tuple[dict[str, Any] | None, list[tuple[str, ...]]]:
    if len(cells) != len(names):
        return None, [(f"{len(cells)} cells", f"{len(names)}, as in the header")]
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    wrong: list[tuple[str, ...]] = []
    value = _number(row, "value", wrong)
    width = _number(row, "half_width", wrong, positive=True)
    runs = _whole(row, "replications", wrong, 2)
    k = _whole(row, "k", wrong, 0)
    id = row["system"]
    if id not in reference.systems:
        known = list(reference.systems)
        wrong.append((f"a system {id!r}", "one of reference/index.json", _hint(id, known)))
        return None, wrong
    values = reference.values(id)
    quantity = SYMBOLS.get(row["quantity"].lower(), row["quantity"])
    key = (quantity, row.get("class") or "all", k)
    if key not in values:
        same = [other for other in values if other[0] == quantity]
        told = "; ".join(dict.fromkeys(map(_named, same or values)))
        what = f"{_named(key)} of {id}" if same else f"a quantity {quantity!r} of {id}"
        hint = "" if same else _hint(quantity, [name for name, *_ in values])
        wrong.append((what, told, hint))
        return None, wrong
    if wrong or value is None:
        return None, wrong
    truth = values[key]
    return {
        **{"system": id, "key": key, "value": value, "half_width": width, "replications": runs},
        "reference": truth["value"],
        "reference_half_width": truth.get("half_width", 0.0),
    }, []


def _named(key: Key) -> str:
    quantity, which, k = key
    return f"{quantity} of class {which}" + ("" if k is None else f" at k = {k}")


def _number(row: Mapping[str, str], name: str, wrong: list, positive: bool = False) -> float | None:
    text = row.get(name, "")
    if not text and name != "value":
        return None
    expected = "a positive number" if positive else "a number"
    try:
        number = float(text)
    except ValueError:
        wrong.append((f"{name} {text!r}" if text else f"no {name}", expected))
        return None
    if not math.isfinite(number) or (positive and number <= 0):
        wrong.append((f"{name} {text!r}", expected if positive else "a finite number"))
        return None
    return number


def _whole(row: Mapping[str, str], name: str, wrong: list, least: int) -> int | None:
    text = row.get(name, "")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < least:
        wrong.append((f"{name} {text!r}", f"a whole number from {least} on"))
        return None
    return int(text)


def _hint(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean '{close[0]}'?" if close else ""
