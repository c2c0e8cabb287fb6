"""Untrusted input to `whence` is reported or refused, and text in it stays plain text."""

from __future__ import annotations

import json
import os
import random
import zlib
from functools import partial
from pathlib import Path

import pytest
from tests.conftest import call

from atlas.io.credit import HEAD
from atlas.io.untrusted import Unreadable
from atlas.provenance import records, trace_back

pytestmark = pytest.mark.slow

RECORD = {
    **{"paper": "small", "id": "fig1", "stage": "draw", "title": "A state", "licence": "MIT"},
    **{"source": {"figure": "1"}, "fingerprint": "f", "code": "c"},
    "bibliography": {"title": "A", "authors": ["B"], "year": 2020, "doi": "10.1/x"},
    "series": {"a": {"study": "s", "digest": "d", "parameters": {"seed": 7, "needs": [1, 2]}}},
}
STANDING = "standing     as the config now stands"


whence = partial(call, "whence")


def write(folder: Path, record: object, name: str = "x.tex") -> Path:
    file = folder / name
    file.write_text(HEAD + json.dumps(record) + "\n", "utf-8")
    return file


def tell(file: Path) -> list[str]:
    [record] = records.read_records(file)
    return "\n".join(trace_back.format_account(record, "redraw", trace_back.GONE, ["x"])).split(
        "\n"
    )


def replaced(path: tuple, value: object) -> dict:
    record = json.loads(json.dumps(RECORD))
    place = record
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return record


PLACES = [
    *[(key,) for key in RECORD],
    *[("bibliography", key) for key in RECORD["bibliography"]],
    *[("series", "a"), ("series", "a", "parameters"), ("source", "figure")],
    *[("series", "a", "parameters", "seed"), ("series", "a", "parameters", "needs")],
]
VALUES = [None, 7, -1.5, True, [], {}, [[]], {"a": []}, [{"a": 1}], "", "a\nb", float("nan")]


@pytest.mark.parametrize("path", PLACES, ids=lambda p: ".".join(p))
def test_a_record_of_another_shape_is_told_or_refused(tmp_path, path):
    for value in VALUES:
        try:
            lines = tell(write(tmp_path, replaced(path, value)))
        except Unreadable as error:
            assert str(error).count("\n") == 2
        else:
            assert lines[-2] == f"standing     {trace_back.GONE}"


@pytest.mark.parametrize("path", PLACES, ids=lambda p: ".".join(p))
def test_no_word_moves_a_cursor_or_forges_a_line(tmp_path, path):
    for evil in (
        f"x\n{STANDING}",
        f"\x1b[2J{STANDING}",
        "\r\x9b2K\u202e\ud800",
        f"\u2028{STANDING}",
    ):
        for record in (replaced(path, evil), replaced((*path[:-1], evil), evil)):
            try:
                lines = tell(write(tmp_path, record))
            except Unreadable as error:
                lines = str(error).split("\n")
            assert not any(line.startswith("standing     as") for line in lines)
            assert all(line.isprintable() for line in lines)
            assert not any("standing     as" in line for line in lines)


def test_no_title_slides_to_where_a_line_breaks(tmp_path):
    [title, *_] = tell(write(tmp_path, RECORD | {"title": 400 * " " + STANDING}))
    assert "   " not in title[12:]


@pytest.mark.parametrize("depth", [50, 90, 400, 900, 20_000, 1_000_000])
def test_what_nests_deep_is_told_or_refused(tmp_path, depth):
    nested = depth * '{"seed":' + "1" + depth * "}"
    text = json.dumps(RECORD).replace('"seed": 7', f'"seed": {nested}')
    file = tmp_path / "x.tex"
    file.write_text(HEAD + text, "utf-8")
    if depth > records.MAX_DEPTH:
        with pytest.raises(Unreadable, match="not of our making"):
            tell(file)
    else:
        tell(file)


def test_what_is_no_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.svg")
    missing = tmp_path / "none.pdf"
    for file in (missing, tmp_path, tmp_path / "pipe.svg", Path("/dev/zero"), tmp_path / "a\0b"):
        with pytest.raises(Unreadable):
            records.read_records(file)
    (tmp_path / "x.csv").write_text("1\n", "utf-8")
    os.mkfifo(tmp_path / "x.json")
    with pytest.raises(Unreadable):
        records.read_records(tmp_path / "x.csv")


LAUGHS = '<!DOCTYPE x [<!ENTITY a "' + 99 * "a" + '">'
LAUGHS += "".join(
    f'<!ENTITY {b} "{99 * f"&{a};"}">' for a, b in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        LAUGHS.encode() + b"]><svg>&h;</svg>",
        b'<?xml version="1.0" encoding="nonsense"?><svg/>',
        100_000 * b"<a>",
        b"<svg/>\xff",
    ],
)
def test_a_picture_that_is_none_is_refused(tmp_path, content):
    file = tmp_path / "x.svg"
    file.write_bytes(content)
    with pytest.raises(Unreadable):
        records.read_records(file)


def test_a_text_that_inflates_without_end_is_refused(tmp_path):
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
        )

    header = chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]))
    bomb = chunk(b"zTXt", b"Description\0\0" + zlib.compress(bytes(2**28)))
    file = tmp_path / "x.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + header + bomb + chunk(b"IEND", b""))
    with pytest.raises(Unreadable):
        records.read_records(file)


def test_a_record_with_the_fingerprint_of_another_does_not_stand():
    spec = json.loads(json.dumps(RECORD))
    assert trace_back.find_differences(RECORD, spec) == (trace_back.SAME, [])
    for path in (("title",), ("series", "a", "parameters", "seed"), ("bibliography", "title")):
        standing, [why, _] = trace_back.find_differences(replaced(path, "forged"), spec)
        assert (standing, why) == (trace_back.CHANGED, trace_back.FORGED)


def test_a_ledger_has_no_title_and_is_compared_all_the_same():
    spec = {key: value for key, value in RECORD.items() if key != "title"} | {"code": "other"}
    standing, [difference] = trace_back.find_differences(
        RECORD | {"title": None, "fingerprint": "g"}, spec
    )
    assert (standing, difference) == (trace_back.CHANGED, "the code that draws it has changed")
    ledger = RECORD | {"id": "ledger", "stage": "judge", "title": None}
    assert next(trace_back.format_account(ledger, "", "", [])) == "ledger       ledger"


def test_an_option_of_snakemake_is_not_taken_for_config_files(tmp_path):
    """`--config` is the beginning of `--configfile`: the file that was given was dropped."""
    done = whence(write(tmp_path, RECORD), "--configfile", "a.yaml", "--config", "effort=quick")
    assert done.returncode == 2
    assert "unrecognized arguments: --config" in done.stderr


@pytest.mark.parametrize(
    ("script", "typed"),
    [
        ("whence", "python3 run.py whence"),
        ("score", "python3 run.py score"),
        ("verify", "python scripts verify"),
    ],
)
def test_the_usage_is_what_a_user_types(script, typed):
    done = call(script)
    assert done.returncode == 2 and done.stderr.startswith(f"usage: {typed} [-h]")


def test_the_command_ends_with_2_and_prints_for_any_terminal(tmp_path):
    done = whence(write(tmp_path, RECORD | {"title": 7}))
    assert done.returncode == 2 and "title of what it says of itself" in done.stderr
    evil = RECORD | {"title": f"Größe\x1b[31m\n{STANDING}", "paper": "nowhere"}
    (tmp_path / "list.yaml").write_text("- 1\n", "utf-8")
    about = write(tmp_path, evil), "--configfile", tmp_path / "list.yaml"
    done = whence(*about, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert [line for line in done.stdout.splitlines() if line.startswith("standing")] == [
        f"standing     {trace_back.UNKNOWN}"
    ]
    done = whence(*about, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["title"]) == (0, evil["title"])
    assert told["standing"] == trace_back.UNKNOWN


@pytest.fixture(scope="module")
def pictures(tmp_path_factory) -> list[Path]:
    """Figures with records, in all formats."""
    from matplotlib.figure import Figure

    from atlas.io.metadata import FigureMetadata, save

    folder = tmp_path_factory.mktemp("pictures")
    files = []
    for kind in ("pdf", "png", "svg"):
        figure = Figure(figsize=(1, 1))
        file = folder / f"fig1.{kind}"
        save(figure.savefig, file, kind, FigureMetadata("A", "B", json.dumps(RECORD), RECORD))
        files.append(file)
    return [*files, write(folder, RECORD)]


def damage(content: bytes, rng: random.Random) -> bytes:
    """The content with a byte flipped, a piece lost, doubled, or another put in."""
    start, length = rng.randrange(len(content)), rng.choice([1, 2, 16, 300])
    piece = content[start : start + length]
    kind = rng.randrange(4)
    if kind == 0:
        piece = bytes([piece[0] ^ 1 << rng.randrange(8)]) + piece[1:]
    elif kind == 1:
        piece = b""
    elif kind == 2:
        piece += piece
    else:
        piece = rng.choice([b"\0", b"\xff" * 9, b"<<", b"9" * 5000, b"[" * 999, b"\x1b[2J\n"])
    return content[:start] + piece + content[start + length :]


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_figure_is_told_of_or_refused(pictures, tmp_path, seed):
    rng = random.Random(2929 + seed)
    for file in pictures:
        for _ in range(40):
            hurt = tmp_path / file.name
            hurt.write_bytes(damage(file.read_bytes(), rng))
            try:
                lines = tell(hurt)
            except Unreadable as error:
                lines = str(error).split("\n")
            assert all(line.isprintable() for line in lines)


def test_a_name_in_capitals_and_a_mark_of_the_byte_order_hide_nothing(pictures, tmp_path):
    *_, svg, latex = pictures
    (tmp_path / "FIG1.SVG").write_bytes(svg.read_bytes())
    (tmp_path / "FIG1.TEX").write_text(latex.read_text("utf-8"), "utf-8-sig")
    for name in ("FIG1.SVG", "FIG1.TEX"):
        assert tell(tmp_path / name)[0] == "figure       fig1: A state"
