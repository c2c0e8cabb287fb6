"""Faults to plant: in a parameter of a case, in the library, in a formula of `src/atlas/claims`.

A fault in a *parameter* makes a number one more or less, twice or half as large, or a tenth larger,
replaces a probability p by 1 − p, swaps classes, or makes all classes like the first. A fault in
the *library* or in a *formula* changes an operator, a sign, a constant by one, or a comparison, or
swaps two names, in a function that is run. A fault is identified by its place, the text before and
after, and the index of this text among equal ones.

Comparisons themselves get no faults, as a fault there would turn any case: neither comparisons in
`src/atlas/claims`, nor the differences, ratios and extremes that a quantity takes of its results.
"""

from __future__ import annotations

import ast
import copy
import importlib
import types
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

# They say how long it is looked, and at what chance; not at what.
EFFORT = {"seed", "jobs", "jumps", "warmup", "count", "events", "points", "clusters"}
COMPARING = {"abs", "isclose", "allclose", "array_equal", "ptp"}
# Where what is compared begins, in the function that is judged.
UNREAD = {"annotation", "returns", "decorator_list"}
UNSAID = (ast.Raise, ast.Assert, ast.JoinedStr, ast.arguments)
SPOKEN = (ast.Assign, ast.Return, ast.Expr, ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp)
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
OPERATORS |= {ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult}
ORDERS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
EXTREMES = {"min": "max", "max": "min"}


class Gone(Exception):
    """What a fault was planted in is not there any more."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: `nth` of those that read `old` in a place and `new` once planted."""

    kind: str
    place: str
    old: str
    new: str
    nth: int = 0


# Parameters: a place is a path of keys and indices, such as system/multiserver-jobs/needs.


def parameter_faults(parameters: Mapping[str, Any]) -> Iterator[Fault]:
    """The faults of parameters, those of the outermost first."""
    for path, value in sorted(_walk(parameters, ()), key=lambda one: len(one[0])):
        for new in _wrong(path, value):
            place = "/".join(map(str, path))
            yield Fault("parameter", place, repr(value), repr(new))


def _walk(value: Any, path: tuple) -> Iterator[tuple[tuple, Any]]:
    if path:
        yield path, value
    items = value.items() if isinstance(value, Mapping) else ()
    if isinstance(value, list) and len(value) <= 4:
        items = enumerate(value)
    for key, one in items:
        if key not in EFFORT:
            yield from _walk(one, (*path, key))


def _wrong(path: tuple, value: Any) -> Iterator[Any]:
    if isinstance(value, list) and len(value) > 1 and value != value[::-1]:
        yield value[::-1]
        yield value[:1] * len(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value + 1
        yield value - 1
        yield 2 * value
    elif isinstance(value, float):
        yield value * 1.1
        if 0 < value < 1 and not path[0].startswith("load"):
            yield 1 - value
        yield value / 2
        yield value + 1


def put(parameters: Mapping[str, Any], fault: Fault) -> dict[str, Any]:
    """Parameters with a fault. Raises `Gone` if they have no such place, or another value
    there."""
    changed = copy.deepcopy(dict(parameters))
    *path, last = (int(k) if k.isdecimal() else k for k in fault.place.split("/"))
    inner: Any = changed
    try:
        for key in path:
            inner = inner[key]
        found = repr(inner[last])
    except LookupError:
        found = "not there"
    if found != fault.old:
        raise Gone(f"{fault.place} is {found}, not {fault.old}")
    inner[last] = ast.literal_eval(fault.new)
    return changed


# Code: a place is module:function, the outermost function or the method.


@cache
def parse(module: str) -> ast.Module:
    """The syntax of a module."""
    return ast.parse(Path(importlib.import_module(module).__file__).read_text(encoding="utf-8"))


@cache
def functions(module: str) -> dict[str, ast.FunctionDef]:
    """The functions and methods of a module, by qualified name."""
    found, bodies = {}, [("", parse(module).body)]
    for prefix, body in bodies:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                found[prefix + node.name] = node
            elif isinstance(node, ast.ClassDef):
                bodies.append((f"{node.name}.", node.body))
    return found


@dataclass(frozen=True)
class Site:
    """Where a node of a function would be replaced by another."""

    holder: ast.AST
    field: str
    index: int | None
    new: ast.AST
    rank: int

    @cached_property
    def node(self) -> ast.AST:
        there = getattr(self.holder, self.field)
        return there if self.index is None else there[self.index]

    def set(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.index] = node


@cache
def sites(place: str, quantity: str) -> tuple[tuple[Fault, Site], ...]:
    """The faults of a function, formulas first, constants and comparisons last; `quantity` is the
    function that is judged."""
    module, name = place.split(":")
    if name not in functions(module):
        raise Gone(f"{place} is not there")
    claims = module.startswith("atlas.claims.")
    counts: Counter = Counter()
    found = []
    for site in _find(functions(module)[name], claims, place == quantity):
        old, new = ast.unparse(site.node), ast.unparse(site.new)
        kind = "formula" if claims else "library"
        found.append((Fault(kind, place, old, new, counts[old, new]), site))
        counts[old, new] += 1
    return tuple(sorted(found, key=lambda one: one[1].rank))


def _find(node: ast.AST, claims: bool, judged: bool, compares: bool = False) -> Iterator[Site]:
    """The sites below a node, in the order of its text; whether it `compares`."""
    if (claims and _called(node) in COMPARING) or (judged and isinstance(node, SPOKEN)):
        compares = True
    elif not _is_comparison(node):
        compares = False
    for field, value in ast.iter_fields(node):
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if not isinstance(child, ast.AST) or field in UNREAD or isinstance(child, UNSAID):
                continue
            # What a loop or a choice compares is a rule, not what is judged.
            if claims and isinstance(child, ast.Compare) and field not in ("test", "ifs"):
                continue
            if not (compares and (_is_comparison(child) or isinstance(child, ast.Constant))):
                for new, rank in _instead(child, claims):
                    yield Site(node, field, index, new, rank)
            yield from _find(child, claims, judged, compares)


def _called(node: ast.AST) -> str:
    """The name of what a node calls, or nothing."""
    called = getattr(node, "func", None)
    return getattr(called, "id", getattr(called, "attr", ""))


def _is_comparison(node: ast.AST) -> bool:
    """Whether a node belongs to how two things are compared: a difference, a ratio, an extreme."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Sub | ast.Div)
    if isinstance(node, ast.Attribute | ast.IfExp | ast.comprehension):
        return True
    return _called(node) in {*COMPARING, *EXTREMES, "float", "Found"}


def _instead(node: ast.AST, claims: bool) -> Iterator[tuple[ast.AST, int]]:
    """What may stand in place of a node, and how late it is tried."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS:
        texts = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
        sides = (getattr(node, "left", None), getattr(node, "right", getattr(node, "value", None)))
        if not any(isinstance(side, texts) or _is_text(side) for side in sides):
            yield _with(node, op=OPERATORS[type(node.op)]()), 0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node.operand, 0
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store) and len(node.elts) == 2:
        yield _with(node, elts=node.elts[::-1]), 1
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        off = node.value + 1 if node.value == int(node.value) else node.value * 1.1
        if node.value == 0 or node.value >= 1e-6:
            yield ast.Constant(off), 2
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in EXTREMES:
        yield _with(node, func=ast.Name(EXTREMES[node.func.id], ast.Load())), 3
    if isinstance(node, ast.Compare) and type(node.ops[0]) in ORDERS:
        yield _with(node, ops=[ORDERS[type(node.ops[0])](), *node.ops[1:]]), 4


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


@contextmanager
def planted(fault: Fault, quantity: str) -> Iterator[None]:
    """While a function has a fault. Raises `Gone` if it has no such place."""
    site = dict(sites(fault.place, quantity)).get(fault)
    if site is None:
        raise Gone(f"{fault.place} has no {fault.old!r} that may become {fault.new!r}")
    module, name = fault.place.split(":")
    node, function = site.node, find_function(module, name)
    whole = function.__code__
    site.set(site.new)
    try:
        tree = ast.fix_missing_locations(parse(module))
        code = compile(tree, whole.co_filename, "exec", dont_inherit=True)
    finally:
        site.set(node)
    function.__code__ = _find_code(code, whole)
    try:
        yield
    finally:
        function.__code__ = whole


def find_function(module: str, name: str) -> types.FunctionType:
    """The function behind all that decorates it. Raises `Gone` if it is none of Python."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = vars(found)[part]
    for inner in ("__func__", "fget", "func", "__wrapped__"):
        found = getattr(found, inner, found)
    if not isinstance(found, types.FunctionType):
        raise Gone(f"{module}:{name} is not a function of Python")
    return found


def _find_code(code: types.CodeType, like: types.CodeType) -> types.CodeType:
    key = (like.co_qualname, like.co_firstlineno)
    inner = [code]
    for one in inner:
        if (one.co_qualname, one.co_firstlineno) == key:
            return one
        inner += [c for c in one.co_consts if isinstance(c, types.CodeType)]
    raise Gone(f"no code of {like.co_qualname}")
