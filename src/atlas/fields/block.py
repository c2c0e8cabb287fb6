"""A block of config: named values of declared types, checked before anything runs.

A block is strict: text is not a number, a truth value is not a number, no number is infinite or
NaN, and no key is unknown. Numbers stay as they were written, so 2 and 2.0 differ: a result is
cached under the text of the values of its block. The random streams are keyed by the text of
`stream_key_form`, which stays the same when a key is renamed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    WrapValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from atlas.fields.markers import DrawnAs, Sampling, Stream, marked

Errors = type[Exception] | tuple[type[Exception], ...]


class Block(BaseModel):
    """Values by name, as config writes them; names that Python lacks have aliases."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        protected_namespaces=(),
    )

    def plain(self) -> dict[str, Any]:
        """The block as config writes it, with defaults filled in and without None."""
        return self.model_dump(exclude_none=True)

    def stream_key_form(self) -> dict[str, Any]:
        """The values that determine the random streams: all but those marked as sampling or stream
        key, under the names that they had when the streams were first drawn."""
        kind = type(self)
        free, former = {**marked(kind, Sampling), **marked(kind, Stream)}, marked(kind, DrawnAs)
        values = {
            field.alias or name: getattr(self, name) for name, field in kind.model_fields.items()
        }
        return {
            former[key].name if key in former else key: _stream_key_form(value)
            for key, value in values.items()
            if value is not None and key not in free
        }


def _stream_key_form(value: Any) -> Any:
    if isinstance(value, Block):
        return value.stream_key_form()
    if isinstance(value, dict):
        return {key: _stream_key_form(item) for key, item in value.items()}
    return [_stream_key_form(item) for item in value] if isinstance(value, list | tuple) else value


def misfit(found: str, expected: str, *at: str | int) -> PydanticCustomError:
    """The error of values that are valid one by one but do not fit together, at the key `at`."""
    context = {"found": found, "expected": expected, "at": at}
    return PydanticCustomError("misfit", "{found}; expected {expected}", context)


def require(holds: bool, found: str, expected: str, *at: str | int) -> None:
    """Raise a `misfit` unless `holds`."""
    if not holds:
        raise misfit(found, expected, *at)


def requirement(check: Callable[[Any], None]) -> Any:
    """Declare a method that raises a `misfit` unless the values of a block fit together."""

    def validate(block: Any) -> Any:
        check(block)
        return block

    return model_validator(mode="after")(validate)


def require_one(block: BaseModel, *keys: str) -> None:
    """Raise a `misfit` unless a block has exactly one of these keys."""
    given = [key for key in keys if getattr(block, key) is not None]
    found = " and ".join(given) or f"neither {' nor '.join(keys)}"
    require(len(given) == 1, found, f"one of {', '.join(keys)}")


@contextmanager
def refusing(expected: str, *at: str | int, of: Errors = ValueError) -> Iterator[None]:
    """Raise a `misfit` in place of an error of the library."""
    try:
        yield
    except of as error:
        raise misfit(str(error), expected, *at) from None


def _increasing(values: list) -> list:
    if any(a >= b for a, b in pairwise(values)):
        raise misfit(str(values), "entries that increase")
    return values


def _different(values: list) -> list:
    seen = [repr(value) for value in values]
    if again := [value for i, value in enumerate(values) if seen[i] in seen[:i]]:
        raise misfit(f"{again[0]!r} again", "no entry twice")
    return values


def _summing_to_1(values: list) -> list:
    if abs(sum(values) - 1) > 1e-9:
        raise misfit(f"{values}, a sum of {sum(values):.12g}", "entries that sum to 1")
    return values


# 1e6 is a whole number, whichever way it is written.
WHOLE = BeforeValidator(lambda v: int(v) if isinstance(v, float) and v.is_integer() else v)
# Checked as a float, but kept as it was written.
AS_WRITTEN = WrapValidator(lambda value, check: (check(value), value)[1])
INCREASING = AfterValidator(_increasing)
DIFFERENT = AfterValidator(_different)
SUMMING_TO_1 = AfterValidator(_summing_to_1)
