"""Damaged files are made again; figures with renamed or reordered series are drawn again."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from tests.conftest import Project, jobs
from tests.faults.readonly import held
from tests.faults.tiny import FILE, read_outputs

from atlas.plan.build import Build
from atlas.plan.resolve import Plan

# What a run replaces besides marks.
REPLACED = ("figures/tiny", "results/logs/draw/tiny/fig1.log")


def one(project: Project, pattern: str) -> Path:
    return sorted(project.root.glob(pattern))[0]


def test_series_are_drawn_by_another_name_and_order_from_a_spec_that_was_damaged(
    tiny_copy, monkeypatch
):
    """`tests/plan/test_identity.py` has another name, and another order, alone."""
    half = "      half: {study: queue-tail, <<: *four, fraction_of_limit: 0.5}\n"
    busy = half.replace("half", "busy").replace("0.5", "0.8")
    tiny_copy.edit(FILE, half + busy, busy + half.replace("half", "calm"))
    monkeypatch.chdir(tiny_copy.root)
    spec = next(Path(p.spec_file) for p in Plan.load({}, tiny_copy.root).products if p.id == "fig1")
    assert not spec.exists()
    spec.write_text('{"series": ', "utf-8")  # as a former version may have left it
    messages = tiny_copy.build("tiny_fig1")
    assert "draw tiny/fig1" in messages
    assert not [message for message in messages if message.startswith("compute")]
    sidecar = json.loads((tiny_copy.root / "figures/tiny/fig1.json").read_text("utf-8"))
    assert list(sidecar["series"]) == ["busy", "calm"]


@pytest.mark.slow
def test_whatever_is_damaged_is_made_again_and_said(tiny_copy):
    before = read_outputs(tiny_copy.root)
    series = one(tiny_copy, "results/series/queue-tail/*.csv")
    lines = series.read_text("utf-8").splitlines(keepends=True)
    series.write_text("".join(lines[:2]), "utf-8")
    one(tiny_copy, "results/series/wastage-by-rate-ratio/*.csv").write_text("")
    sums = one(tiny_copy, "results/series/claims/*.sha256")
    sums.write_text(sums.read_text("utf-8")[:30], "utf-8")
    for name in ("fig1.svg", "ledger.json", "wasted.tex"):
        file = tiny_copy.root / "figures/tiny" / name
        file.write_bytes(file.read_bytes()[:100])
    page = tiny_copy.root / "figures/gallery/tiny.html"
    page.write_text(page.read_text("utf-8").replace("Tiny", "Large"), "utf-8")
    one(tiny_copy, "results/specs/tiny/values.*").write_text("{")
    one(tiny_copy, "results/agreed/*.txt").write_text("")
    done = tiny_copy.run("all")
    assert done.returncode == 0, done.stderr
    assert read_outputs(tiny_copy.root) == before
    for name in ("fig1.svg", "ledger.json", "wasted.tex", "tiny.html", series.name):
        assert f"{name}: not as it was made; made again" in done.stderr
    assert tiny_copy.build("all") == []


@pytest.mark.slow
def test_a_figure_that_was_lost_while_it_was_drawn_again_is_said(tiny_copy, monkeypatch):
    """Snakemake removes the files of a job that starts or fails; the mark of the figure stays."""
    monkeypatch.chdir(tiny_copy.root)
    build = Build(Plan.load({}, tiny_copy.root))
    build.ingredients(build.plan.product("tiny/fig1"))
    assert list(build.report_missing()) == []
    (tiny_copy.root / "figures/tiny/fig1.svg").unlink()
    said = "tiny/fig1 is not made: see results/logs/draw/tiny/fig1.log"
    assert said in build.report_missing()


@pytest.mark.slow
def test_a_time_in_the_future_stops_nothing(tiny_copy):
    later = time.time() + 10**7
    for pattern in ("results/series/queue-tail/*.csv", "results/made/tiny/wasted.*"):
        os.utime(one(tiny_copy, pattern), (later, later))
    assert tiny_copy.build("all") == []
    shutil.rmtree(tiny_copy.root / ".snakemake/metadata")  # of what was read, which is the same
    done = tiny_copy.run("all")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("had a time in the future") == 2
    assert not [
        f for f in tiny_copy.root.glob("results/**/*") if f.stat().st_mtime > time.time() + 9
    ]
    assert tiny_copy.build("all") == []


@pytest.mark.slow
def test_what_cannot_be_replaced_is_said_before_anything_is_removed(tiny_copy):
    tiny_copy.edit(FILE, "Of four servers.", "Of 4 servers.")
    before = read_outputs(tiny_copy.root)
    for place in (*REPLACED, "results/made/tiny"):
        with held(tiny_copy.root / place):
            done = tiny_copy.run("all")
        assert done.returncode != 0, place
        assert place in done.stdout and "Traceback" not in done.stdout
        assert place not in REPLACED or read_outputs(tiny_copy.root) == before, place
    messages = tiny_copy.build("all")
    assert "draw tiny/fig1" in messages and not any(m.startswith("compute") for m in messages)


@pytest.mark.slow
def test_what_stands_in_the_way_is_named_before_any_job_and_removed_by_hand(
    tiny_copy, unedited, monkeypatch
):
    """Snakemake says of a link to nothing that somebody has just deleted the file, and ends in a
    traceback where a file stands in the place of a folder, or the path has braces; it would remove
    a folder in the place of a file, with what is in it. A run that read a pipe would wait for
    ever."""
    root = tiny_copy.root
    monkeypatch.chdir(root)
    series = one(tiny_copy, "results/series/*/*.csv").relative_to(root).as_posix()
    for name, put, found in (
        ("results/logs", Path.touch, "no folder"),
        ("figures/tiny/fig1.svg", lambda place: place.symlink_to("cleared"), "a link to nothing"),
        ("figures/tiny", Path.touch, "no folder"),
        ("figures/tiny/fig1.svg", Path.mkdir, "no file"),
        (series, os.mkfifo, "no file"),
    ):
        place, aside = root / name, root / "aside"
        place.rename(aside)
        put(place)
        with pytest.raises(OSError, match=f"{name}: found {found}; remove"):
            Build(Plan.load({}, root)).require_free()
        if put is os.mkfifo:
            done = tiny_copy.run("all")
            assert done.returncode != 0 and f"{name}: found {found}; remove it" in done.stdout
            assert "Traceback" not in done.stdout
        place.rmdir() if place.is_dir() else place.unlink()
        aside.rename(place)
    assert tiny_copy.build("all") == []
    root.rename(root.with_name("{atlas}"))
    done = Project(root.with_name("{atlas}")).run("all", "-n")
    assert done.returncode != 0 and "Traceback" not in done.stdout
    assert "{atlas}: found braces in the path" in done.stdout


@pytest.mark.slow
def test_agree_asks_for_what_is_deleted_and_all_for_the_data_too(tiny_copy):
    for name in ("fig1.svg", "wasted.tex"):
        (tiny_copy.root / "figures/tiny" / name).unlink()
    made = {"draw tiny/fig1", "tabulate tiny/wasted"}
    assert made <= {*jobs(tiny_copy.run("agree", "--dry-run"))}
    one(tiny_copy, "results/series/queue-tail/*.csv").unlink()
    made.add("compute queue-tail for tiny/fig1")
    assert made <= {*jobs(tiny_copy.run("all", "--dry-run"))}


def test_a_paper_of_which_a_claim_disagrees_is_made_and_ends_red(tiny_copy):
    tiny_copy.edit(FILE, "    stated: 28\n", "    stated: 29\n")
    for _ in range(2):
        done = tiny_copy.run("tiny")
        assert done.returncode != 0
        assert "1 of the claims are not as expected:" in done.stdout
        assert "least: disagrees (figures/tiny/ledger.txt)" in done.stdout
        assert "!! disagrees" in (tiny_copy.root / "figures/tiny/ledger.txt").read_text("utf-8")
    assert tiny_copy.run("tiny_fig1").returncode == 0
    tiny_copy.edit(FILE, "    stated: 29\n", "    stated: 28\n")
    assert tiny_copy.build("tiny")


@pytest.mark.slow
def test_the_jobs_of_a_build_are_scheduled_on_more_cores(tiny_copy):
    tiny_copy.build("scaling")
    table = (tiny_copy.root / "results/scaling.csv").read_text("utf-8").splitlines()
    assert table[0] == "cores [cores],makespan [s],speedup [1],efficiency [1],bound [s]"
    assert [int(row.partition(",")[0]) for row in table[1:]] == [2**k for k in range(8)]
    path = (tiny_copy.root / "results/longest-path.csv").read_text("utf-8")
    assert path.splitlines()[-1].startswith(("agree,", "publish,"))
    assert (tiny_copy.root / "results/scaling.png").stat().st_size > 0
