"""A config file with one mutation is accepted as valid or refused in the standard form.

Each mutation is drawn from a seed. A file is refused with file, line, what was found and what was
expected, or it is valid. Then its parameters make the library's objects, and refusals by jobs also
say what was found and expected. Mutations that can never be valid must be refused.

`python -m tests.fuzz.test_config COUNT SEED` tells each mutation before it is judged, and what is
wrong at once; then it counts outcomes by class.
"""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest
from pydantic_core import PydanticCustomError
from scripts.compute import check
from snakemake.common.configfile import load_configfile
from tests.conftest import ROOT
from tests.fuzz.mutate import Mutation, dump, mutate

from atlas.config.errors import ConfigError
from atlas.config.kinds import module
from atlas.config.read import read_config, read_yaml
from atlas.config.run_config import choose
from atlas.config.series import run_defaults
from atlas.config.tolerances import read_tolerances
from atlas.plan.fingerprint import CodeDigests
from atlas.plan.papers import PaperFile, Source

pytestmark = pytest.mark.slow

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
    monkeypatch.chdir(tmp_path)
    return copy_config(tmp_path)


def copy_config(folder: Path) -> Path:
    shutil.copytree(ROOT / "config", folder / "config")
    shutil.copytree(ROOT / "workflow/rules", folder / "workflow/rules")
    shutil.copy(ROOT / "Snakefile", folder)
    return folder


def load(project: Path, file: str, digests: CodeDigests) -> list:
    """The products of one file: of run-wide choices, of the words of the ledger, an example or a
    paper."""
    if file == WORDS:
        read_tolerances(project / file, file)
        return []
    if file == "config/config.yaml":
        read_config(project / file, file)
        choose({}, project)
        load_configfile(project / file)
        return []
    own = [Path(file)] if "examples" in file else []
    for given in own:
        read_config(project / given, file)
        load_configfile(project / given)  # Snakemake takes what is taken here
    run = choose({"papers": [Path(file).stem]} if not own else {}, project, own).run
    look = {"style": "", "widths": run["widths"], "formats": run["formats"]}
    defaults = run_defaults(run)
    return PaperFile(Source(project / file, project, digests, look, defaults, run["traces"])).load()


def judge(project: Path, file: str, mutation: Mutation, digests: CodeDigests) -> str:
    """`refused` or `accepted`; fails on anything else."""
    (project / file).write_text(mutation.text, encoding="utf-8")
    context = f"{mutation.kind} at {'.'.join(map(str, mutation.place))} of {file}"
    try:
        products = load(project, file, digests)
    except ConfigError as error:
        check_form(str(error), project, context)
        return "refused"
    # Others may use another word, and have a paper of another name.
    is_name = (file == WORDS and len(mutation.place) == 1) or mutation.place[:1] == ("titles",)
    assert is_name or not mutation.refused, f"accepted: {context}"
    for product in products:
        for series in product.series.values():
            if series.study != "claims" and "trace" not in series.parameters:
                study = module("studies", series.study)
                parameters = study.Parameters.model_validate(series.parameters)
                assert parameters.plain() == series.parameters, context
                if series.text not in CHECKED:
                    with contextlib.suppress(PydanticCustomError):
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


def fuzz(
    project: Path,
    digests: CodeDigests,
    count: int,
    seed: int,
    tell: Callable[[str], object] = lambda _: None,
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Counts of outcomes, by class of mutation, of `count` mutations, and what is wrong."""
    rng = random.Random(seed)
    weights = [1 + read_yaml(ROOT / file, file)[1].__len__() ** 0.5 for file in FILES]
    counts, wrong = Counter(), []
    for k in range(count):
        (file,) = rng.choices(FILES, weights)
        mutation = mutate(ROOT / file, rng)
        where = f"{mutation.kind} at {mutation.place} of {file}"
        tell(f"seed {seed}, {k + 1} of {count}: {where}")
        try:
            counts[mutation.kind, judge(project, file, mutation, digests)] += 1
        except Exception as error:
            counts[mutation.kind, "wrong"] += 1
            wrong.append(f"{where}: {type(error).__name__}: {error}")
            tell(wrong[-1])
        shutil.copy(ROOT / file, project / file)
    return counts, wrong


def test_the_files_as_they_are_load(project, digests):
    for file in FILES:
        load(project, file, digests)


@pytest.mark.parametrize("file", FILES)
def test_what_is_not_mutated_reads_as_it_was(file, tmp_path):
    document = read_yaml(ROOT / file, file)[0]
    (tmp_path / "again.yaml").write_text(dump(document), "utf-8")
    assert read_yaml(tmp_path / "again.yaml", file)[0] == document


def test_forty_mutations_are_refused_in_form_or_harmless(project, digests):
    counts, wrong = fuzz(project, digests, 40, SEED)
    assert not wrong and counts.total() == 40, wrong


@pytest.mark.verification
def test_six_hundred_mutations_are_refused_in_form_or_harmless(project, digests):
    counts, wrong = fuzz(project, digests, 600, SEED + 1)
    assert not wrong and counts.total() == 600, wrong


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        chosen = map(int, sys.argv[1:])
        found, failures = fuzz(
            copy_config(Path(scratch)), CachedDigests(), *chosen, partial(print, flush=True)
        )
    for (kind, outcome), n in sorted(found.items()):
        print(f"{n:5} {kind:20} {outcome}")
    print(f"{len(failures)} wrong")
