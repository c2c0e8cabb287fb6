"""Score anybody's results against the reference systems: bias, coverage, and which definitions fit.

FILE is CSV with the columns system, quantity and value, and optionally half_width (of a 95 %
interval), class, k and replications; reference/README.md says what they mean. A report to publish
is written beside it: FILE.score.txt, .tex and .svg.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from atlas.io.atomic import write_texts
from atlas.io.untrusted import AMISS, FINE, UNREADABLE, end, printable, say
from referee.assess import assess
from referee.read import Reference, read_results
from referee.report import draw_badge, tell, typeset

FOLDER = Path(__file__).resolve().parents[1] / "reference"


def main() -> int:
    """`FILE [--reference FOLDER] [--output FOLDER]`; the exit code, as `score` gives it."""
    parser = argparse.ArgumentParser(
        prog="python3 run.py score",
        description=__doc__,
        epilog=f"Ends with {FINE} if no test raises an alarm, {AMISS} if one does, {UNREADABLE} if"
        " the results cannot be read.",
    )
    parser.add_argument("file", type=Path, help="the results (CSV)")
    parser.add_argument("--reference", type=Path, default=FOLDER, help="the reference systems")
    parser.add_argument("--output", type=Path, help="where the report goes; beside FILE by default")
    arguments = parser.parse_args()
    return score(arguments.file, arguments.reference, arguments.output)


def score(file: Path, folder: Path, target: Path | None = None) -> int:
    """Print the report and write it in three forms; `FINE` if no test raises an alarm, else
    `AMISS`. Raises `Unreadable` if the results cannot be read."""
    reference = Reference.load(folder)
    results = read_results(file, reference)
    found = assess(results, reference)
    name = printable(file.name)
    text = tell(name, found, reference.index)
    stem = (target or file.parent) / f"{file.stem}.score"
    tex = typeset(name, found, reference.index)
    write_texts(stem, {".txt": text, ".tex": tex, ".svg": draw_badge(found)})
    say(text.removesuffix("\n"))
    return AMISS if found.alarm else FINE


if __name__ == "__main__":
    end(main)
