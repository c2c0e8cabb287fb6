"""The jobs of a trace, or of its substitute.

Parameters have a block `trace` (a file and how to read it), `generated` (a joint distribution of
needs and durations, `multiserver.simulation.correlated_jobs`) or `classes` (a table of needs,
shares and mean durations, without jobs).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic_core import PydanticCustomError

from atlas.fields.block import misfit
from atlas.models.log_blocks import Moments, bounds
from atlas.models.sampling import Progress
from atlas.traces import FAULTS, SUBMITTED, Chunk, Lines, aggregate, borg, plain, slurm, swf
from multiserver.simulation.correlated_jobs import CorrelatedJobs

Parameters = Mapping[str, Any]

FORMATS = {"swf": swf, "slurm": slurm, "borg": borg, "plain": plain}


def read_table(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """The aggregated table of the jobs. For classes, all jobs of a class have its mean duration,
    and shares replace numbers of jobs."""
    if "classes" in parameters:
        return tabulate(parameters["classes"])
    with _refusing(parameters.get("trace")):
        return aggregate.aggregate(read_chunks(parameters, progress))


def tabulate(block: Mapping[str, Any]) -> pd.DataFrame:
    """The table of a block `classes`."""
    shares, means = np.array(block["shares"]), np.array(block["mean_durations"])
    logs = np.log(means)
    columns = {
        "need": np.array(block["needs"], dtype=float),
        "bin": aggregate.bin_of(means),
        "jobs": shares,
        "duration": shares * means,
        "duration_squared": shares * means**2,
        "log_duration": shares * logs,
        "log_duration_squared": shares * logs**2,
    }
    return pd.DataFrame(columns).sort_values("need", ignore_index=True)


def read_chunks(parameters: Parameters, progress: Progress = iter) -> Iterator[Chunk]:
    """The jobs, with needs rounded up to multiples of the `unit`, if there is one."""
    return count_rows(parameters, progress)[1]


def count_rows(
    parameters: Parameters, progress: Progress = iter
) -> tuple[aggregate.Count, Iterator[Chunk]]:
    """The jobs, and the counter of their rows, which is filled as they are read."""
    block = parameters.get("trace")
    if block is None:
        count = aggregate.Count(limit=0.0)
        return count, count.watch(generate(parameters["generated"], progress))
    count = aggregate.Count(limit=allowed_faults(block))
    chunks = _of_period(_read(block, progress), block.get("period"))
    chunks = count.watch(aggregate.summarise(chunks, block["file"]))
    return count, _in_units(_refuse(block, chunks), block.get("unit"))


def allowed_faults(block: Mapping[str, Any]) -> float:
    """The share of the rows of a log that may be faulty."""
    return block.get("faults", 0.01)


def are_cpus(parameters: Parameters) -> bool:
    """Whether needs are the CPUs of a Slurm log because its block does not say `need`."""
    block = parameters.get("trace") or {}
    return block.get("format") == "slurm" and "need" not in block


def read_jobs(
    parameters: Parameters, progress: Progress = iter
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Needs and durations of all jobs, in the order of the file: 16 bytes a job."""
    chunks = [(c.needs, c.durations) for c in read_chunks(parameters, progress)]
    needs, durations = zip(*chunks, strict=True)
    return np.concatenate(needs), np.concatenate(durations)


def require_readable(block: Mapping[str, Any], *, timed: bool = False) -> None:
    """Raise a misfit if the first rows of a log do not fit its format: if the columns lack a name,
    all rows are faulty or, with `timed`, no job has a time of submission."""
    with _refusing(block):
        first = next((chunk for chunk in _read(block, iter) if chunk.rows), None)
        if first is None:
            raise ValueError(f"{block['file']} has no rows")
        if not len(first.needs) and first.rejected.keys() <= {*FAULTS}:
            worst = max(first.rejected, key=lambda reason: len(first.rejected[reason]))
            line = min(first.rejected[worst])
            raise ValueError(
                f"none of the first {first.rows} rows of {block['file']} is a job; most often:"
                f" {worst}, as line {line}, {_quote(block['file'], line)!r}"
            )
        if timed and len(first.needs) and np.isnan(first.times[:, SUBMITTED]).all():
            raise ValueError(
                f"none of the first {len(first.needs)} jobs of {block['file']} has a time of"
                " submission, without which there is no waiting time"
            )


def _quote(file: str, line: int) -> str:
    """The beginning of a line of a log."""
    for first, text in Lines(file):
        if line < first + text.count(b"\n"):
            return text.split(b"\n")[line - first].decode("utf-8", "replace")[:80]
    return ""


def generate(block: Mapping[str, Any], progress: Progress = iter) -> Iterator[Chunk]:
    """The jobs of a block `generated`; a longer run begins with the jobs of a shorter one."""
    parameters = {key: block[key] for key in ("median", "spread", "correlation")}
    jobs = CorrelatedJobs(tuple(block["needs"]), tuple(block["probabilities"]), **parameters)
    for needs, durations in jobs.draw(block["jobs"], block["seed"], progress):
        yield Chunk(needs, durations, {})


@contextmanager
def _refusing(block: Mapping[str, Any] | None) -> Iterator[None]:
    """Report an error in a log as a misfit at the place where config names the log."""
    try:
        yield
    except PydanticCustomError:  # already a misfit
        raise
    except ValueError as error:
        if block is None:
            raise
        expected = "a log of jobs of the format that is said"
        if reader := FORMATS.get(block.get("format", "")):
            expected += f": {reader.LINES}"
        raise misfit(str(error), expected, "trace", "file") from None


def _refuse(block: Mapping[str, Any], chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    with _refusing(block):
        yield from chunks


def _read(block: Mapping[str, Any], progress: Progress) -> Iterator[Chunk]:
    if "file" not in block:
        raise ValueError(
            f"needs the trace {block['name']!r}: give its file and format under `traces` in the"
            " run's config (config/examples says how to get it)"
        )
    file = block["file"]
    match block["format"]:
        case "swf":
            return swf.read(file, progress)
        case "slurm":
            return slurm.read(file, block.get("need", "cpus"), progress)
        case "borg":
            return borg.read(file, block.get("priorities"), progress)
        case "plain":
            seconds, separator = block.get("seconds", 1.0), block.get("separator", ",")
            return plain.read(file, block["columns"], seconds, separator, progress)
    raise ValueError(f"a trace is in one of swf, slurm, borg, plain, found {block['format']!r}")


def _of_period(chunks: Iterator[Chunk], period: Moments | None) -> Iterator[Chunk]:
    if period is None:
        return chunks
    start, end = bounds(period)
    return (chunk.within(start, end) for chunk in chunks)


def _in_units(chunks: Iterator[Chunk], unit: float | None) -> Iterator[Chunk]:
    if unit is None:
        return chunks
    # A need that is a multiple up to rounding error is kept as that multiple.
    return (replace(c, needs=np.ceil(c.needs / unit * (1 - 1e-12))) for c in chunks)
