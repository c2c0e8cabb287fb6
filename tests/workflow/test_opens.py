"""Every file that a stage reads is in its spec, or is code that its spec holds the digest of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from ruamel.yaml import YAML
from tests.conftest import Project
from tests.faults.tiny import FILE, make_tiny

from output.sums import leave_sums
from output.tidy import write_table
from plan import Plan
from plan.fingerprint import CodeDigests

pytestmark = pytest.mark.slow

# Runs `python scripts STAGE ...` and writes down what it opens to read.
TRACE = """
import atexit, json, os, runpy, sys
opened = set()
def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR) if mode is None else set(mode) & set("wax+")
        if not writes:
            opened.add(os.path.abspath(path))
target, scripts = sys.argv[1:3]
sys.argv = sys.argv[2:]
sys.dont_write_bytecode = True
atexit.register(lambda: open(target, "w").write(json.dumps(sorted(opened))))
sys.addaudithook(hook)
runpy.run_path(scripts, run_name="__main__")
"""
SIMULATED = """
  fig2:
    title: Simulated
    source: {certainty: stated}
    series:
      red: {study: response-time, servers: 4, needs: [1, 4], rates: [1.0, 1.0],
            probabilities: [0.8, 0.2], points: 5}
      red-simulated: {study: simulated-response-time, servers: 4, needs: [1, 4],
                      rates: [1.0, 1.0], probabilities: [0.8, 0.2],
                      fractions_of_limit: [0.5], jobs: 1000}
    drawing: {kind: response-time, ceiling: 20}
tables:
"""


class Tracer:
    """The tiny paper, planned in a folder of its own and built stage by stage under trace."""

    def __init__(self, project: Project, folder: Path) -> None:
        self.project, self.folder = project, folder
        config = YAML(typ="safe").load(project.root / "config/config.yaml")
        self.plan = Plan.load(config, project.root)
        self.code = CodeDigests([project.root / "scripts", project.root / "src"])
        self.plan.write_specs()

    def read_files(self, stage: str, *arguments: str) -> set[Path]:
        """What a stage reads of the project, of its working folder and of the user's home."""
        home, listed = self.folder / "home", self.folder / "opened.json"
        home.mkdir(exist_ok=True)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        environment |= {"HOME": str(home), "NUMBA_CACHE_DIR": str(home / "numba")}
        scripts = self.project.root / "scripts"
        command = [sys.executable, "-c", TRACE, listed, scripts, stage, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        names = {Path(name).resolve() for name in json.loads(listed.read_text("utf-8"))}
        own = (self.project.root, Path.cwd())
        return {n for n in names if n.is_file() and any(n.is_relative_to(folder) for folder in own)}

    def find_code(self, *modules: str) -> set[Path]:
        """The code that the digest of these modules is over, and what starts every stage."""
        found = set(self.code.closure(*modules).values())
        return {file.resolve() for file in found} | {self.project.root / "scripts/__main__.py"}


@pytest.fixture(scope="module")
def tracer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("opens")
    project = make_tiny(folder / "atlas")
    project.edit(FILE, "\ntables:\n", SIMULATED)
    (folder / "work").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "work")
        yield Tracer(project, folder)


def resolve(names) -> set[Path]:
    return {Path(name).resolve() for name in names}


def test_what_the_stages_read(tracer):
    plan = tracer.plan
    for series in plan.series.values():
        if series.study == "simulated-response-time":  # how it is simulated opens nothing else
            points = pd.DataFrame({"load": [0.5], "z": [0.1], "inside": [True]})
            write_table(Path(series.file), points, {"load": "1", "z": "1", "inside": "whether"})
            leave_sums(Path(series.sums), [Path(series.file)], Path())
            continue
        read = tracer.read_files("compute", series.spec_file, "--output", series.file)
        data = read - tracer.find_code(*series.modules)
        assert data == resolve([series.spec_file, series.file])

    stages = set()
    for product in plan.complete():
        if product.id == "fig2":
            continue
        stages.add(product.stage)
        read = tracer.read_files(product.stage, product.spec_file, "--mark", product.mark)
        data = read - tracer.find_code(*product.modules)
        told = json.loads(product.text)["series"].values()
        assert data - resolve(product.files) == resolve(
            [product.spec_file, *(one["file"] for one in told)]
        )
    assert stages == {"draw", "tabulate", "judge", "typeset", "score"}


def test_a_module_that_is_imported_counts(tracer):
    """The digest is over imports that are found by reading; these are those that happen."""
    product = next(p for p in tracer.plan.complete() if p.id == "fig1")
    code = tracer.find_code(*product.modules)
    assert tracer.project.root / "scripts/drawings/queue_tail.py" in code
    assert tracer.project.root / "scripts/output/cite.py" in code
    assert tracer.project.root / "scripts/drawings/response_time.py" not in code
