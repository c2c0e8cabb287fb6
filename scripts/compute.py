"""Compute a series: run a study on its parameters and cache the table it returns, with its sum.

If a series is split over jobs, each job computes the points of one part. Before it computes, a
study checks conditions that only a solution can decide, such as whether a load is stable.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

from pydantic_core import PydanticCustomError
from tqdm import tqdm

from atlas.fields.block import Block
from atlas.fields.columns import check_columns
from atlas.io.specs import read_spec
from atlas.io.sums import leave_sums
from atlas.io.tidy import write_table


def main() -> None:
    """`SPEC --output FILE [--part K-of-N] [--place FILE KEY ...]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="study and parameters (JSON)")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--part", type=read_part, help="such as 1-of-3: without sums")
    parser.add_argument("--place", nargs="*", help="where config describes it: a file, and keys")
    arguments = parser.parse_args()
    spec = read_spec(arguments.spec)
    study = importlib.import_module(f"atlas.studies.{spec['study'].replace('-', '_')}")
    options = {}
    if "progress" in inspect.signature(study.compute).parameters:
        options["progress"] = lambda items: report(choose(items, arguments.part), spec["study"])
    parameters = study.Parameters.model_validate(spec["parameters"])
    try:
        check(study, parameters)
        table = study.compute(parameters, **options)
    except PydanticCustomError as error:
        # Imported by name: import statements count in the digest of this code, and the text of a
        # message does not change results.
        refusal = importlib.import_module("atlas.config.refusal")
        place = arguments.place or [str(arguments.spec), "parameters"]
        sys.exit(refusal.describe_refusal(error, place))
    check_columns(table, study.UNITS)
    write_table(arguments.output, table, study.UNITS)
    if arguments.part:
        return
    # In a workflow that uses this one as a module, the output's name begins with the `prefix`.
    root = arguments.output.parents[3]
    leave_sums(arguments.output.with_suffix(".sha256"), [arguments.output], root)


def check(study: ModuleType, parameters: Block) -> None:
    """Raise a misfit if the study cannot compute the series. For a log it finds that only while it
    computes."""
    if hasattr(study, "check"):
        study.check(parameters)


def read_part(text: str) -> tuple[int, int]:
    """The number of a part, from 1, and the number of parts. Raises `ValueError`."""
    found = re.fullmatch("([0-9]+)-of-([0-9]+)", text)
    part, parts = map(int, found.groups()) if found else (0, 0)
    if not 1 <= part <= parts:
        raise ValueError(f"found {text!r}, expected a part such as 1-of-3")
    return part, parts


def choose(items: Iterable, part: tuple[int, int] | None) -> Iterable:
    """The items of a part, which is a contiguous share of the sequence; all without a part."""
    if part is None:
        return items
    if not isinstance(items, Sequence) or len(items) < part[1]:
        raise ValueError(f"found {items!r:.80}, expected {part[1]} points or more to split")
    first, last = ((k * len(items)) // part[1] for k in (part[0] - 1, part[0]))
    return items[first:last]


def report(items, label: str) -> tqdm:
    """A progress bar in whole lines, which several jobs can write to one terminal or log."""
    return tqdm(items, desc=label, file=_Lines(), mininterval=2, delay=2, ncols=72, leave=False)


class _Lines:
    """Standard error, where each update of a bar is a new line."""

    def write(self, text: str) -> None:
        bar = text.strip("\r\n ")
        if bar:
            sys.stderr.write(bar + "\n")

    def flush(self) -> None:
        sys.stderr.flush()


if __name__ == "__main__":
    main()
