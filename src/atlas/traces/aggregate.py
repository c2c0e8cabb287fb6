"""The aggregate of a trace: sums over the jobs of each need and of each interval of durations.

The intervals are logarithmic, 8 per decade: interval b holds the durations t with 8 log10 t in
[b, b + 1). For the jobs of one need v in one interval the table has the number, Σ t, Σ t², Σ ln t
and Σ ln² t. These give means and variances of durations, histograms and, over all jobs,

    ln t ≈ ln a + b ln v   (least squares, the power law t = a v^b),
    r = cov(ln v, ln t) / √(var ln v · var ln t)   (Pearson's log-log correlation).

A job that is alone in its need and interval can be identified in the table. The table holds what a
histogram with the same bins would show, and nothing about the time, user or name of a job.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from atlas.traces import FAULTS, LEFT_OUT, OUTSIDE, SUBMITTED, Chunk

BINS_PER_DECADE = 8
SUMS = ("jobs", "duration", "duration_squared", "log_duration", "log_duration_squared")
# The number of jobs collected before they are sorted, and the most rows of the table.
GATHERED = 2**18
MOST_CELLS = 2_000_000
SHOWN = 5
# Jobs that the log will show later, and the share of them that hardly changes what it shows.
OPEN, MOST_OPEN = ("not started", "not finished"), 0.01


@dataclass(slots=True)
class Count:
    """The number of rows of each kind, and the first lines of those that are not jobs."""

    limit: float
    jobs: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)

    def watch(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Count the chunks as they pass; at the end report rejected rows on standard error.

        Raises `ValueError` if there is no job, or if faults are more than `limit` of all rows.
        """
        for chunk in chunks:
            self.jobs += len(chunk.needs)
            for reason, lines in chunk.rejected.items():
                self.rejected[reason] = self.rejected.get(reason, 0) + len(lines)
                shown = self.lines.setdefault(reason, [])
                # Within a chunk, lines that a reader could not parse are listed first.
                shown[:] = sorted([*shown, *sorted(lines)[:SHOWN]])[:SHOWN]
            yield chunk
        for reason, rows in self.rejected.items():
            first = ", ".join(map(str, self.lines[reason]))
            more = ", …" if rows > len(self.lines[reason]) else ""
            s = "s" * (rows != 1)
            print(f"{rows} row{s}: {reason} (line{s} {first}{more})", file=sys.stderr)
        faults = {r: n for r, n in self.rejected.items() if r in FAULTS}
        if sum(faults.values()) > self.limit * self.rows:
            worst = max(faults, key=faults.get)
            raise ValueError(
                f"{sum(faults.values())} of {self.rows} rows are faulty, more than the share"
                f" {self.limit:g} that `faults` allows; most often: {worst}"
                f" (first on lines {', '.join(map(str, self.lines[worst]))})"
            )
        if not self.jobs:
            often = max(self.rejected, key=self.rejected.get, default="")
            why = f"; most often: {often}" if often else ""
            # Where a period has no job, that is why, although steps outnumber jobs.
            why = f": all jobs were {OUTSIDE}" if OUTSIDE in self.rejected else why
            raise ValueError(f"none of the {self.rows} rows is a job that ran{why}")

    @property
    def rows(self) -> int:
        """All rows."""
        return self.jobs + sum(self.rejected.values())

    def table(self) -> pd.DataFrame:
        """One row for the jobs and one per reason: kind, reason, rows, share, first lines."""
        kinds = [("job", "", self.jobs, "")]
        for kind, reasons in (("left out", LEFT_OUT), ("fault", FAULTS)):
            for reason in (r for r in reasons if r in self.rejected):
                lines = " ".join(map(str, self.lines[reason]))
                kinds.append((kind, reason, self.rejected[reason], lines))
        rows = [(kind, why, n, n / self.rows, lines) for kind, why, n, lines in kinds]
        return pd.DataFrame(rows, columns=["kind", "reason", "rows", "share", "first_lines"])


def summarise(chunks: Iterable[Chunk], file: str) -> Iterator[Chunk]:
    """The chunks; at their end the number of jobs, the time over which they were submitted and the
    mean of their durations, on standard error, where a wrong unit of time strikes the eye, and how
    many jobs are missing because they had not ended, if these are more than `MOST_OPEN`."""
    jobs, missing, duration, first, last = 0, 0, 0.0, math.inf, -math.inf
    for chunk in chunks:
        jobs += len(chunk.needs)
        missing += sum(len(chunk.rejected.get(reason, ())) for reason in OPEN)
        duration += float(chunk.durations.sum())
        submitted = chunk.times[:, SUBMITTED]
        first = np.fmin.reduce(submitted, initial=first)
        last = np.fmax.reduce(submitted, initial=last)
        yield chunk
    if jobs:
        over = f", submitted over {_in_words(last - first)}" if last > first else ""
        mean, s = _in_words(duration / jobs), "s" * (jobs != 1)
        print(f"{file}: {jobs} job{s}{over}, of a mean duration of {mean}", file=sys.stderr)
    if jobs and missing > MOST_OPEN * (jobs + missing):
        print(
            f"{file}: {missing} of {jobs + missing} jobs had not ended: arrival rates, loads and"
            " waits lack them, and are too small unless `period` ends before the first of them was"
            " submitted",
            file=sys.stderr,
        )


def _in_words(seconds: float) -> str:
    """A time in the largest unit of which it has two."""
    units = (("days", 86_400), ("hours", 3600), ("minutes", 60))
    unit, size = next((one for one in units if seconds >= 2 * one[1]), ("seconds", 1))
    return f"{seconds / size:.3g} {unit}"


def aggregate(chunks: Iterable[Chunk]) -> pd.DataFrame:
    """The table: `need`, `bin` and the columns `SUMS`, in increasing order of need and bin.

    Raises `ValueError` if there are so many needs that the table would not be an aggregate.
    """
    cells = pd.DataFrame(columns=["need", "bin", *SUMS])
    for needs, durations in _gather(chunks):
        logs = np.log(durations)
        rows = pd.DataFrame(
            {
                "need": needs,
                "bin": bin_of(durations),
                "jobs": 1,
                "duration": durations,
                "duration_squared": durations**2,
                "log_duration": logs,
                "log_duration_squared": logs**2,
            }
        )
        parts = [part for part in (cells, rows) if len(part)]
        cells = pd.concat(parts).groupby(["need", "bin"], as_index=False).sum()
        if len(cells) > MOST_CELLS:
            raise ValueError(
                f"{len(cells)} pairs of a need and an interval of durations are too many to keep:"
                " give `unit`, of which needs are then multiples, rounded up"
            )
    return cells


def bin_of(durations: NDArray[np.float64]) -> NDArray[np.int64]:
    """The interval b of each duration."""
    return np.floor(BINS_PER_DECADE * np.log10(durations)).astype(np.int64)


def by_need(table: pd.DataFrame) -> pd.DataFrame:
    """The sums of each need over all its durations, need by need."""
    return table.groupby("need", as_index=False)[list(SUMS)].sum()


@dataclass(frozen=True, slots=True)
class LogLog:
    """Pearson's correlation of ln need and ln duration and the power law t = `scale` v^`exponent`.

    All are NaN if all needs or all durations are equal.
    """

    correlation: float
    exponent: float
    scale: float


def fit(table: pd.DataFrame) -> LogLog:
    """The correlation and the fit over all jobs of a table."""
    classes = by_need(table)
    jobs = classes["jobs"].to_numpy(dtype=float)
    x = np.log(classes["need"].to_numpy(dtype=float))
    total = jobs.sum()
    mean_x = jobs @ x / total
    mean_y = classes["log_duration"].sum() / total
    # Squared deviations from the mean of the need, and of that mean from the overall mean: only
    # within a need is there a difference of two large sums.
    own = classes["log_duration"].to_numpy() / jobs
    within = (classes["log_duration_squared"].to_numpy() - jobs * own**2).clip(min=0)
    xx = jobs @ (x - mean_x) ** 2
    yy = within.sum() + jobs @ (own - mean_y) ** 2
    xy = jobs @ ((x - mean_x) * (own - mean_y))
    if len(classes) == 1 or yy <= 0:
        return LogLog(math.nan, math.nan, math.nan)
    slope = xy / xx
    scale = math.exp(mean_y - slope * mean_x)
    return LogLog(float(xy / math.sqrt(xx * yy)), float(slope), scale)


def _gather(chunks: Iterable[Chunk]) -> Iterator[tuple[NDArray, NDArray]]:
    """Needs and durations of many chunks at a time."""
    held: list[Chunk] = []
    count = 0
    for chunk in chunks:
        held.append(chunk)
        count += len(chunk.needs)
        if count >= GATHERED:
            yield _join(held)
            held, count = [], 0
    if count:
        yield _join(held)


def _join(chunks: list[Chunk]) -> tuple[NDArray, NDArray]:
    needs, durations = zip(*((chunk.needs, chunk.durations) for chunk in chunks), strict=True)
    return np.concatenate(needs), np.concatenate(durations)
