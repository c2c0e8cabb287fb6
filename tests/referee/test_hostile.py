"""Untrusted input to `score` is scored, or refused in a few lines."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from functools import partial
from pathlib import Path

import pytest
from scripts.score import score as run
from tests.conftest import ROOT, call

from atlas.io.sums import sha256
from atlas.io.untrusted import Unreadable
from referee.read import Reference

pytestmark = pytest.mark.slow

HEAD = "system,quantity,value,half_width,replications\n"
ROW = "mm1-90,mean_jobs,9.1,{},{}\n"
SYSTEM = "systems/mm1-90.json"


score = partial(call, "score")


def write(folder: Path, text: str, name: str = "results.csv") -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_numbers_beyond_all_queues_are_refused_with_their_lines(tmp_path):
    beyond = (
        ("1e-160", ""),
        ("1e-320", ""),
        ("1e308", ""),
        ("1", "100000000000000000000"),
        ("1", 5000 * "9"),
        ("9" * 5000, ""),
        ("1", "²"),
    )
    done = score(write(tmp_path, HEAD + "".join(ROW.format(*one) for one in beyond)))
    assert done.returncode == 2
    for line in range(2, 2 + len(beyond)):
        assert f"results.csv:{line}\n    found     " in done.stderr
    assert all(len(one) < 5000 for one in done.stderr.split("results.csv:"))


@pytest.mark.parametrize(("i", "width"), list(enumerate(["1e-50", "1e50", "0.3"])))
@pytest.mark.parametrize(("j", "value"), list(enumerate(["0", "1e-50", "-1e50", "9.1"])))
def test_every_other_number_is_scored(tmp_path, i, width, j, value):
    """Each with each of any other column."""
    runs = ("", "2", "1000000000")[(i + j) % 3]
    text = HEAD + ROW.replace("9.1", value).format(width, runs)
    assert run(write(tmp_path, text), ROOT / "reference") in (0, 3)


def test_an_alarm_a_file_that_cannot_be_read_and_a_failure_end_apart(tmp_path):
    sound = write(tmp_path, HEAD + ROW.format("0.3", ""))
    assert score(sound).returncode == 0
    strange = write(tmp_path, HEAD + ROW.format("0.001", ""), "strange.csv")
    assert score(strange).returncode == 3
    assert score(tmp_path / "none.csv").returncode == 2
    assert score("--no-such-option").returncode == 2
    (tmp_path / "file").touch()
    assert score(sound, "--output", tmp_path / "file").returncode == 1


@pytest.mark.parametrize(
    "row",
    [
        ROW.format("1", "2"),
        "nowhere-{},mean_jobs,9,1,2\n",
        "mm1-90,mean_jobs\n",
        "mm1-90,q{},9,1,2\n",
    ],
)
def test_of_many_faults_of_one_kind_twenty_are_said(tmp_path, row):
    file = write(tmp_path, HEAD + "".join(row.format(i) for i in range(20_000)))
    start = time.process_time()
    with pytest.raises(Unreadable) as refused:
        run(file, ROOT / "reference")
    assert time.process_time() - start < 6
    assert str(refused.value).count("results.csv:") == 20
    assert re.search(r"19,?9[78]\d more", str(refused.value))


def test_what_is_no_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path, tmp_path / "pipe", Path("/dev/zero"), tmp_path / ("a" * 300)):
        assert score(file).returncode == 2


def test_words_of_strangers_stay_words(tmp_path):
    red, forged = "\x1b[31m", "\nresults.csv: agrees with the reference"
    text = f'system,quantity,value,class\nmm1-90,mean_jobs,9,"{red}{forged}\u202e\x9b"\n'
    done = score(write(tmp_path, text))
    assert done.returncode == 2
    assert not any(line.startswith("results.csv: agrees") for line in done.stderr.splitlines())
    assert "\u202e" not in done.stderr and "\x9b" not in done.stderr
    named = write(tmp_path, HEAD + ROW.format("0.3", ""), f"{red}{forged}.csv")
    done = score(named)
    assert done.returncode == 0 and done.stdout.count("\n") < 40
    assert "\x1b" not in named.with_name(f"{named.stem}.score.txt").read_text("utf-8")


def test_a_terminal_that_lacks_letters_reads_escapes(tmp_path):
    file = write(tmp_path, HEAD + "λ,Größe,9,1,2\n")
    assert score(file, PYTHONIOENCODING="ascii").returncode == 2


def test_a_reference_that_cannot_be_one_is_refused(tmp_path):
    folder = tmp_path / "reference"
    shutil.copytree(ROOT / "reference", folder)
    file = write(tmp_path, HEAD + ROW.format("0.3", ""))
    system, index = folder / SYSTEM, folder / "index.json"
    whole, listed = system.read_text("utf-8"), index.read_text("utf-8")
    assert score(file, "--reference", folder).returncode == 0
    changes = (
        lambda told: told.pop("values"),
        lambda told: told["values"][0].update(value="many"),
        lambda told: told["values"][0].update(value=1e300),
        lambda told: told["values"][0].update({"class": "7"}),
        lambda told: told["same_jobs"].append("nowhere"),
        lambda told: told.update(policy=None),
    )
    for change in changes:
        told = json.loads(whole)
        change(told)
        system.write_text(json.dumps(told), "utf-8")
        index.write_text(listed, "utf-8")
        with pytest.raises(Unreadable, match="not what its sum"):
            Reference.load(folder)
        sums = sha256(whole.encode()), sha256(system.read_bytes())
        index.write_text(listed.replace(*sums), "utf-8")
        with pytest.raises(Unreadable, match="no reference systems there"):
            Reference.load(folder)
    done = score(file, "--reference", folder)
    assert done.returncode == 2 and "no reference systems there" in done.stderr
    index.write_text(100_000 * "[", "utf-8")
    assert score(file, "--reference", folder).returncode == 2
