"""Untrusted input to `score`, `whence` and `verify` is processed or refused.

Each command exits with 0, with 3 if something is amiss, or with 2 and a message that says what was
found. It never ends in a traceback, runs too long or prints thousands of lines, and prints no
control codes that move a cursor. `verify` approves no changed files, and `whence` never says of a
foreign record that the config would make it.

`python -m tests.fuzz.test_commands COUNT SEED` counts outcomes by class.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from scripts import archive, score, verify, whence
from tests.conftest import ROOT
from tests.deposit.conftest import make_run
from tests.fuzz.spoil import spoil
from tests.scripts.test_hostile_records import RECORD

from atlas.io import metadata
from atlas.io.credit import HEAD
from atlas.io.rendering import save
from atlas.io.sums import sha256
from atlas.io.untrusted import AMISS, FINE, UNREADABLE, end

pytestmark = pytest.mark.slow

SEED = 71
LATE, LONGEST = 60, 100_000
OUTCOMES = {FINE: "taken", AMISS: "amiss", UNREADABLE: "refused"}
RESULTS = """\
system,quantity,class,value,half_width,replications
mm1-90,mean_jobs,,9.1,0.3,20
mm1-90,mean_response_time,,10.05,0.4,20
fcfs-1-10-50,mean_response_time,all,2.317,0.012,
fcfs-1-10-50,mean_response_time,1,1.801,0.012,
"""


def run(main: Callable[[], int], arguments: list[Path], folder: Path) -> tuple[int, str, str]:
    """How a command ends in a fork of this process, and what it says."""
    out, err = folder / "out", folder / "err"
    if (child := os.fork()) == 0:
        code = 1
        try:
            with out.open("w", encoding="utf-8") as said, err.open("w", encoding="utf-8") as told:
                sys.stdout, sys.stderr, sys.argv = said, told, ["command", *map(str, arguments)]
                try:
                    end(main)
                except SystemExit as ended:
                    code = ended.code
                except BaseException:
                    traceback.print_exc()
        finally:
            os._exit(code if isinstance(code, int) else 1)
    begun, ended = time.monotonic(), 0
    while not ended:
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended and time.monotonic() - begun > LATE:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.005)
    return os.waitstatus_to_exitcode(status), out.read_text("utf-8"), err.read_text("utf-8")


def hand(command: str, folder: Path, rng: random.Random) -> tuple[str, str]:
    """Spoil a sound file for a command and hand it over: how it was spoilt, and the outcome."""
    file, main, arguments, is_sound = MAKE[command](folder, rng)
    spoilt = f"{command}: {spoil(file, rng)}"
    code, out, err = run(main, arguments, folder)
    context = f"{spoilt}, {file.name}, ended with {code}\n{out[-2000:]}\n{err[-3000:]}"
    assert code in OUTCOMES and "Traceback" not in err, context
    assert len(out) + len(err) < LONGEST, context
    lines = (out + err).replace("\n", "")
    assert all(c.isprintable() for c in lines), context
    assert code != UNREADABLE or err.strip(), context
    if code == FINE:
        assert is_sound(out), context
    return spoilt, OUTCOMES[code]


def _for_score(folder: Path, rng: random.Random) -> tuple:
    file = folder / "results.csv"
    file.write_text(RESULTS, "utf-8")
    if rng.random() < 0.3:  # or the reference systems are what is spoilt
        reference = folder / "reference"
        shutil.copytree(ROOT / "reference", reference)
        spoilt = rng.choice(("index.json", "systems/mm1-90.json", "systems/fcfs-1-10-50.json"))
        return (reference / spoilt, score.main, [file, "--reference", reference], lambda _: True)
    return file, score.main, [file], lambda _out: True


def _for_whence(folder: Path, rng: random.Random) -> tuple:
    (folder / "made").mkdir()
    file = folder / f"made/x.{rng.choice(('tex', 'csv', 'svg', 'png', 'pdf'))}"
    spoilt, text = file, json.dumps(RECORD)
    if file.suffix == ".tex":
        file.write_text(f"{HEAD}{text}\n", "utf-8")
    elif file.suffix == ".csv":
        file.write_text("x [1]\n0.25\n", "utf-8")
        sidecar = RECORD | {"outputs": {file.name: sha256(file.read_bytes())}}
        file.with_suffix(".json").write_text(json.dumps(sidecar), "utf-8")
        spoilt = rng.choice((file, file.with_suffix(".json")))
    else:
        figure = Figure(figsize=(1, 1))
        about = metadata.FigureMetadata("A state", "", text, RECORD)
        metadata.save(partial(save, figure), file, file.suffix[1:], about)
    return spoilt, whence.main, [file], lambda out: "as the config now stands" not in out


def _for_verify(folder: Path, rng: random.Random) -> tuple:
    (folder / "run").mkdir()
    packed = folder / "archive/atlas.crate.zip"
    archive.pack(make_run(folder / "run"), folder / "run", folder / "run", packed)
    before = _read(packed)
    if rng.random() < 0.4:
        return packed, verify.main, [packed], lambda _: _read(packed) == before
    unpacked = folder / "unpacked"
    with zipfile.ZipFile(packed) as file:
        file.extractall(unpacked)
    files = [f for f in sorted(unpacked.rglob("*")) if f.is_file()]
    manifest = [f for f in files if f.name.startswith("manifest")]
    spoilt = rng.choice(files if rng.random() < 0.6 else manifest)
    return spoilt, verify.main, [unpacked], lambda _: _read(unpacked) == before


def _read(path: Path) -> dict[str, str]:
    """The sums of all files but the manifest, by name."""
    if path.is_dir():
        files = (f for f in path.rglob("*") if f.is_file())
        found = {f.relative_to(path).as_posix(): f.read_bytes() for f in files}
    else:
        with zipfile.ZipFile(path) as file:
            found = {name: file.read(name) for name in file.namelist()}
    return {name: sha256(text) for name, text in found.items() if "manifest" not in name}


MAKE = {"score": _for_score, "whence": _for_whence, "verify": _for_verify}


def fuzz(folder: Path, count: int, seed: int) -> Counter[tuple[str, str]]:
    """Counts of how files were spoilt and what came of it."""
    rng, counts = random.Random(seed), Counter()
    for number in range(count):
        place = folder / str(number)
        place.mkdir()
        counts[hand(sorted(MAKE)[number % 3], place, rng)] += 1
        shutil.rmtree(place)
    return counts


@pytest.fixture(scope="module", autouse=True)
def planned():
    """What plans once spares each fork."""
    whence.compare(RECORD, ROOT, [])


@pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 12), marks=pytest.mark.verification)]
)
@pytest.mark.parametrize("command", MAKE)
def test_what_is_sound_is_taken(tmp_path, command, seeds):
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        _, main, arguments, is_sound = MAKE[command](folder, random.Random(seed))
        code, out, err = run(main, arguments, folder)
        assert code in (FINE, AMISS if command == "score" else FINE), err
        assert is_sound(out)


def test_what_is_spoilt_is_dealt_with_or_refused(tmp_path):
    assert fuzz(tmp_path, 30, SEED).total() == 30


@pytest.mark.verification
def test_six_hundred_spoilt_files_are_dealt_with_or_refused(tmp_path):
    assert fuzz(tmp_path, 600, SEED + 1).total() == 600


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for (how, outcome), n in sorted(fuzz(Path(scratch), *map(int, sys.argv[1:])).items()):
            print(f"{n:5} {how:20} {outcome}")
