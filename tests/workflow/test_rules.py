"""Rules have names, and Snakemake's options that take them do what they say."""

from __future__ import annotations

import csv
import re
import shutil

import pytest
from tests.conftest import ROOT, forks, jobs
from tests.faults.tiny import FILE, read_outputs

pytestmark = pytest.mark.slow

DRAWN = "draw tiny/fig1"


def test_the_rules_of_a_whole_run_are_those_of_the_picture():
    done = forks().start(ROOT, ["--rulegraph", "mermaid-js", "all"], plain=True).wait()
    assert done.returncode == 0, done.stdout
    names = dict(re.findall(r"(id\d+)\[(\w+)\]", done.stdout))
    found = {(names[a], names[b]) for a, b in re.findall(r"(id\d+) --> (id\d+)", done.stdout)}
    with (ROOT / "docs/rulegraph.csv").open(encoding="utf-8") as file:
        drawn = {(row["from"], row["to"]) for row in csv.DictReader(file)}
    assert found - {(a, b) for a, b in found if "again" in (a, b)} == drawn
    assert len({rule for arrow in drawn for rule in arrow}) <= 25


def test_a_run_forces_a_rule_ends_with_it_or_leaves_it_out(tiny_copy):
    def planned(*arguments: str) -> list[str]:
        return jobs(tiny_copy.run(*arguments, "--dry-run"))

    forced = planned("all", "--forcerun", "draw")
    assert DRAWN in forced and not any("compute" in message for message in forced)
    forced = planned("tiny_fig1", "--forcerun", "compute")
    assert DRAWN in forced and any(message.startswith("compute") for message in forced)
    shutil.rmtree(tiny_copy.root / "figures")
    tiny_copy.edit(FILE, "servers: 30, needs: [1, 10]", "servers: 31, needs: [1, 10]")
    until = planned("all", "--until", "draw")
    assert DRAWN in until and {message.partition(" ")[0] for message in until} == {"draw"}
    without = planned("all", "--omit-from", "draw")
    assert DRAWN not in without and "tabulate tiny/wasted" in without


def test_a_figure_is_a_target_by_its_file_and_its_name_and_is_mended(tiny_copy):
    figure, before = tiny_copy.root / "figures/tiny/fig1.svg", read_outputs(tiny_copy.root)
    figure.unlink()
    assert tiny_copy.build("figures/tiny/fig1.svg") == [DRAWN]
    figure.write_bytes(figure.read_bytes()[:-9])
    assert tiny_copy.build("tiny_fig1") == [DRAWN]
    assert read_outputs(tiny_copy.root) == before
    assert tiny_copy.build("figures/tiny/fig1.svg", "tiny_fig1") == []


def test_to_touch_makes_nothing_and_another_path_to_the_project_reruns_nothing(tiny_copy):
    before = read_outputs(tiny_copy.root)
    assert tiny_copy.run("all", "--touch").returncode == 0
    assert read_outputs(tiny_copy.root) == before
    tiny_copy.root.with_name("link").symlink_to(tiny_copy.root)
    assert tiny_copy.build("all", "--snakefile", "../link/Snakefile") == []
