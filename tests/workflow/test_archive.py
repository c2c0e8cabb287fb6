"""The archive of a run, and the check of its outputs against it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile

import pytest
from tests.conftest import ROOT, Project, copy_project
from tests.deposit.validators import PROFILES, read_explained, validate
from tests.faults.tiny import OWN

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def archived(tmp_path_factory) -> Project:
    project = copy_project(tmp_path_factory.mktemp("archive") / "atlas")
    (project.root / "mine.yaml").write_text(OWN, "utf-8")
    shutil.copy2(ROOT / "README.md", project.root)
    project.build("archive", "--configfile", "mine.yaml")
    return project


def test_one_archive_is_made_once_of_the_paper_of_the_config_file_alone(archived):
    (archive,) = (archived.root / "archive").iterdir()
    assert archive.name.endswith(".crate.zip")
    made = {path.name for path in (archived.root / "figures").iterdir() if path.is_dir()}
    assert "my-cluster" in made and "two-class-stability" not in made
    assert archived.build("archive", "--configfile", "mine.yaml") == []


def test_a_flipped_byte_of_an_output_is_found(archived):
    """`test_module` verifies sound ones."""
    figure = archived.root / "figures/my-cluster/wastage.pdf"
    content = figure.read_bytes()
    figure.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    done = archived.run("verify", "--configfile", "mine.yaml")
    figure.write_bytes(content)
    assert done.returncode != 0
    assert "wastage.pdf" in done.stdout + done.stderr


@pytest.fixture(scope="module")
def unpacked(archived, tmp_path_factory) -> Project:
    """The archive, in a folder that has nothing else."""
    root = tmp_path_factory.mktemp("unpacked") / "a fresh folder"
    (archive,) = (archived.root / "archive").iterdir()
    with zipfile.ZipFile(archive) as file:
        file.extractall(root)
    return Project(root)


def test_the_archive_draws_its_figures_again_byte_for_byte_from_its_own_contents(unpacked):
    verify = [sys.executable, unpacked.root / "scripts", "verify", unpacked.root]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = unpacked.root / "figures/my-cluster"
    files = {file: file.read_bytes() for file in folder.iterdir() if file.suffix != ".json"}
    assert {file.name for file in files} >= {"wastage.pdf", "wastage.svg", "wastage.png"}
    series = list((unpacked.root / "results/series").rglob("*.csv"))
    data = {file: file.read_bytes() for file in series}
    for file in (*files, *series):
        file.unlink()
    settings = ["settings.json", "given/mine.yaml"]
    assert "draw my-cluster/wastage" in unpacked.build("--configfile", *settings)
    assert {file: file.read_bytes() for file in files} == files
    assert {file: file.read_bytes() for file in series} == data


def test_nothing_fails_that_the_validator_requires(archived, tmp_path):
    """By the profile of a run; `tests/deposit/test_validators.py` has a small crate for the other,
    whose checks take longer than their number."""
    (archive,) = (archived.root / "archive").iterdir()
    assert validate(archive, PROFILES[-1], tmp_path / "cache", "REQUIRED")[0] == []


@pytest.mark.verification
@pytest.mark.parametrize("profile", PROFILES)
def test_the_archive_passes_in_whole_and_the_rest_is_explained(archived, tmp_path, profile):
    (archive,) = (archived.root / "archive").iterdir()
    required, recommended = validate(archive, profile, tmp_path / "cache")
    assert required == []
    assert {issue.partition(":")[0] for issue in recommended} <= read_explained()
