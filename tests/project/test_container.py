"""The container is built from the files in a run's archive, with the locked packages."""

from __future__ import annotations

import re
from pathlib import Path

from atlas.plan.archive_contents import PARTS

ROOT = Path(__file__).resolve().parents[2]


def test_it_gets_all_parts_of_the_project_and_nothing_else_of_the_folder():
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert "*" in lines
    taken = {line[1:] for line in lines if line.startswith("!")}
    assert set(PARTS) <= taken
    assert all((ROOT / name).exists() for name in taken)


def test_its_packages_are_those_of_the_lock_and_it_has_no_secrets():
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    installs = re.findall(r"pip install ([^&\n]*)", text)
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert installs[0].strip().endswith("requirements.lock")
    # The project itself, from what is there.
    assert {"--no-deps", "--no-index", "--no-build-isolation"} <= set(installs[1].split())
    assert "://" not in text
    # What is named by an argument stays in the image's history; a secret does not.
    assert set(re.findall(r"^ARG (\w+)", text, re.M)) == {"BASE", "PIP_INDEX_URL"}
    assert "--mount=type=secret,id=pip,target=/etc/pip.conf" in text
