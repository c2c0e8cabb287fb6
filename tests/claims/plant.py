"""Plant faults until each case of the ledger that holds is turned, and record what turned it.

    python -m tests.claims.plant [--again] [PAPER/CLAIM ...]

treats the cases that have no fault in tests/claims/faults.csv, or the named ones, or with `--again`
all. It writes the file and lists the cases that no fault turns. A fault turns a case if the value
found is not allowed; errors, values that are not finite and runs that take five times as long do
not count.

Faults are tried in this order: parameters of the case, the outermost first; then functions of the
library; then formulas of `src/atlas/claims`. Functions that are called last come first, so that
those that read a system come before those that compute.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import resource
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from itertools import zip_longest
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from tests.claims.cases import OURS, Case, forget, read_cases
from tests.claims.faults import (
    Fault,
    Gone,
    find_function,
    functions,
    parameter_faults,
    planted,
    put,
    sites,
)

FILE = Path(__file__).with_name("faults.csv")
HEADER = ("paper", "case", *(field.name for field in fields(Fault)), "found", "turned")
# How many faults of each kind are tried on a case, and for how many seconds.
TRIES, SECONDS = 150, 60.0
PROCESSES = 2


@dataclass
class Search:
    """What came of the faults planted for a case: how many, how many of them failed, which turned
    it; `found` before and after."""

    planted: int = 0
    failed: int = 0
    fault: Fault | None = None
    found: tuple[str, str] = ("", "")
    holds: bool | None = True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--again", action="store_true", help="look at all cases")
    parser.add_argument("names", nargs="*", metavar="PAPER/CLAIM", help="cases to look at")
    arguments = parser.parse_args()
    cases, rows = read_cases(), read_rows()
    rows = {name: row for name, row in rows.items() if name in cases and not arguments.again}
    claims = arguments.names
    chosen = [name for name in cases if claims or name not in rows]
    if claims:
        chosen = [n for c in claims for n in cases if n == c or n.startswith(f"{c}/")]
    unturned, counts = [], {"planted": 0, "failed": 0}
    for name, search in search_all([cases[name] for name in chosen]):
        counts["planted"] += search.planted
        counts["failed"] += search.failed
        if search.fault:
            case = cases[name]
            values = map(str, astuple(search.fault))
            row = (case.paper, case.id, *values, *search.found)
            rows[name] = dict(zip(HEADER, row, strict=True))
        elif search.holds is not False:
            rows.pop(name, None)
            unturned.append(f"{name}: {search.found[0]}, {search.planted} faults")
        write_rows(rows)
        print(name, search, flush=True)
    print(f"{len(chosen)} cases, {counts['planted']} faults, of which {counts['failed']} failed")
    print(f"nothing turns {len(unturned)}", *sorted(unturned), sep="\n    ")
    sys.exit(bool(unturned))


def read_rows() -> dict[str, dict[str, str]]:
    """What is recorded, by the name of the case."""
    if not FILE.exists():
        return {}
    with FILE.open(encoding="utf-8", newline="") as file:
        return {f"{row['paper']}/{row['case']}": row for row in csv.DictReader(file)}


def write_rows(rows: dict[str, dict[str, str]]) -> None:
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for _, row in sorted(rows.items()))


def read_fault(row: dict[str, str]) -> Fault:
    return Fault(row["kind"], row["place"], row["old"], row["new"], int(row["nth"]))


def compute_with(case: Case, fault: Fault) -> dict[str, Any]:
    """What is found for a case where a fault is planted. Raises `Gone` if its place is gone, and
    whatever the fault leads to."""
    forget()
    if fault.kind == "parameter":
        return case.compute(put(case.parameters, fault))
    with planted(fault, ":".join(case.function)):
        try:
            return case.compute(case.parameters)
        finally:
            forget()


def is_turned(case: Case, found: dict[str, Any]) -> bool:
    """Whether what was found is finite, and not allowed; or, of a simulated number, elsewhere than
    without the fault and in doubt where that was not."""
    values = [found["value"], found["half_width"] or 0.0]
    for value in values:
        if isinstance(value, list):
            values += value
        elif isinstance(value, float) and not math.isfinite(value):
            return False
    if case.holds(found) is not None or not found["half_width"]:
        return found["value"] is not None and case.holds(found) is False
    forget()
    before = case.compute(case.parameters)
    apart = abs(found["value"] - before["value"]) > found["half_width"] + before["half_width"]
    return apart and case.holds(before) is True


def search_all(cases: list[Case]) -> Iterator[tuple[str, Search]]:
    """The search of each case, in a process of its own: a fault may run for ever."""
    context = multiprocessing.get_context("fork")
    waiting, running = [(case, 0) for case in reversed(cases)], {}
    while waiting or running:
        while waiting and len(running) < PROCESSES:
            case, first = waiting.pop()
            receive, send = context.Pipe(duplex=False)
            at = context.Value("i", first)
            process = context.Process(target=_search, args=(case, first, at, send))
            process.start()
            send.close()
            running[receive] = case, at, process
        for receive in wait(list(running)):
            case, at, process = running.pop(receive)
            try:
                yield case.name, receive.recv()
            except EOFError:  # killed at a fault: on from the next
                waiting.append((case, at.value + 1))
            process.join()


def _search(case: Case, first: int, at: Any, send: Any) -> None:
    send.send(search(case, first, at))


def search(case: Case, first: int = 0, at: Any = None) -> Search:
    """Plant faults from the `first` on until the case is turned."""
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    start = time.process_time()
    before = case.compute(case.parameters)
    took = time.process_time() - start
    result = Search(planted=first, found=(shorten(before["value"]), ""), holds=case.holds(before))
    if result.holds is False:
        return result
    spent = dict.fromkeys(("parameter", "library", "formula"), 0.0)
    tried = dict.fromkeys(spent, 0)
    for number, fault in enumerate(list_faults(case)):
        if spent[fault.kind] > SECONDS or tried[fault.kind] >= TRIES:
            continue
        tried[fault.kind] += 1
        if number < first:
            continue
        if at:
            at.value = number
        result.planted += 1
        start = time.process_time()
        most = int(start + 5 * took + 3)
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
        try:
            found = compute_with(case, fault)
        except Exception:  # whatever the fault leads to
            result.failed += 1
            continue
        finally:
            spent[fault.kind] += time.process_time() - start
        if is_turned(case, found):
            result.fault, result.found = fault, (result.found[0], shorten(found["value"]))
            break
    return result


def list_faults(case: Case) -> Iterator[Fault]:
    """All faults that may be planted for a case, in the order in which they are tried."""
    yield from parameter_faults(case.parameters)
    quantity = ":".join(case.function)
    places = profile(case)
    for ours in (False, True):
        chosen = [place for place in reversed(places) if place.startswith("atlas.claims.") == ours]
        groups = [[fault for fault, _ in sites(place, quantity)] for place in chosen]
        for faults in zip_longest(*groups):
            yield from (fault for fault in faults if fault)


def profile(case: Case) -> list[str]:
    """The functions of ours that are run for a case, as places, in the order of first calls."""
    seen: dict[Any, None] = {}

    def see(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            seen.setdefault(frame.f_code)

    forget()
    sys.setprofile(see)
    try:
        case.compute(case.parameters)
    finally:
        sys.setprofile(None)
    names = {module.__file__: name for name, module in sys.modules.items() if is_ours(name)}
    found = dict.fromkeys(_place(names[c.co_filename], c) for c in seen if c.co_filename in names)
    return [place for place in found if place]


def is_ours(module: str) -> bool:
    return module.startswith(OURS)


def _place(module: str, code: Any) -> str:
    """The outermost function in which code stands, or nothing."""
    for name, node in functions(module).items():
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        if first <= code.co_firstlineno <= node.end_lineno:
            try:
                find_function(module, name)
            except Gone:
                return ""
            return f"{module}:{name}"
    return ""


def shorten(value: Any) -> str:
    """A value as it is shown in the table."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        texts = [shorten(one) for one in value[:6]]
        return f"[{', '.join(texts)}{', …' if len(value) > 6 else ''}]"
    return str(value)


if __name__ == "__main__":
    main()
