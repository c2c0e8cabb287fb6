"""Read the record of one of our figures, tables or ledgers, from files that may come from anybody.

A record says how a product was made. PDF, SVG and PNG hold it in their metadata, LaTeX in its first
line. For other files it is read from the sidecar beside them, and for data of the gallery from that
of the figure, if they match the sums in it. pdfTeX and LuaTeX keep the metadata of a figure in the
PDF of a paper that includes it, and it is found there too.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, IndirectObject

from atlas.io.credit import HEAD
from atlas.io.sums import sha256
from atlas.io.untrusted import Unreadable, printable, read_bytes, refuse

PICTURES = (".pdf", ".png")
TEXTS = (".csv", ".json", ".tex", ".txt")
DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"
# A file may be a paper with hundreds of figures; none of our records nests deeper than a dozen.
MAX_BYTES, MAX_DEPTH, MAX_RECORDS, MAX_SECONDS = 2**28, 60, 1000, 60
OURS = "a figure, table or ledger of ours, or a paper with some"
LOST = "not of our making, or saved by a program that drops such notes"

ProvenanceRecord = dict[str, Any]


class OpenModel(BaseModel):
    """A model that allows further fields."""

    model_config = ConfigDict(strict=True, extra="allow")


class SeriesRecord(OpenModel):
    """A series."""

    study: str
    digest: str
    parameters: dict[str, Any] | None = None


class Paper(OpenModel):
    """The paper that the product reproduces."""

    title: str
    authors: list[str]
    year: int
    doi: str = ""
    arxiv: str = ""


class Source(OpenModel):
    """The place in the paper."""

    figure: str | None = None
    section: str | None = None


class ProvenanceSchema(OpenModel):
    """The part of a record that is used here."""

    paper: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str | None
    series: dict[str, SeriesRecord]
    fingerprint: str
    code: str
    stage: str | None = None
    licence: str = ""
    bibliography: Paper | None = None
    source: Source | None = None
    outputs: dict[str, str] = {}
    data: dict[str, str] = {}


def read_records(file: Path) -> list[ProvenanceRecord]:
    """The record of a file, or those of the figures in it. Raises `Unreadable`."""
    content = read_bytes(file, MAX_BYTES)
    try:
        with _in_time():
            texts = dict.fromkeys(t for t in _read_texts(file, content) if isinstance(t, str))
            records = list(filter(None, map(_parse, texts)))
    except Unreadable:
        raise
    except Exception as error:  # parsers may raise anything at damaged files
        why = f"cannot be read, or not in whole ({type(error).__name__}: {error})"
        refuse(file, why, OURS)
    if not records:
        refuse(file, f"nothing in it says how it was made: {LOST}", OURS)
    if len(records) > MAX_RECORDS:
        refuse(file, f"{len(records)} figures of ours", f"at most {MAX_RECORDS}")
    for record in records:
        try:
            ProvenanceSchema.model_validate(record)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(map(str, fault["loc"]))
            refuse(file, f"{where} of what it says of itself: {fault['msg']}", OURS)
    return records


def tell_changed(file: Path, record: ProvenanceRecord) -> str:
    """That a file with this record is not the one that its sidecar has the sum of; empty if it is,
    or if no sidecar of the same making is beside it."""
    sidecar = _find_sidecar(file)
    try:
        beside = _parse(read_bytes(sidecar, MAX_BYTES).decode("utf-8")) or {}
    except (Unreadable, UnicodeDecodeError):
        return ""
    sums = beside.get("outputs")
    same = beside.get("fingerprint") == record["fingerprint"] and isinstance(sums, dict)
    if not same or sums.get(file.name) in (None, sha256(read_bytes(file, MAX_BYTES))):
        return ""
    name = printable(os.path.relpath(sidecar, file.parent))
    return f"another file than {name} beside it tells of, or changed since"


@contextmanager
def _in_time() -> Iterator[None]:
    """Raise `TimeoutError` if reading does not end, and silence the parsers, as their messages may
    contain any text of the file."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"not read after {MAX_SECONDS} s")

    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
    timed = hasattr(signal, "setitimer")
    before = signal.signal(signal.SIGALRM, stop) if timed else None
    try:
        if timed:
            signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _read_texts(file: Path, content: bytes) -> list[Any]:
    """The texts in a file that may be records."""
    if content.startswith(b"%PDF"):
        return list(_read_pdf(content))
    if content.startswith(b"\x89PNG"):
        with Image.open(BytesIO(content), formats=["PNG"]) as picture:
            return [picture.text.get("Description")]
    suffix = file.suffix.lower()
    if suffix == ".svg":
        try:
            return [ET.fromstring(content).findtext(f".//{DESCRIPTION}")]
        except ET.ParseError as error:
            refuse(file, f"no whole SVG ({error})", OURS)
    if suffix in TEXTS:
        return [_read_text(file, content)]
    if suffix in PICTURES:
        refuse(file, f"no whole {suffix[1:].upper()}", OURS)
    refuse(file, "another kind of file", f"a PDF, a PNG, an SVG or one of {', '.join(TEXTS)}")


def _parse(text: Any) -> ProvenanceRecord | None:
    """The record in a text; None if it is not one of ours, or nests too deep."""
    try:
        record = json.loads(text or "")
    except (TypeError, ValueError, RecursionError):
        return None
    needed = {name for name, field in ProvenanceSchema.model_fields.items() if field.is_required()}
    ours = isinstance(record, dict) and record.keys() >= needed
    return record if ours and _is_flat(record) else None


def _is_flat(record: ProvenanceRecord) -> bool:
    level: list[Any] = [record]
    for _ in range(MAX_DEPTH):
        below = [v.values() if isinstance(v, dict) else v for v in level]
        level = [item for items in below for item in items if isinstance(item, dict | list)]
    return not level


def _read_pdf(content: bytes) -> Iterator[Any]:
    """The subject of the file, or else the subjects of the figures that it includes."""
    reader = PdfReader(BytesIO(content))
    own = (reader.metadata or {}).get("/Subject")
    if _parse(own):
        yield own
        return
    numbers = {
        n for table in (reader.xref, {0: reader.xref_objStm}) for g in table for n in table[g]
    }
    for number in sorted(numbers):
        with suppress(PyPdfError, ValueError, KeyError):
            found = IndirectObject(number, 0, reader).get_object()
            # LuaTeX keeps the metadata of a figure in the figure, pdfTeX beside it.
            inner = dict.get(found, "/PTEX.InfoDict") if isinstance(found, dict) else None
            for dictionary in (found, inner):
                if isinstance(dictionary, DictionaryObject) and "/Subject" in dictionary:
                    yield dictionary["/Subject"]


def _read_text(file: Path, content: bytes) -> str:
    """The first line of our LaTeX, or the sidecar of a file that matches its sum there."""
    text = content.decode("utf-8-sig")  # editors may add a mark of the byte order
    head = text.partition("\n")[0]
    if head.startswith(HEAD):
        return head.removeprefix(HEAD)
    if file.suffix.lower() == ".json":
        return text
    sidecar = _find_sidecar(file)
    name = printable(os.path.relpath(sidecar, file.parent))
    if not sidecar.is_file():
        refuse(file, f"no {name} beside it, which would say how it was made", OURS)
    text = read_bytes(sidecar, MAX_BYTES).decode("utf-8")
    record = _parse(text) or {}
    known = [record.get(key) for key in ("outputs", "data")]
    if sha256(content) not in [sums.get(file.name) for sums in known if isinstance(sums, dict)]:
        found = f"not what {name} beside it tells of: another file, or changed since"
        refuse(file, found, OURS)
    return text


def _find_sidecar(file: Path) -> Path:
    """The sidecar beside a file; the figure's for `gallery/data/<paper>/<figure>.<series>.csv`."""
    name, folder = f"{file.name.partition('.')[0]}.json", file.absolute().parent
    if [one.name for one in list(folder.parents)[:2]] == ["data", "gallery"]:
        return folder.parents[2] / folder.name / name
    return file.with_name(name)
