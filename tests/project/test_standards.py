"""Project files read by other tools are valid, up to date, and in the expected places."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from rocrate.vocabs import RO_CRATE
from ruamel.yaml import YAML
from scripts import codemeta
from tests.conftest import ROOT, check_output

from atlas.config.read import read_yaml
from multiserver import __version__

BIN = Path(sys.executable).parent
# run.py puts it beside Python.
UV = shutil.which("uv", path=f"{BIN}:{Path.home() / '.local/bin'}")
CITATION = YAML(typ="safe").load(ROOT / "CITATION.cff")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_citation_file_is_valid_by_the_schema_of_its_format():
    schema = "vendor.citation-file-format"
    said = check_output(BIN / "check-jsonschema", "--builtin-schema", schema, "CITATION.cff")
    assert "ok" in said


@pytest.mark.skipif(UV is None, reason="needs uv")
def test_the_citation_file_is_valid_for_cffconvert():
    """In an environment of its own: it wants an older jsonschema than we do."""
    said = check_output(
        UV, "tool", "run", "--from", "cffconvert==2.0.0", "cffconvert", "--validate"
    )
    assert "valid according to schema version 1.2.0" in said


def test_the_citation_file_says_of_the_papers_what_their_config_says():
    """It names every paper whose claims are judged; others may stand in it."""
    files = sorted((ROOT / "config/papers").glob("*.yaml"))
    told = {r["title"]: r for r in CITATION["references"]}
    documents = [read_yaml(file, file.name)[0] for file in files]
    papers = {
        d["bibliography"]["title"]: d["bibliography"] for d in documents if "bibliography" in d
    }
    judged = {d["bibliography"]["title"] for d in documents if "claims" in d}
    assert judged <= told.keys() <= papers.keys()
    for title, reference in told.items():
        paper = papers[title]
        names = [f"{a['given-names']} {a['family-names']}" for a in reference["authors"]]
        assert names == paper["authors"]
        assert reference["year"] == paper["year"]
        assert reference.get("doi") == paper.get("doi")
        assert reference.get("conference", {}).get("name") == paper.get("venue")
        arxiv = [i["value"] for i in reference.get("identifiers", [])]
        assert arxiv == ([f"arXiv:{paper['arxiv']}"] if "arxiv" in paper else [])
        if "arxiv" in paper:
            assert reference["url"] == f"https://arxiv.org/abs/{paper['arxiv']}"


def test_the_project_says_the_same_of_itself_everywhere():
    project = PROJECT["project"]
    assert CITATION["version"] == __version__
    assert CITATION["license"] == project["license"]
    assert CITATION["keywords"] == project["keywords"]
    assert CITATION["abstract"].removesuffix(".") == project["description"]


def test_codemeta_is_as_the_citation_file_says(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["codemeta", "--output", str(tmp_path / "codemeta.json")])
    codemeta.main()
    fresh = (tmp_path / "codemeta.json").read_text("utf-8")
    assert (ROOT / "codemeta.json").read_text("utf-8") == fresh, "run `python scripts codemeta`"
    content = json.loads(fresh)
    assert content["version"] == __version__
    assert len(content["referencePublication"]) == len(CITATION["references"])


def test_codemeta_uses_terms_that_are_known():
    """The context of RO-Crate has all terms of CodeMeta 3.0 and of schema.org."""

    def walk(value):
        if isinstance(value, dict):
            yield value
            for item in value.values():
                yield from walk(item)
        elif isinstance(value, list):
            for item in value:
                yield from walk(item)

    content = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
    for node in walk(content):
        terms = {*node, node["@type"]} - {"@context", "@id", "@type"}
        assert terms <= RO_CRATE["@context"].keys()


def test_the_workflow_catalog_finds_what_it_looks_for():
    assert (ROOT / "config/README.md").stat().st_size > 0
    settings = YAML(typ="safe").load(ROOT / ".snakemake-workflow-catalog.yml")
    deployed = settings["usage"]["software-stack-deployment"]
    assert deployed == {"conda": True, "apptainer": False, "apptainer+conda": False}
    assert (ROOT / "workflow/envs").is_dir()


def read_lock() -> dict[str, str]:
    """The sums of each pin, `name==version` and a marker, if it has one."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    blocks = re.split(r"\n(?=\S)", lock.replace(" \\\n    --hash=", " --hash=").strip())
    return {b.partition(" --hash=")[0].strip(): b.partition(" --hash=")[2] for b in blocks}


def test_every_pin_has_its_sums_and_no_host_is_named():
    pins = read_lock()
    assert len(pins) > 100
    for pin, sums in pins.items():
        assert re.match(r"[a-z0-9-]+==\S+( ; .*)?$", pin), pin
        assert re.fullmatch(r"(sha256:[0-9a-f]{64}( --hash=)?)+", sums), pin
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert not re.search(r"://|index-url|find-links|[a-z]\.(org|com|io)\b", lock)


def test_what_builds_the_project_is_pinned_as_in_the_lock():
    pins = {pin.partition(" ;")[0] for pin in read_lock()}
    (required,) = PROJECT["build-system"]["requires"]
    assert required.startswith("hatchling==")
    validators = [r for r in PROJECT["dependency-groups"]["dev"] if "==" in r]
    assert {required, *validators} <= pins
    assert {"check-jsonschema", "roc-validator"} <= {v.partition("==")[0] for v in validators}
