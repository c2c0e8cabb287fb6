"""Read-only commands change nothing; damaged files are mended by runs and refused by readers."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from tests.conftest import Project, forks
from tests.faults.tiny import FILE, make_tiny

pytestmark = pytest.mark.slow

COMMANDS = (
    *("--dry-run", "--list-rules", "--lint", "--summary", "--dag", "--list-untracked"),
    "--report",
)


def cut(project: Project, pattern: str) -> Path:
    """Cut a file short."""
    file = sorted(project.root.glob(pattern))[0]
    file.write_bytes(file.read_bytes()[:-9])
    return file


def read_tree(project: Project) -> dict[str, tuple]:
    """All files but Snakemake's own and what Python compiled: sums of their contents, and times."""
    return {
        str(file.relative_to(project.root)): (
            file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest(),
            file.is_file() and file.stat().st_mtime_ns,
        )
        for file in sorted(project.root.rglob("*"))
        if not {".snakemake", "__pycache__"} & {*file.relative_to(project.root).parts}
    }


def look(project: Project, command: str, target: Path) -> None:
    words = [command, str(target / "report.html")] if command == "--report" else [command]
    done = project.run("all", *words) if command != "--list-rules" else project.run(*words)
    assert done.returncode == 0, done.stdout


def test_to_look_changes_nothing_and_a_report_holds_what_each_product_shows(tiny_copy, tmp_path):
    tiny_copy.edit(FILE, "Of thirty.", "Of thirty servers.")
    cut(tiny_copy, "results/series/queue-tail/*.csv")
    cut(tiny_copy, "figures/tiny/ledger.txt")
    cut(tiny_copy, "figures/gallery/index.html")
    cut(tiny_copy, "results/specs/tiny/fig1.*.json")
    shutil.rmtree(tiny_copy.root / "results/shelf")
    before = read_tree(tiny_copy)
    for command in COMMANDS:
        look(tiny_copy, command, tmp_path)
        assert read_tree(tiny_copy) == before, command
    report = (tmp_path / "report.html").read_text("utf-8")
    for name in ("fig1.svg", "wasted.csv", "ledger.csv", "values.tex"):
        assert f'"figures/tiny/{name}": {{"name": "{name}"' in report
    assert "Of four servers." in report  # a caption


def test_to_look_at_what_is_not_built_changes_nothing(tmp_path):
    project = make_tiny(tmp_path / "atlas")
    before = read_tree(project)
    for command in ("--dry-run", "--list-rules"):
        look(project, command, tmp_path)
        assert read_tree(project) == before, command


def test_a_figure_is_not_drawn_from_damaged_data(tiny_copy):
    cut(tiny_copy, "results/series/queue-tail/*.csv")
    study = "queue-tail"
    tiny_copy.edit(FILE, "Of four servers.", "Of four servers, 4 of them.")
    assert tiny_copy.build("tiny_fig1") == [
        f"compute {study} for tiny/fig1",
        "draw tiny/fig1",
    ]
    cut(tiny_copy, "results/series/queue-tail/*.csv")  # a second time as the first
    assert f"compute {study} for tiny/fig1" in tiny_copy.build("tiny_fig1")
    assert tiny_copy.build("tiny_fig1") == []


def test_who_reads_what_was_damaged_since_the_run_began_refuses_it(tiny_copy):
    root, (mark,) = tiny_copy.root, tiny_copy.root.glob("results/made/tiny/fig1.*")
    for damaged, stage, spec, *target in (
        ("results/series/queue-tail/*.csv", "draw", "tiny/fig1.*", "--mark", mark),
        (
            "results/series/queue-tail/*.csv",
            "publish",
            "gallery.*",
            "--mark",
            mark.parents[1] / "x",
        ),
        ("figures/tiny/fig1.svg", "agree", "agreed.*", "--output", "results/agreed/0.txt"),
    ):
        name = cut(tiny_copy, damaged).name
        (file,) = root.glob(f"results/specs/{spec}.json")
        done = forks().execute(["scripts", stage, str(file), *map(str, target)], root, {})
        assert done.returncode == 1, stage
        assert f"{name}: not as it was made" in done.stderr, stage
        assert stage == "agree" or f"{name}: not as it was made; run again" in done.stderr
