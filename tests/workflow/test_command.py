"""The order of arguments on the command line, and config files that are not YAML."""

from __future__ import annotations

import pytest
from tests.conftest import Project
from tests.faults.tiny import make_tiny

EXAMPLE = "config/examples/three-classes.yaml"
TARGET = "three-classes_classes"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    return make_tiny(tmp_path_factory.mktemp("command") / "atlas")


def test_a_target_stands_before_the_config_file_or_anywhere_after_run_py(project):
    orders = (("--configfile", EXAMPLE, TARGET), (TARGET, "--configfile", EXAMPLE))
    for words in orders:
        done = project.run("--dry-run", *words)
        assert done.returncode == 0, done.stdout
        assert f": draw {TARGET.replace('_', '/')}" in done.stdout


def test_a_config_file_that_is_no_yaml_is_named_with_its_line(project):
    (project.root / "broken.yaml").write_text("paper: mine\nfigures:\n\tfig1: {}\n", "utf-8")
    done = project.run("--dry-run", "--configfile", "broken.yaml")
    assert done.returncode == 1
    assert "broken.yaml:3: the whole file" in done.stdout
    assert "no job was started" in done.stdout and "Traceback" not in done.stdout
