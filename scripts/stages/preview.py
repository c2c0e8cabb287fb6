"""Shrink a figure's PNG to a preview for the project's front page."""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image

from output.atomic import replace

WIDTH = 720


def main() -> None:
    """`FIGURE --output FILE`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figure", type=Path, help="the figure's PNG")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    with Image.open(arguments.figure) as picture, replace(arguments.output) as draft:
        height = round(WIDTH * picture.height / picture.width)
        small = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
        small.quantize(64).save(draft, optimize=True)


if __name__ == "__main__":
    main()
