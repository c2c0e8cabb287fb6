"""Small copies of pictures, for pages that show many of them."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from atlas.io.atomic import replace

# Figures have few colours, and shades between them.
COLOURS = 64


def shrink(picture: Path, target: Path, width: int) -> None:
    """Write a picture as a PNG that is so many pixels wide."""
    with Image.open(picture) as whole, replace(target) as draft:
        height = round(width * whole.height / whole.width)
        rgb = whole.convert("RGB")
        small = rgb.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
        # An octree is faster than the median cut, and makes white 254 of 255.
        small.quantize(COLOURS).save(draft, "png")
