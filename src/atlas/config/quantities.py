"""The quantities of `src/atlas/claims`, with the parameters that they declare, keyword-only or by
`takes`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BeforeValidator, Field, create_model

from atlas.config.kinds import ATLAS, module
from atlas.fields.block import WHOLE, Block, require

# The end of a sentence; the full stop in Eq. (1) or Fig. 2 is none.
SENTENCE = re.compile(r"(?<!Eq)(?<!Eqs)(?<!Fig)\. ")

# The types of parameters that a quantity `takes`, where there is one for all.
TAKEN = {"jobs": int, "jumps": int, "trace": Mapping[str, Any]}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A function of `src/atlas/claims`, its parameters as claims give them, and how it is computed
    and confirmed."""

    module: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    given: type[Block]
    how: str
    route: str
    confirmed: str
    group: str
    group_by: str


@cache
def find_quantities() -> dict[str, Quantity]:
    """All quantities, by the name module/function with hyphens."""
    found = {}
    for file in sorted((ATLAS / "claims").glob("[!_]*.py")):
        declared = vars(module("claims", file.stem))
        for name, function in declared.items():
            own = inspect.isfunction(function) and function.__module__ == declared["__name__"]
            parameters = _read_parameters(function) if own and name[0] != "_" else None
            if parameters is not None:
                required, optional, types = parameters
                paragraph = (function.__doc__ or "").partition("\n\n")[0]
                found[f"{file.stem}/{name}".replace("_", "-")] = Quantity(
                    file.stem,
                    required,
                    optional,
                    describe_given(types, optional),
                    SENTENCE.split(" ".join(paragraph.split()), maxsplit=1)[0].rstrip("."),
                    getattr(function, "route", declared.get("ROUTE", "")),
                    getattr(function, "confirmed", declared.get("CONFIRMED", "")),
                    declared.get("GROUP", file.stem),
                    declared.get("GROUP_BY", ""),
                )
    return found


def _read_parameters(
    function: Callable,
) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, Any]] | None:
    """The required and the optional parameters of a quantity, and their types; None if this is
    another function. Keys that are unpacked from a class are required."""
    if hasattr(function, "required"):
        required, optional = function.required, function.optional
        return required, optional, {key: TAKEN.get(key, Any) for key in (*required, *optional)}
    parameters = inspect.signature(function).parameters.values()
    if not parameters or any(p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in parameters):
        return None
    types = get_type_hints(function)
    types.pop("return", None)
    required, optional = [], []
    for one in parameters:
        if one.kind == one.VAR_KEYWORD:
            keys = get_type_hints(*get_args(types.pop(one.name)))
            required, types = [*keys, *required], keys | types
        else:
            (required if one.default is one.empty else optional).append(one.name)
    return tuple(required), tuple(optional), types


def describe_given(types: Mapping[str, Any], optional: Sequence[str] = ()) -> type[Block]:
    """The block of parameters of these types; config may leave out those that are optional, and the
    seed."""
    default = dict.fromkeys((*optional, "seed"))
    return create_model(
        "Given",
        __base__=Block,
        **{key: (_as_written(type), default.get(key, ...)) for key, type in types.items()},
    )


def _as_written(type: Any) -> Any:
    """A type as config writes its values: lists and mappings are not empty, 1e6 is a whole number,
    and what is another type is not checked."""
    kind, inner = get_origin(type) or type, get_args(type)
    if kind in (Sequence, list):
        return Annotated[list[_as_written(*inner)], Field(min_length=1)]
    if kind is Mapping:
        return Annotated[dict[str, Any], Field(min_length=1)]
    if kind is int:
        return Annotated[int, WHOLE]
    if kind is Literal:
        return Annotated[type, BeforeValidator(partial(_refuse_truth, inner))]
    return type if kind in (float, str, bool) else Any


def _refuse_truth(choices: Sequence[Any], value: Any) -> Any:
    """The value, unless it is a truth value, which Python takes for 0 or 1."""
    require(not isinstance(value, bool), str(value), f"one of {', '.join(map(str, choices))}")
    return value
