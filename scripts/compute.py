"""Compute a series: run a study on its parameters and cache the table it returns, with its sum.

Of a series that is split over jobs, each computes the points of one part. What only a solution can
tell, such as whether a load is stable, a study checks before it computes.
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
        # By name: imports count in the digest of this code, and how it is said changes no result.
        refusal = importlib.import_module("atlas.config.refusal")
        place = arguments.place or [str(arguments.spec), "parameters"]
        sys.exit(refusal.describe_refusal(error, place))
    check_columns(table, study.UNITS)
    write_table(arguments.output, table, study.UNITS)
    if arguments.part:
        return
    # Of a workflow that takes this one as a module, `prefix` is part of the output's name.
    root = arguments.output.parents[3]
    leave_sums(arguments.output.with_suffix(".sha256"), [arguments.output], root)


def check(study: ModuleType, parameters: Block) -> None:
    """Raise a misfit if the study cannot compute what is asked for. Of a log it finds that as it
    computes."""
    if hasattr(study, "check"):
        study.check(parameters)


def read_part(text: str) -> tuple[int, int]:
    """The number of a part, from 1, and how many there are. Raises `ValueError` if it is none."""
    found = re.fullmatch("([0-9]+)-of-([0-9]+)", text)
    part, parts = map(int, found.groups()) if found else (0, 0)
    if not 1 <= part <= parts:
        raise ValueError(f"found {text!r}, expected a part such as 1-of-3")
    return part, parts


def choose(items: Iterable, part: tuple[int, int] | None) -> Iterable:
    """The items of a part: its share of the sequence, one after another; or all."""
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
    """Standard error, with a new line where a bar would return to the start of its own."""

    def write(self, text: str) -> None:
        bar = text.strip("\r\n ")
        if bar:
            sys.stderr.write(bar + "\n")

    def flush(self) -> None:
        sys.stderr.flush()


if __name__ == "__main__":
    main()
