"""Jobs that stay so long that more than 1e8 others come before a simulation may measure: refused by
the plan if config has the durations, else by the job before its first point. Shorter warm-ups count
in the time that is asked of a cluster."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic_core import PydanticCustomError
from tests.blocks import rigid_block

from atlas.config.kinds import module
from atlas.config.series import complete_series, count_further_jobs, count_points
from atlas.plan.resources import MINUTES, minutes

EFFORT = {"jobs": 10_000, "seed": 1}
RARE = 1e-9
SAID = "jobs arrive before the servers have forgotten that they were empty"
EXPECTED = "durations, or shares of the jobs, that are less far apart"


def classes(mean: float, share: float) -> dict:
    shares = [1 - share, share]
    return {"needs": [1, 4], "shares": shares, "mean_durations": [1.0, mean]}


def series(study: str, rate: float, share: float) -> dict:
    """A series in which one job in 1/`share` has four servers for 1/`rate`."""
    jobs = {"system": rigid_block(4, (1, 1.0, 1 - share), (4, rate, share))}
    by_study = {
        "simulated-policy": jobs | {"policy": "first-fit"},
        "simulated-time-quantiles": jobs | {"policy": "first-fit"},
        "policies-by-load": jobs | {"policies": ["first-fit"]},
        "policy-ranking": jobs | {"policies": ["fcfs", "first-fit"]},
        "workload-response-time": {"durations": "exponential", "policies": ["first-fit"]},
        "workload-time-quantiles": {"policy": "first-fit"},
    }
    own = {"study": study, "loads": [0.1, 0.5], **EFFORT, **by_study[study]}
    if study.startswith("workload"):
        own |= {"classes": classes(1 / rate, share), "servers": 4}
    if study.endswith("quantiles"):
        own["probabilities"] = [0.5]
    return own


@pytest.mark.parametrize(
    ("study", "key"),
    [
        ("simulated-policy", "loads"),
        ("simulated-time-quantiles", "loads"),
        ("workload-response-time", "classes"),
        ("workload-time-quantiles", "classes"),
    ],
)
def test_the_plan_refuses_what_config_shows(study, key):
    _, _, faults = complete_series(series(study, RARE, RARE), ())
    (fault,) = faults
    assert fault.path == (key,)
    assert fault.found.startswith("5e+09 ") and SAID in fault.found
    assert fault.expected == EXPECTED
    # Longest jobs of a thousand: about 5000 come before a run measures.
    assert not complete_series(series(study, 1e-3, 1e-3), ())[2]


@pytest.mark.parametrize("study", ["policies-by-load", "policy-ranking"])
def test_what_only_a_solution_shows_is_refused_before_any_point(study, monkeypatch):
    refuse_in_the_job(series(study, RARE, RARE), "loads", monkeypatch)


@pytest.mark.parametrize("study", ["simulated-classes", "simulated-response-time"])
def test_fractions_of_a_limit_too(study, monkeypatch):
    rates = {"needs": [1, 4], "rates": [1.0, RARE], "probabilities": [1 - RARE, RARE]}
    given = {"study": study, "servers": 4, "fractions_of_limit": [0.1, 0.5], **rates, **EFFORT}
    refuse_in_the_job(given, "rates", monkeypatch)


@pytest.mark.parametrize("study", ["workload-response-time", "workload-time-quantiles"])
def test_a_log_is_refused_once_it_is_read(study, tmp_path, monkeypatch):
    """Of 20,000 jobs one lasts 1e11 s, and holds one of many servers."""
    rows = [f"1,{1e11 if k == 77 else 1e-3}" for k in range(20_000)]
    file = tmp_path / "jobs.csv"
    file.write_text("\n".join(["n,t", *rows, ""]), "utf-8")
    trace = {"file": str(file), "format": "plain", "columns": {"need": "n", "duration": "t"}}
    own = series(study, RARE, RARE) | {"trace": trace, "servers": 10_000}
    del own["classes"]
    refuse_in_the_job(own | {"durations": "empirical"}, "trace", monkeypatch)


def refuse_in_the_job(given: dict, key: str, monkeypatch) -> None:
    _, parameters, faults = complete_series(given, ())
    assert faults == []

    def begin(_):
        raise AssertionError("the first point has begun")

    with pytest.raises(PydanticCustomError) as caught:
        module("studies", given["study"]).compute(parameters, begin)
    assert caught.value.context["at"] == (key,)
    assert SAID in caught.value.context["found"]


@pytest.mark.parametrize("study", ["simulated-policy", "workload-response-time"])
def test_a_long_warm_up_counts_in_the_time_that_is_asked_for(study):
    given = series(study, 1e-6, 1e-6)
    completed, _, faults = complete_series(given, ())
    assert faults == []
    own = {key: value for key, value in completed.items() if key != "study" and value is not None}
    further, points = count_further_jobs(study, own), count_points(study, own)
    # 32 replications, in each of which the long jobs are waited for at the highest load.
    rate = 0.5 * 4 / (1 + 4)
    settling = 1.3 * 1e6 * np.log(4 / 5 / 1e-4)
    assert further == pytest.approx(32 * rate * settling, rel=1e-3)
    assert minutes(own, points, further) - MINUTES == np.ceil(
        points * (further + 10_000) * 1e-6 / 60
    )
