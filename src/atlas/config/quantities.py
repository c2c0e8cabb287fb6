"""The quantities of `src/atlas/claims`, as declared in their source.

They are found by parsing the source, with the parameters that they declare, keyword-only or by
`takes`: that takes half as long as importing all modules, and a run computes few.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# The end of a sentence; the full stop in Eq. (1) or Fig. 2 is none.
SENTENCE = re.compile(r"(?<!Eq)(?<!Eqs)(?<!Fig)\. ")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A function of `src/atlas/claims`, as declared in its source."""

    module: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    how: str
    route: str
    confirmed: str
    group: str
    group_by: str
    # What each parameter is annotated with, if it is: `Sequence[int]`, say.
    kinds: Mapping[str, str]


@cache
def read_quantities(folder: Path) -> dict[str, Quantity]:
    """All quantities in a folder of modules, by the name module/function with hyphens."""
    found, package = {}, ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    together = {
        f"Unpack[{node.name}]": {
            key.target.id: ast.unparse(key.annotation)
            for key in node.body
            if isinstance(key, ast.AnnAssign)
        }
        for node in package.body
        if isinstance(node, ast.ClassDef)
    }
    for file in sorted(folder.glob("[!_]*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        module = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id in ("ROUTE", "CONFIRMED", "GROUP", "GROUP_BY")
        }
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            declared = _read_keywords(node, together) or _read_takes(node)
            if declared is not None:
                (required, optional), own = declared, _read_decorator(node, "by")[1]
                paragraph = (ast.get_docstring(node) or "").partition("\n\n")[0]
                found[f"{file.stem}/{node.name}".replace("_", "-")] = Quantity(
                    file.stem,
                    required,
                    optional,
                    SENTENCE.split(" ".join(paragraph.split()), maxsplit=1)[0].rstrip("."),
                    own.get("route") or module.get("ROUTE", ""),
                    own.get("confirmed") or module.get("CONFIRMED", ""),
                    module.get("GROUP", file.stem),
                    module.get("GROUP_BY", ""),
                    _read_kinds(node, together),
                )
    return found


Declared = tuple[tuple[str, ...], tuple[str, ...]]


def _read_keywords(
    node: ast.FunctionDef, together: Mapping[str, Mapping[str, str]]
) -> Declared | None:
    """The parameters of a function that has keyword-only ones, alone or unpacked from a class of
    which `together` has the keys, and no others, else None."""
    kwarg = node.args.kwarg
    unpacked = tuple(together.get(_annotation(kwarg), ()))
    if node.args.args or not (node.args.kwonlyargs or unpacked):
        return None
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    names = [(argument.arg, default is None) for argument, default in pairs]
    required = (*unpacked, *(name for name, needed in names if needed))
    return required, tuple(name for name, needed in names if not needed)


def _read_kinds(node: ast.FunctionDef, together: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The annotations of keyword-only parameters, by name."""
    own = {argument.arg: _annotation(argument) for argument in node.args.kwonlyargs}
    return {**together.get(_annotation(node.args.kwarg), {}), **own}


def _annotation(argument: ast.arg | None) -> str:
    return ast.unparse(argument.annotation) if argument and argument.annotation else ""


def _read_takes(node: ast.FunctionDef) -> Declared | None:
    """The parameters that the decorator `takes` declares for a function of a mapping, else None."""
    required, options = _read_decorator(node, "takes")
    return (required, tuple(options.get("optional", ()))) if required else None


def _read_decorator(node: ast.FunctionDef, name: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """What a decorator of this name is given: words in order, and by name."""
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == name:
            words = tuple(ast.literal_eval(argument) for argument in call.args)
            return words, {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    return (), {}
