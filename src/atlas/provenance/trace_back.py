"""Trace a product back to how it was made, from its record (`provenance.records`).

The account gives the figure, paper, parameters, seed, digests and the command that redraws it, and
says whether the present config would draw the same.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.io.credit import trace_origin
from atlas.io.untrusted import printable
from atlas.provenance.records import ProvenanceRecord

if TYPE_CHECKING:
    from atlas.plan.resolve import Plan

KINDS = {"tabulate": "table", "judge": "ledger", "standardise": "scores", "typeset": "values"}
SAME, CHANGED = "as the config now stands", "not what the config would now draw"
FORGED = "it bears the fingerprint of what the config draws, and tells something else"
GONE, UNKNOWN = "no longer in the config", "not known, as the config cannot be read"


def redraw(record: ProvenanceRecord, configfiles: Sequence[Path]) -> str:
    """The command that redraws the figure, from the config as it is when the command runs."""
    # run.py changes to the project's folder first, so names must be absolute.
    files = [str(file.resolve()) for file in configfiles]
    options = ["--configfile", *files] if files else []
    return shlex.join(["python3", "run.py", f"{record['paper']}_{record['id']}", *options])


def compare(
    record: ProvenanceRecord, root: Path, configfiles: Sequence[Path]
) -> tuple[str, list[str]]:
    """The standing of the record against the config under `root`, and the differences."""
    from atlas.config.errors import ConfigError

    paper = record["paper"]
    try:
        plan = _plan(paper, root, tuple(configfiles))
    except (ConfigError, OSError) as error:
        return UNKNOWN, [str(error)]
    if paper not in plan.papers:
        hint = "" if configfiles else "; --configfile FILE, after the name, adds a file of your own"
        return GONE, [f"it draws {', '.join(plan.papers)}, not {paper}{hint}"]
    for product in plan.products:
        if (product.paper, product.id) == (paper, record["id"]):
            return find_differences(record, product.spec)
    return GONE, [f"{paper} has no {record['id']}"]


@lru_cache(maxsize=8)
def _plan(paper: str, root: Path, configfiles: tuple[Path, ...]) -> Plan:
    """The plan for the config under `root`, for this paper only if that is possible."""
    from atlas.config.read import read_mapping
    from atlas.config.run_config import CONFIG, our_files
    from atlas.plan.resolve import Plan

    drawn = read_mapping(root / CONFIG, CONFIG)[0].get("papers", "all")
    alone = not configfiles and paper in our_files(root) and drawn == "all"
    # Planning the others takes seconds.
    return Plan.load({"papers": [paper]} if alone else {}, root, configfiles)


def find_differences(record: ProvenanceRecord, spec: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The standing of the record against the present spec of the figure, and the differences.

    A record with the fingerprint of the spec but other content is forged.
    """
    differences = []
    for name in sorted(record["series"].keys() | spec["series"].keys()):
        then, now = record["series"].get(name), spec["series"].get(name)
        if then is None or now is None:
            differences.append(f"series {name}: {'new' if then is None else 'gone'}")
            continue
        recorded, parameters = then.get("parameters"), json.loads(json.dumps(now["parameters"]))
        changed = [] if recorded is None else list(_walk(recorded, parameters, ""))
        if then["study"] != now["study"]:
            changed.insert(0, f"study: {then['study']}, now {now['study']}")
        if then["digest"] != now["digest"] and not changed:
            known = "same parameters; the code that computes it has changed, or a package"
            unknown = "its parameters, which are not recorded, its code or a package have changed"
            changed = [unknown if recorded is None else known]
        differences += [f"series {name}: {change}" for change in changed]
    if record["code"] != spec["code"]:
        differences.append("the code that draws it has changed")
    if record["title"] != spec.get("title"):
        differences.append(f"title: {record['title']}, now {spec.get('title')}")
    if record["fingerprint"] == spec["fingerprint"]:
        for key in ("bibliography", "source"):
            then, now = record.get(key) or {}, spec.get(key) or {}
            differences += [f"{key}: {then}, now {now}"] * any(then[k] != now.get(k) for k in then)
        return (CHANGED, [FORGED, *differences]) if differences else (SAME, [])
    return CHANGED, differences or [
        "its caption, source, drawing, style, width, formats or packages, or an order, differ"
    ]


def _walk(then: Any, now: Any, path: str) -> Iterator[str]:
    """Every difference between two sets of parameters."""
    then, now = _by_id(then), _by_id(now)
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


def _by_id(value: Any) -> Any:
    """Rows that bear an id, such as claims, by their ids; any other value as it is."""
    rows = value if isinstance(value, list) else []
    ids = [row.get("id") if isinstance(row, dict) else None for row in rows]
    named = bool(ids) and all(isinstance(one, str) for one in ids)
    return dict(zip(ids, rows, strict=True)) if named else value


def format_account(
    record: ProvenanceRecord, command: str, standing: str, differences: Sequence[str]
) -> Iterator[str]:
    """The account, line by line. Text of the record never begins a line or breaks one."""

    def row(label: str, text: str) -> str:
        return f"{label:<12} {printable(text)}"

    series = record["series"]
    seeds = sorted(set(_find_seeds(series)), key=lambda seed: (len(seed), seed))
    names = filter(None, (record["id"], record["title"]))
    yield row(KINDS.get(record.get("stage"), "figure"), ": ".join(names))
    yield row("paper", record["paper"])
    yield row("source", trace_origin(record))
    yield row("licence", record.get("licence") or "not recorded")
    known = all(made.get("parameters") is not None for made in series.values())
    yield row("seed", ", ".join(seeds) or ("none" if known else "not recorded"))
    yield row("fingerprint", record["fingerprint"])
    yield row("code", record["code"])
    for name, made in series.items():
        yield row("series", f"{name}: {made['study']} {made['digest']}")
        for key, value in (made.get("parameters") or {}).items():
            yield f"{'':15}{printable(f'{key}: {_show(value)}')}"
    yield row("redraw", command)
    yield row("standing", standing)
    for difference in differences:
        # The faults of the project's config take several lines.
        lines = difference.splitlines() if standing == UNKNOWN else [difference]
        yield from (f"{'':15}{printable(line)}" for line in lines)


def _find_seeds(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _find_seeds(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "seed":
                yield _show(item)
            else:
                yield from _find_seeds(item)


def _show(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
