"""Resources requested of a cluster: time grows with what is simulated, and long series are jobs of
their own."""

from __future__ import annotations

import re

import pytest
from tests.conftest import ROOT

from atlas.config.read import read_yaml
from atlas.plan.resources import MINUTES, count_parts, job_group, minutes

POINT = {"jobs": 6_000_000}


# Of a series: minutes beside `MINUTES` for each part, how many parts, and whether it is small.
SERIES = [
    ({"servers": 10}, 1, (0, 1, True)),
    (POINT, 1, (1, 1, True)),
    (POINT, 20, (2, 1, True)),
    (POINT, 21, (3, 1, False)),
    (POINT, 600, (60, 1, False)),
    (POINT, 601, (31, 2, False)),
    ({"jobs": 10**8}, 31, (52, 1, False)),
    ({"jobs": 10**9}, 10, (67, 3, False)),
    ({"jobs": 10**10}, 1, (167, 1, False)),
    ({"jobs": 10**10}, 10, (167, 10, False)),
    ({"effort": 10**9}, 1, (17, 1, False)),
    ({"effort": 10**10}, 30, (167, 30, False)),
    ({"effort": "as-printed"}, 10, (34, 1, False)),
    ({"effort": "as-printed"}, 30, (50, 2, False)),
    # They stop by themselves, and are not split.
    ({"effort": "quick"}, 2, (1, 1, True)),
    ({"effort": "paper"}, 1, (7, 1, False)),
    ({"effort": "paper"}, 2, (14, 1, False)),
    ({"effort": "paper"}, 30, (200, 1, False)),
]


@pytest.mark.parametrize(("parameters", "points", "expected"), SERIES)
def test_time_grows_with_what_is_simulated_until_it_is_split_into_hours_or_points(
    parameters, points, expected
):
    asked, parts, small = expected
    assert minutes(parameters, points) == MINUTES + asked
    assert count_parts(parameters, points) == parts
    assert job_group(parameters, points) == ("small" if small else None)


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
