"""Whatever single thing is wrong with a config file, the plan says so, in one form, or takes it.

Each mutation is drawn from a seed. A file is refused with file, line, what was found and what was
expected, or it is valid: its parameters then make the objects of the library again, and what their
jobs refuse has a found and an expected too. Mutations that nothing can make valid must be refused.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from pydantic_core import PydanticCustomError
from tests.conftest import ROOT
from tests.fuzz.mutate import Mutation, mutate

from plan import ConfigError
from plan.fingerprint import CodeDigests
from plan.kinds import module
from plan.papers import PaperFile
from plan.read import read_yaml
from plan.run_config import choose
from plan.tolerances import read_tolerances
from stages.compute import check

SEED = 12
# Specs of series, which most mutations leave as they are.
CHECKED: set[str] = set()
WORDS = "config/tolerances.yaml"
FILES = sorted(f.relative_to(ROOT).as_posix() for f in (ROOT / "config").rglob("*.yaml"))
PLACE = re.compile(r"^(?P<file>[^\s:]+)(:(?P<line>\d+))?: (?P<key>.+)$")


class CachedDigests(CodeDigests):
    """Digests of code, which does not change while this runs."""

    def __init__(self) -> None:
        super().__init__([ROOT / "scripts", ROOT / "src", ROOT / "benchmarks"])
        self.digest = cache(self.digest)


@pytest.fixture(scope="module")
def digests() -> CachedDigests:
    return CachedDigests()


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A folder with the config of the project."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copytree(ROOT / "workflow/rules", tmp_path / "workflow/rules")
    shutil.copy(ROOT / "Snakefile", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(project: Path, file: str, digests: CodeDigests) -> list:
    """The products of one file: of run-wide choices, of the words of the ledger, an example or a
    paper."""
    if file == WORDS:
        read_tolerances(project / file, file)
        return []
    if file == "config/config.yaml":
        choose({}, project)
        return []
    own = [Path(file)] if "examples" in file else []
    run = choose({"papers": [Path(file).stem]} if not own else {}, project, own).run
    look = {"style": "", "widths": run["widths"], "formats": run["formats"]}
    chance = {"effort": run["effort"], "seed": run["seed"]}
    return PaperFile(project / file, project, digests, look, chance, run["traces"]).load()


def judge(project: Path, file: str, mutation: Mutation, digests: CodeDigests) -> str:
    """`refused` or `accepted`; fails on anything else."""
    (project / file).write_text(mutation.text, encoding="utf-8")
    context = f"{mutation.kind} at {'.'.join(map(str, mutation.place))} of {file}"
    try:
        products = load(project, file, digests)
    except ConfigError as error:
        check_form(str(error), project, context)
        return "refused"
    is_name = file == WORDS and len(mutation.place) == 1  # others may use another word
    assert is_name or not mutation.refused, f"accepted: {context}"
    for product in products:
        for series in product.series.values():
            if series.study != "claims" and "trace" not in series.parameters:
                study = module("studies", series.study)
                parameters = study.Parameters.model_validate(series.parameters)
                assert parameters.plain() == series.parameters, context
                if series.text not in CHECKED:
                    with suppress(PydanticCustomError):
                        check(study, parameters)
                    CHECKED.add(series.text)
    return "accepted"


def check_form(message: str, project: Path, context: str) -> None:
    """Head, then file:line: key, found and expected, each fault; the line holds the key."""
    head, *blocks = message.split("\n\n")
    assert re.fullmatch(r"\d+ faults? in \S+; no job was started", head), (context, head)
    assert blocks, context
    for block in blocks:
        first, found, expected, *_ = block.splitlines()
        place = PLACE.match(first)
        assert place, (context, block)
        assert found.startswith("    found     "), (context, block)
        assert expected.startswith("    expected  "), (context, block)
        assert place["line"] or "an empty file" in found, (context, block)
        if place["key"] != "the whole file" and place["line"]:
            text = (project / place["file"]).read_text("utf-8").split("\n")
            line = text[int(place["line"]) - 1]
            words = [part for part in place["key"].split(".") if not part.isdigit()]
            assert any(w in line for w in words) or "<<" in line or "- " in line, (context, block)


def fuzz(project: Path, digests: CodeDigests, count: int, seed: int) -> Counter:
    """Counts of outcomes, by class of mutation, of `count` mutations."""
    rng = random.Random(seed)
    weights = [1 + read_yaml(ROOT / file, file)[1].__len__() ** 0.5 for file in FILES]
    counts: Counter = Counter()
    for _ in range(count):
        (file,) = rng.choices(FILES, weights)
        mutation = mutate(ROOT / file, rng)
        counts[mutation.kind, judge(project, file, mutation, digests)] += 1
        shutil.copy(ROOT / file, project / file)
    return counts


def test_the_files_as_they_are_load(project, digests):
    for file in FILES:
        load(project, file, digests)


def test_ten_mutations_are_refused_in_form_or_harmless(project, digests):
    assert fuzz(project, digests, 10, SEED + 2).total() == 10


@pytest.mark.slow
def test_a_hundred_mutations_are_refused_in_form_or_harmless(project, digests):
    counts = fuzz(project, digests, 100, SEED)
    assert counts.total() == 100


@pytest.mark.verification
def test_six_hundred_mutations_are_refused_in_form_or_harmless(project, digests, capsys):
    counts = fuzz(project, digests, 600, SEED + 1)
    with capsys.disabled():
        for (kind, outcome), n in sorted(counts.items()):
            print(f"{kind:20} {outcome:10} {n}")
    assert counts.total() == 600
