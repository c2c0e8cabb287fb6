"""The manifest reveals damage, and other tools can read it."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile

import pytest
from scripts import verify
from tests.deposit.conftest import DATA, faults, flip


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="sha256sum is not there")
def test_the_manifest_is_one_for_sha256sum(unpacked):
    def check() -> int:
        command = ["sha256sum", "--check", "--strict", "--quiet", "manifest-sha256.txt"]
        return subprocess.run(command, cwd=unpacked, capture_output=True, check=False).returncode

    assert check() == 0
    flip(unpacked / DATA)
    assert check() == 1


def test_verify_finds_what_is_changed_missing_and_unexpected(packed, unpacked):
    assert faults(packed) == []
    assert faults(unpacked) == []
    flip(unpacked / "figures/a-paper/fig1.pdf", 7)
    (unpacked / DATA).unlink()
    (unpacked / "more.txt").touch()
    flip(unpacked / "ro-crate-metadata.json", 20)
    assert faults(unpacked) == [
        "changed     figures/a-paper/fig1.pdf",
        f"missing     {DATA}",
        "changed     ro-crate-metadata.json",
        "unexpected  more.txt",
    ]


def test_of_many_unexpected_files_some_are_named(unpacked):
    flip(unpacked / "figures/a-paper/fig1.pdf", 7)
    for number in range(100):
        (unpacked / f"more-{number:03}.txt").touch()
    told = verify.format_faults(faults(unpacked))
    assert told[:2] == ["changed     figures/a-paper/fig1.pdf", "unexpected  more-000.txt"]
    assert len(told) == 22
    assert told[-1].startswith("and 80 more that are unexpected")
    assert verify.format_faults(["unexpected  a"] * 20) == ["unexpected  a"] * 20


def test_verify_checks_the_outputs_in_a_working_folder(root, packed):
    for name in ("figures/README.md", "results/series/stability-region/4567.csv", "more.txt"):
        (root / name).touch()
    assert faults(root, packed) == []
    flip(root / "figures/a-paper/ledger.csv", -1)
    (root / "figures/a-paper/ledger.txt").unlink()
    (root / "figures/a-paper/fig2.pdf").touch()
    flip(root / "Snakefile")
    assert faults(root, packed) == [
        "changed     figures/a-paper/ledger.csv",
        "missing     figures/a-paper/ledger.txt",
        "unexpected  figures/a-paper/fig2.pdf",
    ]


def test_a_sidecar_of_another_making_is_no_fault_if_that_made_the_same(root, packed):
    name = "figures/a-paper/fig1.json"
    sidecar = json.loads((root / name).read_text("utf-8"))
    against = verify.open_files(packed)
    later = sidecar | {"made": "2027-01-01T00:00:00+00:00", "seconds": 9}
    (root / name).write_text(json.dumps(later), encoding="utf-8")
    found = verify.verify(verify.open_files(root), against)
    assert (found.faults, found.remade) == ([], [name])
    for wrong in (json.dumps(later | {"fingerprint": "another"}), "{", "[]"):
        (root / name).write_text(wrong, encoding="utf-8")
        found = verify.verify(verify.open_files(root), against)
        assert (found.faults, found.remade) == ([f"changed     {name}"], [])


def test_verify_finds_a_flipped_byte_within_an_archive(packed):
    with zipfile.ZipFile(packed) as file:
        member = file.getinfo(DATA)
    start = member.header_offset + 30 + len(DATA)
    whole = packed.read_bytes()
    # Bits of the first and last byte say where the data end, which the size says too.
    for at in range(start + 1, start + member.compress_size - 1):
        flip(packed, at)
        assert faults(packed) == [f"changed     {DATA}"]
        packed.write_bytes(whole)


def test_verify_refuses_what_has_no_manifest(packed, root, tmp_path):
    with pytest.raises(ValueError, match="found no manifest"):
        verify.verify(verify.open_files(root))
    packed.write_bytes(packed.read_bytes()[:-30])
    with pytest.raises(ValueError, match="no whole zip archive"):
        verify.open_files(packed)
    with pytest.raises(ValueError, match=r"found nothing; .* given the --config"):
        verify.open_files(tmp_path / "none.zip")
