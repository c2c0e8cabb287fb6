"""Say where a figure, table or ledger comes from, or the figures in the PDF of a paper.

Prints what it is, its paper, source, licence, parameters, seed and digests, the command that makes
it again, and whether the present config would make the same.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from atlas.io.untrusted import FINE, UNREADABLE, end, say
from atlas.provenance.records import ProvenanceRecord, read_records, tell_changed
from atlas.provenance.trace_back import compare, format_account, redraw

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """`FILE [--configfile FILE ...] [--json]`, in any order; the exit code. Raises `Unreadable`."""
    parser = argparse.ArgumentParser(
        prog="python3 run.py whence",
        description=__doc__,
        epilog=f"Ends with {UNREADABLE} if the file says nothing of the kind.",
        allow_abbrev=False,  # --config, as snakemake has it, would be taken for --configfile
    )
    parser.add_argument("file", type=Path, nargs="?", help="PDF, SVG, PNG, CSV, LaTeX or text")
    parser.add_argument(
        "--configfile", type=Path, nargs="+", default=[], help="as given to snakemake"
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    arguments = parser.parse_intermixed_args()
    if arguments.file is None:  # it may follow the config files
        if len(arguments.configfile) < 2:
            parser.error("no FILE is named")
        arguments.file = arguments.configfile.pop()
    records = read_records(arguments.file)
    accounts = [account(record, arguments.configfile) for record in records]
    if len(records) == 1 and (changed := tell_changed(arguments.file, records[0])):
        (told,) = accounts
        told["differences"] = [f"its record: {told['standing']}", *told["differences"]]
        told["standing"] = changed
    if arguments.json:
        merged = [record | found for record, found in zip(records, accounts, strict=True)]
        say(json.dumps(merged if len(merged) > 1 else merged[0], indent=1))
    else:
        texts = (
            "\n".join(format_account(s, **found))
            for s, found in zip(records, accounts, strict=True)
        )
        say("\n\n".join(texts))
    return FINE


def account(record: ProvenanceRecord, configfiles: list[Path]) -> dict[str, Any]:
    """The command that makes it again, and whether and how it differs from the config."""
    standing, differences = compare(record, ROOT, configfiles)
    command = redraw(record, configfiles)
    return {"command": command, "standing": standing, "differences": differences}


if __name__ == "__main__":
    end(main)
