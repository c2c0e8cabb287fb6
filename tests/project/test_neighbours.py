"""Files of a public project: how to contribute, forms, hosted tests, a small run for catalogs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.conftest import ROOT, check_output, forks

BIN = Path(sys.executable).parent
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
FORMS += [ROOT / ".github/ISSUE_TEMPLATE/claim-judged-unfairly.yml"]


def test_contributing_leads_to_files_that_exist_and_names_the_words_of_ci():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    linked = re.findall(r"\]\(([^)#]+)\)", page)
    named = re.findall(r"`((?:src|config|docs|tests)/[\w./-]+)`", page)
    named += re.findall(r" (tests/[\w/]+\.py)`", page)
    assert len(linked) >= 6 and len(named) >= 4
    assert all((ROOT / name).exists() for name in (*linked, *named))
    assert "python3 run.py test --all" in page


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-issue-forms", FORMS),
        ("vendor.github-workflows", [ROOT / ".github/workflows/ci.yml"]),
    ],
)
def test_what_the_host_reads_is_valid_by_its_schema(schema, files):
    check_output(BIN / "check-jsonschema", "--builtin-schema", schema, *files)


def test_hosted_tests_are_those_of_ci():
    jobs = YAML(typ="safe").load(ROOT / ".github/workflows/ci.yml")["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    ran = [step["run"] for step in steps if "run" in step]
    assert len(ran) == 1 and ran[0].endswith(" .ci/run")


@pytest.mark.slow
def test_the_small_run_of_catalogs_is_planned_in_a_folder_of_its_own(tmp_path):
    config = ROOT / ".test/config/config.yaml"
    words = ["--directory", str(tmp_path), "--configfile", str(config), "--dry-run", "all"]
    found = forks().start(ROOT, words, plain=True).wait()
    assert found.returncode == 0, found.stdout
    assert "product-form-saturated" in found.stdout
    assert not re.search(r"multilevel-scaling|finite-skip|parallel-processing", found.stdout)
