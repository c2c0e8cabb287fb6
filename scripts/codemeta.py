"""Write codemeta.json from CITATION.cff and pyproject.toml: `python scripts codemeta`.

It is CodeMeta 3.0. `cffconvert` leaves out the papers and the requirements, and needs an older
jsonschema than others.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from atlas.io.atomic import write_text

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """`[--output FILE]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "codemeta.json")
    arguments = parser.parse_args()
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    content = describe(citation, about["project"])
    write_text(arguments.output, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def describe(citation: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the file.

    `citation` is a Citation File (CFF 1.2.0), `project` the table of that name in pyproject.toml.
    """
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": citation["title"],
        "identifier": project["name"],
        "description": citation["abstract"],
        "version": citation["version"],
        "license": f"https://spdx.org/licenses/{citation['license']}",
        "author": [_describe_author(author) for author in citation["authors"]],
        "keywords": citation["keywords"],
        "developmentStatus": "active",
        "programmingLanguage": ["Python", "Snakemake"],
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "referencePublication": [_describe_paper(paper) for paper in citation["references"]],
    }


def _describe_author(author: Mapping[str, Any]) -> dict[str, str]:
    if "name" in author:
        return {"@type": "Organization", "name": author["name"]}
    names = {"givenName": author["given-names"], "familyName": author["family-names"]}
    return {"@type": "Person", **names}


def _describe_paper(paper: Mapping[str, Any]) -> dict[str, Any]:
    article = {
        "@type": "ScholarlyArticle",
        "name": paper["title"],
        "author": [_describe_author(author) for author in paper["authors"]],
        "datePublished": str(paper["year"]),
    }
    if "url" in paper:
        article |= {"@id": paper["url"], "url": paper["url"]}
    if "doi" in paper:
        article |= {"@id": f"https://doi.org/{paper['doi']}", "identifier": paper["doi"]}
    if "conference" in paper:
        article["isPartOf"] = {"@type": "PublicationVolume", "name": paper["conference"]["name"]}
    return article


if __name__ == "__main__":
    main()
