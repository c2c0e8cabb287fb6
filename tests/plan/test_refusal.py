"""A job reports refusals in the form of the plan, as far as it knows their place in config."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from scripts import compute
from tests.blocks import rigid_block

from atlas.io.specs import canonical, digest

SYSTEM = rigid_block(4, (1, 1.0, 0.5), (4, 1.0, 0.5))
SERIES = {"system": SYSTEM, "policy": "fcfs", "loads": [0.5, 0.99], "jobs": 1000, "seed": 1}
FILE = """\
shared: &shared {loads: [0.5, 0.99]}
tables:
  steep:
    series:
      points:
        study: simulated-policy
        <<: *shared
"""
PLACE = ("mine.yaml", "tables", "steep", "series", "points")


def refuse(folder: Path, monkeypatch, *arguments: str) -> list[str]:
    """The lines with which the job ends."""
    monkeypatch.chdir(folder)
    text = canonical({"study": "simulated-policy", "parameters": SERIES})
    spec = Path(f"{digest(text)}.json")
    spec.write_text(text, "utf-8")
    monkeypatch.setattr(sys, "argv", ["compute", str(spec), "--output", "x.csv", *arguments])
    with pytest.raises(SystemExit) as ended:
        compute.main()
    assert not Path("x.csv").exists()
    return str(ended.value).splitlines()


@pytest.mark.parametrize("part", [(), ("--part", "1-of-2")], ids=["whole", "part"])
def test_the_line_is_that_of_the_file_as_it_is(part, tmp_path, monkeypatch):
    (tmp_path / "mine.yaml").write_text(FILE, "utf-8")
    head, _, place, found, expected = refuse(tmp_path, monkeypatch, *part, "--place", *PLACE)
    assert head.startswith("1 fault in mine.yaml; ")
    assert place == "mine.yaml:7: tables.steep.series.points.loads"
    assert found == "    found     a load of 0.99"
    assert expected.startswith("    expected  loads below 0.")


@pytest.mark.parametrize("text", [None, "tables: [\n", "tables: {}\n"])
def test_a_file_that_has_changed_since_costs_the_line_only(text, tmp_path, monkeypatch):
    if text is not None:
        (tmp_path / "mine.yaml").write_text(text, "utf-8")
    place = refuse(tmp_path, monkeypatch, "--place", *PLACE)[2]
    assert place.endswith(": tables.steep.series.points.loads")


def test_a_job_that_is_not_told_where_names_its_spec(tmp_path, monkeypatch):
    place = refuse(tmp_path, monkeypatch, "--place")[2]
    assert place.endswith(".json:1: parameters.loads")
