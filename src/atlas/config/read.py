"""Read YAML as plain values, with the line of each key.

All files follow the core schema of YAML 1.2, in which 1e6 is a number and `no` is text, with << for
merges. Tags, repeated keys, keys that are not text, numbers with a leading 0, and aliases that
expand too far are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

import yaml

from atlas.config.errors import Fault, Path, in_this_folder, raise_for, suggest

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBERS = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), lambda text: int(text[2:], 8)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text[2:], 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(inf|Inf|INF)|\.nan|\.NaN|\.NAN"), lambda t: float(t.replace(".", ""))),
)
_WORDS = {"": None, "~": None} | {
    spelling: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for spelling in (word, word.capitalize(), word.upper())
}
LONGEST_NUMBER = 400
MOST_VALUES = 1_000_000
DEEPEST = 60
NO_TOKEN = "found character that cannot start any token"
# YAML 1.1 ends a line at these; YAML 1.2 and editors do not.
LINE_ENDS = re.compile("[\x85\u2028\u2029]")
# Where it was meant to be indentation, or to end a mark.
NO_BREAK_SPACE = re.compile("(^ *|[:-])\xa0", re.MULTILINE)
NO_COLON = "mapping values are not allowed in this context"
COLON = (
    "text with a colon needs quotes, and a key a colon and a space: here, or in the lines above if"
    " this one goes on with them"
)
# In {ceiling: 2,5} the comma ends the value, and 5 is a key.
DECIMAL_POINT = (
    "if it ends a number, write a decimal point: 2.5, not 2,5; a list needs brackets: [2, 5]"
)

Lines = dict[Path, int]


def read_yaml(file: FilePath, name: str) -> tuple[Any, Lines]:
    """The content of a file and the line of every key in it. A key that comes in by an alias or a
    merge has the line of the alias or the merge.

    Raises `ConfigError`, in which the file is called `name`, if the content is not such YAML.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        refuse(name, line, f"bytes that are no text, {error.reason}", "text in UTF-8")
    except OSError as error:
        refuse(name, 0, error.strerror or str(error), f"a file that can be read{in_this_folder()}")
    if odd := LINE_ENDS.search(text):
        found = f"the character U+{ord(odd[0]):04X}, at which a line would end unseen"
        refuse(name, _line_at(text, odd.start()), found, "an ordinary end of a line, or a space")
    try:
        events = list(_as_deep_as_read(yaml.parse(text, Loader=LOADER)))
    except yaml.MarkedYAMLError as error:
        _refuse_syntax(name, text, error, "YAML")
    except yaml.reader.ReaderError as error:
        line = _line_at(text, text.index(chr(error.character)))
        found = f"the character U+{error.character:04X}"
        refuse(name, line, found, "YAML without control characters")
    return _Composer(name, iter(events)).compose()


def read_mapping(file: FilePath, name: str) -> tuple[dict[str, Any], Lines]:
    """The same for a file that must be a mapping, as all must. Raises `ConfigError`."""
    content, lines = read_yaml(file, name)
    if not isinstance(content, dict):
        kinds = {list: "a list", str: "text", type(None): "an empty file"}
        found = kinds.get(type(content), "a single value")
        refuse(name, 1, found, "a mapping of keys to values")
    return content, lines


def read_config(file: FilePath, name: str) -> None:
    """Raise `ConfigError` if Snakemake would not accept a config file, which it reads before the
    plan does. It parses YAML 1.1, in which a tab does not separate words, and turns text that looks
    like a date into one."""
    read_mapping(file, name)
    text = file.read_text(encoding="utf-8")
    try:
        json.loads(text)
    except ValueError:
        _require_yaml_1_1(text, name)


def _require_yaml_1_1(text: str, name: str) -> None:
    expected, hint = "YAML 1.1, as Snakemake reads it", "quote what is text"
    try:
        loader = yaml.FullLoader(text)
        nodes = [loader.get_single_node()]
    except yaml.MarkedYAMLError as error:
        _refuse_syntax(name, text, error, expected, hint)
    for node in nodes:
        if isinstance(node, yaml.ScalarNode):
            try:
                loader.construct_object(node)
            except (ValueError, yaml.YAMLError):
                refuse(name, node.start_mark.line + 1, repr(node.value), expected, hint)
        elif isinstance(node, yaml.SequenceNode):
            nodes += node.value
        else:
            nodes += [part for pair in node.value for part in pair if part.value != "<<"]


def read_style(file: FilePath, name: str) -> str:
    """The text of a matplotlib style file. Raises `ConfigError` at a line that is not a setting."""
    content = file.read_bytes()
    for line, raw in enumerate(content.split(b"\n"), start=1):
        try:
            setting = raw.decode("utf-8").partition("#")[0].strip()
        except UnicodeDecodeError as error:
            refuse(name, line, f"bytes that are no text, {error.reason}", "text in UTF-8")
        key, colon, _ = setting.partition(":")
        if setting and not (key.strip() and colon):
            refuse(name, line, repr(setting[:80]), "a setting of matplotlib such as font.size: 7")
    return content.decode("utf-8").replace("\r\n", "\n")


def refuse(name: str, line: int, found: str, expected: str, hint: str = "") -> None:
    """Raise `ConfigError` about a line of a file."""
    raise_for([Fault((), found, expected, hint)], name, {(): line})


def _line_at(text: str, index: int) -> int:
    return text.count("\n", 0, index) + 1


def _refuse_syntax(
    name: str, text: str, error: yaml.MarkedYAMLError, expected: str, hint: str = ""
) -> None:
    """Raise `ConfigError` about what a parser refused. A tab, which looks like spaces, is named, as
    is the line on which a bracket or a block began."""
    mark = error.problem_mark or error.context_mark
    found, line = str(error.problem or error.context), mark.line + 1 if mark else 1
    if mark and text[mark.index : mark.index + 1] == "\t":
        found, hint = f"a tab in column {mark.column + 1}", "write spaces in its place"
    elif found == NO_COLON:
        found, hint = "a colon that does not end a key", COLON
    elif mark and found == NO_TOKEN:
        found, hint = f"text that begins with {text[mark.index]}", "put it in quotes"
    elif mark and error.context_mark and error.context_mark.line < mark.line:
        found += f" in what begins on line {error.context_mark.line + 1}"
    for odd in NO_BREAK_SPACE.finditer(text, 0, mark.index if mark else 0):
        hint = f"line {_line_at(text, odd.end())} has a no-break space (U+00A0): write a plain one"
    refuse(name, line, found, expected, hint)


def _as_deep_as_read(events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
    """The events up to the first that nests too deep: the time of the parser grows as the square of
    the depth."""
    depth = 0
    for event in events:
        yield event
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST + 2:
            return


class _Composer:
    """Turns parser events into values, by recursion over the nodes that they delimit."""

    def __init__(self, name: str, events: Iterator[yaml.Event]) -> None:
        self._name, self._events = name, events
        self._anchors: dict[str, Any] = {}
        self._sizes: dict[int, int] = {}
        self._values = 0
        self.lines: Lines = {}

    def compose(self) -> tuple[Any, Lines]:
        document, begun = None, False
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent) and begun:
                self._refuse(event, "a second document", "one document a file")
            if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent | yaml.AliasEvent):
                document, begun = self._node(event, ()), True
        return document, self.lines

    def _node(self, event: yaml.Event, path: Path) -> Any:
        line = event.start_mark.line + 1
        if path:
            self.lines[path] = line
        self._count(event, 1, path)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                found = f"*{event.anchor}, which is no anchor above this line"
                hint = suggest(event.anchor, self._anchors)
                self._refuse(event, found, "an anchor that stands above", hint)
            value = self._anchors[event.anchor]
            self._count(event, self._sizes.get(id(value), 1), path)
            return value
        if event.tag is not None and event.tag != "!":
            self._refuse(event, f"the tag {event.tag}", "values without tags")
        before = self._values
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                value.append(self._node(item, (*path, len(value))))
        else:
            value = self._mapping(path)
        if event.anchor is not None:
            self._anchors[event.anchor] = value
            self._sizes[id(value)] = self._values - before + 1
        return value

    def _mapping(self, path: Path) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: list[dict[str, Any]] = []
        places: dict[str, int] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                self._refuse(event, "a key that is no text", "a key such as name")
            key, line = event.value, event.start_mark.line + 1
            if not isinstance(self._scalar(event), str):
                found, expected = f"the key {key}, which is no text", f'text such as "{key}"'
                self._refuse(event, found, expected, DECIMAL_POINT if key.isdigit() else "")
            is_merge = not event.style and key == "<<"
            if key in own or (is_merge and merged):
                self._refuse(
                    event, f'duplicate key "{key}"', "each key once", "rename one of the two"
                )
            value = self._node(next(self._events), (*path, key))
            if is_merge:
                merged = value if isinstance(value, list) else [value]
                if not all(isinstance(source, dict) for source in merged):
                    self._refuse(event, "<< of what is no mapping", "<<: *anchor of a mapping")
                places |= {inner: line for source in merged for inner in source}
                del self.lines[(*path, "<<")]
            else:
                own[key] = value
                self.lines[(*path, key)] = line
        for key in places.keys() - own.keys():
            self.lines[(*path, key)] = places[key]
        result: dict[str, Any] = {}
        for source in reversed(merged):
            result |= source
        return result | own

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        """The value in the core schema; what is quoted or a block is text."""
        text = event.value
        if event.style:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if re.fullmatch("[-+]?0[0-9]+", text):
            expected = f'{int(text)}, or the text "{text}"'
            octal = f"YAML 1.1, as Snakemake reads it, has it octal; {DECIMAL_POINT}"
            self._refuse(event, text, expected, octal)
        for pattern, read in _NUMBERS:
            if pattern.fullmatch(text):
                if len(text) > LONGEST_NUMBER:
                    self._refuse(event, f"a number of {len(text)} digits", "a shorter number")
                return read(text)
        return text

    def _count(self, event: yaml.Event, values: int, path: Path) -> None:
        self._values += values
        if self._values > MOST_VALUES or len(path) > DEEPEST:
            expected = f"at most {MOST_VALUES} values, nested at most {DEEPEST} deep"
            self._refuse(event, "a file that unfolds to far more than it says", expected)

    def _refuse(self, event: yaml.Event, found: str, expected: str, hint: str = "") -> None:
        refuse(self._name, event.start_mark.line + 1, found, expected, hint)
