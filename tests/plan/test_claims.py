"""Claims are literal, follow the drawing, and are computed a group at a time."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.conftest import ROOT

from atlas.config.claims import check_rules
from atlas.config.faithful import determining
from atlas.config.quantities import find_quantities
from atlas.config.read import read_yaml
from atlas.gallery.collect import relate
from atlas.io.latex import escape
from atlas.plan.resolve import Plan

FILES = sorted((ROOT / "config/papers").glob("*.yaml"))
DOCUMENTS = {file.stem: read_yaml(file, file.name)[0] for file in FILES}
# A paper need not have claims.
PAPERS = {paper: document for paper, document in DOCUMENTS.items() if "claims" in document}
QUANTITIES = find_quantities()
PAPER = "config/papers/two-class-stability.yaml"
FIG7A = "curve: {study: wastage-by-rate-ratio,"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_below_claims_nothing_is_an_alias(file):
    claims = file.read_text("utf-8").partition("\nclaims:\n")[2]
    for line in claims.splitlines():
        value = line.partition(": ")[2]
        assert not re.match(r"[*&]\w|\{<<|\[\*", value) and "<<:" not in line, line


@pytest.mark.parametrize("paper", PAPERS)
def test_a_row_names_its_section_its_routes_and_how_sure_its_parameters_are(paper):
    for claim in PAPERS[paper]["claims"]:
        quantity = QUANTITIES[claim["quantity"]]
        assert quantity.how and quantity.route and quantity.confirmed, claim["id"]
        assert not quantity.how.endswith(("Eq", "Eqs", "Fig")), claim["id"]
        assert quantity.how.count("(") == quantity.how.count(")"), claim["id"]
        assert claim["certainty"] in ("stated", "inferred", "chosen"), claim["id"]
        assert claim.get("accuracy", 0) <= 0.02, claim["id"]
        assert (claim["verdict"] == "depends") == ("decides" in claim), claim["id"]
        assert re.search(r"Section|Appendi", claim["where"]), claim["id"]


@pytest.mark.parametrize("paper", PAPERS)
def test_a_claim_about_a_drawn_system_is_of_its_series_and_of_the_same_system(paper):
    for claim in PAPERS[paper]["claims"]:
        of, given = claim.get("of", []), claim.get("given", {})
        for one in [of] if isinstance(of, str) else of:
            figure, _, name = one.partition("/")
            drawn = determining(PAPERS[paper]["figures"][figure]["series"][name])
            for key in ("servers", "needs", "system", "exponent", "probability_2"):
                if key in drawn and type(given.get(key)) is type(drawn[key]):
                    assert drawn[key] == given[key], (claim["id"], one, key)


@pytest.mark.parametrize("paper", PAPERS)
def test_an_erratum_accuses_fairly(paper):
    errata = [claim for claim in PAPERS[paper]["claims"] if claim["verdict"] == "erratum"]
    assert max(Counter(claim["quote"].lower() for claim in errata).values(), default=1) == 1
    withdrawn = {"constrain-any-load", "lower-bound-positive", "log-series-block"}
    accused = {claim["id"] for claim in errata}
    assert not accused & (withdrawn | {"eq-30", "fig9-boundary-share", "divisible-front-size"})


def test_a_sentence_is_accused_once():
    (claim,) = [c for c in PAPERS["two-class-stability"]["claims"] if c["verdict"] == "erratum"]
    context, errata = SimpleNamespace(faulty=(), blocks={}), {}
    once, twice = (set(check_rules(claim, (), context, errata)) for _ in range(2))
    (fault,) = twice - once
    assert fault.path == ("quote",) and claim["id"] in fault.found


@pytest.mark.parametrize("paper", PAPERS)
def test_what_does_not_simply_hold_names_a_version_and_the_front_page_the_later_ones(paper):
    verdicts = {claim["verdict"] for claim in PAPERS[paper]["claims"]}
    versions = (PAPERS[paper].get("bibliography") or {}).get("versions", {})
    apart = bool(verdicts & {"erratum", "depends"})
    assert "read" in versions or not apart
    front = (ROOT / "README.md").read_text("utf-8").partition("## What does not hold")[2]
    before = front.partition("\n- `")[0]
    assert (f"`{paper}`" in before) == (apart and "record" in versions)


# Theorem, Lemma, Proposition, Corollary, Claim: of each paper all that it has, 40 together.
THEOREMS = {
    "two-class-stability": "T4.1 T4.2 T4.3 L5.1 L5.2 L7.1 T8.1 T8.2 Claim1",
    "product-form-saturated": "T1 T2",
    "multilevel-scaling": (
        "T4.1 T4.2 L5.1 L5.2 L5.3 L5.4 L5.5 L6.1 T6.1 L7.1 T7.1 L8.1 L8.2 L8.3 T8.1"
    ),
    "finite-skip": "T3.3 L3.4 L3.5 T3.7 C3.8 L7.1",
    "parallel-processing": "T1 T2 P1 P2 T3 P3 T4 P4",
}
KINDS = {"T": "Theorem", "L": "Lemma", "P": "Proposition", "C": "Corollary"}
SEVERAL = {"count", "clusters", "systems", "networks"}


@pytest.mark.parametrize("paper", THEOREMS)
def test_every_theorem_has_rows_of_several_systems(paper):
    for short in THEOREMS[paper].split():
        kind, number = (KINDS[short[0]], short[1:]) if short != "Claim1" else ("Claim", "1")
        name = re.compile(rf"{kind}s?( \d+(\.\d+)? and)? {re.escape(number)}(?![.\d])")
        rows = [
            claim
            for claim in PAPERS[paper]["claims"]
            if name.search(claim["where"]) and "proof" not in claim["where"]
        ]
        systems = set()
        for claim in rows:
            for case in (claim, *claim.get("readings", []), *claim.get("evidence", [])):
                given = {**claim.get("given", {}), **case.get("given", {})}
                # A limit is taken over several n, and random systems are many.
                several = SEVERAL & given.keys() or case.get("quantity", "").endswith("-limit")
                systems |= {json.dumps(given)} | ({"several"} if several else set())
        assert len(systems) > 1, short
    assert sum(len(names.split()) for names in THEOREMS.values()) == 40


def test_statements_covered():
    covered, pending = 0, 0
    for document in PAPERS.values():
        rows = [c for c in document["claims"] if c["verdict"] != "corrected"]
        trace = {c["quote"].lower() for c in rows if c["verdict"] == "needs the trace"}
        covered += len({c["quote"].lower() for c in rows} - trace)
        pending += len(trace)
    assert covered >= 370 and pending < 10


@pytest.mark.parametrize("paper", PAPERS)
def test_no_sentence_is_both_accused_and_upheld(paper):
    verdicts: dict[str, set[str]] = {}
    for claim in PAPERS[paper]["claims"]:
        verdicts.setdefault(claim["quote"].lower(), set()).add(claim["verdict"])
    assert not any({"agrees", "erratum"} <= found for found in verdicts.values())


@pytest.mark.parametrize("paper", PAPERS)
def test_what_does_not_simply_hold_stands_beside_a_figure_or_table(paper):
    document = PAPERS[paper]
    products = document.get("figures", {}) | document.get("tables", {})
    numbers = {id: str(block.get("source", {}).get("figure", "")) for id, block in products.items()}
    lost = [
        claim["id"]
        for claim in document["claims"]
        if claim["verdict"] in ("erratum", "depends")
        and not claim.get("figures")
        and not relate(claim.get("of") or [], claim["where"], numbers)
    ]
    assert not lost, "a claim names its figures: or a series in of:"


def load(root: Path, paper: str = "two-class-stability", **changed):
    run = {"papers": [paper], "effort": "quick"} | changed
    base = read_yaml(root / "config/config.yaml", "config.yaml")[0]
    plan = Plan.load(base | run, root)
    products = {product.id: product for product in plan.products}
    return {c["id"]: c for c in products["ledger"].content["claims"]}, products


def test_claims_are_at_most_ten_jobs(plan):
    for ledger in (product for product in plan.products if product.stage == "judge"):
        assert sum(series.study == "claims" for series in ledger.series.values()) <= 10


@pytest.mark.parametrize(
    "new",
    [
        f"{FIG7A} servers: 33, needs: [1, 10], probability_2: 0.5}}",
        f"{FIG7A} <<: *ratio-7b, servers: 33, needs: [1, 10]}}",
    ],
    ids=["in the series", "over an anchor"],
)
def test_a_changed_system_has_no_reference_by_whichever_edit(project, unedited, new):
    before, products = load(project.root)
    assert not any(claim["differs"] for claim in before.values())
    assert products["fig7a"].content["faithful"]
    project.edit(PAPER, f"{FIG7A} servers: 30, needs: [1, 10], probability_2: 0.5}}", new)
    after, products = load(project.root)
    changed = {id for id, claim in after.items() if claim["differs"]}
    about = {
        id
        for id, claim in after.items()
        if any("fig7a/curve" in case["of"] for case in claim["cases"])
    }
    assert changed == about and {"fig7a-peaks", "similar-peaks", "fig7a-at-1"} <= changed
    assert not products["fig7a"].content["faithful"]
    assert "n = 33" in products["fig7a"].content["caption"]


def test_editing_code_recomputes_what_is_made_by_it_alone(tmp_path):
    """A quantity, the claims of its group; a module of the library, all that depend on it."""
    for part in ("config", "scripts", "src", "workflow", "benchmarks"):
        shutil.copytree(ROOT / part, tmp_path / part)
    shutil.copy2(ROOT / "Snakefile", tmp_path)
    drawn = {"fig7a", "fig7b", "fig8a", "fig8b"}
    about = {"rate_ratio", "wastage", *(f"{figure}/curve" for figure in drawn)}
    edits = (
        ("src/atlas/claims/states.py", "enumerate_chain(", {"states"}),
        ("src/multiserver/saturated/limits.py", "int(states(", drawn | about),
    )
    before = load(ROOT)[1]
    for name, call, expected in edits:
        file = tmp_path / name
        text = file.read_text("utf-8")
        assert text.count(f"return {call}") == 1
        file.write_text(text.replace(f"return {call}", f"return 2 * {call}"), "utf-8")
        after = load(tmp_path)[1]
        file.write_text(text, "utf-8")
        changed = {
            name if id == "ledger" else id
            for id in before.keys() - {"values"}  # which has the series of the ledger
            for name, series in before[id].series.items()
            if series.digest != after[id].series[name].digest
        }
        assert changed == expected


def test_seed_and_effort_of_the_run_reach_the_claims(unedited):
    found = {}
    for effort, seed in (("paper", 1), (5000, 2)):
        _, products = load(ROOT, "finite-skip", effort=effort, seed=seed)
        groups = [series.parameters["rows"] for series in products["ledger"].series.values()]
        rows = [row["parameters"] for group in groups for row in group]
        found[effort] = {(row["jobs"], row["seed"]) for row in rows if "jobs" in row}
    assert found["paper"] == {(640_000, 1), (2_560_000, 1), (3_200_000, 1)}
    assert found[5000] == {(5000, 2)}


def test_jobs_of_a_state_are_no_length_of_a_run(unedited):
    claims, _ = load(ROOT, effort=5000)
    cases = [case for claim in claims.values() for case in claim["cases"]]
    jobs = {c["row"]: c["parameters"]["jobs"] for c in cases if "jobs" in c["parameters"]}
    assert {jobs[name] for name in ("s1-of-4", "s1-of-6", "s2-of-2")} == {4, 6, 2}


def test_every_text_of_a_ledger_can_be_typeset(plan):
    def typeset(value):
        if isinstance(value, str):
            escape(value)  # raises on a symbol that it does not know
        elif isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                typeset(item)

    ledgers = [product for product in plan.products if product.stage == "judge"]
    assert {ledger.paper for ledger in ledgers} == PAPERS.keys() >= THEOREMS.keys()
    for ledger in ledgers:
        typeset(json.loads(ledger.text))
