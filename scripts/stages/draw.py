"""Draw a figure: the drawing its spec names, from the series its spec names; and how to cite it.

The files carry what they were made from in their metadata, and no date, so that the same figure is
the same file, byte for byte.
"""

from __future__ import annotations

import importlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
from matplotlib import _mathtext
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.figure import Figure

from output import metadata
from output.atomic import replace, write_text
from output.cite import frame, paste
from output.shades import shade
from stages.product import Spec, identify, run

# The size of sub- and superscripts: 6 pt beside 7 pt. Matplotlib has 0.7 and no setting for it; its
# parser keeps what it has set, so that the factor stands before anything is drawn.
_mathtext.SHRINK_FACTOR = 6 / 7


def draw(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> Iterator[Path]:
    """Write the figure in every format that the config asks for."""
    drawing = importlib.import_module(f"drawings.{spec['drawing']['kind'].replace('-', '_')}")
    look = spec["look"]
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever a matplotlibrc of the user's says
        matplotlib.rcParams.update(_read_style(look["style"]))
        figure = drawing.draw(spec, series, look["widths"][spec["width"]])
        # The layout is found once; each format would look for it again, and find another.
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")
        figure.set_facecolor(matplotlib.rcParams["savefig.facecolor"])
        for kind in look["formats"]:
            file = folder / f"{spec['id']}.{kind}"
            _write(figure, file, spec)
            yield file
    for suffix, text in ((".figure.tex", paste(spec)), (".frame.tex", frame(spec))):
        file = folder / f"{spec['id']}{suffix}"
        write_text(file, text)
        yield file


def _write(figure: Figure, file: Path, spec: Spec) -> None:
    kind = file.suffix[1:]
    story = identify(spec)
    text = json.dumps(story, sort_keys=True, ensure_ascii=False)
    told = metadata.Told(spec["title"], spec["caption"] or "", text, story)

    def save(file: Any, *, format: str, **options: Any) -> None:
        """What `savefig` does, but for the drawing without a file that it does first, to find a
        layout."""
        figure.set_dpi(matplotlib.rcParams["savefig.dpi"])
        getattr(get_registered_canvas_class(format)(figure), f"print_{format}")(file, **options)

    with replace(file) as draft:
        metadata.save(save, draft, kind, told)
        if kind == "svg":
            write_text(draft, shade(draft.read_text(encoding="utf-8")))


def _read_style(text: str) -> matplotlib.RcParams:
    # It is read from files only; one that is open cannot be read again on every system.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "atlas.mplstyle")
        file.write_text(text, encoding="utf-8")
        return matplotlib.rc_params_from_file(file, use_default_template=False)


if __name__ == "__main__":
    run(__doc__, draw)
