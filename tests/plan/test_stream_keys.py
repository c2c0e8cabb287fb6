"""The random streams of all simulated series of config/papers, of the reference systems and of
simulated claims have not changed since they were first drawn: stream_keys.csv has their keys.

    python -m tests.plan.test_stream_keys

rewrites the file, for series that are new or have a new meaning.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field
from ruamel.yaml import YAML

from atlas.claims import sharing_simulations
from atlas.config.kinds import module
from atlas.fields.block import Block
from atlas.fields.markers import DrawnAs
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock
from atlas.plan.resolve import Plan
from atlas.studies import reference_simulated

ROOT = Path(__file__).resolve().parents[2]
PINNED = Path(__file__).with_name("stream_keys.csv")
ADVICE = f"""
Other random streams are other numbers. If config has a better word for the same thing, the former
one stays on its field, Annotated[..., DrawnAs("former")]; if the word is not a key of config, the
series says `stream: KEY`, the key of old. If a series is new or means something else, write the
file of keys anew: python -m tests.plan.{Path(__file__).stem}"""


def find_keys(plan: Plan) -> dict[str, int]:
    """The keys by the first place that has each: paper, figure or table, series and what it has of
    several."""
    places: dict[int, str] = {}
    for product in plan.products:
        for name, series in product.series.items():
            for below, key in _keys(series.study, series.parameters):
                part = below if series.study == "claims" else "/".join(filter(None, (name, below)))
                places.setdefault(key, f"{product.paper}/{product.id}/{part}")
    return {place: key for key, place in places.items()}


def _keys(study: str, given: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    if study == "claims":
        for row in given["rows"]:
            if row["quantity"].startswith("sharing-simulations/"):
                one = {key: row["parameters"].get(key) for key in sharing_simulations.KEYED}
                yield row["id"], stream_key(one)
        return
    found = module("studies", study)
    if not hasattr(found, "stream_key"):
        return
    parameters = found.Parameters.model_validate(given)
    if found is reference_simulated:
        for name, block in parameters.systems.items():
            yield name, found.key_of(name, block)
    else:
        yield "", stream_key(parameters)


def read_pinned() -> dict[str, int]:
    with PINNED.open(encoding="utf-8", newline="") as file:
        return {row["place"]: int(row["key"]) for row in csv.DictReader(file)}


def test_random_streams_are_those_of_before(plan):
    found, pinned = find_keys(plan), read_pinned()
    assert len(pinned) > 150
    differ = [
        f"{place}: {found.get(place, 'no such series')}, was {pinned.get(place, 'none')}"
        for place in sorted(found.keys() | pinned.keys())
        if found.get(place) != pinned.get(place)
    ]
    assert not differ, "\n".join([*differ, ADVICE])


class Job(Block):
    length: Annotated[int, DrawnAs("size"), Field(alias="how-long")]


class Today(SimulatedBlock):
    jobs_of: Annotated[list[Job], DrawnAs("classes")]
    by: Annotated[dict[str, Job], DrawnAs("named")]
    lacking: int | None = None


GIVEN = {"jobs_of": [{"how-long": 2}], "by": {"a": {"how-long": 3}}, "jobs": 4000, "seed": 1}


def test_a_better_word_draws_the_streams_of_the_former_one():
    """On any level: of what is simulated, the key is that of the words that marks say."""
    spelled = {"classes": [{"size": 2}], "named": {"a": {"size": 3}}, "replications": 32}
    assert stream_key(Today.model_validate(GIVEN)) == stream_key(spelled)
    assert stream_key(Today.model_validate(GIVEN), name="b") == stream_key({**spelled, "name": "b"})


@pytest.mark.parametrize("given", [0, 4242, 2**32 - 1])
def test_a_series_may_give_the_key_itself(given):
    block = Today.model_validate(GIVEN | {"stream": given})
    assert stream_key(block) == given
    assert "stream" not in block.stream_key_form()


def _write() -> None:
    config = YAML(typ="safe").load((ROOT / "config/config.yaml").read_text("utf-8"))
    rows = [("place", "key"), *find_keys(Plan.load(config, ROOT)).items()]
    with PINNED.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    _write()
