"""Trace a figure back to its making: what a PDF, SVG or PNG of ours says of itself.

Figure, paper, parameters, seed, digests and the command that redraws it, and whether the config as
it now stands would draw the same.
"""

from __future__ import annotations

import json
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image
from pypdf import PdfReader
from pypdf.errors import PyPdfError

# What every story of ours has.
KEYS = {"paper", "id", "title", "series", "fingerprint", "code"}
DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"
SAME, CHANGED = "as the config now stands", "not what the config would now draw"
GONE, UNKNOWN = "no longer in the config", "not known, as the config cannot be read"

Story = dict[str, Any]


class NotOurs(Exception):
    """A file that tells no story of ours, and why."""


def read_story(file: Path) -> Story:
    """What the figure in a file says of itself. Raises `NotOurs`."""
    try:
        head = file.read_bytes()[:8]
        if head.startswith(b"%PDF"):
            text = (PdfReader(file).metadata or {}).get("/Subject")
        elif head.startswith(b"\x89PNG"):
            with Image.open(file) as picture:
                text = picture.text.get("Description")
        else:
            text = ET.parse(file).findtext(f".//{DESCRIPTION}")
    except ET.ParseError:
        raise NotOurs("found neither a PDF, a PNG nor a whole SVG") from None
    except (PyPdfError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise NotOurs(f"cannot be read, or not in whole ({error})") from None
    try:
        story = json.loads(text or "")
    except json.JSONDecodeError:
        story = None
    if not isinstance(story, dict) or not story.keys() >= KEYS:
        raise NotOurs("not a figure of ours: its description does not say how it was made")
    return story


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
    from plan.read import read_yaml

    config: dict[str, Any] = {}
    paper = story["paper"]
    try:
        for file in (root / "config/config.yaml", *configfiles):
            update_config(config, read_yaml(file, str(file))[0] or {})
        drawn = config.get("papers", "all")
        if not configfiles and (root / f"config/papers/{paper}.yaml").is_file() and drawn == "all":
            config["papers"] = [paper]  # what the others draw takes seconds to work out
        plan = Plan.load(config, root, configfiles)
    except (ConfigError, OSError) as error:
        return UNKNOWN, [str(error)]
    if paper not in plan.papers:
        return GONE, [f"it draws {', '.join(plan.papers)}, not {paper}"]
    for product in plan.products:
        if (product.paper, product.id, product.stage) == (paper, story["id"], "draw"):
            return find_differences(story, product.spec)
    return GONE, [f"{paper} has no figure {story['id']}"]


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
            changed = list(_walk(then["parameters"], now["parameters"], ""))
            if then["study"] != now["study"]:
                changed.insert(0, f"study: {then['study']}, now {now['study']}")
            changed = changed or [
                "same parameters; the code that computes it has changed, or a package"
            ]
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
    yield f"figure       {story['id']}: {story['title']}"
    yield f"paper        {story['paper']}"
    yield f"seed         {', '.join(map(str, sorted(seeds))) or 'none'}"
    yield f"fingerprint  {story['fingerprint']}"
    yield f"code         {story['code']}"
    for name, made in series.items():
        yield f"series       {name}: {made['study']} {made['digest']}"
        for key, value in made["parameters"].items():
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
