"""No case of the ledger holds regardless of what is computed: a recorded fault turns each case."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.claims.cases import read_cases
from tests.claims.faults import Gone
from tests.claims.plant import compute_with, is_turned, read_fault, read_rows

from atlas.config.read import read_yaml

PAPERS = sorted((Path(__file__).parents[2] / "config/papers").glob("*.yaml"))
COMMAND = "PYTHONPATH=src:. .venv/bin/python -m tests.claims.plant"
ROWS = read_rows()


def cases() -> tuple[set[str], set[str], list[set[str]]]:
    """The cases that must hold, since the verdict says so; those that may; and those of which one
    must, claim by claim."""
    must, may, some = set(), set(), []
    for file in PAPERS:
        for claim in read_yaml(file, file.name)[0].get("claims", ()):
            name = f"{file.stem}/{claim['id']}"
            parts = {
                kind: {f"{name}/{kind}/{k}" for k in range(len(claim.get(kind, ())))}
                for kind in ("readings", "evidence")
            }
            if claim["verdict"] in ("agrees", "corrected"):
                must |= {name} | parts["evidence"]
            if claim["verdict"] == "depends":
                some.append({name} | parts["readings"])
            if claim["verdict"] not in ("erratum", "needs the trace"):
                may |= {name} | parts["evidence"] | parts["readings"]
    return must, may, some


def test_each_case_that_holds_has_a_fault_on_record():
    must, may, some = cases()
    new = f"new; `{COMMAND}` looks for faults that turn them, and lists what nothing turns"
    missing = sorted(must - ROWS.keys())
    missing += [min(names) for names in some if not names & ROWS.keys()]
    assert not missing, f"{missing}: {new}"
    extra = sorted(ROWS.keys() - may)
    assert not extra, f"gone from the ledger; `{COMMAND}` takes them out"


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
