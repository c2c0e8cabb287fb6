"""Sizes and durations as config writes them: one key that names the distribution.

{exponential: 2}                                  rate
{hyperexponential: {rates: [2, 1], probabilities: [0.5, 0.5]}}
{erlang: {stages: 3, rate: 2}}                    rate of each stage
{deterministic: 1}                                value
{bimodal: {values: [1, 5], probabilities: [0.9, 0.1]}}
{pareto: {shape: 3.5, scale: 1}}
{bounded-pareto: {shape: 1.5, low: 1, high: 1000}}
{lognormal: {median: 1, sigma: 2}}
{weibull: {shape: 0.5, scale: 1}}
{fitted: {mean: 1, scv: 4}}                       phase-type, by `multiserver.fitting`
{fitted: {law: {pareto: {shape: 3.5, scale: 1}}}} the same, from two or three moments of a
                                                  distribution
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from atlas.fields.block import WHOLE, Block, refusing, require, requirement
from atlas.fields.vocabulary import Positive, Probabilities
from multiserver.fitting import fit_distribution, fit_two_moments
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Pareto,
    Size,
    Weibull,
)


def fitted(
    mean: float | None = None, scv: float | None = None, law: Mapping[str, Any] | None = None
) -> Size:
    """The phase-type distribution fitted to a mean and c², or to the moments of a distribution.

    Raises `ValueError` unless one of the two is given.
    """
    if law is not None and mean is scv is None:
        return fit_distribution(read_size(law))
    if law is None and mean is not None and scv is not None:
        return fit_two_moments(mean, scv)
    raise ValueError("fitted takes either mean and scv, or law")


KINDS: dict[str, Callable[..., Size]] = {
    "exponential": Exponential,
    "hyperexponential": Hyperexponential,
    "erlang": Erlang,
    "deterministic": Deterministic,
    "bimodal": Bimodal,
    "pareto": Pareto,
    "bounded-pareto": BoundedPareto,
    "lognormal": Lognormal,
    "weibull": Weibull,
    "fitted": fitted,
}

Values = Annotated[
    list[Positive], Field(min_length=1, max_length=1000, description="values, one a probability")
]


class HyperexponentialBlock(Block):
    """An exponential of one of the rates, each with its probability."""

    rates: Values
    probabilities: Probabilities


class ErlangBlock(Block):
    """A sum of exponentials, the stages, each of the same rate."""

    stages: Annotated[int, Field(ge=1, le=1000, description="the number of stages"), WHOLE]
    rate: Positive


class BimodalBlock(Block):
    """One of finitely many values, each with its probability."""

    values: Values
    probabilities: Probabilities


class ParetoBlock(Block):
    """P(S > x) = (scale/x)^shape for x of at least scale."""

    shape: Positive
    scale: Positive


class BoundedParetoBlock(Block):
    """A Pareto size of scale `low`, given that it is at most `high`."""

    shape: Positive
    low: Positive
    high: Positive


class LognormalBlock(Block):
    """A size whose logarithm is normal, of mean ln(median) and standard deviation sigma."""

    median: Positive
    sigma: Positive


class WeibullBlock(Block):
    """P(S > x) = exp(−(x/scale)^shape)."""

    shape: Positive
    scale: Positive


class FittedBlock(Block):
    """The phase-type distribution fitted to a mean and a squared coefficient of variation, or to
    the moments of a distribution."""

    mean: Positive | None = None
    scv: Positive | None = None
    law: SizeBlock | None = None


class SizeBlock(Block):
    """The distribution of a size or a duration by name, such as {exponential: 2}."""

    exponential: Annotated[Positive, Field(description="the rate of an exponential")] | None = None
    hyperexponential: HyperexponentialBlock | None = None
    erlang: ErlangBlock | None = None
    deterministic: Annotated[Positive, Field(description="the one value")] | None = None
    bimodal: BimodalBlock | None = None
    pareto: ParetoBlock | None = None
    bounded_pareto: Annotated[BoundedParetoBlock | None, Field(alias="bounded-pareto")] = None
    lognormal: LognormalBlock | None = None
    weibull: WeibullBlock | None = None
    fitted: FittedBlock | None = None

    @requirement
    def _is_one(self) -> None:
        given = list(self.plain())
        require(len(given) == 1, f"{given or 'no'} distributions", f"one of {', '.join(KINDS)}")
        with refusing(f"a distribution that exists ({given[0]})"):
            size = read_size(self.plain())
        expected = "a finite one: with an infinite mean no arrival rate is stable"
        require(size.mean < math.inf, f"{given[0]} of an infinite mean", expected)


Sizes = Annotated[
    list[SizeBlock],
    Field(min_length=1, max_length=1000, description="the sizes or durations, class by class"),
]


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
