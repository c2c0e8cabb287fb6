"""Resources requested of a cluster: time grows with what is simulated, and long series are jobs of
their own."""

from __future__ import annotations

import re

import pytest
from tests.conftest import ROOT

from atlas.config.read import read_yaml
from atlas.plan.resources import MINUTES, count_parts, job_group, minutes

POINT = {"jobs": 6_000_000}


@pytest.mark.parametrize(
    ("parameters", "points", "expected"),
    [
        ({"servers": 10}, 1, 0),
        (POINT, 1, 1),
        (POINT, 600, 60),
        # A point of ten thousand million jobs: those of a series are split over jobs.
        ({"jobs": 10**10}, 10, 167),
        ({"jobs": 10**9}, 10, 67),
        ({"effort": "quick"}, 2, 1),
        ({"effort": "paper"}, 2, 14),
        ({"effort": "as-printed"}, 10, 34),
        ({"effort": 10**9}, 1, 17),
        ({"jobs": 10**8}, 31, 52),
    ],
)
def test_time_grows_with_what_is_simulated(parameters, points, expected):
    assert minutes(parameters, points) == MINUTES + expected


@pytest.mark.parametrize(
    ("parameters", "points", "expected"),
    [
        ({"servers": 10}, 1, "small"),
        (POINT, 1, "small"),
        (POINT, 20, "small"),
        (POINT, 21, None),
        ({"effort": "paper"}, 1, None),
    ],
)
def test_series_that_simulate_long_travel_alone(parameters, points, expected):
    assert job_group(parameters, points) == expected


@pytest.mark.parametrize(
    ("parameters", "points", "expected"),
    [
        ({"servers": 10}, 1, 1),
        (POINT, 600, 1),
        (POINT, 601, 2),
        ({"jobs": 10**10}, 10, 10),
        ({"jobs": 10**10}, 1, 1),
        ({"jobs": 10**9}, 10, 3),
        # They stop by themselves.
        ({"effort": "paper"}, 30, 1),
        ({"effort": "as-printed"}, 30, 2),
        ({"effort": 10**10}, 30, 30),
    ],
)
def test_a_series_is_split_into_hours_or_points(parameters, points, expected):
    assert count_parts(parameters, points) == expected


def test_what_takes_seconds_is_made_where_snakemake_runs():
    text = "\n\n".join(file.read_text("utf-8") for file in (ROOT / "workflow/rules").glob("*.smk"))
    rules = re.findall(r"^ *rule(?: (\w+))?:\n(.*?)(?=^ *rule|\Z)", text, re.M | re.S)
    assert len(rules) > 10
    away = {name for name, body in rules if "localrule: True" not in body}
    assert away == {"compute", "part", "benchmarks"}


def test_the_profile_for_a_cluster_is_the_default_one_but_for_the_executor():
    cluster, default = (
        read_yaml(ROOT / f"profiles/{name}/config.yaml", name)[0] for name in ("slurm", "default")
    )
    assert cluster["executor"] == "slurm"
    shared = default.keys() - {"cores"}
    assert {key: cluster[key] for key in shared} == {key: default[key] for key in shared}
