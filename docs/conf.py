"""The site: hand-written pages and the library's docstrings. No page loads from another host."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
PARTS = ("src", "benchmarks")
sys.path[:0] = [str(HERE), *(str(HERE.parent / part) for part in PARTS)]

import multiserver
from animation import write_animation
from config_reference import write_drawings, write_quantities, write_studies
from coverage_tables import write_controls, write_coverage, write_coverage_summary
from methods import write_exact, write_methods
from pictures import PICTURES
from referee_tables import write_verdicts
from rulegraph import rulegraph
from timing_tables import draw_cost, draw_scaling, write_cost, write_scaling, write_timings
from waiting_time_tables import write_time_coverage, write_time_routes

TABLES = {
    "controls": write_controls,
    "coverage": write_coverage,
    "coverage-in-short": write_coverage_summary,
    "drawings": write_drawings,
    "exact": write_exact,
    "methods": write_methods,
    "moving": write_animation,
    "quantities": write_quantities,
    "scored": write_verdicts,
    "studies": write_studies,
    "time-coverage": write_time_coverage,
    "time-routes": write_time_routes,
    "timed": write_timings,
    "scaling": write_scaling,
    "cost": write_cost,
}

project = "Multiserver Atlas"
author = "The Multiserver Atlas authors"
project_copyright = author
release = multiserver.__version__

extensions = ["myst_parser", "sphinx.ext.apidoc", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 2
default_role = "code"  # in docstrings, `name`

apidoc_modules = [
    {
        "path": "../src/multiserver",
        "destination": "_modules",
        "separate_modules": True,
        "module_first": True,
    }
]
autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
autodoc_typehints = "signature"
autodoc_use_type_comments = False  # there are none, and looking for them takes time
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

exclude_patterns = ["_*.md", "_modules/modules.rst"]
suppress_warnings = ["ref.python"]  # the package's page repeats names of its modules

html_theme = "furo"
html_title = project
html_show_sphinx = False
html_copy_source = False
html_static_path = ["styles"]
html_css_files = ["wide.css"]


def setup(app: Sphinx) -> None:
    """Generate pictures and tables before the pages are read."""
    app.connect("config-inited", draw)
    app.connect("autodoc-skip-member", skip)


def skip(app: Sphinx, what: str, name: str, value: object, *_: object) -> bool | None:
    """Leave out the function `policy`, which shares its name with a module."""
    return True if value is multiserver.policies.policy else None


def draw(*_: object) -> None:
    """Write the pictures and tables beside the pages that show them."""
    for name, text in TABLES.items():
        (HERE / f"_{name}.md").write_text(text(), encoding="utf-8")
    folder = HERE / "_pictures"
    folder.mkdir(exist_ok=True)
    for name, picture in (PICTURES | {"rulegraph": rulegraph}).items():
        (folder / f"{name}.svg").write_text(picture().svg(), encoding="utf-8")
    draw_scaling().savefig(folder / "scaling.svg")
    draw_cost().savefig(folder / "cost.svg")
