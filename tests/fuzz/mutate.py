"""Single mutations of config files, by class, each at a place drawn from a seeded generator."""

from __future__ import annotations

import copy
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from atlas.config.read import read_yaml

Place = tuple[str | int, ...]

# Below these keys stand names or values of people's own, any of which will do.
NAMES = {"figures", "tables", "series", "labels", "settings", "systems", "networks", "traces"}
NAMES |= {"curves", "points", "panels"}
# Texts that LaTeX is to print.
LETTERS = {"title", "caption", "quote", "where", "reason", "decides", "reading", "what"}
# What a claim is given and states is the business of its quantity.
OPEN = {"given", "stated", "rows"}


@dataclass(frozen=True)
class Mutation:
    """A mutated file: its `text`, the class, the place, and whether it must be refused."""

    kind: str
    place: Place
    text: str
    refused: bool


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):
    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _quote(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    """A text, in quotes where it could be a number: YAML 1.1 has 1e5 for a text, we have not."""
    style = '"' if text[:1] in "+-.0123456789" else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _quote)


def mutate(file: Path, rng: random.Random) -> Mutation:
    """A mutation of the file, of a class that applies to it."""
    while True:
        kind = rng.choice([*STRUCTURAL, *TEXTUAL])
        found = _mutate_text(kind, file, rng) if kind in TEXTUAL else _mutate(kind, file, rng)
        if found is not None:
            return found


def _mutate(kind: str, file: Path, rng: random.Random) -> Mutation | None:
    document = copy.deepcopy(read_yaml(file, file.name)[0])
    document.pop("shared", None)  # unfolded already
    applies, change, strict = STRUCTURAL[kind]
    places = [place for place, value in walk(document) if applies(place, value)]
    if not places:
        return None
    place = rng.choice(places)
    above = document
    for part in place[:-1]:
        above = above[part]
    if change(above, place[-1], rng) is False:
        return None
    text = dump(document)
    strict = strict and not OPEN & set(place)
    return Mutation(kind, place, text, strict)


def dump(document: Any) -> str:
    """A document as a file that reads as the same."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6)


def walk(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """All values of a document but the whole, with their places."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*place, key), item
        if isinstance(item, dict | list):
            yield from walk(item, (*place, key))


def _is_number(_place: Place, value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_closed_number(place: Place, value: Any) -> bool:
    return _is_number(place, value) and not OPEN & set(place)


def _is_list(name: str) -> Callable[[Place, Any], bool]:
    return lambda place, value: place[-1] == name and isinstance(value, list)


def _is_word(place: Place, _value: Any) -> bool:
    """Keys that the declared blocks know, not names of people's own."""
    above = [part for part in place[:-1] if isinstance(part, str)]
    own = bool(above) and above[-1] in NAMES | {"columns", "rows"} | OPEN
    return isinstance(place[-1], str) and not own and not OPEN & set(above)


def _put(value: Any) -> Callable[[Any, Any, random.Random], None]:
    def change(above: Any, key: Any, _rng: random.Random) -> None:
        above[key] = value

    return change


def _misspell(above: Any, key: str, rng: random.Random) -> None:
    i = rng.randrange(len(key))
    word = key[:i] + rng.choice(string.ascii_lowercase) + key[i:]
    items = list(above.items())
    above.clear()
    above.update((word if k == key else k, v) for k, v in items)


def _delete(above: Any, key: Any, _rng: random.Random) -> None:
    del above[key]


def _negate(above: Any, key: Any, _rng: random.Random) -> bool | None:
    if above[key] == 0:
        return False
    above[key] = -above[key]
    return None


def _lengthen(above: Any, key: str, _rng: random.Random) -> None:
    above[key] = [*above[key], above[key][-1]]


def _unbalance(above: Any, key: str, _rng: random.Random) -> bool | None:
    if abs(sum(above[key]) - 1) > 1e-6:  # of quantiles, say
        return False
    above[key] = [0.5 * above[key][0], *above[key][1:]]
    return None


def _state_nothing(above: Any, key: str, rng: random.Random) -> None:
    above[key] = rng.choice(["", None, [""]])


def _outgrow(above: Any, key: str, _rng: random.Random) -> bool | None:
    servers = above.get("servers")
    if not isinstance(servers, int):
        return False
    above[key] = [*above[key][:-1], servers + 1]
    return None


def _rename(above: Any, key: str, _rng: random.Random) -> bool | None:
    if not isinstance(above[key], str):
        return False
    above[key] += "-of-nothing"
    return None


def _bound(place: Place, value: Any) -> bool:
    return place[-1] in ("needs", "thresholds") and isinstance(value, list)


STRUCTURAL: dict[str, tuple] = {
    "delete": (lambda place, _: _is_word(place, _), _delete, False),
    "misspell": (_is_word, _misspell, True),
    "text for a number": (_is_closed_number, _put("many"), True),
    "number for text": (lambda p, _: p[-1] in ("title", "study", "kind", "quote"), _put(7), True),
    "Boolean": (_is_closed_number, _put(True), True),
    "negative": (_is_number, _negate, False),
    "zero": (_is_number, _put(0), False),
    "huge": (_is_closed_number, _put(1e30), True),
    "NaN": (_is_number, _put(float("nan")), True),
    "infinite": (_is_number, _put(float("inf")), True),
    "other letters": (lambda p, v: p[-1] in LETTERS and isinstance(v, str), _put("Очередь"), True),
    "Latin letters": (lambda p, v: p[-1] in LETTERS and isinstance(v, str), _put("Größe"), False),
    "no text": (lambda p, v: p[-1] in LETTERS and isinstance(v, str), _put("\x07"), True),
    "formula": (lambda p, v: "drawing" in p and isinstance(v, str), _put(r"$\foo_{$"), True),
    "glyph": (lambda p, v: "drawing" in p and isinstance(v, str), _put("行列"), True),
    "heading": (lambda p, _: p[-1] == "heading", _put("50 % of {it"), True),
    "nothing stated": (lambda p, _: p[-1] == "stated", _state_nothing, True),
    "null": (lambda place, _: not OPEN & set(place), _put(None), True),
    "empty list": (lambda _, value: isinstance(value, list), _put([]), False),
    "retyped": (lambda p, v: isinstance(v, list) and not OPEN & set(p), _put(5), True),
    "unequal lengths": (_is_list("probabilities"), _lengthen, True),
    "sum not 1": (_is_list("probabilities"), _unbalance, True),
    "need above n": (_bound, _outgrow, True),
    "unknown study": (lambda place, _: place[-1] in ("study", "kind"), _rename, True),
    "wrong choice": (
        lambda place, _: place[-1] in ("policy", "certainty", "width", "verdict", "quantity"),
        _rename,
        True,
    ),
}
TEXTUAL = ("duplicate key", "tab", "brace", "unknown anchor", "non-ASCII key", "tag", "empty file")
TEXTUAL += ("list file", "text file", "tab after colon", "impossible date")
# What may be taken: the name of an example's own paper, a file that says nothing, and what some
# dialects of YAML read.
PERHAPS = ("non-ASCII key", "empty file", "tab after colon", "impossible date")


@cache
def _lines_of_keys(text: str) -> list[int]:
    """The lines, from 0, that begin with a key: a colon in a folded text makes none."""
    found, open_nodes = set(), [yaml.compose(text, Loader=yaml.CSafeLoader)]
    seen = set()
    while open_nodes:
        node = open_nodes.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        pairs = (
            node.value if isinstance(node, yaml.MappingNode) else [(None, v) for v in node.value]
        )
        for key, value in pairs:
            open_nodes.append(value)
            if key is not None and not key.value.startswith("<<"):
                found.add((key.start_mark.line, key.start_mark.column))
    lines = text.splitlines()
    return sorted({i for i, column in found if not lines[i][:column].strip()})


def _mutate_text(kind: str, file: Path, rng: random.Random) -> Mutation | None:
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    i = rng.choice([i for i in _lines_of_keys(text) if ": " in lines[i] and ">-" not in lines[i]])
    line = lines[i]
    indent = len(line) - len(line.lstrip())
    match kind:
        case "duplicate key":
            lines.insert(i, line)
            if line.rstrip().endswith((",", "{", "[")):
                return None
        case "tab":
            lines[i] = "\t" + line
        case "tab after colon":
            lines[i] = line.replace(": ", ":\t", 1)
        case "impossible date":
            lines[i] = line[: line.index(": ")] + ": 2020-13-45\n"
        case "brace":
            lines[i] = line.replace(": ", ": {", 1)
        case "unknown anchor":
            lines[i] = line[: line.index(": ")] + ": *nowhere-at-all\n"
        case "non-ASCII key":
            lines[i] = line[:indent] + "größe" + line[indent:]
        case "tag":
            lines[i] = line.replace(": ", ": !!python/object:os.system ", 1)
        case "empty file":
            lines = ["# nothing\n"]
        case "list file":
            lines = [f"- {line.strip()!r}\n"]
        case "text file":
            lines = ["no mapping\n"]
    return Mutation(kind, (i,), "".join(lines), kind not in PERHAPS)
