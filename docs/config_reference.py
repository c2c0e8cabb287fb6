"""The names that config may use: every study, drawing and quantity of a claim, from the code.

Keys, defaults and meanings come from the JSON Schemas, units from the studies' columns; examples
are the shortest of their kind in config/papers and config/examples.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src")]

from atlas.config.kinds import ATLAS, kinds, module
from atlas.config.quantities import find_quantities
from atlas.config.read import read_yaml
from atlas.config.schemas import describe

PAPERS = [
    file for of in ("papers", "examples") for file in sorted((ROOT / "config" / of).glob("*.yaml"))
]
# Longer examples (in characters) are left out.
MAX_EXAMPLE_LENGTH = 600


def write_studies() -> str:
    """A section for each study: what it computes, its keys, its columns, an example."""
    parts = []
    for kind in kinds("studies"):
        units = module("studies", kind).UNITS
        columns = ", ".join(f"`{name}` ({unit})" for name, unit in units.items())
        rows = [f"Columns, with their units: {columns}.", ""]
        parts += [*_section("studies", "study", kind), *rows, *_example("study", kind)]
    return "\n".join(parts)


def write_drawings() -> str:
    """A section for each drawing: what it shows, its series and its keys, an example."""
    parts = []
    for kind in kinds("drawings"):
        parts += [*_section("drawings", "kind", kind), *_example("kind", kind)]
    return "\n".join(parts)


def write_quantities() -> str:
    """A table of the quantities of each module of claims: what they return and take."""
    parts, last = [], ""
    for name, one in find_quantities().items():
        if one.module != last:
            last = one.module
            about = (ATLAS / f"claims/{last}.py").read_text("utf-8").split('"""')[1]
            head = ["| quantity | what it is | given |", "|---|---|---|"]
            parts += ["", f"### {last.replace('_', '-')}", "", about.splitlines()[0], "", *head]
        given = [f"`{key}`" for key in one.required] + [f"`{key}`, or none" for key in one.optional]
        how = one.how.replace("|", "\\|")
        parts.append(f"| `{name}` | {how} | {'; '.join(given)} |")
    return "\n".join([*parts, ""])


def _section(group: str, key: str, kind: str) -> list[str]:
    """The heading, the module's docstring, and a table of keys."""
    schema = _schemas()[f"{group}-{kind}"]
    about = module(group, kind).__doc__.strip()
    lines = [f"### {kind}", "", about, ""]
    properties = {k: v for k, v in schema["properties"].items() if k != key}
    if not properties:
        return [*lines, "It has no keys of its own.", ""]
    lines += ["| key | meaning | default |", "|---|---|---|"]
    for name, one in properties.items():
        meaning = " ".join(_meaning(one).split()).replace("|", "\\|")
        default = "required" if name in schema["required"] else _default(one)
        lines.append(f"| `{name}` | {meaning} | {default} |")
    return [*lines, ""]


def _meaning(one: Mapping[str, Any]) -> str:
    """The description of a key, or that of the definition to which it refers."""
    if "description" in one:
        return one["description"]
    if "$ref" in one:
        return _meaning(_schemas()[one["$ref"].rsplit("/", 1)[1]])
    found = [_meaning(part) for part in one.get("anyOf", one.get("allOf", []))]
    if "const" in one or "enum" in one:
        return "one of " + ", ".join(f"`{v}`" for v in one.get("enum", [one.get("const")]))
    return ", or ".join(filter(None, found)) or {"null": ""}.get(one.get("type"), "")


def _default(one: Mapping[str, Any]) -> str:
    value = one.get("default")
    return "none" if value is None else f"`{_to_inline_yaml(value)}`"


def _example(key: str, kind: str) -> list[str]:
    """The shortest block of that kind in the files."""
    blocks = [_to_inline_yaml(block) for block in _blocks(key) if block.get(key) == kind]
    blocks = [text for text in blocks if len(text) <= MAX_EXAMPLE_LENGTH]
    return ["```yaml", min(blocks, key=len), "```", ""] if blocks else []


@cache
def _schemas() -> Mapping[str, Any]:
    return describe()["paper.json"]["$defs"]


def _blocks(key: str) -> Iterator[dict[str, Any]]:
    """The blocks of all series (key `study`) or of all drawings, in all files."""
    for content in _papers():
        for group in ("figures", "tables"):
            for block in (content.get(group) or {}).values():
                if key == "study":
                    yield from (block.get("series") or {}).values()
                elif "drawing" in block:
                    yield block["drawing"]


@cache
def _papers() -> tuple[dict[str, Any], ...]:
    return tuple(read_yaml(file, file.name)[0] for file in PAPERS)


def _to_inline_yaml(value: Any) -> str:
    """A value on one line of YAML."""
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, sort_keys=False)
    return " ".join(text.removesuffix("...\n").split())
