"""A series computed by several jobs equals that of one job, byte for byte."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from scripts import combine, compute
from tests.conftest import ROOT

from atlas.config.series import count_points
from atlas.io.specs import canonical, digest

SYSTEM = {"servers": 4, "needs": [1, 4], "rates": [1.0, 1.0], "probabilities": [0.8, 0.2]}
SERIES = {
    "simulated-response-time": {
        **SYSTEM,
        "fractions_of_limit": [0.1, 0.3, 0.5, 0.7, 0.9],
        **{"jobs": 2000, "seed": 1, "replications": 4},
    },
    # For some of the exponents the queue is unstable: they have no row.
    "simulated-queue-by-exponent": {
        **{"servers": 10, "shares": [0, 1], "load": 0.7, "exponent": [0.0, 3.0], "points": 5},
        **{"rates": [1.0, 1.0, 1.0], "jobs": 2000, "seed": 1, "replications": 4},
    },
}


def run(monkeypatch, stage, *arguments) -> None:
    monkeypatch.setattr(sys, "argv", [stage.__name__, *map(str, arguments)])
    stage.main()


def write_spec(folder: Path, study: str) -> Path:
    text = canonical({"study": study, "parameters": SERIES[study]})
    file = folder / f"{digest(text)}.json"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize("study", SERIES)
@pytest.mark.parametrize("count", [2, 5])
def test_parts_make_the_whole(study, count, tmp_path, monkeypatch):
    spec = write_spec(tmp_path, study)
    whole, combined = (
        tmp_path / name / "results/series" / study / "x.csv" for name in ("one", "many")
    )
    run(monkeypatch, compute, spec, "--output", whole)
    parts = [tmp_path / f"{k}-of-{count}.csv" for k in range(1, count + 1)]
    for part in reversed(parts):
        run(monkeypatch, compute, spec, "--part", part.stem, "--output", part)
    run(monkeypatch, combine, *parts, "--output", combined)
    assert combined.read_bytes() == whole.read_bytes()
    sums = combined.with_suffix(".sha256")
    assert sums.read_bytes() == whole.with_suffix(".sha256").read_bytes()


@pytest.mark.parametrize("length", [3, 7, 30])
def test_every_point_is_in_one_part_and_in_order(length):
    items = list(range(length))
    for count in range(1, length + 1):
        parts = [compute.choose(items, (k, count)) for k in range(1, count + 1)]
        assert [item for part in parts for item in part] == items
        assert all(part for part in parts)


def test_what_cannot_be_split_is_told():
    with pytest.raises(ValueError, match="expected 3 points or more to split"):
        compute.choose([1, 2], (1, 3))
    with pytest.raises(ValueError, match="expected 2 points or more to split"):
        compute.choose(iter([1, 2]), (1, 2))
    for wrong in ("0-of-3", "4-of-3", "1", "-1-of-3"):
        with pytest.raises(ValueError, match="expected a part such as 1-of-3"):
            compute.read_part(wrong)


def test_parts_of_different_series_are_not_combined(tmp_path):
    for name, header in (("a", "x [1]"), ("b", "y [1]")):
        (tmp_path / f"{name}.csv").write_text(f"{header}\n1\n", "utf-8")
    with pytest.raises(ValueError, match="parts of different series"):
        combine.combine([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "c.csv")


def test_a_point_keeps_its_number_whichever_part_it_is_in():
    """Random numbers are drawn under it: studies count points before they are chosen from."""
    for file in (ROOT / "src/atlas/studies").glob("*.py"):
        assert not re.search(r"enumerate\(\s*progress\(", file.read_text("utf-8")), file.name


@pytest.mark.parametrize("study", SERIES)
def test_points_are_counted_as_the_study_goes_through_them(study):
    module = __import__(f"atlas.studies.{study.replace('-', '_')}", fromlist=["compute"])
    seen = []
    parameters = module.Parameters.model_validate(SERIES[study])
    module.compute(parameters, progress=lambda items: seen.append(len(items)) or items[:0])
    assert seen == [count_points(study, SERIES[study])]
