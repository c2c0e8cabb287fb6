"""A paper that is built in seconds, and a project with only this paper."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.conftest import Project, copy_project
from tests.faults.forks import Forks

PAPER = """\
paper: tiny
bibliography: {title: A Tiny Paper, authors: [A. Author], year: 2020}
shared:
  four: &four {servers: 4, needs: [1, 4], rates: [1.0, 1.0], probabilities: [0.8, 0.2]}
  thirty: &thirty {servers: 30, needs: [1, 10], probability_2: 0.5, points: 5}
figures:
  fig1:
    title: How long the queue gets
    caption: Of four servers.
    source: {figure: "1", section: "1", certainty: stated}
    series:
      half: {study: queue-tail, <<: *four, fraction_of_limit: 0.5}
      busy: {study: queue-tail, <<: *four, fraction_of_limit: 0.8}
    drawing: {kind: queue-tail}
tables:
  wasted:
    title: Wasted servers
    caption: Of thirty.
    source: {section: "2", certainty: beyond}
    series:
      curve: {study: wastage-by-rate-ratio, <<: *thirty}
    columns:
      rate_ratio: {heading: ratio, format: .1e}
      wastage: {heading: wasted, format: .3f}
claims:
  - id: least
    where: Section 3
    quote: at least 28
    quantity: states/least-total-need
    given: {servers: 30, needs: [3, 10], rates: [2.0, 1.0], probabilities: [0.5, 0.5]}
    stated: 28
    within: exact
    certainty: stated
    verdict: agrees
"""
CONFIG = """\
papers: all
effort: quick
seed: 2020
traces: {}
formats: [pdf, svg]
style: config/atlas.mplstyle
widths: {single: 3.4, double: 7.0, slide: 10.0}
previews: []
"""
FILE = "config/papers/tiny.yaml"
# A config file of a user's own system.
OWN = """
paper: my-cluster
figures:
  wastage:
    title: Wasted servers of my cluster
    series:
      curve: {study: wastage-by-rate-ratio, servers: 64, needs: [1, 16], probability_2: 0.1}
    drawing: {kind: wastage-by-rate-ratio}
"""
# A table of simulated points, and an edit after which each of them is a job of its own.
TABLE = """\
tables:
  times:
    title: Mean response time
    caption: Of four servers.
    source: {section: "1", certainty: beyond}
    series:
      points:
        study: simulated-response-time
        <<: *four
        jobs: 20000
        fractions_of_limit: [0.3, 0.5, 0.7]
    columns:
      fraction_of_limit: {heading: load, format: .1f}
      mean_response_time: {heading: time, format: .3f}
"""
SPLIT = ("src/atlas/plan/resources.py", "SMALL, LONG = 2, 60", "SMALL, LONG = 2, 0.0002")
# What sidecars say of the making alone.
MAKING = ("software", "environment", "revision", "made", "seconds")


def make_tiny(target: Path) -> Project:
    """The project with the tiny paper alone."""
    project = copy_project(target)
    shutil.rmtree(project.root / "config/papers")
    (project.root / "config/papers").mkdir()
    (project.root / "config/reference.yaml").unlink()
    (project.root / FILE).write_text(PAPER, "utf-8")
    (project.root / "config/config.yaml").write_text(CONFIG, "utf-8")
    return project


def build_reference(forks: Forks, project: Project, folder: Path) -> dict[str, Any]:
    """The outputs of a build of the project's sources from nothing, made in a folder."""
    folder.mkdir(parents=True)
    script = Path(__file__).with_name("reference.py")
    compiled = {"NUMBA_CACHE_DIR": str(folder / "compiled")}
    done = forks.execute([str(script), str(project.root)], folder, compiled)
    assert done.returncode == 0, done.stderr
    return read_outputs(folder)


def read_outputs(root: Path) -> dict[str, Any]:
    """All figures, tables and pages by name; of sidecars what does not tell of the making."""
    found: dict[str, Any] = {}
    for file in sorted((root / "figures").rglob("*")):
        name = file.relative_to(root).as_posix()
        if file.is_dir() or file.name.startswith(".") or name in ("figures/README.md",):
            continue
        if file.suffix == ".json":
            told = json.loads(file.read_text("utf-8"))
            found[name] = {key: value for key, value in told.items() if key not in MAKING}
        else:
            found[name] = file.read_bytes()
    return found
