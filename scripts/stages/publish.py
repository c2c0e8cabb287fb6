"""Publish: write the gallery, static pages that need neither a server nor a network, and the
bibliography of all that there is to cite."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

from gallery.collect import collect, read_named
from gallery.render import render
from output.atomic import write_text
from output.cite import references
from output.specs import read_spec
from output.sums import leave_sums, require_whole

FOLDER = Path("figures/gallery")
BIBLIOGRAPHY = Path("figures/atlas.bib")


def main() -> None:
    """`SPEC --mark FILE`; marks that the gallery had before go, as those of products do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="all products (JSON)")
    parser.add_argument("--mark", type=Path, required=True, help="left when all is written")
    arguments = parser.parse_args()
    spec = read_spec(arguments.spec)
    # Of a workflow that takes this one as a module, `prefix` is part of the mark's name, but not of
    # the specs' names.
    for entry in spec["products"]:
        entry["spec"] = str(Path(entry["spec"]).resolve())
    made = arguments.mark.resolve()
    os.chdir(made.parents[2])
    papers, data = collect(spec["products"])
    require_whole(data.values(), Path())
    pages = render(papers)
    # What a former run left would stay for ever: no other rule knows these names.
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, source in data.items():
        target = FOLDER / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    for name, text in pages.items():
        write_text(FOLDER / name, text)
    cited = [read_named(Path(entry["spec"])) for entry in spec["products"]]
    write_text(BIBLIOGRAPHY, references(*cited))
    for mark in made.parent.glob("gallery.*"):
        mark.unlink()
    leave_sums(made, [BIBLIOGRAPHY, *(FOLDER / name for name in (*data, *pages))], Path())


if __name__ == "__main__":
    main()
