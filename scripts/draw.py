"""Draw a figure: the drawing that its spec names, from its series; and write LaTeX to cite it.

The metadata of the files say what they were made from, but hold no date, so that the same figure is
the same file, byte for byte.
"""

from __future__ import annotations

import gc
import importlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from atlas.io import metadata, readable, rendering
from atlas.io.atomic import replace, write_text, write_texts
from atlas.io.cite import frame, paste
from atlas.io.dark_mode import shade
from atlas.io.product import Spec, identify, run
from atlas.io.style import style_context


def draw(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> Iterator[Path]:
    """Write the figure in every format that the config asks for."""
    drawing = importlib.import_module(f"atlas.drawings.{spec['drawing']['kind'].replace('-', '_')}")
    look = spec["look"]
    with style_context(look["style"]):
        figure = drawing.draw(spec, series, look["widths"][spec["width"]])
        rendering.mark_lone_points(figure)
        rendering.freeze_layout(figure)
        readings = readable.name_marks(figure)
        for kind in look["formats"]:
            file = folder / f"{spec['id']}.{kind}"
            _write(figure, file, spec, readings)
            yield file
    texts = {".figure.tex": paste(spec), ".frame.tex": frame(spec)}
    yield from write_texts(folder / spec["id"], texts)


def _write(figure: Figure, file: Path, spec: Spec, readings: readable.Readings) -> None:
    kind = file.suffix[1:]
    record = identify(spec)
    text = json.dumps(record, sort_keys=True, ensure_ascii=False)
    about = metadata.FigureMetadata(spec["title"], spec["caption"] or "", text, record)
    with replace(file) as draft:
        metadata.save(partial(rendering.save, figure), draft, kind, about)
        if kind == "svg":
            drawn = shade(draft.read_text(encoding="utf-8"))
            write_text(draft, readable.attach(drawn, readings))


if __name__ == "__main__":
    gc.disable()  # a figure lives as long as its job
    run(__doc__, draw)
