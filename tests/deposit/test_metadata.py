"""The archive describes itself as a Workflow Run Crate, in known terms whose links resolve."""

from __future__ import annotations

import json
from pathlib import Path

from rocrate.rocrate import ROCrate
from rocrate.vocabs import RO_CRATE
from tests.deposit.conftest import BIBLIOGRAPHY, DATA, digest

from atlas.plan import archive_contents
from atlas.provenance import crate, kinds

ROOT = Path(__file__).resolve().parents[2]

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
}


def test_the_metadata_conform_to_the_profiles(graph, unpacked):
    metadata = json.loads((unpacked / "ro-crate-metadata.json").read_text("utf-8"))
    assert metadata["@context"] == "https://w3id.org/ro/crate/1.3/context"
    descriptor = graph["ro-crate-metadata.json"]
    specifications = [f"https://w3id.org/ro/crate/{version}" for version in ("1.3", "1.1")]
    assert [target["@id"] for target in descriptor["conformsTo"]] == specifications
    assert descriptor["about"] == {"@id": "./"}
    root = graph["./"]
    assert root["@type"] == "Dataset"
    assert {profile["@id"] for profile in root["conformsTo"]} == PROFILES
    assert root["name"] == "multiserver-atlas 0.1.0"
    assert root["description"] == "Results."
    assert root["datePublished"] == "2026-11-21T10:00:00+00:00"
    assert root["license"] == {"@id": "https://spdx.org/licenses/MIT"}
    assert graph[root["author"]["@id"]]["name"] == "The Authors"
    assert root["mainEntity"] == {"@id": "Snakefile"}
    workflow = graph["Snakefile"]
    types = ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    # The last is what the second of the specifications calls the one before.
    assert workflow["@type"] == [*types, "https://bioschemas.org/ComputationalWorkflow"]
    language = graph[workflow["programmingLanguage"]["@id"]]
    assert (language["name"], language["version"]) == ("Snakemake", "9.27.1")
    assert workflow["version"] == "0.1.0"


def test_every_file_is_listed_with_its_size_and_sum(graph, unpacked):
    files = {f.relative_to(unpacked).as_posix() for f in unpacked.rglob("*") if f.is_file()}
    parts = [part["@id"] for part in graph["./"]["hasPart"]]
    assert sorted(parts) == sorted(files - {"ro-crate-metadata.json"})
    for name in parts:
        content = (unpacked / name).read_bytes()
        assert graph[name]["contentSize"] == str(len(content))
        if name != "manifest-sha256.txt":
            assert graph[name]["sha256"] == digest(content)
    assert graph["figures/a-paper/fig1.pdf"]["encodingFormat"] == "application/pdf"


def test_the_run_made_the_outputs_from_the_config(graph):
    action = graph["#run-f00d"]
    assert graph["./"]["mentions"] == {"@id": "#run-f00d"}
    assert action["@type"] == "CreateAction"
    assert action["instrument"] == {"@id": "Snakefile"}
    assert action["description"] == "snakemake all --configfile settings.json"
    assert action["endTime"] == "2026-11-21T10:00:00+00:00"
    assert "agent" not in action
    assert {entity["@id"] for entity in action["object"]} == {
        "config/config.yaml",
        "requirements.lock",
        "settings.json",
    }
    made = {name for name in graph if name.startswith(("figures/", "results/"))}
    assert len(made) == 8
    assert {entity["@id"] for entity in action["result"]} == made


def test_a_figure_leads_to_its_data_its_sidecar_and_its_paper(graph):
    figure = graph["figures/a-paper/fig1.pdf"]
    assert (figure["name"], figure["description"]) == ("Figure λ", "What it shows.")
    assert figure["isBasedOn"] == {"@id": DATA}
    assert graph[figure["citation"]["@id"]]["name"] == "A Paper"
    assert figure["citation"] == {"@id": "https://doi.org/10.1/x"}
    assert graph["figures/a-paper/ledger.csv"]["name"] == "ledger of a-paper"
    about = graph["figures/a-paper/fig1.json"]["about"]
    assert {"@id": "figures/a-paper/fig1.pdf"} in about
    people = [entity["name"] for entity in graph.values() if entity["@type"] == "Person"]
    assert people == BIBLIOGRAPHY["authors"]
    assert all(id.isascii() and " " not in id for id in graph)


def test_every_term_is_known_and_every_reference_leads_somewhere(graph):
    for entity in graph.values():
        types = entity["@type"]
        terms = {*([types] if isinstance(types, str) else types), *entity} - {"@id", "@type"}
        terms = {term for term in terms if not term.startswith("https://")}
        assert terms <= RO_CRATE["@context"].keys()
        for key, value in entity.items():
            for item in value if isinstance(value, list) else [value]:
                # The specification and a language's home page are on the web.
                if isinstance(item, dict) and not item["@id"].startswith("http"):
                    assert item["@id"] in graph, key


def test_the_crate_can_be_read_back(packed):
    read = ROCrate(packed)
    assert read.mainEntity.id == "Snakefile"
    action = read.root_dataset["mentions"]
    assert action["instrument"] is read.mainEntity
    assert read.get(DATA) in action["result"]


def test_a_paper_without_an_address_is_cited_by_an_absolute_uri_all_the_same():
    told = {"title": "A Note", "authors": ["Bob"], "year": 2023}
    read = ROCrate(version="1.3")
    first, second = (crate._add_paper(read, told | {"title": title}).id for title in ("A", "B"))
    assert first.startswith("urn:uuid:")
    assert first != second
    assert crate._add_paper(read, told | {"arxiv": "1"}).id == "https://arxiv.org/abs/1"


def test_every_file_of_the_project_has_a_kind_of_its_own():
    assert kinds.explain("results/series/a-study/0.csv").endswith("of the study a-study")
    for part in archive_contents.PARTS:
        name = f"{part}/a" if (ROOT / part).is_dir() else part
        assert kinds.explain(name) != kinds.KINDS[""], name
