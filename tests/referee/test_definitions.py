"""Other definitions of a quantity are recognised from values alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t
from tests.conftest import ROOT

from referee.assess import assess, measure, verdict
from referee.definitions import other_definitions
from referee.read import Reference, Result
from referee.report import tell

REFERENCE = Reference.load(ROOT / "reference")
TIME, WAIT = ("mean_response_time", "all", None), ("mean_waiting_time", "all", None)
MIXED = ("fcfs-1-4-16-60", "fcfs-1-2-4-load-50", "fcfs-four-classes-70", "fcfs-2-3-7-90")


def result(line: int, id: str, key: tuple, value: float, half_width: float | None) -> Result:
    truth = REFERENCE.values(id)[key]
    widths = half_width, None, truth["value"], truth.get("half_width", 0.0)
    return Result(line, id, key, value, *widths)


def judge(ids: tuple[str, ...], key: tuple, told: Callable[[dict, str], float], width: float):
    """What is said of values that `told(system, id)` gives, with relative half-widths."""
    rows = []
    for line, id in enumerate(ids, start=2):
        value = told(REFERENCE.systems[id], id)
        rows.append(result(line, id, key, value, width * abs(value) if width else None))
    return assess(rows, REFERENCE)


def other(definition: str) -> Callable[[dict, str], float]:
    """The value of E[T] under a definition that the file has."""

    def told(system: dict, id: str) -> float:
        (values,) = (
            d["values"] for d in system["other_definitions"] if d["definition"] == definition
        )
        (found,) = (v["value"] for v in values if (v["quantity"], v["class"]) == TIME[:2])
        return found

    return told


def value_of(key: tuple) -> Callable[[dict, str], float]:
    return lambda system, id: REFERENCE.values(id)[key]["value"]


RATES = "rates taken for mean durations, at the same load"
CASES = {
    "waiting time taken for response time": (MIXED, TIME, value_of(WAIT)),
    "response time taken for waiting time": (MIXED, WAIT, value_of(TIME)),
    "in units of E[S], the mean work of a job": (
        MIXED,
        TIME,
        lambda s, id: REFERENCE.values(id)[TIME]["value"] / s["mean_size"],
    ),
    "in units of the mean duration": (
        MIXED,
        TIME,
        lambda s, id: REFERENCE.values(id)[TIME]["value"] / s["mean_duration"],
    ),
    "rates taken for times: the reciprocal": (
        MIXED,
        TIME,
        lambda s, id: 1 / REFERENCE.values(id)[TIME]["value"],
    ),
    RATES: (MIXED, TIME, other(RATES)),
    "classes in the opposite order": (
        ("fcfs-1-4-16-60", "fcfs-1-2-4-load-50"),
        ("mean_response_time", "1", None),
        value_of(("mean_response_time", "3", None)),
    ),
    "as under least-servers-first": (
        ("most-servers-first-1-4-load-50", "most-servers-first-1-3-load-30"),
        TIME,
        lambda s, id: REFERENCE.values(id.replace("most", "least"))[TIME]["value"],
    ),
    "as under fastest-server-first (migration = slot)": (
        ("fastest-first-age-hyperexponential-80", "fastest-first-age-spread-60"),
        TIME,
        lambda s, id: REFERENCE.values(id.replace("age", "slot"))[TIME]["value"],
    ),
    "P(N ≥ k) taken for P(N > k)": (
        ("mm1-90",),
        ("tail", "all", 10),
        lambda s, id: 0.9**10,
    ),
    "the job at the head of the line not counted as waiting": (
        ("fcfs-1-10-50", "fcfs-1-10-90"),
        ("mean_waiting", "all", None),
        lambda s, id: s["other_definitions"][0]["values"][0]["value"],
    ),
}


@pytest.mark.parametrize("width", [0.002, None], ids=["with intervals", "without"])
@pytest.mark.parametrize("name", CASES)
def test_a_definition_is_recognised(name, width):
    ids, key, told = CASES[name]
    found = judge(ids, key, told, width)
    assert len(found.groups) == 1 + (len({REFERENCE.systems[i]["policy"]["name"] for i in ids}) > 1)
    assert found.swapped == found.groups
    assert all(group.alternatives[0] == name for group in found.swapped)
    assert name in verdict(found)
    assert not found.sound


def test_of_two_definitions_that_agree_both_are_named():
    """One exponential class: E[S] and the mean duration are the same."""
    found = judge(("mm1-90",), TIME, lambda s, id: 10.0, 0.001)
    assert {*found.swapped[0].alternatives} >= {
        "in units of E[S], the mean work of a job",
        "in units of the mean duration",
    }


def test_what_fits_no_definition_is_said_so():
    found = judge(MIXED, TIME, lambda s, id: 17.0 * REFERENCE.values(id)[TIME]["value"], 0.001)
    assert found.unexplained and not found.swapped
    assert found.biased and found.bias.explains  # a common factor is a bias, however large
    hours = judge(MIXED, TIME, lambda s, id: REFERENCE.values(id)[TIME]["value"] / 3600, 0.001)
    said = tell("results.csv", hours, REFERENCE.index)
    assert "a common factor of 0.00027778 explains all of them" in said
    rng = np.random.default_rng(1)
    found = judge(MIXED, TIME, lambda s, id: float(rng.uniform(20, 30)), 0.001)
    assert "no definition of the reference fits" in verdict(found)


def test_a_bias_explains_the_other_values_only_if_its_factor_does():
    """E[T] of all jobs is 20 % too long; E[T] of class 2 is so too, or is 30 % too long."""
    large = ("mean_response_time", "2", None)
    for factor, explains in ((1.2, True), (1.3, False)):
        rows = []
        for line, (key, scale) in enumerate(((TIME, 1.2), (large, factor)), start=2):
            value = scale * REFERENCE.values("fcfs-1-10-50")[key]["value"]
            rows.append(result(line, "fcfs-1-10-50", key, value, 0.005 * value))
        found = assess(rows, REFERENCE)
        assert found.biased and found.unexplained and found.bias.explains == explains
        assert ("no definition of the reference fits all" in verdict(found)) == (not explains)


def test_the_values_that_fit_no_definition_are_named_the_farthest_first():
    """E[T] of all jobs is right, that of the large class is 5 % off, or 7 %."""
    large = ("mean_response_time", "2", None)
    rows = []
    for id, factor in (("fcfs-1-10-50", 1.05), ("fcfs-1-10-90", 0.93)):
        for key, scale in ((TIME, 1.0), (large, factor)):
            value = scale * REFERENCE.values(id)[key]["value"]
            rows.append(result(len(rows) + 2, id, key, value, 0.01 * value))
    said = tell("results.csv", assess(rows, REFERENCE), REFERENCE.index)
    lines = said.partition("the relatively farthest first:\n")[2].splitlines()
    assert lines[0].startswith("  fcfs-1-10-90, mean_response_time of class 2: ")
    assert lines[0].endswith("(-7.00%)") and lines[1].endswith("(+5.00%)") and not lines[2]
    assert "farthest" not in tell("results.csv", assess(rows[::2], REFERENCE), REFERENCE.index)


def test_every_other_meaning_differs_from_the_value_or_is_told_apart():
    for id in REFERENCE.systems:
        for key, value in REFERENCE.values(id).items():
            one = Result(2, id, key, value["value"], 0.01, None, value["value"], 0.0)
            for other in other_definitions(one, REFERENCE):
                assert np.isfinite(other.value) and other.half_width >= 0, (id, key, other)


def test_a_sound_simulator_fails_as_seldom_as_is_said():
    """600 simulators whose errors are normal, each on 20 systems: at most 0.3 % of them are to be
    faulted, so that more than 8 are with probability 1e-4."""
    rng = np.random.default_rng(7)
    ids = [id for id in REFERENCE.systems if TIME in REFERENCE.values(id)][:20]
    faulted = 0
    for _ in range(600):
        rows = []
        for line, id in enumerate(ids, start=2):
            truth = REFERENCE.values(id)[TIME]["value"]
            error = 0.01 * truth
            value = truth + error * rng.standard_normal()
            rows.append(result(line, id, TIME, value, 1.959964 * error))
        faulted += not assess(rows, REFERENCE).sound
    assert faulted <= 8


def test_few_replications_alone_are_no_bias():
    """Of 150 right simulators with two replications of each system, 1 in 20 has a p below 5 %, and
    of those with a bias of 1 % as many have an interval without it."""
    runs = 2
    rng = np.random.default_rng(runs)
    few = missed = 0
    for _ in range(150):
        rows = []
        for line, id in enumerate(MIXED * 2, start=2):
            truth = REFERENCE.values(id)[TIME]["value"]
            found = truth * (1 + rng.choice([0.003, 0.03]) * rng.standard_normal(runs))
            width = t.isf(0.025, runs - 1) * found.std(ddof=1) / math.sqrt(runs)
            rows.append(Result(line, id, TIME, found.mean(), width, runs, truth, 0.0))
        few += measure(rows, [], 4.0).p < 0.05
        rows = [replace(r, value=r.value + 0.01 * r.reference) for r in rows]
        bias = measure(rows, [], 4.0)
        missed += abs(bias.relative - 0.01) > 1.96 * bias.standard_error
    assert 1 <= few <= 17 and missed <= 17
    far = measure([replace(rows[0], value=1e30), *rows[1:]], [], 4.0)
    assert far.relative < 0.1


def test_intervals_that_are_too_narrow_are_said_so():
    rng = np.random.default_rng(3)
    ids = [id for id in REFERENCE.systems if TIME in REFERENCE.values(id)][:40]
    rows = []
    for line, id in enumerate(ids, start=2):
        truth = REFERENCE.values(id)[TIME]["value"]
        value = truth * (1 + 0.01 * rng.standard_normal())
        rows.append(result(line, id, TIME, value, 0.009 * truth))  # 0.9 standard errors
    found = assess(rows, REFERENCE)
    assert found.narrow and not found.biased and not found.swapped
    assert found.coverage.p_few < 1e-3
    assert "intervals hold the value" in verdict(found)
