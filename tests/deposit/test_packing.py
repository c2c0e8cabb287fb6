"""The archive is reproducible and complete, and holds no file that changed since it was made."""

from __future__ import annotations

import os
import sys

import pytest
from scripts import archive, verify
from tests.deposit.conftest import AGREED, DATA, SOURCES, flip, make_run

from atlas.io import specs
from atlas.io.specs import canonical
from atlas.io.untrusted import Unreadable


def test_the_same_files_make_the_same_archive(packed, tmp_path):
    again = tmp_path / "another/place/run"
    again.mkdir(parents=True)
    spec = make_run(again)
    for file in again.rglob("*"):
        os.utime(file, (10**9, 10**9))
    spec["products"].reverse()
    archive.pack(spec, again, again, tmp_path / "again.crate.zip")
    assert (tmp_path / "again.crate.zip").read_bytes() == packed.read_bytes()


def test_everything_is_packed_under_its_own_name(root, spec, unpacked):
    assert archive.find_faults(spec, root, root) == []
    files = {f.relative_to(unpacked).as_posix() for f in unpacked.rglob("*") if f.is_file()}
    made = {f"figures/a-paper/{name}" for name in ("fig1.pdf", "fig1.figure.tex", "fig1.json")}
    made |= {f"figures/a-paper/ledger.{suffix}" for suffix in ("csv", "txt", "json")}
    own = {"settings.json", "references.bib", "manifest-sha256.txt", "ro-crate-metadata.json"}
    assert files == made | own | {DATA, AGREED} | set(SOURCES)
    for name in files - own:
        assert (unpacked / name).read_bytes() == (root / name).read_bytes()
    assert (unpacked / "settings.json").read_text("utf-8") == spec["texts"]["settings.json"]
    assert (unpacked / "references.bib").read_text("utf-8") == spec["bibliography"]


def test_what_is_not_as_it_was_made_is_not_archived(root, spec):
    flip(root / "figures/a-paper/fig1.pdf")
    flip(root / "scripts/draw.py")
    (root / DATA).unlink()
    spec["products"][1]["fingerprint"] = "another"
    del spec["sources"]["requirements.lock"]
    changed = "changed since it was made or since the run began"
    expected = [
        f"  {root}/{DATA}: missing",
        f"  {root}/figures/a-paper/fig1.pdf: {changed}",
        f"  {root}/scripts/draw.py: {changed}",
        "  figures/a-paper/ledger.json: made from ledger-made, expected another",
        "  requirements.lock: not among the sources",
    ]
    assert sorted(archive.find_faults(spec, root, root)) == sorted(expected)


def test_a_run_that_made_nothing_is_not_archived(root, spec):
    (fault,) = archive.find_faults({**spec, "products": []}, root, root)
    assert "nothing to archive" in fault


def test_the_two_commands(root, spec, tmp_path, monkeypatch, capsys):
    def run(module, *arguments: str) -> int | None:
        monkeypatch.setattr(sys, "argv", [module.__name__, *arguments])
        return module.main()

    monkeypatch.chdir(root)
    text = canonical(spec)
    (tmp_path / f"{specs.digest(text)}.json").write_text(text, encoding="utf-8")
    target = str(tmp_path / "a.crate.zip")
    pack = (f"../{specs.digest(text)}.json", "--root", ".", "--output", target)
    run(archive, *pack)
    run(verify, target)
    run(verify, ".", "--against", target)
    assert capsys.readouterr().out.count("files are as the manifest says") == 2
    flip(root / "figures/a-paper/fig1.pdf")
    assert run(verify, ".", "--against", target) == 3
    said = capsys.readouterr().err
    assert "as the manifest says:\nchanged     figures/a-paper/fig1.pdf" in said
    with pytest.raises(SystemExit, match="not fit to be archived"):
        run(archive, *pack)
    with pytest.raises(Unreadable, match="found nothing"):
        run(verify, "none.zip")
