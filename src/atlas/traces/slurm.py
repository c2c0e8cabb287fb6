"""Slurm's accounting, as `sacct --parsable2` exports it.

    TZ=UTC sacct --allusers --duplicates --noconvert --parsable2 --starttime 2024-01-01 \\
        --format JobID,State,Elapsed,AllocCPUS,ReqCPUS,NNodes,Submit,Start,Timelimit > jobs.txt

Without --starttime sacct lists the jobs of today only, and with it also jobs that were submitted
long before and ended after it: let a `period` say which count, one whose jobs have all ended.

The first line names the columns. The bars between fields are not escaped, so a job name with a bar
spoils its row: leave names out. Required are JobID, State, one of Elapsed
([days-]hours:minutes:seconds, with or without a fraction) and ElapsedRaw (seconds), and CPUs or
nodes. Waiting times also need Submit and Start (dates and times, or seconds since 1970; use UTC,
where no clock is put back). The requested time is Timelimit or, without that column, TimelimitRaw
(minutes), if the job had a limit.

A JobID is that of a job (123), of a task of an array (123_4) or of a part of a heterogeneous job
(123+1): each counts as a job. The tasks of an array that have not started are one row (123_[5-9]);
a step has a name after a point (123.batch, 123_4.0). A state may have further words: CANCELLED by
1001.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import numpy as np

from atlas.traces import Chunk, Lines, require_columns, sift
from atlas.traces.numbers import Moments, read_number, read_whole

FINISHED = {
    b"BOOT_FAIL",
    b"CANCELLED",
    b"COMPLETED",
    b"DEADLINE",
    b"FAILED",
    b"NODE_FAIL",
    b"OUT_OF_MEMORY",
    b"PREEMPTED",
    b"REQUEUED",
    b"TIMEOUT",
}
RUNNING = {b"RUNNING", b"SUSPENDED", b"RESIZING", b"COMPLETING", b"STOPPED"}
NEVER = {b"REVOKED"}

# Texts for a missing moment or limit.
NONE = {b"", b"Unknown", b"None", b"N/A", b"UNLIMITED", b"Partition_Limit", b"INVALID"}
# Times of submission and start and the requested time: the columns of `Chunk.times`.
COLUMNS = 3

# What its lines look like.
LINES = "what sacct --parsable2 writes, with its first line"

ELAPSED = re.compile(rb"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
# Columns that give the need, best first.
NEEDS = {"cpus": ("alloccpus", "ncpus", "reqcpus"), "nodes": ("allocnodes", "nnodes", "reqnodes")}


def read(
    file: str, need: str = "cpus", progress: Callable[[Iterable], Iterable] = iter
) -> Iterator[Chunk]:
    """The jobs of an export, their needs counted in `cpus` or in `nodes`.

    Raises `ValueError` as `Lines` does, if a column is missing, and if some dates have an offset
    and others none.
    """
    parse = None
    for first, block in progress(Lines(file)):
        if parse is None and block:
            header, _, block = block.partition(b"\n")
            parse, first = _Parser(header, need), first + 1
        if block:
            chunk = parse(first, block)
            parse.moments.require_one_clock(file)
            yield chunk


def read_elapsed(text: bytes) -> float:
    """Seconds of [[days-]hours:]minutes:seconds. Raises `ValueError` for other text."""
    found = ELAPSED.fullmatch(text)
    if not found:
        raise ValueError(f"not [[days-]hours:]minutes:seconds: {text!r}")
    days, hours, minutes, seconds = found.groups(default=b"0")
    return 86400 * int(days) + 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def read_minutes(text: bytes) -> float:
    """Seconds of a number of minutes. Raises `ValueError` for other text."""
    return 60 * read_number(text)


class _Parser:
    """The rows of blocks whose columns the header names."""

    def __init__(self, header: bytes, need: str) -> None:
        names = [name.strip().lower() for name in header.decode("utf-8", "replace").split("|")]
        self._width = len(names)
        self._id = _find(names, ("jobid", "jobidraw"))[0]
        self._state = _find(names, ("state",))[0]
        self._elapsed = _find(names, ("elapsedraw", "elapsed"))[0]
        # Many jobs last equally long.
        self._seconds = lru_cache(2**18)(read_number if "elapsedraw" in names else read_elapsed)
        self._needs = _find(names, NEEDS[need])
        self.moments = Moments()
        limit = "timelimit" if "timelimit" in names else "timelimitraw"
        times = {
            "submit": self.moments.read,
            "start": self.moments.read,
            limit: read_elapsed if limit == "timelimit" else read_minutes,
        }
        self._times = [
            (k, names.index(name), read)
            for k, (name, read) in enumerate(times.items())
            if name in names
        ]

    def __call__(self, first: int, block: bytes) -> Chunk:
        width, id, at, elapsed = self._width, self._id, self._state, self._elapsed
        seconds, best = self._seconds, self._needs[0]
        rejected: dict[str, list[int]] = {}
        needs, durations, lines, cancelled, moments = [], [], [], [], []
        for line, text in enumerate(block.split(b"\n")[:-1], start=first):
            row = text.split(b"|")
            reason = ""
            if len(row) != width:
                if not text.strip():
                    continue
                reason = "another number of fields"
            elif b"." in row[id]:
                reason = "a step of a job"
            elif (state := row[at].partition(b" ")[0]) in RUNNING:
                reason = "not finished"
            elif state == b"PENDING":
                reason = "not started"
            elif state in NEVER or b"[" in row[id]:
                reason = "never ran"
            elif state not in FINISHED:
                reason = "unknown state"
            else:
                try:
                    duration = seconds(row[elapsed])
                    # An allocation of 0 means none; the requested number is used.
                    number = row[best]
                    if number in (b"", b"0"):
                        number = next((n for i in self._needs if (n := row[i]) > b"0"), number)
                    need = float(read_whole(number))
                    own = [math.nan] * COLUMNS
                    for k, i, read in self._times:
                        if row[i] not in NONE:
                            own[k] = read(row[i])
                except (ValueError, OverflowError):
                    empty = not row[elapsed] or not any(row[i] for i in self._needs)
                    reason = "missing need or duration" if empty else "malformed"
            if reason:
                rejected.setdefault(reason, []).append(line)
                continue
            needs.append(need)
            durations.append(duration)
            lines.append(line)
            cancelled.append(state == b"CANCELLED")
            moments.append(own)
        found = np.array(needs, dtype=float), np.array(durations, dtype=float), np.array(lines, int)
        never = {"never ran": np.array(cancelled, dtype=bool) & (found[1] == 0)}
        times = np.array(moments, dtype=float).reshape(-1, COLUMNS)
        return sift(*found, rejected, never, times=times)


def _find(names: list[str], columns: tuple[str, ...]) -> list[int]:
    """The indices of the columns, best first; at least one must exist."""
    present = [name for name in columns if name in names] or [" or ".join(columns)]
    require_columns(names, present, " (export with --parsable2 and a header)")
    return [names.index(name) for name in present]
