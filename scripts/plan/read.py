"""Read YAML as plain values, with the line on which each key stands."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.scalarbool import ScalarBoolean
from ruamel.yaml.scalarfloat import ScalarFloat
from ruamel.yaml.scalarint import ScalarInt

from plan.errors import Fault, Path, raise_for


def read_yaml(file: FilePath, name: str) -> tuple[Any, dict[Path, int]]:
    """The content of a YAML 1.2 file and the line of every key in it.

    Raises `ConfigError`, in which the file is called `name`, on bad syntax or a key given twice.
    """
    try:
        document = YAML(typ="rt").load(file.read_text(encoding="utf-8"))
    except DuplicateKeyError as error:
        line = error.problem_mark.line + 1
        found = str(error.problem).split(" with value")[0].removeprefix("found ")
        raise_for(
            [Fault((), found, "each key once", "rename one of the two")], f"{name}:{line}", {}
        )
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise_for([Fault((), str(error.problem), "YAML")], f"{name}:{line}", {})
    lines: dict[Path, int] = {}
    return _plain(document, (), lines), lines


def _plain(node: Any, path: Path, lines: dict[Path, int]) -> Any:
    if isinstance(node, CommentedMap):
        for key in node:
            # A key merged in from an anchor has no line of its own here.
            if key in (node.lc.data or {}):
                lines[(*path, key)] = node.lc.key(key)[0] + 1
        return {key: _plain(value, (*path, key), lines) for key, value in node.items()}
    if isinstance(node, CommentedSeq):
        for i in range(len(node)):
            lines[(*path, i)] = node.lc.item(i)[0] + 1
        return [_plain(value, (*path, i), lines) for i, value in enumerate(node)]
    for kind, plain in ((ScalarBoolean, bool), (ScalarFloat, float), (ScalarInt, int)):
        if isinstance(node, kind):
            return plain(node)
    return str(node) if isinstance(node, str) else node
