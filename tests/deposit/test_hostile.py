"""An archive that is unsafe to unpack is refused without being read."""

from __future__ import annotations

import zipfile

import pytest
from scripts import verify
from tests.deposit.conftest import DATA, faults, zip_up

from atlas.provenance import manifest


def test_an_archive_that_unpacks_to_too_much_is_refused_unread(tmp_path, monkeypatch):
    bomb = zip_up(tmp_path / "bomb.zip", [("a", bytes(2**20)), ("b", bytes(2**20))])
    assert bomb.stat().st_size < 2**12
    verify.open_files(bomb)
    monkeypatch.setattr(manifest, "LARGEST", 2**20)
    with pytest.raises(ValueError, match="found 2 files of 2097152 bytes in all, expected at most"):
        verify.open_files(bomb)
    monkeypatch.setattr(manifest, "LARGEST", 2**30)
    monkeypatch.setattr(manifest, "MOST", 1)
    with pytest.raises(ValueError, match="found 2 files"):
        verify.open_files(bomb)


def test_a_member_that_is_larger_than_it_says_is_not_read_on(packed, tmp_path):
    with zipfile.ZipFile(packed) as file:
        member = file.getinfo(DATA)
    size = member.file_size.to_bytes(4, "little")
    content = packed.read_bytes()
    place = content.rfind(DATA.encode()) - 46 + 24  # the size in the central directory
    assert content[place : place + 4] == size
    packed.write_bytes(content[:place] + (1).to_bytes(4, "little") + content[place + 4 :])
    assert faults(packed) == [f"changed     {DATA}"]


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "a/../../b", "C:\\windows", "..\\b"])
def test_an_archive_with_names_that_lead_elsewhere_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="expected names below one folder"):
        verify.open_files(zip_up(tmp_path / "a.zip", [(name, b"x")]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_a_name_twice_is_refused(tmp_path):
    with pytest.raises(ValueError, match="found 'a' 2 times"):
        verify.open_files(zip_up(tmp_path / "a.zip", [("a", b"x"), ("a", b"y")]))


def test_deeply_nested_sidecars_break_nothing(root, packed):
    (root / "figures/a-paper/fig1.json").write_text("[" * 100_000, encoding="utf-8")
    assert faults(root, packed) == ["changed     figures/a-paper/fig1.json"]
