"""Trace what we made back to its making: what a figure, table or ledger of ours says of itself.

PDF, SVG and PNG carry their story in their metadata, LaTeX in its first line; of other files it is
read from the sidecar beside, if they are what it says. LaTeX (pdfTeX and LuaTeX) keeps the metadata
of a figure in the PDF of the paper that includes it, where they are found again.

Figure, paper, parameters, seed, digests and the command that redraws it, and whether the config as
it now stands would draw the same.
"""

from __future__ import annotations

import json
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from PIL import Image
from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, IndirectObject

from output.origin import HEAD, trace_origin
from output.sums import sha256

# What every story of ours has.
KEYS = {"paper", "id", "title", "series", "fingerprint", "code"}
PICTURES = (".pdf", ".png")
TEXTS = (".csv", ".json", ".tex", ".txt")
KINDS = {"tabulate": "table", "judge": "ledger", "standardise": "scores", "typeset": "values"}
DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"
SAME, CHANGED = "as the config now stands", "not what the config would now draw"
GONE, UNKNOWN = "no longer in the config", "not known, as the config cannot be read"

Story = dict[str, Any]


class NotOurs(Exception):
    """A file that tells no story of ours, and why."""


def read_stories(file: Path) -> list[Story]:
    """What a file says of itself, or of the figures in it. Raises `NotOurs`."""
    try:
        content = file.read_bytes()
        if content.startswith(b"%PDF"):
            texts = list(_read_pdf(file))
        elif content.startswith(b"\x89PNG"):
            with Image.open(file) as picture:
                texts = [picture.text.get("Description")]
        elif file.suffix == ".svg":
            texts = [ET.parse(file).findtext(f".//{DESCRIPTION}")]
        elif file.suffix in TEXTS:
            texts = [_read_text(file, content)]
        elif file.suffix in PICTURES:
            raise NotOurs(f"found no whole {file.suffix[1:].upper()}")
        else:
            raise NotOurs(f"found neither a PDF, a PNG, an SVG nor one of {', '.join(TEXTS)}")
    except ET.ParseError:
        raise NotOurs("found no whole SVG") from None
    except (PyPdfError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise NotOurs(f"cannot be read, or not in whole ({error})") from None
    stories = list(filter(None, map(_parse, texts)))
    if not stories:
        raise NotOurs("not of our making: nothing in it says how it was made")
    return stories


def _parse(text: Any) -> Story | None:
    try:
        story = json.loads(text or "")
    except (TypeError, ValueError, RecursionError):
        return None
    return story if isinstance(story, dict) and story.keys() >= KEYS else None


def _read_pdf(file: Path) -> Iterator[Any]:
    """The subject of the file, or else those of the figures that it includes."""
    reader = PdfReader(file)
    own = (reader.metadata or {}).get("/Subject")
    if _parse(own):
        yield own
        return
    numbers = {
        n for table in (reader.xref, {0: reader.xref_objStm}) for g in table for n in table[g]
    }
    for number in sorted(numbers):
        with suppress(PyPdfError, ValueError, KeyError):
            found = IndirectObject(number, 0, reader).get_object()
            # LuaTeX writes what a figure says of itself into the figure, pdfTeX beside it.
            inner = dict.get(found, "/PTEX.InfoDict") if isinstance(found, dict) else None
            for told in (found, inner):
                if isinstance(told, DictionaryObject) and "/Subject" in told:
                    yield told["/Subject"]


def _read_text(file: Path, content: bytes) -> str:
    """The first line of LaTeX of ours, or the sidecar of a file that is as it was made."""
    text = content.decode("utf-8")
    head = text.partition("\n")[0]
    if head.startswith(HEAD):
        return head.removeprefix(HEAD)
    if file.suffix == ".json":
        return text
    sidecar = file.with_name(f"{file.name.partition('.')[0]}.json")
    if not sidecar.is_file():
        raise NotOurs(f"its story stands in its sidecar, and there is no {sidecar.name} beside it")
    told = sidecar.read_text(encoding="utf-8")
    story = _parse(told) or {}
    if story.get("outputs", {}).get(file.name) != sha256(content):
        raise NotOurs(f"not what {sidecar.name} beside it tells of: another file, or changed since")
    return told


def redraw(story: Story, configfiles: Sequence[Path]) -> str:
    """The command that draws the figure as the config then stands."""
    # run.py goes to the project's folder first.
    files = [str(file.resolve()) for file in configfiles]
    options = ["--configfile", *files] if files else []
    return shlex.join(["python3", "run.py", f"{story['paper']}_{story['id']}", *options])


def compare(story: Story, root: Path, configfiles: Sequence[Path]) -> tuple[str, list[str]]:
    """How the story stands to the config under `root`, and in what the two differ."""
    from snakemake.utils import update_config

    from plan import ConfigError, Plan
    from plan.choose import our_files
    from plan.read import read_yaml

    config: dict[str, Any] = {}
    paper = story["paper"]
    try:
        for file in (root / "config/config.yaml", *configfiles):
            update_config(config, read_yaml(file, str(file))[0] or {})
        drawn = config.get("papers", "all")
        if not configfiles and paper in our_files(root) and drawn == "all":
            config["papers"] = [paper]  # what the others draw takes seconds to work out
        plan = Plan.load(config, root, configfiles)
    except (ConfigError, OSError) as error:
        return UNKNOWN, [str(error)]
    if paper not in plan.papers:
        return GONE, [f"it draws {', '.join(plan.papers)}, not {paper}"]
    for product in plan.products:
        if (product.paper, product.id) == (paper, story["id"]):
            return find_differences(story, product.spec)
    return GONE, [f"{paper} has no {story['id']}"]


def find_differences(story: Story, spec: Mapping[str, Any]) -> tuple[str, list[str]]:
    """How the story stands to the spec from which the figure would now be drawn."""
    if story["fingerprint"] == spec["fingerprint"]:
        return SAME, []
    differences = []
    for name in sorted(story["series"].keys() | spec["series"].keys()):
        then, now = story["series"].get(name), spec["series"].get(name)
        if then is None or now is None:
            differences.append(f"series {name}: {'new' if then is None else 'gone'}")
        elif then["digest"] != now["digest"]:
            parameters = now["parameters"]
            changed = list(_walk(then.get("parameters", parameters), parameters, ""))
            if then["study"] != now["study"]:
                changed.insert(0, f"study: {then['study']}, now {now['study']}")
            known = "same parameters" if "parameters" in then else "its parameters are not told"
            changed = changed or [f"{known}; the code that computes it has changed, or a package"]
            differences += [f"series {name}: {change}" for change in changed]
    if story["code"] != spec["code"]:
        differences.append("the code that draws it has changed")
    if story["title"] != spec["title"]:
        differences.append(f"title: {story['title']}, now {spec['title']}")
    return CHANGED, differences or [
        "its caption, source, drawing, style, width, formats or packages, or an order, differ"
    ]


def _walk(then: Any, now: Any, path: str) -> Iterator[str]:
    """Every difference between two sets of parameters."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in [*then, *(key for key in now if key not in then)]:
            below = f"{path}.{key}" if path else key
            if key not in now:
                yield f"{below}: {_show(then[key])}, now gone"
            elif key not in then:
                yield f"{below}: new, {_show(now[key])}"
            else:
                yield from _walk(then[key], now[key], below)
    elif then != now:
        yield f"{path}: {_show(then)}, now {_show(now)}"


def tell(story: Story, command: str, standing: str, differences: Sequence[str]) -> Iterator[str]:
    """The account, line by line."""
    series = story["series"]
    seeds = set(_find_seeds(series))
    yield f"{KINDS.get(story.get('stage'), 'figure'):<12} {story['id']}: {story['title']}"
    yield f"paper        {story['paper']}"
    yield f"source       {trace_origin(story)}"
    yield f"licence      {story.get('licence', 'not told')}"
    yield f"seed         {', '.join(map(str, sorted(seeds))) or 'none'}"
    yield f"fingerprint  {story['fingerprint']}"
    yield f"code         {story['code']}"
    for name, made in series.items():
        yield f"series       {name}: {made['study']} {made['digest']}"
        for key, value in made.get("parameters", {}).items():
            yield f"               {key}: {_show(value)}"
    yield f"redraw       {command}"
    yield f"standing     {standing}"
    yield from (f"               {difference}" for difference in differences)


def _find_seeds(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "seed":
                yield item
            else:
                yield from _find_seeds(item)


def _show(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
