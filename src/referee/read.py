"""Read results: a CSV with the columns system, quantity, value and, optionally, half_width, class,
k and replications.

All faults are reported at once, each with its line, what was found and what was expected; of many
faults of the same kind only some are listed.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from atlas.io.sums import sha256
from atlas.io.untrusted import Unreadable, printable, read_bytes, refuse
from referee.faults import Fault, require_none
from referee.shape import Index, System

NEEDED = ("system", "quantity", "value")
OPTIONAL = ("half_width", "class", "k", "replications")
# Symbols for the quantities.
SYMBOLS = {
    **{"e[n]": "mean_jobs", "e[q]": "mean_waiting", "e[t]": "mean_response_time"},
    **{"e[w]": "mean_waiting_time", "lambda*": "limit", "λ*": "limit"},
    **{"e[busy]": "busy_servers", "e[idle]": "idle_servers", "p(n > k)": "tail"},
    "p(w = 0)": "no_wait",
}
# Far beyond values of a queue; the squares of their quotients do not overflow.
LEAST, MOST = 1e-50, 1e50
MOST_RUNS = 10**9
LARGEST = 2**25
Json = Mapping[str, Any]
Key = tuple[str, str, int | None]


@dataclass(frozen=True)
class Result:
    """A submitted value and its reference value; widths are those of 95 % intervals."""

    line: int
    system: str
    key: Key
    value: float
    half_width: float | None
    replications: int | None
    reference: float
    reference_half_width: float


@dataclass(frozen=True)
class Reference:
    """The reference systems, by id, and their index."""

    index: Json
    systems: Mapping[str, Json]

    @classmethod
    def load(cls, folder: Path) -> Reference:
        """The files in a folder. Raises `Unreadable` unless all exist, match the checksums of the
        index and `referee.shape`, and have numbers that can be compared."""
        try:
            index = _parse(read_bytes(folder / "index.json", LARGEST), Index)
            systems = {}
            for one in index["systems"]:
                content = read_bytes(folder / one["file"], LARGEST)
                if sha256(content) != one["sha256"]:
                    raise ValueError(f"{one['file']}: not what its sum in the index says")
                systems[one["id"]] = _parse(content, System)
            strange = {id for s in systems.values() for id in s["same_jobs"]} - systems.keys()
            if strange or not systems:
                raise ValueError(f"no systems {', '.join(sorted(strange))}")
        except Unreadable as error:
            message = f"{printable(str(folder))}: no reference systems there\n\n{error}"
            raise Unreadable(message) from None
        except (ValueError, RecursionError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            message = printable(f"{folder}: no reference systems there ({reason})")
            raise Unreadable(message) from None
        return cls(index, systems)

    @cached_property
    def quantities(self) -> set[str]:
        """The quantities of all systems."""
        return {value["quantity"] for one in self.systems.values() for value in one["values"]}

    def values(self, system: str) -> dict[Key, Json]:
        """The values of a system by quantity, class and k."""
        return {key_of(value): value for value in self.systems[system]["values"]}


def key_of(value: Json) -> Key:
    """The quantity, class and k of a value."""
    return value["quantity"], value["class"], value.get("k")


def _parse(content: bytes, shape: type[Index | System]) -> Json:
    found = json.loads(content)
    shape.model_validate(found)
    for number in _numbers(found):
        if number and not LEAST <= abs(number) <= MOST:
            raise ValueError(f"the number {number:g}")
    for value in found.get("values", ()):
        classes = found.get("classes") or found.get("arrivals") or ()
        if value["class"] != "all" and int(value["class"]) > len(classes):
            raise ValueError(f"a value of class {value['class']} of {len(classes)}")
    return found


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)
    elif isinstance(value, int | float):
        yield float(value)


def read_results(file: Path, reference: Reference) -> list[Result]:
    """The results in a file. Raises `Unreadable` with all faults."""
    content = read_bytes(file, LARGEST)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        refuse(file, "bytes that are no text", "text in UTF-8", line)
    if "\0" in text:
        refuse(file, "a zero byte", "text in UTF-8", text[: text.index("\0")].count("\n") + 1)
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        refuse(file, str(error), "CSV", reader.line_num)
    if not rows:
        refuse(file, "an empty file", f"a header with {', '.join(NEEDED)}")
    names = [cell.strip().lower() for cell in rows[0][1]]
    require_none(file, list(_check_header(rows[0][0], names)))
    if len(rows) == 1:
        refuse(file, "a header and no results", "a line for each result")
    results, places, faults = [], {}, []
    for line, cells in rows[1:]:
        found, wrong = _read_row(line, names, cells, reference)
        faults += wrong
        if found is not None:
            place = found.system, found.key
            if place in places:
                what = f"{found.system}: {found.key[0]} a second time"
                expected = f"each once; it is on line {places[place]}"
                faults.append(Fault(line, "results that stand above already", what, expected))
            places.setdefault(place, line)
            results.append(found)
    require_none(file, faults)
    return results


def _check_header(line: int, names: list[str]) -> Iterable[Fault]:
    known = (*NEEDED, *OPTIONAL)
    for mark, marks in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and mark in names[0]:
            yield Fault(line, "separators", f"columns between {marks}", "columns between commas")
            return
    counts = Counter(names)
    for name in names:
        if name not in known:
            what = f"a column {name!r}"
            yield Fault(line, "columns that are not known", what, ", ".join(known), name, known)
        elif counts[name] > 1:
            yield Fault(line, "columns of one name", f"two columns {name!r}", "each once")
    missing = [name for name in NEEDED if name not in names]
    if missing:
        found = f"no column {' and no column '.join(missing)}"
        yield Fault(line, "columns that are missing", found, ", ".join(NEEDED))


def _read_row(
    line: int, names: list[str], cells: list[str], reference: Reference
) -> tuple[Result | None, list[Fault]]:
    if len(cells) != len(names):
        kind, found = "rows with another number of cells", f"{len(cells)} cells"
        return None, [Fault(line, kind, found, f"{len(names)}, as in the header")]
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    wrong: list[Fault] = []
    value = _number(line, row, "value", wrong)
    width = _number(line, row, "half_width", wrong, positive=True)
    runs = _whole(line, row, "replications", wrong, 2)
    k = _whole(line, row, "k", wrong, 0)
    id = row["system"]
    if id not in reference.systems:
        kind, expected = "systems that are not known", "one of reference/index.json"
        wrong.append(Fault(line, kind, f"a system {id!r}", expected, id, (*reference.systems,)))
        return None, wrong
    values = reference.values(id)
    quantity = SYMBOLS.get(row["quantity"].lower(), row["quantity"])
    key = (quantity, row.get("class") or "all", k)
    if key not in values:
        wrong.append(_not_there(line, id, key, reference))
        return None, wrong
    if wrong or value is None:
        return None, wrong
    truth = values[key]
    widths = width, runs, truth["value"], truth.get("half_width", 0.0)
    return Result(line, id, key, value, *widths), []


def _not_there(line: int, id: str, key: Key, reference: Reference) -> Fault:
    """The fault of a value that the system does not have: of another class or k, of a quantity that
    only other systems have, or of an unknown one, which may be misspelt."""
    kind, quantity = "quantities that the system does not have", key[0]
    values = reference.values(id)
    same = [other for other in values if other[0] == quantity]
    if same:
        return Fault(line, kind, f"{named(key)} of {id}", "; ".join(map(named, same)))
    names = tuple(dict.fromkeys(name for name, *_ in values))
    found, expected = f"a quantity {quantity!r} of {id}", ", ".join(names)
    if quantity in reference.quantities:
        return Fault(line, kind, f"{found}, which only other systems have", expected)
    return Fault(line, kind, found, expected, quantity, names)


def named(key: Key) -> str:
    """The quantity, class and k in words."""
    quantity, which, k = key
    return f"{quantity} of class {which}" + ("" if k is None else f" at k = {k}")


def _number(
    line: int, row: Mapping[str, str], name: str, wrong: list[Fault], positive: bool = False
) -> float | None:
    text = row.get(name, "")
    if not text and name != "value":
        return None
    expected = "a positive number, or nothing if there is no interval" if positive else "a number"
    found = f"{name} {text!r}" if text else f"no {name}"
    try:
        number = _read_number(text)
    except ValueError:
        wrong.append(Fault(line, f"{name} that is no number", found, expected))
        return None
    if not math.isfinite(number) or (positive and number <= 0):
        expected = expected if positive else "a finite number"
        wrong.append(Fault(line, f"{name} that is no such number", found, expected))
        return None
    if number and not LEAST <= abs(number) <= MOST:
        expected = (
            f"{'a positive' if positive else 'a'} number of a size from {LEAST:g} to {MOST:g}"
        )
        wrong.append(Fault(line, f"{name} that is too small or too large", found, expected))
        return None
    return number


def _read_number(text: str) -> float:
    """Raises `ValueError` also for what only Python reads: 1_0, or digits of other scripts."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def _whole(
    line: int, row: Mapping[str, str], name: str, wrong: list[Fault], least: int
) -> int | None:
    text = row.get(name, "")
    if not text:
        return None
    whole = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_RUNS))
    if not whole or not least <= int(text) <= MOST_RUNS:
        expected = f"a whole number from {least} on, of {MOST_RUNS} at most"
        wrong.append(Fault(line, f"{name} that is no such number", f"{name} {text!r}", expected))
        return None
    return int(text)
