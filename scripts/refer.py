"""Refer: write the reference systems to `reference`, as files that can be used without our code.

There is one JSON file per system, an index of all, the JSON Schema of both, a flat table of the
values, and what to cite. Files of systems that no longer exist are removed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from atlas.io.atomic import write_text
from atlas.io.cite import name, references
from atlas.io.credit import LICENCE
from atlas.io.readable_json import lay_out
from atlas.io.specs import canonical, digest, read_spec
from atlas.io.sums import sha256
from atlas.io.tidy import read_table
from atlas.studies.reference_exact import Parameters
from multiserver.policies import policy
from referee.describe import describe, name_policy, relate
from referee.shape import Index, System
from referee.shape import describe as describe_shape

FLAT = ("system", "quantity", "class", "k", "value", "half_width")


def main() -> None:
    """`SPEC --output FOLDER`; the spec is that of the table of all reference systems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="the table of all systems (JSON)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    refer(read_spec(arguments.spec), arguments.output)


def refer(spec: Mapping[str, Any], folder: Path) -> None:
    """Write the files."""
    systems = relate(
        describe(
            id,
            block,
            rows[rows["system"] == id],
            definition=rule.definition,
            preemptive=rule.preemptive,
        )
        for series in spec["series"].values()
        for rows in [read_table(Path(series["file"]))[0]]
        for id, block in series["parameters"]["systems"].items()
        for rule in [policy(name_policy(block["policy"])["name"])]
    )
    texts = {f"systems/{s['id']}.json": lay_out(s) + "\n" for s in systems}
    # The fingerprint of what is published: it changes only with a value, description or definition.
    spec = {**spec, "fingerprint": digest(*map(canonical, systems))}
    index = list_systems(spec, systems, texts)
    for one, model in (*((s, System) for s in systems), (index, Index)):
        model.model_validate(one)
    for file, content in (("index.json", index), ("schema.json", describe_shape())):
        texts[file] = lay_out(content) + "\n"
    texts["values.csv"] = flatten(systems).to_csv(index=False, lineterminator="\n")
    texts["reference.bib"] = references(spec)
    for file in (folder / "systems").glob("*.json"):
        if f"systems/{file.name}" not in texts:
            file.unlink()
    for file, text in texts.items():
        write_text(folder / file, text)


def list_systems(
    spec: Mapping[str, Any], systems: list[dict[str, Any]], texts: Mapping[str, str]
) -> dict[str, Any]:
    """The index of the systems, whose files have these texts."""
    origins = made_from(spec)
    listed = [
        {
            "id": s["id"],
            "file": (file := f"systems/{s['id']}.json"),
            "sha256": sha256(texts[file].encode()),
            "model": s["model"],
            "policy": s["policy"]["name"],
            "classes": len(s.get("classes") or s["arrivals"]),
            "exact": not any("half_width" in value for value in s["values"]),
            "made_from": origins[s["id"]],
        }
        for s in systems
    ]
    return {
        "$schema": "schema.json",
        "title": "Reference systems for simulators of multiserver queues",
        "version": spec["software"]["multiserver-atlas"],
        "fingerprint": spec["fingerprint"],
        "licence": LICENCE,
        "cite": name(spec),
        "systems": listed,
    }


def made_from(spec: Mapping[str, Any]) -> dict[str, str]:
    """For each system the digest of its block in config, whatever the names of its keys, and of the
    length of its simulation. Files with another digest are not what a run would publish now."""
    found = {}
    for parameters in (series["parameters"] for series in spec["series"].values()):
        systems = Parameters.model_validate({"systems": parameters["systems"]}).systems
        for id, block in systems.items():
            found[id] = digest(canonical({**parameters, "systems": {id: block.stream_key_form()}}))
    return found


def flatten(systems: list[dict[str, Any]]) -> pd.DataFrame:
    """All values in one table."""
    rows = [{"system": s["id"], **value} for s in systems for value in s["values"]]
    table = pd.DataFrame(rows).reindex(columns=list(FLAT))
    return table.astype({"k": "Int64"})


if __name__ == "__main__":
    main()
