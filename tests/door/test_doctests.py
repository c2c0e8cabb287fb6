"""Every example in a docstring of the library runs, and so does the one of `help(multiserver)`."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import multiserver

SOURCE = Path(multiserver.__file__).parent
EXAMPLES = [
    ".".join(("multiserver", *file.relative_to(SOURCE).with_suffix("").parts))
    for file in sorted(SOURCE.rglob("*.py"))
    if ">>> " in file.read_text("utf-8")
]


def test_the_nouns_have_examples():
    assert {f"multiserver.{name}" for name in ("system", "network", "queue")} <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name):
    module = importlib.import_module(name.removesuffix(".__init__"))
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_the_first_page_runs(capsys):
    block = re.search(r"((?:^    .*\n|^\n)+)", multiserver.__doc__.partition("::\n")[2], re.M)[1]
    code = "\n".join(line[4:] for line in block.splitlines())
    exec(compile(code, "help(multiserver)", "exec"), {})
    said = capsys.readouterr().out
    assert "multiserver-jobs under fcfs, exact" in said
    assert "simulated: job by job" in said
