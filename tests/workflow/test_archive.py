"""The archive of a run, and the check of its outputs against it."""

from __future__ import annotations

import pytest
from tests.conftest import Project, copy_project

pytestmark = pytest.mark.slow

OWN = """
paper: my-cluster
figures:
  wastage:
    title: Wasted servers of my cluster
    series:
      curve: {study: wastage-by-rate-ratio, servers: 64, needs: [1, 16], probability_2: 0.1}
    drawing: {kind: wastage-by-rate-ratio}
"""


@pytest.fixture(scope="module")
def archived(tmp_path_factory) -> Project:
    project = copy_project(tmp_path_factory.mktemp("archive") / "atlas")
    (project.root / "mine.yaml").write_text(OWN, "utf-8")
    project.build("archive", "--configfile", "mine.yaml")
    return project


def test_one_archive_is_made_once(archived):
    (archive,) = (archived.root / "archive").iterdir()
    assert archive.name.endswith(".crate.zip")
    assert archived.build("archive", "--configfile", "mine.yaml") == []


def test_outputs_are_verified_and_a_flipped_byte_is_found(archived):
    assert archived.run("verify", "--configfile", "mine.yaml").returncode == 0
    figure = archived.root / "figures/my-cluster/wastage.pdf"
    content = figure.read_bytes()
    figure.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    done = archived.run("verify", "--configfile", "mine.yaml")
    figure.write_bytes(content)
    assert done.returncode != 0
    assert "wastage.pdf" in done.stdout + done.stderr
