"""Shrink a figure's PNG to a preview for the project's front page."""

from __future__ import annotations

import argparse
from pathlib import Path

from atlas.io.thumbnails import shrink

WIDTH = 720


def main() -> None:
    """`FIGURE --output FILE`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figure", type=Path, help="the figure's PNG")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    shrink(arguments.figure, arguments.output, WIDTH)


if __name__ == "__main__":
    main()
