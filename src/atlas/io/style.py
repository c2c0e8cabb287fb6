"""The settings of matplotlib that a figure is drawn with.

A plan checks them too. It draws nothing, and the parts of matplotlib that draw are slow to import.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib

# Settings that the drawings need, whatever a style says.
NEEDED = {
    "figure.constrained_layout.use": True,
    "figure.autolayout": False,
    "text.usetex": False,
    "path.effects": [],
}
# Without a salt, the ids in an SVG file would be random.
SALT = "multiserver-atlas"


@contextmanager
def style_context(style: str) -> Iterator[None]:
    """Figures made in this context follow `style`, the text of a style file, and not a user's
    matplotlibrc."""
    # Matplotlib reads styles from files only, and not every system can reopen an open file.
    with matplotlib.rc_context(), tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "atlas.mplstyle")
        file.write_text(style, encoding="utf-8")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(matplotlib.rc_params_from_file(file, use_default_template=False))
        matplotlib.rcParams.update(NEEDED)
        matplotlib.rcParams["svg.hashsalt"] = matplotlib.rcParams["svg.hashsalt"] or SALT
        yield
