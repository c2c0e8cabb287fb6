"""No case of the ledger holds whatever is computed: a fault that is on record turns it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.claims.cases import read_cases
from tests.claims.faults import Gone
from tests.claims.plant import compute_with, is_turned, read_fault, read_rows

from plan.read import read_yaml

PAPERS = sorted((Path(__file__).parents[2] / "config/papers").glob("*.yaml"))
COMMAND = "PYTHONPATH=scripts:src:. .venv/bin/python -m tests.claims.plant"
ROWS = read_rows()


def cases() -> tuple[set[str], set[str]]:
    """The cases that must hold, since the verdict says so; and those that may."""
    must, may = set(), set()
    for file in PAPERS:
        for claim in read_yaml(file, file.name)[0].get("claims", ()):
            name = f"{file.stem}/{claim['id']}"
            parts = {
                kind: {f"{name}/{kind}/{k}" for k in range(len(claim.get(kind, ())))}
                for kind in ("readings", "evidence")
            }
            if claim["verdict"] in ("agrees", "corrected"):
                must |= {name} | parts["evidence"]
            if claim["verdict"] != "erratum":
                may |= {name} | parts["evidence"] | parts["readings"]
    return must, may


def test_what_is_on_record_is_in_the_ledger():
    _, may = cases()
    assert not sorted(ROWS.keys() - may), f"gone from the ledger; `{COMMAND}` takes them out"


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_a_fault_turns_a_case(name):
    case, fault = read_cases()[name], read_fault(ROWS[name])
    again = f"{fault}; `{COMMAND} {'/'.join(name.split('/')[:2])}` looks for another"
    try:
        found = compute_with(case, fault)
    except Gone as error:
        pytest.fail(f"{error}; {again}")
    assert is_turned(case, found), f"{found} is allowed in spite of {again}"
