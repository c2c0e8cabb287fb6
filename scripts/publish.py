"""Publish: write the gallery (static pages that need neither a server nor a network) and the
bibliography of all products."""

from __future__ import annotations

import argparse
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from atlas.gallery.collect import collect
from atlas.gallery.render import render
from atlas.io.atomic import write_text
from atlas.io.cite import references
from atlas.io.specs import read_spec
from atlas.io.sums import leave_sums, require_whole
from atlas.io.thumbnails import shrink

FOLDER = Path("figures/gallery")
BIBLIOGRAPHY = Path("figures/atlas.bib")
# In pixels; pages show them at half this width, which suits high-resolution screens.
THUMBNAIL = 420


def main() -> None:
    """`SPEC --mark FILE --threads N`; former marks of the gallery are removed, as those of products
    are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="all products (JSON)")
    parser.add_argument("--mark", type=Path, required=True, help="written when all else is")
    parser.add_argument("--threads", type=int, default=1, help="for small copies of pictures")
    arguments = parser.parse_args()
    spec = read_spec(arguments.spec)
    # In a workflow that uses this one as a module, the mark's name begins with the `prefix`, but
    # the specs' names do not.
    for entry in spec["products"]:
        entry["spec"] = str(Path(entry["spec"]).resolve())
    made = arguments.mark.resolve()
    os.chdir(made.parents[2])
    papers, data = collect(spec["products"])
    require_whole(data.values(), Path())
    titles, first = spec["titles"], spec["first"]
    pages = render(papers, titles, first)
    # Files of a former run would stay for ever: no other rule knows their names.
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, source in data.items():
        target = FOLDER / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    small = {figure.thumbnail: figure for paper in papers for figure in paper.figures}
    small.pop("", None)
    pictures = [FOLDER.parent / figure.paper / f"{figure.id}.png" for figure in small.values()]
    # Pillow releases the interpreter's lock while it decodes, scales and compresses.
    with ThreadPoolExecutor(arguments.threads) as pool:
        copies = [FOLDER / name for name in small]
        list(pool.map(partial(shrink, width=THUMBNAIL), pictures, copies))
    for name, text in pages.items():
        write_text(FOLDER / name, text)
    cited = [read_spec(Path(entry["spec"])) for entry in spec["products"]]
    write_text(BIBLIOGRAPHY, references(*cited))
    for mark in made.parent.glob("gallery.*"):
        mark.unlink()
    leave_sums(made, [BIBLIOGRAPHY, *(FOLDER / name for name in (*data, *small, *pages))], Path())


if __name__ == "__main__":
    main()
