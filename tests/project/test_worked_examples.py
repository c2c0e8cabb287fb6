"""The pages that add a policy, a figure and a paper, carried out in a copy of the project.

Blocks that name a file are written there; blocks of language `diff` insert their lines after the
line that they show. Then every command of the page is run, in order, and must succeed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import ROOT, Project, forks

PAGES = sorted((ROOT / "docs").glob("add-a-*.md"))
# A block of a file, or of commands.
BLOCK = re.compile(
    r'^```(?:\{code-block\} (?P<language>\w+)\n:caption: "`(?P<file>\S+)`"\n\n|console\n)'
    r"(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
COMMANDS = ("python3 run.py test", "snakemake")


def tracked() -> list[str]:
    """The files that git tracks, or would."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no git repository")
    return [file for file in done.stdout.splitlines() if (ROOT / file).is_file()]


@pytest.fixture
def atlas(tmp_path: Path) -> Project:
    """A copy of what git tracks."""
    for file in tracked():
        target = tmp_path / "atlas" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, target)
    copied = Project(tmp_path / "atlas")
    copied.edit("config/config.yaml", "effort: paper ", "effort: quick ")
    # What these tests compiled, each under the digest of its sources, serves those of the copy.
    compiled = Path(os.environ["NUMBA_CACHE_DIR"]).parent
    (copied.root / ".pytest_cache").mkdir()
    (copied.root / ".pytest_cache/compiled").symlink_to(compiled)
    return copied


def write(project: Project, file: str, language: str, text: str) -> None:
    """Write a block to its file."""
    target = project.root / file
    if language == "diff":
        lines = text.splitlines(keepends=True)
        old, new = ([line[1:] for line in lines if line[0] in marks] for marks in (" -", " +"))
        project.edit(file, "".join(old), "".join(new))
    else:
        assert file == "mine.yaml" or not target.exists(), f"{file} is there already"
        target.write_text(text, "utf-8")


def run(project: Project, command: str) -> None:
    """Run a command of a page, which must succeed."""
    (said,) = (said for said in COMMANDS if command.startswith(f"{said} "))
    words = shlex.split(command.removeprefix(said))
    if said == "snakemake":
        done = forks().start(project.root, words, plain=True).wait()
    else:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:xdist", *words],
            cwd=project.root,
            env={**os.environ, "PYTHONPATH": str(project.root / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def test_there_is_a_page_of_each_kind():
    assert [page.stem for page in PAGES] == ["add-a-figure", "add-a-paper", "add-a-policy"]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_says_can_be_done(page, atlas):
    text = page.read_text("utf-8")
    commands = []
    for block in BLOCK.finditer(text):
        if block["file"]:
            write(atlas, block["file"], block["language"], block["text"])
        else:
            commands += block["text"].splitlines()
    for command in commands:
        run(atlas, command)
    promised = re.findall(r"`(figures/[\w/.-]+)`", text)
    assert promised and all((atlas.root / file).is_file() for file in promised), promised
    # What is new has the form of what was there.
    for command in (["ruff", "check", "."], ["ruff", "format", "--check", "."]):
        tool = Path(sys.executable).with_name(command[0])
        done = subprocess.run([tool, *command[1:]], cwd=atlas.root, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
