"""Sizes and durations as config writes them: one key, which names the distribution.

{exponential: 2}                                  rate
{hyperexponential: {rates: [2, 1], probabilities: [0.5, 0.5]}}
{erlang: {stages: 3, rate: 2}}                    rate of each stage
{deterministic: 1}                                value
{bimodal: {values: [1, 5], probabilities: [0.9, 0.1]}}
{pareto: {shape: 3.5, scale: 1}}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from multiserver.sizes import (
    Bimodal,
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Pareto,
    Size,
)

KINDS: dict[str, Callable[..., Size]] = {
    "exponential": Exponential,
    "hyperexponential": Hyperexponential,
    "erlang": Erlang,
    "deterministic": Deterministic,
    "bimodal": Bimodal,
    "pareto": Pareto,
}


def read_size(block: Mapping[str, Any]) -> Size:
    """The size that a block describes.

    Raises `ValueError` unless the block has exactly one key, a known one, and the parameters of
    that distribution within its range.
    """
    if not isinstance(block, Mapping) or len(block) != 1 or not set(block) <= set(KINDS):
        raise ValueError(f"a size must have one key, of {', '.join(KINDS)}; found {block!r}")
    ((name, parameters),) = block.items()
    try:
        if isinstance(parameters, Mapping):
            return KINDS[name](**parameters)
        return KINDS[name](parameters)
    except TypeError:
        raise ValueError(f"the parameters of {name} are others than {parameters!r}") from None


def read_sizes(blocks: Iterable[Mapping[str, Any]]) -> tuple[Size, ...]:
    """The sizes of all classes, in order."""
    return tuple(map(read_size, blocks))
