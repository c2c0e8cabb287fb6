"""Which jobs rerun after which change, on a tiny paper; `test_everything` has a real one, and
`tests/plan` what determines a series and a product."""

from __future__ import annotations

import shutil

import pytest
from tests.conftest import Project, jobs
from tests.faults.tiny import FILE, make_tiny

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


def test_a_failed_job_is_tried_again_and_leaves_no_stale_figure_behind_a_green_run(tiny_copy):
    lengthen(tiny_copy)
    study, fails = "src/atlas/studies/queue_tail.py", tiny_copy.root / "fails"
    tiny_copy.edit(study, "    queue = under", "    raise OSError\n    queue = under")
    tiny_copy.edit("src/atlas/drawings/queue_tail.py", "    return fig\n", FAIL)
    fails.touch()
    failed = tiny_copy.run("tiny_fig1")
    assert failed.returncode != 0 and "OSError" in failed.stdout
    tiny_copy.edit(study, "    raise OSError\n", "")
    failed = tiny_copy.run("tiny_fig1")
    assert failed.returncode != 0 and "ZeroDivisionError" in failed.stdout
    fails.unlink()
    assert DRAWN in tiny_copy.build("tiny_fig1")
    assert '"largest": 401' in (tiny_copy.root / "figures/tiny/fig1.json").read_text("utf-8")


def test_losing_snakemakes_memory_hides_no_change(tiny_copy):
    for change in (False, True):
        shutil.rmtree(tiny_copy.root / ".snakemake")
        if change:
            lengthen(tiny_copy)
        messages = jobs(tiny_copy.run("all", "--dry-run"))
        assert (DRAWN in messages) is change
        assert "tabulate tiny/wasted" not in messages


def test_a_figure_replaced_behind_our_back_is_drawn_again(tiny_copy):
    sidecar = tiny_copy.root / "figures/tiny/fig1.json"
    text = sidecar.read_text("utf-8")
    sidecar.write_text(text.replace('"fingerprint": "', '"fingerprint": "0'))
    shutil.rmtree(tiny_copy.root / "results/agreed")
    shutil.rmtree(tiny_copy.root / ".snakemake")
    planned = tiny_copy.run("all", "--dry-run", "--rerun-triggers", "params")
    assert DRAWN in jobs(planned)


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
