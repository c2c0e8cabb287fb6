"""Compare two built checkouts: every series by its numbers, every figure by what is drawn, every
table and page by its text.

    python -m tests.builds.compare OLD NEW [--common]

Records of how a file was made are masked: fingerprints, digests of code and data, sums, revision,
versions, machine and time. As files of series are named by digests, series are paired by the
product that is made from them and their name there. With `--common`, only products that both have
are compared, and no page about all of them.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, StreamObject
from tests.faults.tiny import MAKING

# A digest, which LaTeX may break after every four digits.
BREAK = r"\\+allowbreak\{\}"
HEX = re.compile(rf"\b[0-9a-f]{{4}}(?:(?:{BREAK})?[0-9a-f]{{4}}){{3}}\b")
# The entry of a product in the bibliography, pending ones included.
ENTRY = re.compile(rf"@misc\{{multiserver-atlas:(.+?):(.+?),\n[^@]*Fingerprint ({HEX.pattern})")
# By these sums a page lets its own scripts run; the scripts are compared themselves.
POLICY = re.compile(r"'sha256-[A-Za-z0-9+/]{43}='")
METADATA = re.compile("<metadata>.*?</metadata>", re.DOTALL)
# Written from the sources, whatever is built; and pictures that git tracks.
BESIDE = ("figures/docs/", "figures/preview/", "figures/README.md")

# What there is to see in a file, by what to call it.
Aspects = Mapping[str, Any]


class Build:
    """What was built in the checkout at `root`, with its own digests masked."""

    def __init__(self, root: Path) -> None:
        self._root = root
        told = {
            f"{file.parent.name}/{file.stem}": json.loads(file.read_text("utf-8"))
            for file in sorted(root.glob("figures/*/*.json"))
        }
        self._sidecars = {name: one for name, one in told.items() if "fingerprint" in one}
        self._digests = {
            digest
            for one in self._sidecars.values()
            for digest in (
                one["fingerprint"],
                one["code"],
                *(series["digest"] for series in one["series"].values()),
            )
        }

        bibliography = root / "figures/atlas.bib"
        cited = bibliography.read_text("utf-8") if bibliography.is_file() else ""
        for paper, id, mark in ENTRY.findall(cited):
            if f"{paper}/{id}" not in self._sidecars:
                self._digests.add(re.sub(BREAK, "", mark))

    def list_files(self, of: Build | None = None) -> dict[str, Path]:
        """Series as `product/name`, figures, tables and pages as their files are called; only what
        belongs to products that another build has too, if one is given."""
        names = self._sidecars.keys() if of is None else self._sidecars.keys() & of._sidecars.keys()
        files = {}
        for product in sorted(names):
            told = self._sidecars[product]
            for name, series in told["series"].items():
                data = f"results/series/{series['study']}/{series['digest']}.csv"
                files[f"series {product}/{name}"] = self._root / data
            sidecar = self._root / f"figures/{product}.json"
            for name in (*told["outputs"], sidecar.name):
                files[f"figures/{product.partition('/')[0]}/{name}"] = sidecar.with_name(name)
        if of is None:
            for file in sorted(filter(Path.is_file, self._root.glob("figures/**/*"))):
                name = file.relative_to(self._root).as_posix()
                if not name.startswith(BESIDE) and not file.name.startswith("."):
                    files.setdefault(name, file)
        return files

    def read(self, file: Path) -> Aspects:
        """What there is to see in a file. Raises `OSError` if it is not there."""
        kind = file.suffix
        if kind == ".png":
            with Image.open(file) as image:
                texts = {key: self._mask(str(text)) for key, text in image.text.items()}
                return {"pixels": (image.mode, image.size, image.tobytes()), "metadata": texts}
        if kind == ".pdf":
            return self._read_pdf(file)
        text = file.read_text("utf-8")
        if kind == ".svg":
            told = "\n".join(METADATA.findall(text))
            return {"drawing": METADATA.sub("", text), "metadata": self._mask(told)}
        if kind == ".csv":
            return {"numbers": text}
        if kind == ".json":
            told = json.loads(text)
            if "fingerprint" in told:
                told = {key: value for key, value in told.items() if key not in MAKING}
                told |= {key: sorted(told.get(key, ())) for key in ("outputs", "data")}
            text = json.dumps(told, indent=1, ensure_ascii=False)
        return {"text": POLICY.sub("'sum'", self._mask(text))}

    def _read_pdf(self, file: Path) -> Aspects:
        reader = PdfReader(file)
        root = reader.trailer["/Root"].get_object()
        packet = root["/Metadata"].get_data().decode() if "/Metadata" in root else ""
        told = {key: self._mask(str(value)) for key, value in (reader.metadata or {}).items()}
        pages = [_flatten(page) for page in reader.pages]
        return {"drawing": pages, "metadata": [told, self._mask(packet)]}

    def _mask(self, text: str) -> str:
        def hide(found: re.Match[str]) -> str:
            return "digest" if re.sub(BREAK, "", found[0]) in self._digests else found[0]

        return HEX.sub(hide, text)


def _flatten(thing: Any) -> Any:
    """A PDF's object with all that it refers to, as plain values; streams as they are decoded."""
    thing = thing.get_object()
    if isinstance(thing, ArrayObject):
        return [_flatten(one) for one in thing]
    if not isinstance(thing, DictionaryObject):
        return str(thing)
    skipped = {"/Parent", "/Length", "/Filter", "/DecodeParms"}
    plain = {key: _flatten(thing[key]) for key in sorted(thing.keys() - skipped)}
    return (plain, thing.get_data()) if isinstance(thing, StreamObject) else plain


def compare(old: Build, new: Build, *, common: bool = False) -> Iterator[str]:
    """What is not the same in two builds, one line a file, and by how much numbers changed."""
    before = old.list_files(new if common else None)
    after = new.list_files(old if common else None)
    for name in sorted(before.keys() | after.keys()):
        if name not in after or name not in before:
            yield f"{name}: only in the {'old' if name in before else 'new'}"
            continue
        found = []
        for build, file in ((old, before[name]), (new, after[name])):
            try:
                found.append(build.read(file))
            except (OSError, ValueError) as error:
                yield f"{name}: {file} cannot be read ({error})"
        if len(found) == 2:
            for aspect in (key for key in found[0] if found[0][key] != found[1].get(key)):
                say = _measure if aspect == "numbers" else _locate
                yield f"{name}: {aspect}{say(found[0][aspect], found[1].get(aspect))}"


def _measure(one: str, other: str) -> str:
    """By how much the numbers of each column changed at most, relatively, and how many cells that
    are no number in both tables."""
    old, new = (pd.read_csv(io.StringIO(text), dtype=str) for text in (one, other))
    if list(old) != list(new) or len(old) != len(new):
        sizes = (f"{len(table)} rows of {len(table.columns)} columns" for table in (old, new))
        return f", {', now '.join(sizes)}"
    moved = []
    for column in old:
        a, b = (pd.to_numeric(table[column], errors="coerce") for table in (old, new))
        differ = old[column].fillna("") != new[column].fillna("")
        numbers = a.notna() & b.notna()
        change = (b / a - 1).abs()[differ & numbers].max()
        cells = int((differ & ~numbers).sum())
        if differ.any():
            by = f" by up to {change:.1e}" if change > 0 else ""
            moved.append(f"{column}{by}{f', {cells} cells' if cells else ''}")
    return f", {'; '.join(moved)}"


def _locate(one: Any, other: Any) -> str:
    """The first line in which two texts differ, if they are texts."""
    if not isinstance(one, str) or not isinstance(other, str):
        return ""
    pairs = itertools.zip_longest(one.splitlines(), other.splitlines(), fillvalue="")
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            at = next(k for k in itertools.count() if old[: k + 1] != new[: k + 1])
            shown = slice(max(0, at - 30), at + 50)
            return f", line {number}: {old[shown]!r}, now {new[shown]!r}"
    return ": ends of lines"


def main() -> None:
    """`OLD NEW [--common]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--common", action="store_true", help="only products that both have")
    arguments = parser.parse_args()
    old, new = Build(arguments.old), Build(arguments.new)
    files = old.list_files(new if arguments.common else None)
    if not any(name.startswith("series ") for name in files):
        sys.exit(f"{arguments.old}: found nothing to compare")
    differences = list(compare(old, new, common=arguments.common))
    if differences:
        sys.exit("\n".join([*differences, f"{len(differences)} differences"]))
    series = sum(name.startswith("series ") for name in files)
    print(f"{series} series and {len(files) - series} files are the same")


if __name__ == "__main__":
    main()
