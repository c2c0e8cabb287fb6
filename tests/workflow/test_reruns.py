"""Which jobs rerun after which change: by dry runs on projects built once, and by builds.

The tiny paper tests rules common to all papers; one of the papers tests those on claims and many
products; `test_everything` builds the others.
"""

from __future__ import annotations

import json
import shutil

import pytest
from tests.conftest import Project, jobs
from tests.faults.tiny import FILE, make_tiny

PAPER = "config/papers/two-class-stability.yaml"
FIG7A = "curve: {study: wastage-by-rate-ratio,"
NAME = "two-class-stability"
DRAWN = "draw tiny/fig1"
FAIL = """\
    from pathlib import Path
    if Path("fails").exists():
        raise ZeroDivisionError
    return fig
"""


pytestmark = pytest.mark.slow


def lengthen(tiny: Project) -> None:
    """Change one parameter of one series of the figure of the tiny paper."""
    tiny.edit(FILE, "fraction_of_limit: 0.5}", "fraction_of_limit: 0.5, largest: 401}")


def test_one_parameter_reruns_exactly_its_figure_and_going_back_recomputes_nothing(copy):
    copy.edit(PAPER, f"{FIG7A} servers: 30", f"{FIG7A} points: 351, servers: 30")
    own = [f"compute wastage-by-rate-ratio for {NAME}/fig7a", f"draw {NAME}/fig7a"]
    following = [
        "agree: judge the whole run",
        f"judge {NAME}/ledger",  # claims of the figure read what is drawn
        "publish the gallery",
        f"typeset {NAME}/values",
    ]
    told = copy.run("all", "--dry-run")
    assert jobs(told) == sorted([*own, *following])
    target = 1
    assert told.stdout.count("\nReason: ") == len(jobs(told)) + target
    assert copy.build(f"{NAME}_fig7a") == own
    assert copy.build("all") == following
    assert copy.build("all") == []
    copy.edit(PAPER, f"{FIG7A} points: 351, servers: 30", f"{FIG7A} servers: 30")
    assert copy.build(f"{NAME}_fig7a") == [f"draw {NAME}/fig7a"]


def test_another_seed_reruns_what_is_simulated(copy):
    messages = jobs(copy.run(NAME, "--dry-run", "--config", "seed=1", "effort=quick"))
    claims = f"compute claims for {NAME}/ledger"
    assert claims in messages
    assert [message for message in messages if message != claims] == [
        *(6 * [f"compute simulated-limit for {NAME}/limit-by-variability"]),
        f"compute simulated-response-time for {NAME}/fig3",
        f"compute simulated-response-time for {NAME}/fig3",
        *(2 * [f"compute simulated-time-quantiles for {NAME}/waiting-quantiles"]),
        *(2 * [f"compute simulated-time-quantiles for {NAME}/waiting-tail"]),
        *(3 * [f"compute workload-time-quantiles for {NAME}/cells-tail"]),
        *(4 * [f"compute workload-wastage for {NAME}/cells"]),
        *(2 * [f"compute workload-wastage for {NAME}/cells-limits"]),
        f"draw {NAME}/cells",
        f"draw {NAME}/cells-tail",
        f"draw {NAME}/fig3",
        f"draw {NAME}/limit-by-variability",
        f"draw {NAME}/waiting-quantiles",
        f"draw {NAME}/waiting-tail",
        f"judge {NAME}/ledger",
        f"standardise {NAME}/z-scores",
        f"tabulate {NAME}/cells-limits",
        f"typeset {NAME}/values",
    ]


def test_touching_files_and_editing_comments_reruns_nothing(copy):
    for file in (*copy.root.rglob("*.py"), *copy.root.rglob("*.yaml")):
        file.touch()
    path = copy.root / "src/multiserver/saturated/two_class.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"""', '"""Reworded. ', 1) + "\n# A comment.\n", encoding="utf-8")
    copy.edit(PAPER, "# Sections 1.3 and 1.5", "# Sections 1.3 and 1.5, reworded")
    assert copy.build("all") == []


def test_a_failed_job_is_tried_again_and_leaves_no_stale_figure_behind_a_green_run(tiny_copy):
    lengthen(tiny_copy)
    study, fails = "src/atlas/studies/queue_tail.py", tiny_copy.root / "fails"
    tiny_copy.edit(study, "    queue = under", "    raise OSError\n    queue = under")
    tiny_copy.edit("src/atlas/drawings/queue_tail.py", "    return fig\n", FAIL)
    fails.touch()
    failed = tiny_copy.run("all")
    assert failed.returncode != 0 and "OSError" in failed.stdout
    tiny_copy.edit(study, "    raise OSError\n", "")
    failed = tiny_copy.run("all")
    assert failed.returncode != 0 and "ZeroDivisionError" in failed.stdout
    fails.unlink()
    assert DRAWN in tiny_copy.build("all")
    assert '"largest": 401' in (tiny_copy.root / "figures/tiny/fig1.json").read_text("utf-8")


def test_losing_snakemakes_memory_hides_no_change(tiny_copy):
    for change in (False, True):
        shutil.rmtree(tiny_copy.root / ".snakemake")
        if change:
            lengthen(tiny_copy)
        messages = tiny_copy.build("all")
        assert (DRAWN in messages) is change
        assert "tabulate tiny/wasted" not in messages


def test_a_figure_replaced_behind_our_back_is_drawn_again(tiny_copy):
    sidecar = tiny_copy.root / "figures/tiny/fig1.json"
    whole = sidecar.read_text("utf-8")
    sidecar.write_text(whole.replace('"fingerprint": "', '"fingerprint": "0'))
    shutil.rmtree(tiny_copy.root / "results/agreed")
    shutil.rmtree(tiny_copy.root / ".snakemake")
    assert DRAWN in tiny_copy.build("all", "--rerun-triggers", "params")
    assert json.loads(sidecar.read_text("utf-8"))["fingerprint"] == json.loads(whole)["fingerprint"]


def test_folders_share_series_in_the_cache_of_snakemake(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(cache))
    found = []
    for name in ("one", "two"):
        project = make_tiny(tmp_path / name)
        project.build("tiny_wasted", "--cache", "compute")
        assert project.build("tiny_wasted") == []
        [data] = project.root.glob("results/series/wastage-by-rate-ratio/*.csv")
        found.append(data.resolve())
    assert found[0] == found[1]
    assert found[0].parent == cache.resolve()
