"""Report what a job refuses as the plan reports faults: with the file and line of the key."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pydantic_core import PydanticCustomError

from atlas.config.errors import ConfigError, Fault, list_faults
from atlas.config.read import Lines, read_yaml


def describe_refusal(
    error: PydanticCustomError, place: Sequence[str], outcome: str = "this series is not computed"
) -> str:
    """What a job found at a key and what it expected. `place` is a file and the keys that lead to
    the series or product; the key is below it. Line numbers are those of the file in its present
    state."""
    file, *keys = place
    context = error.context
    fault = Fault((*keys, *context["at"]), context["found"], context["expected"])
    lines: Lines = {}
    with suppress(ConfigError):
        lines = read_yaml(Path(file), file)[1]
    return list_faults([fault], file, lines, outcome)
