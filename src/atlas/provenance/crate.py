"""Describe a run as a Workflow Run Crate: metadata of RO-Crate 1.3 in JSON-LD.

Profiles: Workflow RO-Crate 1.0, Process Run Crate 0.5 and Workflow Run Crate 0.5. These extend
RO-Crate 1.1, so the metadata follow its rules too: the descriptor names both versions, and the
workflow has its type in the terms of both. The workflow is the Snakefile; its run made the outputs
from the config. Every file is listed with its size and SHA-256 sum, every figure and table with its
data and the paper that it reproduces.
"""

from __future__ import annotations

import json
import re
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from atlas.io.cite import where_published
from atlas.provenance.kinds import explain, find_media_type

NAME = "ro-crate-metadata.json"
VERSION = "1.3"
SPECIFICATIONS = ("https://w3id.org/ro/crate/1.3", "https://w3id.org/ro/crate/1.1")
PROFILES = {
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
}
WORKFLOW = "Snakefile"
# The last is the RO-Crate 1.1 term for the one before it.
WORKFLOW_TYPES = [
    *("File", "SoftwareSourceCode", "ComputationalWorkflow"),
    "https://bioschemas.org/ComputationalWorkflow",
]
WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
SNAKEMAKE = {
    "paper": ("https://doi.org/10.1093/bioinformatics/bts480", "The paper on Snakemake"),
    "manual": ("https://snakemake.readthedocs.io", "The manual of Snakemake"),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """What the crate records for every file."""

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

    `products` maps the name of each sidecar to its content and to the data that its product was
    made from. `project` has name, version, description, licence, authors, keywords and the version
    of Snakemake.
    """
    crate = ROCrate(version=VERSION)
    entities = {
        name: crate.add_file(dest_path=name, properties=_describe_file(name, files[name]))
        for name in sorted(files)
        if name != WORKFLOW
    }
    workflow = entities[WORKFLOW] = _add_workflow(crate, project, files[WORKFLOW])
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
    _describe_root(crate, project, ended, action)
    if "README.md" in entities:
        entities["README.md"]["about"] = crate.root_dataset
    crate.metadata["conformsTo"] = [{"@id": url} for url in SPECIFICATIONS]
    return json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False) + "\n"


def _describe_root(crate: ROCrate, project: Mapping[str, Any], ended: str, action: Entity) -> None:
    root = crate.root_dataset
    root["name"] = f"{project['name']} {project['version']}"
    root["description"] = project["description"]
    root["version"] = project["version"]
    root["keywords"] = _compact(project["keywords"])
    root["datePublished"] = ended
    spdx, about = project["licence"], "The licence of everything in the archive"
    licence = f"https://spdx.org/licenses/{spdx}"
    root["license"] = _add(crate, licence, "CreativeWork", name=spdx, description=about)
    name, about = project["authors"], "Who wrote the project; the papers have their own authors"
    root["author"] = _add(crate, "#authors", "Organization", name=name, description=about)
    root["mentions"] = action
    root["conformsTo"] = [_add_profile(crate, *profile) for profile in PROFILES.items()]


def _describe_file(name: str, listed: Listed) -> dict[str, Any]:
    properties = {
        "name": name,
        "description": explain(name),
        "contentSize": str(listed.size),
        "encodingFormat": find_media_type(name),
    }
    return properties if listed.sha256 is None else properties | {"sha256": listed.sha256}


def _add_workflow(crate: ROCrate, project: Mapping[str, Any], listed: Listed) -> Entity:
    properties = _describe_file(WORKFLOW, listed)
    properties |= {"@type": WORKFLOW_TYPES, "version": project["version"]}
    properties["name"] = f"{project['name']}: the workflow"
    language = {"lang": "snakemake", "lang_version": project["snakemake"]}
    workflow = crate.add_workflow(dest_path=WORKFLOW, properties=properties, **language)
    crate.mainEntity = workflow
    profile = _add_profile(crate, WORKFLOW_PROFILE, "Bioschemas ComputationalWorkflow")
    workflow["conformsTo"] = profile
    language = workflow["programmingLanguage"]
    language["description"] = "The language of the workflow, and what runs it"
    for kind, key in (("paper", "identifier"), ("manual", "url")):
        url, name = SNAKEMAKE[kind]
        language[key] = _add(crate, url, "CreativeWork", name=name, description=f"{name}, cited")
    return workflow


def _add_profile(crate: ROCrate, url: str, name: str) -> Entity:
    version = url.rpartition("/")[2].removesuffix("-RELEASE")
    about = f"Version {version} of the profile {name}"
    types = ["CreativeWork", "Profile"]
    return _add(crate, url, types, name=name, version=version, description=about)


def _describe_product(
    crate: ROCrate,
    entities: Mapping[str, Entity],
    name: str,
    sidecar: Mapping[str, Any],
    data: list[str],
) -> None:
    paper, id = sidecar["paper"], sidecar["id"]
    about = sidecar["bibliography"]
    reproduced = None if about is None else _add_paper(crate, about)
    files = [entities[str(PurePosixPath(name).with_name(file))] for file in sidecar["outputs"]]
    for file in files:
        file["name"] = sidecar["title"] or f"{id} of {paper}"
        if sidecar["caption"]:
            file["description"] = sidecar["caption"]
        file["isBasedOn"] = _compact([entities[series] for series in sorted(set(data))])
        if reproduced is not None:
            file["citation"] = reproduced
    entities[name]["name"] = f"How {id} of {paper} was made"
    entities[name]["about"] = _compact(files)


def _add_paper(crate: ROCrate, bibliography: Mapping[str, Any]) -> Entity:
    title, names = bibliography["title"], bibliography["authors"]
    # A citation must be an absolute URI, even if the paper cannot be found by it.
    identifier = where_published(bibliography) or uuid.uuid5(uuid.NAMESPACE_OID, title).urn
    about = "An author of a paper that is reproduced"
    authors = [_add(crate, f"#{_spell(n)}", "Person", name=n, description=about) for n in names]
    properties = {
        "name": title,
        "author": _compact(authors),
        "datePublished": str(bibliography["year"]),
        "description": "A paper that is reproduced",
    }
    return _add(crate, identifier, "ScholarlyArticle", **properties)


def _spell(name: str) -> str:
    """A name in lower case without accents, with hyphens; in hexadecimal if nothing is left."""
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    return re.sub("[^a-z0-9]+", "-", plain).strip("-") or name.encode().hex()


def _compact(values: Sequence[Any]) -> Any:
    """A single value without its list."""
    return values[0] if len(values) == 1 else values


def _add(crate: ROCrate, identifier: str, kind: str | list[str], **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind, **properties}))
