"""Check the `given` parameters of a claim: the types and bounds of each parameter whose name has
one meaning, and whether systems can exist.

A quantity may sweep any parameter, so a parameter may be a value, a list, or a list of lists; each
entry is checked. A claim may also be about an overloaded system, or about one of more servers than
anybody would simulate.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any

from pydantic import Field, create_model

from atlas.config.errors import Fault, Path, show
from atlas.config.validate import check
from atlas.fields import vocabulary as words
from atlas.fields.block import AS_WRITTEN, WHOLE, Block
from atlas.models.described_systems import (
    HeterogeneousBlock,
    LimitedProcessorSharingBlock,
    MultiserverJobsBlock,
    ThresholdParallelismBlock,
)
from atlas.models.log_blocks import TraceBlock
from atlas.models.policies import PolicyBlock, read_policy
from atlas.models.sizes import SizeBlock
from multiserver.model import MultiserverJobSystem

Many = Annotated[int, Field(ge=1, le=10**15, description="a whole number from 1 on"), WHOLE]
Some = Annotated[int, Field(ge=0, le=10**15, description="a whole number from 0 on"), WHOLE]
Offered = Annotated[
    float, Field(gt=0, le=100, description="a load, positive, of a queue that may grow"), AS_WRITTEN
]
Speed = Annotated[float, Field(ge=0, le=words.COARSEST, description="at least 0"), AS_WRITTEN]
# The types of parameters that mean the same in all claims; others differ from claim to claim.
NUMBERS: dict[str, Any] = {
    **dict.fromkeys(("servers", "needs", "thresholds", "jobs", "jumps", "degree", "limit"), Many),
    **dict.fromkeys(("state", "numbers", "populations", "largest", "count", "warmup"), Some),
    **dict.fromkeys(("load", "loads", "fraction_of_limit"), Offered),
    **dict.fromkeys(("rates", "arrival_rates", "inelastic_rate", "elastic_rate"), words.Rate),
    **dict.fromkeys(("probability_2", "probability_n"), words.InnerProbability),
    **dict.fromkeys(("capacities", "speeds"), Speed),
    **dict.fromkeys(("routing", "shares"), words.Share),
    **{"probabilities": words.Probability, "exponent": words.Exponent, "seed": words.Seed},
    **dict.fromkeys(("coefficient", "rate_ratio", "size"), words.Positive),
}
POLICIES = ("policy", "policies", "bounded")
BLOCKS: dict[str, Any] = {
    **{"durations": SizeBlock, "size": SizeBlock, "trace": TraceBlock},
    **{"multiserver-jobs": MultiserverJobsBlock, "heterogeneous": HeterogeneousBlock},
    **{"threshold-parallelism": ThresholdParallelismBlock},
    **dict.fromkeys(POLICIES, PolicyBlock),
    **{"limited-processor-sharing": LimitedProcessorSharingBlock},
}
# These may be names instead of numbers.
NAMED = {"load", "jobs", "exponent", "arrival_rates", "routing"}


def check_given(given: dict[str, Any], path: Path) -> Iterator[Fault]:
    """Faults of the parameters that a claim is given."""
    yield from dict.fromkeys(_check(given, path))


def _check(value: Any, path: Path) -> Iterator[Fault]:
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from _check(item, (*path, i))
    elif isinstance(value, dict):
        if "servers" in value and "needs" in value:
            yield from _check_system(value, path)
        for key, item in value.items():
            below = [fault for entry in _entries(item) for fault in _check_entry(key, entry, path)]
            yield from below or _check(item, (*path, key))


def _check_system(block: dict[str, Any], path: Path) -> list[Fault]:
    """Faults of a multiserver-job system. Rates and probabilities that the quantity sweeps are not
    given, and arbitrary ones are used instead."""
    keys = [k for k in ("servers", "needs", "rates", "probabilities") if k in block]
    expected = f"a system that can exist (from {', '.join(keys)})"
    for key in keys[1:]:
        if not isinstance(block[key], list) or not block[key]:
            return [Fault((*path, key), show(block[key]), f"a list; {expected}")]
    needs = block["needs"]
    rates = block.get("rates", [1.0] * len(needs))
    probabilities = block.get("probabilities", [1 / len(needs)] * len(needs))
    try:
        MultiserverJobSystem.of(block["servers"], needs, rates, probabilities)
    except (ValueError, TypeError) as error:
        return [Fault(path, str(error), expected)]
    return []


def _check_entry(key: str, entry: Any, path: Path) -> list[Fault]:
    if isinstance(entry, str) and key in NAMED:
        return []
    known = NUMBERS if key in NUMBERS and not isinstance(entry, dict) else BLOCKS
    faults = check(_block(key, known[key]), {key: entry}, path)[1] if key in known else []
    if key in POLICIES and not faults:
        try:
            read_policy(entry)
        except ValueError as error:
            return [Fault((*path, key), show(entry), str(error).partition("; found")[0])]
    return faults


def _entries(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _entries(item)
    else:
        yield value


@cache
def _block(key: str, kind: Any) -> type[Block]:
    name = key.replace("-", "_")
    return create_model(f"Given_{name}", __base__=Block, **{name: (kind, Field(alias=key))})
