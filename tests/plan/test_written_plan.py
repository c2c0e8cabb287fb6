"""A job on another machine finds the specs as they were planned, or refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import Project
from tests.faults.tiny import make_tiny

from atlas.plan.products import Series
from atlas.plan.resolve import Plan
from atlas.plan.written_plan import WrittenPlan

STUDY = "src/atlas/studies/wastage_by_rate_ratio.py"


@pytest.fixture
def project(tmp_path, monkeypatch) -> Project:
    made = make_tiny(tmp_path / "atlas")
    monkeypatch.chdir(made.root)
    return made


def planned(project: Project) -> dict[str, Series]:
    """The series that were planned, by study; `queue-tail` has two."""
    plan = Plan.load({}, project.root)
    plan.write_specs()
    assert len(plan.series) == 4
    return {series.study: series for series in plan.series.values()}


def test_it_finds_the_series_as_they_were_planned(project):
    for study, series in planned(project).items():
        found = WrittenPlan(project.root).find(study, series.digest)
        assert found.text == series.text
        assert found.file == series.file
        assert found.modules == series.modules


def test_it_refuses_what_was_planned_for_other_code(project):
    all_series = planned(project)
    project.edit(STUDY, "    ratio = np.geomspace", "    ratio = 1 * np.geomspace")
    series = all_series["wastage-by-rate-ratio"]
    with pytest.raises(ValueError, match="run again, and it is planned anew"):
        WrittenPlan(project.root).find(series.study, series.digest)
    other = all_series["queue-tail"]
    assert WrittenPlan(project.root).find(other.study, other.digest).text == other.text
    project.edit("src/atlas/claims/states.py", "import annotations", "import annotations, division")
    claims = all_series["claims"]
    with pytest.raises(ValueError, match="planned with code"):
        WrittenPlan(project.root).find(claims.study, claims.digest)


def test_it_refuses_a_spec_that_is_not_as_it_was_written(project):
    series = planned(project)["queue-tail"]
    spec = Path(series.spec_file)
    spec.write_text(spec.read_text("utf-8").replace('"servers":4', '"servers":5'), "utf-8")
    with pytest.raises(ValueError, match="not as it was written"):
        WrittenPlan(project.root).find(series.study, series.digest)


@pytest.mark.slow
def test_jobs_on_another_machine_need_their_spec_and_no_config(project):
    """As executors start them."""
    series = planned(project)["wastage-by-rate-ratio"]
    Path("config").rename("elsewhere")
    Path(project.root, "benchmarks/benchmark.py").write_text(
        "import sys, pathlib; pathlib.Path(sys.argv[2]).write_text('route,seconds\\n')", "utf-8"
    )
    job = f"compute:study={series.study},digest={series.digest}"
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(project.root / "Snakefile")]
    command += ["--target-jobs", job, "benchmarks:", "--allowed-rules", "compute", "benchmarks"]
    command += ["--cores", "all", "--force", "--nolock"]
    command += ["--no-hooks", "--ignore-incomplete", "--mode", "remote"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(Path(name).is_file() for name in (*series.targets, "results/benchmarks.csv"))
