"""Logs of the jobs of clusters, read as streams.

A reader yields `Chunk`s: need and duration of every job that ran, in the order of the file; its
times of submission and start and its requested time, if the log has them; and the lines without a
job, each under one reason. Reasons are of two kinds. A row *left out* has nothing to count (a step
of a job, a job that never ran); a *fault* is a row that should be usable but is not. Every row is a
job, left out or a fault, so none is lost. Readers keep nothing of what they have read, and yield
only need, duration and these three times of a row.

Files are plain or gzip, distinguished by their first bytes. Only needed fields are decoded, so
names may be in any encoding that extends ASCII.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEFT_OUT = (
    "a step of a job",
    "a part of a job that was interrupted",
    "never ran",
    "not started",
    "not finished",
    "ran before the trace or after it",
    "another priority",
    "zero duration",
    OUTSIDE := "submitted outside the period",
)
FAULTS = (
    "malformed",
    "another number of fields",
    "missing need or duration",
    "missing priority",
    UNKNOWN := "submitted at an unknown time",
    "need not positive",
    "negative duration",
    "need above 1e18",
    "duration above 1e11 seconds",
    "submitted or started beyond 1e11 seconds",
    "unknown state",
)

# Columns of `Chunk.times`.
SUBMITTED, STARTED, REQUESTED = range(3)

# Lines (rows,), numbers (rows, columns) with NaN for what is missing, and the rejected lines.
Rows = tuple[NDArray[np.int64], NDArray[np.float64], dict[str, list[int]]]

GZIP = b"\x1f\x8b"
# The first bytes of files in other packings, which are not read.
PACKINGS = {
    b"\xfd7zXZ\0": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x1f\x9d": "compress",
    b"PK\x03\x04": "zip",
    b"7z\xbc\xaf": "7z",
}
# The place in an archive by tar at which it says so, and what it says.
TAR = 257, b"ustar"
# Bytes read from disk at a time; a compressed piece is smaller because it expands.
PIECE, COMPRESSED_PIECE = 2**20, 2**17
# The most bytes of an inflated piece and of a line: larger ones would fill the memory.
MOST_INFLATED, LONGEST_LINE = 2**22, 2**22
# More than any cluster has, in any unit, and 3,000 years, as a duration or since 1970: beyond these
# a record or unit is wrong.
MOST_NEED, MOST_SECONDS = 1e18, 1e11


@dataclass(frozen=True, slots=True)
class Chunk:
    """The jobs of some consecutive rows, and the numbers of the lines without a job.

    `needs` and `durations` (in seconds) are (jobs,), both positive; `rejected` has the line numbers
    under each of `LEFT_OUT` and `FAULTS` that occurs. `times` (jobs, 3) are in seconds: the times
    of submission and start of a job, from a common origin, and the time it requested. They are NaN
    if the log does not have them, and a start before the submission is NaN; `times` and `lines`,
    the jobs' own lines (jobs,), are None if there is no log.
    """

    needs: NDArray[np.float64]
    durations: NDArray[np.float64]
    rejected: Mapping[str, Sequence[int]]
    times: NDArray[np.float64] | None = None
    lines: NDArray[np.int64] | None = None

    @property
    def rows(self) -> int:
        """The number of rows read."""
        return len(self.needs) + sum(map(len, self.rejected.values()))

    def within(self, start: float, end: float) -> Chunk:
        """The jobs that were submitted from `start` on and before `end`; of whom that is not known
        is at fault."""
        submitted = self.times[:, SUBMITTED]
        good = (submitted >= start) & (submitted < end)
        if good.all():
            return self
        columns = (self.needs, self.durations, self.times, self.lines)
        needs, durations, times, lines = (column[good] for column in columns)
        unknown = np.isnan(submitted)
        rejected = dict(self.rejected)
        for reason, rows in ((OUTSIDE, ~good & ~unknown), (UNKNOWN, unknown)):
            if rows.any():
                rejected[reason] = self.lines[rows].tolist()
        return Chunk(needs, durations, rejected, times, lines)


def sift(
    needs: NDArray[np.float64],
    durations: NDArray[np.float64],
    lines: NDArray[np.int64],
    rejected: Mapping[str, Sequence[int]],
    reasons: Mapping[str, NDArray[np.bool_]] | None = None,
    *,
    times: NDArray[np.float64],
) -> Chunk:
    """The rows that are jobs; a row with several reasons counts under the first.

    `reasons` come before those that all formats share; NaN stands for a missing number. `rejected`
    are lines without numbers, which are not among `lines`; `times` (rows, 3) are those of `Chunk`,
    where impossible ones become NaN.
    """
    moments = times[:, [SUBMITTED, STARTED]]
    beyond = np.isfinite(moments) & (np.abs(moments) > MOST_SECONDS)
    shared = {
        "missing need or duration": ~(np.isfinite(needs) & np.isfinite(durations)),
        "need not positive": (needs < 0) | ((needs == 0) & (durations != 0)),
        "negative duration": durations < 0,
        "need above 1e18": needs > MOST_NEED,
        "duration above 1e11 seconds": durations > MOST_SECONDS,
        "submitted or started beyond 1e11 seconds": beyond.any(axis=1),
        "zero duration": durations == 0,
    }
    found = {reason: list(at) for reason, at in rejected.items()}
    good = np.ones(len(needs), dtype=bool)
    for reason, applies in (dict(reasons or {}) | shared).items():
        if (now := applies & good).any():
            found.setdefault(reason, []).extend(lines[now].tolist())
            good &= ~now
    submitted, started, requested = times[good].T
    started = np.where(started < submitted, np.nan, started)
    requested = np.where((requested > 0) & (requested <= MOST_SECONDS), requested, np.nan)
    kept = np.column_stack(
        [np.where(np.isfinite(submitted), submitted, np.nan), started, requested]
    )
    return Chunk(needs[good], durations[good], found, kept, lines[good])


def read_rows(
    first: int,
    rows: Iterable[bytes],
    split: Callable[[bytes], Sequence[Any]],
    width: int,
    readers: Sequence[tuple[int, Callable[[Any], float]]],
) -> Rows:
    """The numbers in rows from line `first` on. `split` gives the fields of a row, or none if it is
    blank or a comment; `readers` are the indices of the fields that are used, and how to read each.
    """
    lines, values = [], []
    rejected: dict[str, list[int]] = {}
    for line, row in enumerate(rows, start=first):
        try:
            fields = split(row)
            if fields and len(fields) != width:
                rejected.setdefault("another number of fields", []).append(line)
            elif fields:
                found = [read(fields[i]) if fields[i].strip() else np.nan for i, read in readers]
                values.append(found)
                lines.append(line)
        except ValueError:
            rejected.setdefault("malformed", []).append(line)
    table = np.array(values, dtype=float).reshape(-1, len(readers))
    return np.array(lines, dtype=np.int64), table, rejected


def require_columns(names: Sequence[str], needed: Sequence[str], hint: str = "") -> None:
    """Raise `ValueError` unless the first line names each needed column, once."""
    found = f"found {', '.join(names):.300}{hint}"
    if missing := [column for column in needed if column not in names]:
        columns = f"{' and '.join(missing)} as column{'s' * (len(missing) > 1)}"
        raise ValueError(f"the first line must name {columns}, {found}")
    for column in needed:
        if (times := names.count(column)) > 1:
            raise ValueError(
                f"the first line must name the column {column} once, not {times} times"
            )


class Lines:
    """The lines of a file in blocks: (number of the first line, bytes that end with a newline).

    `len` is the number of pieces of the file on disk, which is about the number of blocks. Raises
    `ValueError` if the file is missing, empty, packed by another program than gzip or not text, if
    a line is too long, if lines end with carriage returns alone, or if its gzip stream is cut off.
    """

    def __init__(self, file: str | Path) -> None:
        self._file = Path(file)
        if not self._file.is_file():
            raise ValueError(f"no file {str(file)!r}; a trace is a file that is there")
        self._size = self._file.stat().st_size
        if self._size == 0:
            raise ValueError(f"{file} is empty")
        with self._file.open("rb") as stream:
            start = stream.read(8)
        for mark, packing in PACKINGS.items():
            if start.startswith(mark):
                raise ValueError(
                    f"{file} is packed by {packing}; unpack it, and pack it with gzip if at all"
                )
        self._compressed = start.startswith(GZIP)
        self._piece = COMPRESSED_PIECE if self._compressed else PIECE

    def __len__(self) -> int:
        return -(-self._size // self._piece)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        line, rest = 1, b""
        for i, piece in enumerate(self._pieces()):
            if i == 0:
                piece = piece.removeprefix(b"\xef\xbb\xbf")
                if piece.startswith(TAR[1], TAR[0]):
                    raise ValueError(f"{self._file} is an archive by tar; unpack it")
                if b"\0" in piece:
                    raise ValueError(f"{self._file} is no text in UTF-8: it holds zero bytes")
            whole, newline, tail = piece.rpartition(b"\n")
            block, rest = (rest + whole + newline, tail) if newline else (b"", rest + tail)
            if b"\r" in block:
                block = block.replace(b"\r\n", b"\n")
            yield line, block
            line += block.count(b"\n")
            if len(rest) > LONGEST_LINE:
                raise ValueError(f"line {line} of {self._file} has more than {LONGEST_LINE} bytes")
        if rest:
            rest = rest.removesuffix(b"\r")
            if line == 1 and b"\r" in rest:
                raise ValueError(
                    f"the lines of {self._file} end with carriage returns alone; replace them by"
                    " line feeds: tr '\\r' '\\n'"
                )
            yield line, rest + b"\n"

    def _pieces(self) -> Iterator[bytes]:
        with self._file.open("rb") as stream:
            raw = iter(lambda: stream.read(self._piece), b"")
            yield from self._inflate(raw) if self._compressed else raw

    def _inflate(self, raw: Iterator[bytes]) -> Iterator[bytes]:
        inflate = zlib.decompressobj(wbits=31)
        try:
            for piece in raw:
                out = inflate.decompress(piece, MOST_INFLATED)
                # A file may contain several gzip streams.
                while rest := inflate.unconsumed_tail or inflate.unused_data:
                    if inflate.eof:
                        inflate = zlib.decompressobj(wbits=31)
                    if len(out) >= MOST_INFLATED:
                        yield out
                        out = b""
                    out += inflate.decompress(rest, MOST_INFLATED)
                yield out
            while not inflate.eof and (out := inflate.decompress(b"", MOST_INFLATED)):
                yield out
        except zlib.error as error:
            raise ValueError(f"{self._file} is damaged: {error}") from error
        if not inflate.eof:
            raise ValueError(f"{self._file} is cut off: its gzip stream has no end")
