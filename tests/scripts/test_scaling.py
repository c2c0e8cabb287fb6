"""Jobs on more cores: known makespans, bounds that hold, and the records of a run."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def scaling():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import scaling

        yield scaling


def draw_jobs(scaling, rng, count):
    """Jobs that need some of those before them."""
    jobs = {}
    for k in range(count):
        needs = {str(i) for i in range(k) if rng.random() < 0.15}
        jobs[str(k)] = scaling.Job(float(rng.exponential()), frozenset(needs))
    return jobs


def test_equal_jobs_and_chains_take_what_can_be_counted(scaling):
    equal = {str(k): scaling.Job(2.0) for k in range(10)}
    assert [scaling.schedule(equal, p) for p in (1, 2, 3, 10, 11)] == [20, 10, 8, 2, 2]
    chain = {str(k): scaling.Job(2.0, frozenset({str(k - 1)} if k else ())) for k in range(10)}
    assert [scaling.schedule(chain, p) for p in (1, 5)] == [20, 20]
    assert scaling.trace(chain)["end"].tolist() == list(range(2, 21, 2))
    # A long job that is ready last is left over.
    late = {"a": scaling.Job(1.0), "b": scaling.Job(1.0), "long": scaling.Job(4.0)}
    assert scaling.schedule(late, 2) == 5
    assert scaling.schedule(dict(reversed(late.items())), 2) == 4


def test_a_core_takes_the_first_job_that_is_ready(scaling):
    jobs = {
        "first": scaling.Job(3.0),
        "waits": scaling.Job(1.0, frozenset({"first"})),
        "short": scaling.Job(1.0),
        "other": scaling.Job(1.0),
        "last": scaling.Job(5.0, frozenset({"waits", "other"})),
    }
    assert scaling.schedule(jobs, 2) == 9
    assert scaling.trace(jobs)["job"].tolist() == ["first", "waits", "last"]


def test_every_makespan_lies_between_the_bounds(scaling):
    rng = np.random.default_rng(1)
    for _ in range(50):
        jobs = draw_jobs(scaling, rng, 30)
        table = scaling.measure(jobs, (1, 2, 3, 8, 100))
        work, longest = sum(j.seconds for j in jobs.values()), scaling.trace(jobs)["end"].iloc[-1]
        p, makespan = table["cores"], table["makespan"]
        assert makespan[0] == pytest.approx(work, rel=1e-12)
        assert makespan.iloc[-1] == pytest.approx(longest, rel=1e-12)
        assert (makespan >= table["bound"] * (1 - 1e-12)).all()
        assert (makespan <= (work / p + (1 - 1 / p) * longest) * (1 + 1e-12)).all()
        assert (table["efficiency"] <= 1 + 1e-12).all()


def note(metadata, outputs, needs, began, ended):
    """What Snakemake notes of each file that a job makes."""
    told = {"log": [f"results/logs/{outputs[0]}.log"], "input": needs}
    for name in outputs:
        file = metadata / base64.urlsafe_b64encode(name.encode()).decode()
        file.write_text(json.dumps({**told, "starttime": began, "endtime": ended}), "utf-8")


def test_it_reads_what_snakemake_noted_of_the_targets(scaling, tmp_path):
    note(tmp_path, ["series.csv", "series.sha256"], [], 10.0, 12.5)
    note(tmp_path, ["figure.pdf", "mark"], ["series.csv", "series.sha256"], 13.0, 14.0)
    note(tmp_path, ["agreed"], ["figure.pdf", "mark"], 15.0, 15.5)
    note(tmp_path, ["of an earlier run"], [], 1.0, 9.0)
    jobs = scaling.read_jobs(["agreed"], tmp_path)
    assert {name: (job.seconds, set(job.needs)) for name, job in jobs.items()} == {
        "series.csv": (2.5, set()),
        "figure.pdf": (1.0, {"series.csv"}),
        "agreed": (0.5, {"figure.pdf"}),
    }
    with pytest.raises(KeyError, match="no run has made it here"):
        scaling.read_jobs(["nobody.csv"], tmp_path)
