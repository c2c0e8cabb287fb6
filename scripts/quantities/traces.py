"""Quantities of a trace, and the workloads that traces and generated jobs make.

Parameters have a block `trace` (a file and how to read it) or `generated` (a law of needs and
durations, in place of a file):

    log₂ V of the given law, ln T = ln median + σ (r Z + √(1 − r²) X),

Z being ln V in standard units and X an independent standard normal: the log-log correlation is r,
and a job of need v lasts median · exp(σ r z + σ² (1 − r²)/2) seconds on average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiserver.simulation.streams import generator
from traces import Chunk, aggregate, borg, plain, slurm, swf

Parameters = Mapping[str, Any]
Progress = Callable[[Iterable], Iterable]

GENERATED = 2**16


def smallest_to_largest(parameters: Parameters) -> float:
    """The largest need in units of the smallest."""
    needs = read_table(parameters)["need"]
    return float(needs.max() / needs.min())


def commonest_need(parameters: Parameters) -> float:
    """Where the histogram of needs on a logarithmic axis, `bins` a decade, is highest: the middle
    of that bin, in units of the smallest need."""
    classes = aggregate.by_need(read_table(parameters))
    logs = np.log10(classes["need"] / classes["need"].min())
    bins = np.floor(parameters["bins"] * logs + 1e-9)
    highest = classes["jobs"].groupby(bins).sum().idxmax()
    return float(10 ** ((highest + 0.5) / parameters["bins"]))


def correlation(parameters: Parameters) -> float:
    """Pearson's correlation of the logarithms of need and duration."""
    return aggregate.fit(read_table(parameters)).correlation


def read_table(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """The aggregated table of the jobs."""
    return aggregate.aggregate(read_chunks(parameters, progress))


def read_chunks(parameters: Parameters, progress: Progress = iter) -> Iterator[Chunk]:
    """The jobs, each of a need that is a multiple of the `unit`, if there is one."""
    return count_rows(parameters, progress)[1]


def count_rows(
    parameters: Parameters, progress: Progress = iter
) -> tuple[aggregate.Count, Iterator[Chunk]]:
    """The jobs, and what counts their rows as they pass."""
    block = parameters.get("trace")
    if block is None:
        count = aggregate.Count(limit=0.0)
        return count, count.watch(generate(parameters["generated"], progress))
    count = aggregate.Count(limit=block.get("faults", 0.01))
    return count, _in_units(count.watch(_read(block, progress)), block.get("unit"))


def read_jobs(
    parameters: Parameters, progress: Progress = iter
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Needs and durations of all jobs, in the order of the file: 16 bytes a job."""
    chunks = [(c.needs, c.durations) for c in read_chunks(parameters, progress)]
    needs, durations = zip(*chunks, strict=True)
    return np.concatenate(needs), np.concatenate(durations)


def generate(block: Mapping[str, Any], progress: Progress = iter) -> Iterator[Chunk]:
    """The jobs of a block `generated`; those of a longer run begin with those of a shorter."""
    law = generated_law(block)
    cumulated = np.cumsum(law["probability"])
    spread = block["spread"] * math.sqrt(1 - block["correlation"] ** 2)
    for i in progress(range(-(-block["jobs"] // GENERATED))):
        rng = generator(block["seed"], i)
        uniform, normal = rng.random(GENERATED), rng.standard_normal(GENERATED)
        # The last cumulated probability may be below 1 by rounding.
        c = np.searchsorted(cumulated[:-1], uniform, side="right")
        jobs = min(GENERATED, block["jobs"] - i * GENERATED)
        durations = law["median"].to_numpy()[c] * np.exp(spread * normal)
        yield Chunk(law["need"].to_numpy(dtype=float)[c][:jobs], durations[:jobs], {})


def generated_law(block: Mapping[str, Any]) -> pd.DataFrame:
    """Need, probability, median and mean duration of the classes of a block `generated`."""
    needs = np.array(block["needs"], dtype=float)
    p = np.array(block["probabilities"], dtype=float)
    x = np.log(needs)
    mean = p @ x
    deviation = math.sqrt(p @ (x - mean) ** 2)
    z = (x - mean) / deviation if deviation > 0 else np.zeros(len(x))
    r, spread = block["correlation"], block["spread"]
    median = block["median"] * np.exp(spread * r * z)
    expected = median * math.exp(spread**2 * (1 - r**2) / 2)
    return pd.DataFrame({"need": needs, "probability": p, "median": median, "mean": expected})


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
            columns = block["columns"]["need"], block["columns"]["duration"]
            seconds, separator = block.get("seconds", 1.0), block.get("separator", ",")
            return plain.read(file, columns, seconds, separator, progress)
    raise ValueError(f"a trace is in one of swf, slurm, borg, plain, found {block['format']!r}")


def _in_units(chunks: Iterator[Chunk], unit: float | None) -> Iterator[Chunk]:
    for chunk in chunks:
        if unit is None:
            yield chunk
        else:
            # What is a multiple but for rounding stays one.
            multiples = np.ceil(chunk.needs / unit * (1 - 1e-12))
            yield Chunk(multiples, chunk.durations, chunk.rejected)
