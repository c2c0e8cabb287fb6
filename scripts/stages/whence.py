"""Say whence a figure is: what a PDF, SVG or PNG of ours says of its making.

Prints figure, paper, parameters, seed, digests and the command that redraws it, and whether the
config as it now stands would draw the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from provenance.trace_back import NotOurs, compare, read_story, redraw, tell

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """`FILE [--configfile FILE ...] [--json]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="a figure: PDF, SVG or PNG")
    parser.add_argument(
        "--configfile", type=Path, nargs="+", default=[], help="as given to snakemake"
    )
    parser.add_argument("--json", action="store_true", help="print it for machines")
    arguments = parser.parse_args()
    try:
        story = read_story(arguments.file)
    except NotOurs as error:
        sys.exit(f"{arguments.file}: {error}")
    standing, differences = compare(story, ROOT, arguments.configfile)
    command = redraw(story, arguments.configfile)
    if arguments.json:
        found = {"command": command, "standing": standing, "differences": differences}
        print(json.dumps(story | found, indent=1, ensure_ascii=False))
    else:
        print("\n".join(tell(story, command, standing, differences)))


if __name__ == "__main__":
    main()
