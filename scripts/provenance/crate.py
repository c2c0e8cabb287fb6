"""Describe a run as a Workflow Run Crate: metadata of RO-Crate 1.3 in JSON-LD.

Profiles: Workflow RO-Crate 1.1, Process Run Crate 0.6 and Workflow Run Crate 0.6. The workflow is
the Snakefile; its run made the outputs from the config. Every file is listed with its size and
SHA-256 sum, every figure and table with its data and the paper that it reproduces.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

NAME = "ro-crate-metadata.json"
VERSION = "1.3"
RUN_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.6": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.6": "Workflow Run Crate",
}
WORKFLOW = "Snakefile"
# The standard library's table of these depends on the machine.
MEDIA_TYPES = {
    ".bib": "application/x-bibtex",
    ".cff": "application/yaml",
    ".csv": "text/csv",
    ".json": "application/json",
    ".lock": "text/plain",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".tex": "text/x-tex",
    ".toml": "application/toml",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """What the crate says of any file."""

    size: int
    sha256: str | None = None


def describe(
    project: Mapping[str, Any],
    fingerprint: str,
    command: str,
    files: Mapping[str, Listed],
    inputs: list[str],
    outputs: list[str],
    products: Mapping[str, tuple[Mapping[str, Any], list[str]]],
) -> str:
    """The metadata of a crate of `files`, of which the run of `command` made the `outputs`.

    `products` are the content of each sidecar and the data that its product was made from, by the
    sidecar's name; `project` has name, version, description, licence and keywords.
    """
    crate = ROCrate(version=VERSION)
    entities = {name: _add_file(crate, name, files[name]) for name in sorted(files)}
    workflow = entities[WORKFLOW]
    workflow["name"] = f"{project['name']}: the workflow"
    workflow["version"] = project["version"]
    for name, (sidecar, data) in sorted(products.items()):
        _describe_product(crate, entities, name, sidecar, data)
    ended = max(sidecar["made"] for sidecar, _ in products.values())
    properties = {
        "@type": "CreateAction",
        "name": f"The run {fingerprint}",
        "description": command,
        "endTime": ended,
        "instrument": workflow,
        "object": [entities[name] for name in sorted(inputs)],
        "result": [entities[name] for name in sorted(outputs)],
    }
    action = crate.add(ContextEntity(crate, f"#run-{fingerprint}", properties))
    licence = f"https://spdx.org/licenses/{project['licence']}"
    root = crate.root_dataset
    root["name"] = f"{project['name']} {project['version']}"
    root["description"] = project["description"]
    root["version"] = project["version"]
    root["keywords"] = project["keywords"]
    root["datePublished"] = ended
    root["license"] = _add(crate, licence, "CreativeWork", name=project["licence"])
    root["mentions"] = [action]
    for profile, title in RUN_PROFILES.items():
        version = profile.rpartition("/")[2]
        entity = _add(crate, profile, "CreativeWork", name=title, version=version)
        root.append_to("conformsTo", entity)
    return json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False) + "\n"


def _add_file(crate: ROCrate, name: str, listed: Listed) -> Entity:
    properties = {"name": name, "contentSize": str(listed.size)}
    if listed.sha256 is not None:
        properties["sha256"] = listed.sha256
    media_type = MEDIA_TYPES.get(PurePosixPath(name).suffix)
    if media_type is not None:
        properties["encodingFormat"] = media_type
    if name == WORKFLOW:
        return crate.add_workflow(
            dest_path=name, properties=properties, main=True, lang="snakemake"
        )
    return crate.add_file(dest_path=name, properties=properties)


def _describe_product(
    crate: ROCrate,
    entities: Mapping[str, Entity],
    name: str,
    sidecar: Mapping[str, Any],
    data: list[str],
) -> None:
    paper, id = sidecar["paper"], sidecar["id"]
    about = sidecar["bibliography"]
    reproduced = None if about is None else _add_paper(crate, paper, about)
    files = [entities[str(PurePosixPath(name).with_name(file))] for file in sidecar["outputs"]]
    for file in files:
        file["name"] = sidecar["title"] or f"{id} of {paper}"
        if sidecar["caption"]:
            file["description"] = sidecar["caption"]
        file["isBasedOn"] = [entities[series] for series in sorted(set(data))]
        if reproduced is not None:
            file["citation"] = reproduced
    entities[name]["name"] = f"How {id} of {paper} was made"
    entities[name]["about"] = files


def _add_paper(crate: ROCrate, paper: str, bibliography: Mapping[str, Any]) -> Entity:
    if "doi" in bibliography:
        identifier = f"https://doi.org/{bibliography['doi']}"
    elif "arxiv" in bibliography:
        identifier = f"https://arxiv.org/abs/{bibliography['arxiv']}"
    else:
        identifier = f"#{paper}"
    authors = [
        _add(crate, quote(f"#{author.lower().replace(' ', '-')}", safe="#"), "Person", name=author)
        for author in bibliography["authors"]
    ]
    title, year = bibliography["title"], str(bibliography["year"])
    kind = "ScholarlyArticle"
    return _add(crate, identifier, kind, name=title, author=authors, datePublished=year)


def _add(crate: ROCrate, identifier: str, kind: str, **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind, **properties}))
