"""Compute a series: run a study on its parameters and cache the table it returns, with its sum."""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from pathlib import Path

from tqdm import tqdm

from declared.columns import check_columns
from output.specs import read_spec
from output.sums import leave_sums
from output.tidy import write_table


def main() -> None:
    """`SPEC --output FILE`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="study and parameters (JSON)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    spec = read_spec(arguments.spec)
    study = importlib.import_module(f"studies.{spec['study'].replace('-', '_')}")
    options = {}
    if "progress" in inspect.signature(study.compute).parameters:
        options["progress"] = lambda items: report(items, spec["study"])
    parameters = study.Parameters.model_validate(spec["parameters"])
    table = study.compute(parameters, **options)
    check_columns(table, study.UNITS)
    write_table(arguments.output, table, study.UNITS)
    # Of a workflow that takes this one as a module, `prefix` is part of the output's name.
    root = arguments.output.parents[3]
    leave_sums(arguments.output.with_suffix(".sha256"), [arguments.output], root)


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
