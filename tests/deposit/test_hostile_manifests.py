"""A manifest may list only plain files below its folder, each once; any other entry is rejected."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from functools import partial
from pathlib import Path

import pytest
from scripts import verify
from tests.conftest import call
from tests.deposit.conftest import DATA, digest, faults, flip, zip_up

from atlas.io.sums import read_manifest

MANIFEST = "manifest-sha256.txt"
SUM = 64 * "0"


run = partial(call, "verify", options=("-I", "-S"))


def tell_of(folder: Path, name: str, content: bytes) -> None:
    with (folder / MANIFEST).open("a", encoding="utf-8") as file:
        file.write(f"{digest(content)}  {name}\n")


def test_what_was_found_ends_apart(packed, unpacked, tmp_path, monkeypatch):
    """From any folder, with the standard library alone."""
    monkeypatch.chdir(tmp_path)
    done = run(packed)
    assert done.returncode == 0 and "files are as the manifest says" in done.stdout
    flip(unpacked / DATA)
    assert run(unpacked).returncode == 3
    assert run(tmp_path / "none").returncode == 2
    assert run().returncode == 2


@pytest.mark.parametrize("outside", [True, False])
def test_a_link_is_no_file(unpacked, tmp_path, outside):
    (tmp_path / "elsewhere").write_bytes((unpacked / DATA).read_bytes())
    target = tmp_path / "elsewhere" if outside else unpacked / "kept"
    shutil.move(tmp_path / "elsewhere", target)
    (unpacked / DATA).unlink()
    (unpacked / DATA).symlink_to(target)
    assert f"no file     {DATA}" in faults(unpacked)


def test_a_folder_that_is_a_link_has_no_files_of_an_archive(unpacked, tmp_path):
    shutil.move(unpacked / "results", tmp_path / "results")
    (unpacked / "results").symlink_to(tmp_path / "results")
    assert f"no file     {DATA}" in faults(unpacked)


def test_results_on_another_disk_are_those_of_a_working_folder(root, packed, tmp_path):
    shutil.move(root / "results", tmp_path / "scratch")
    (root / "results").symlink_to(tmp_path / "scratch")
    found = verify.verify(verify.open_files(root, links=True), verify.open_files(packed))
    assert found.faults == []
    shutil.move(tmp_path / "scratch", tmp_path / "another")
    assert run(root, "--against", packed).returncode == 3


def test_a_pipe_keeps_nobody_waiting(unpacked, tmp_path):
    (unpacked / DATA).unlink()
    os.mkfifo(unpacked / DATA)
    os.mkfifo(unpacked / "more")
    said = run(unpacked)
    assert said.returncode == 3
    assert f"no file     {DATA}" in said.stderr and "unexpected  more" in said.stderr
    (unpacked / MANIFEST).unlink()
    os.mkfifo(unpacked / MANIFEST)
    assert run(unpacked).returncode == 2
    os.mkfifo(tmp_path / "pipe")
    assert run(tmp_path / "pipe").returncode == 2


NAMES = ("../outside", "/etc/hostname", "a/../../x", "./a", "a//b", "a/./b", "..\\x", "C:x", "a/")


@pytest.mark.parametrize("name", [*NAMES, "a\x1b[2J", "a\x0bb", ""])
def test_a_manifest_that_reaches_elsewhere_is_refused(unpacked, name):
    (unpacked.parent / "outside").write_bytes(b"x")
    tell_of(unpacked, name, b"x")
    with pytest.raises(ValueError, match=r"expected (the name of a file below|a SHA-256 sum)"):
        faults(unpacked)


def test_two_sums_for_one_name_are_refused(unpacked):
    tell_of(unpacked, DATA, (unpacked / DATA).read_bytes())
    assert run(unpacked).returncode == 2
    with pytest.raises(ValueError, match="a second time"):
        read_manifest(f"{SUM}  a\n{SUM}  a\n")


def test_a_manifest_that_is_no_text_or_endless_is_refused(unpacked):
    whole = (unpacked / MANIFEST).read_bytes()
    for content in (b"\xff\xfe", whole[:-30], b"9" * 2**20, whole.replace(b"\n", b"\r\n")):
        (unpacked / MANIFEST).write_bytes(content)
        assert run(unpacked).returncode == 2
    (unpacked / MANIFEST).unlink()
    (unpacked / MANIFEST).symlink_to("/dev/zero")
    assert run(unpacked).returncode == 2


@pytest.mark.parametrize("kind", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_only_what_zip_has_always_had_is_unpacked(tmp_path, kind):
    target = tmp_path / "a.zip"
    with zipfile.ZipFile(target, "w", kind) as file:
        file.writestr("a", bytes(1000))
    flip(target, 45)
    assert run(target).returncode == 2
    with pytest.raises(ValueError, match="stored or deflated"):
        verify.open_files(target)


def test_a_link_in_an_archive_is_refused(tmp_path):
    link = zipfile.ZipInfo("a")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr(link, "/etc/passwd")
    with pytest.raises(ValueError, match="a link"):
        verify.open_files(tmp_path / "a.zip")


@pytest.mark.parametrize(
    "names", [("a", "A"), ("a", "a/b"), ("é", "e\u0301"), ("a/b", "A/c/d", "a/B")]
)
def test_names_that_are_one_file_on_some_disks_are_refused(tmp_path, names):
    with pytest.raises(ValueError, match="one file"):
        verify.open_files(zip_up(tmp_path / "a.zip", [(name, b"x") for name in names]))


def test_no_name_moves_a_cursor_and_of_many_faults_twenty_are_named(unpacked):
    (unpacked / "x\x1b[2J\nare as the manifest says").touch()
    said = run(unpacked)
    assert said.returncode == 3
    assert all(line.isprintable() for line in said.stderr.splitlines())
    for number in range(1000):
        tell_of(unpacked, f"none-{number}", b"")
    assert len(run(unpacked).stderr.splitlines()) < 30
