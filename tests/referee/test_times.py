"""Percentiles are scored, of a correct simulator and of wrong ones whose means are right.

A correct simulator would be faulted with probability 0.003 at most, by the referee's own levels;
the seeds are fixed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from tests.conftest import ROOT
from tests.referee.event_loop import in_order, newest_first

from atlas.models.reference_times import AMONG_WAITING
from referee.assess import assess, verdict
from referee.read import Reference, read_results

REFERENCE = Reference.load(ROOT / "reference")
CLASSES = ("fcfs-1-10-50", "fcfs-1-2-70", "fcfs-five-classes-70", "fcfs-2-3-7-90")
ONE_CLASS = ("mm5-90", "need-2-of-5-80", "mm1-90")
RUNS, JOBS = 20, 4_000
STUDENT = 2.093024054  # 97.5 %, 19 degrees of freedom
PERCENTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99}
Row = tuple[str, str, str, float, float]
Jobs = Iterator[tuple[int, float, float]]


@cache
def simulated(id: str, loop: Callable[..., Jobs]) -> list[list[tuple[int, float, float]]]:
    """All jobs of the runs of a system: class, wait and response time."""
    found = []
    for r in range(RUNS):
        jobs = loop(REFERENCE.systems[id], JOBS, random.Random(f"{id} {r}"))
        found.append([(c, wait, wait + drawn) for c, wait, drawn in jobs])
    return found


def percentile(values: list[float], p: float) -> float:
    return sorted(values)[int(p * len(values))]


def told(id: str, loop: Callable[..., Jobs] = in_order, among: bool = False) -> Iterator[Row]:
    """What a user writes down of a system: P(W = 0) and percentiles, with intervals by runs;
    `among` those jobs that wait, if so."""
    runs = simulated(id, loop)
    classes = len(REFERENCE.systems[id]["classes"])
    for which in ("all", *(str(c + 1) for c in range(classes) if classes > 1)):
        mine = [[j for j in run if which in ("all", str(j[0] + 1))] for run in runs]
        yield row(id, "no_wait", which, mine, lambda jobs: sum(j[1] == 0 for j in jobs) / len(jobs))
        for place, time in ((1, "waiting_time"), (2, "response_time")):
            for word, p in PERCENTILES.items():

                def found(jobs: list, place: int = place, p: float = p) -> float:
                    drop = among and place == 1
                    return percentile([j[place] for j in jobs if j[1] > 0 or not drop], p)

                yield row(id, f"{word}_{time}", which, mine, found)


def row(id: str, quantity: str, which: str, runs: list[list], found: Callable) -> Row:
    each = [found(run) for run in runs]
    mean = sum(each) / RUNS
    error = (sum((x - mean) ** 2 for x in each) / (RUNS - 1) / RUNS) ** 0.5
    pooled = found([job for run in runs for job in run])
    return id, quantity, which, pooled, STUDENT * error


def score(tmp_path, rows: list[Row]):
    """As the command reads and judges them; an interval without width is left out."""
    lines = ["system,quantity,class,value,half_width,replications"]
    lines += [f"{i},{q},{c},{v!r},{w if w else ''},{RUNS}" for i, q, c, v, w in rows]
    file = tmp_path / "times.csv"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return assess(read_results(file, REFERENCE), REFERENCE)


@pytest.mark.slow
def test_a_right_simulator_agrees(tmp_path):
    rows = [row for id in (*CLASSES, *ONE_CLASS) for row in told(id)]
    found = score(tmp_path, rows)
    assert len(found.results) > 120 and found.sound, verdict(found)
    assert verdict(found) == "agrees with the reference"


def test_percentiles_show_another_order_where_means_do_not(tmp_path):
    """One class, the newest first: E[T] and P(W = 0) are those of FCFS, and nothing else is."""
    rows = [row for id in ONE_CLASS for row in told(id, newest_first)]
    for id in ONE_CLASS:
        mean = [sum(j[2] for j in run) / len(run) for run in simulated(id, newest_first)]
        runs = [[(0, 0, x)] for x in mean]
        rows.append(row(id, "mean_response_time", "all", runs, lambda jobs: jobs[0][2]))
        rows[-1] = (*rows[-1][:3], sum(mean) / RUNS, rows[-1][4])
    found = score(tmp_path, rows)
    groups = {group.quantity: group for group in found.groups}
    assert groups["no_wait"].as_defined and groups["mean_response_time"].as_defined
    assert not found.biased and not found.narrow
    # Many wait less and few much longer, so that somewhere, near 95 %, the two are the same.
    for quantity in ("median_waiting_time", "p99_waiting_time", "p99_response_time"):
        assert not groups[quantity].fitting and not groups[quantity].alternatives
    assert verdict(found).endswith("no definition of the reference fits all values")


def test_percentiles_of_those_that_wait_are_recognised(tmp_path):
    rows = [row for id in CLASSES for row in told(id, among=True)]
    found = score(tmp_path, rows)
    assert {g.quantity for g in found.swapped} == {f"{word}_waiting_time" for word in PERCENTILES}
    assert {g.alternatives[0] for g in found.swapped} == {AMONG_WAITING}
    assert verdict(found) == f"another definition: {AMONG_WAITING}"


@pytest.mark.parametrize(
    ("quantity", "taken", "meaning"),
    [
        ("p95_waiting_time", "p95_response_time", "response time taken for waiting time"),
        ("p99_response_time", "p99_waiting_time", "waiting time taken for response time"),
        ("no_wait", None, "the probability of a wait taken for that of none"),
    ],
)
def test_swapped_quantities_are_recognised(tmp_path, quantity, taken, meaning):
    rows = []
    for id in CLASSES:
        values = REFERENCE.values(id)
        own = values[quantity, "all", None]["value"]
        other = values[taken, "all", None]["value"] if taken else 1 - own
        rows.append((id, quantity, "all", other, 0.01 * other))
    (group,) = score(tmp_path, rows).groups
    assert group.alternatives[0] == meaning
