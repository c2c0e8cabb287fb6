"""The presets that the page takes from a run."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from atlas.gallery.collect import Claim, Table
from atlas.gallery.explorer import CLAIMS, find_absent, find_links, find_presets
from atlas.gallery.render import find_preset_of_products, render

from .conftest import paper, product

JOBS = {"servers": 10, "needs": [1, 10], "rates": [2.0, 1.0]}
PAIR = [[1, 2.0, 0.75], [10, 1.0, 0.25]]


def only(block) -> dict:
    """The preset of a product with one series."""
    (preset,) = find_presets([paper("p", product("x", "1", series=block))])
    return preset


@pytest.mark.parametrize(
    ("block", "classes"),
    [
        ({**JOBS, "probabilities": [0.75, 0.25]}, PAIR),
        ({**JOBS, "probability_2": 0.25}, PAIR),
        (
            {"servers": 10, "needs": [1, 10], "probability_2": 0.25, "rate_ratio": [0.1, 10]},
            [[1, 1.0, 0.75], [10, 1.0, 0.25]],
        ),
        ({"systems": {"name": {**JOBS, "probabilities": [0.75, 0.25]}}}, PAIR),
        (
            {
                "system": {
                    "multiserver-jobs": {
                        "servers": 10,
                        "needs": [10, 1],
                        "durations": [{"exponential": 1}, {"exponential": 2}],
                        "probabilities": [0.25, 0.75],
                    }
                }
            },
            PAIR,
        ),
        (
            {"servers": 10, "shares": [0.5, 0.5], "rates": [1, 2, 3], "rate_1_exponent": 1},
            [[1, 10.0, 0.8999999999999999], [5, 2.0, 0.05], [10, 3.0, 0.05]],
        ),
        (
            {"servers": [10, 99], "exponent": 1.0, "rates": [10.0, 1.0]},
            [[1, 10.0, 0.9], [10, 1.0, 0.1]],
        ),
        ({"servers": 10, "needs": [1, 10]}, [[1, 1.0, 0.5], [10, 1.0, 0.5]]),
    ],
)
def test_systems_are_found_in_every_kind_of_block(block, classes):
    preset = only(block)
    assert preset["classes"] == classes and "mix" not in preset


@pytest.mark.parametrize("block", [JOBS, {"servers": 9, "needs": [1, 2], "rate_ratio": [1, 2]}])
def test_a_mix_that_is_left_open_is_the_worst(block):
    assert only(block)["mix"] == "worst"


@pytest.mark.parametrize(
    "block",
    [
        {"system": {"heterogeneous": {"speeds": [1]}}},
        {**JOBS, "servers": 10**7, "probabilities": [0.5, 0.5]},
        {
            "servers": 9,
            "needs": [*range(1, 10)],
            "rates": [*range(1, 10)],
            "probabilities": [1 / 9] * 9,
        },
        {
            "system": {
                "multiserver-jobs": {
                    "servers": 1,
                    "needs": [1],
                    "durations": [{"deterministic": 1}],
                    "probabilities": [1],
                }
            }
        },
    ],
)
def test_what_is_no_system_of_the_page_is_left_out(block):
    assert find_presets([paper("p", product("x", series=block))]) == []


def test_figures_without_a_preset_are_named_with_the_reason():
    assigned = {"system": {"assigned": {"capacities": [1]}}}
    run = paper(
        "p",
        product("a", "1", x={**JOBS, "probabilities": [0.75, 0.25]}, y=assigned),
        product("b", "2", x=assigned),
        product("c", "3", x=assigned),
        product("d", "4", x={**JOBS, "servers": 10**7, "probabilities": [0.5, 0.5]}),
    )
    whys = {tuple(row["labels"]): row["why"] for row in find_absent([run])}
    assert whys.keys() == {("Fig. 2", "Fig. 3"), ("Fig. 4",)}
    assert whys["Fig. 2", "Fig. 3"].startswith("parallel processing")
    assert whys["Fig. 4",].startswith("more than 2,000,000 servers")


@pytest.mark.parametrize(
    ("block", "count"),
    [
        ({"servers": [10, 10**8], "exponent": 0.5, "rates": [1.0, 1.0]}, 8),
        ({"sizes": [10, 10**6], "shares": [0, 1], "rates": [1, 1, 1]}, 2),
    ],
)
def test_a_family_has_a_preset_for_each_size(block, count):
    presets = find_presets([paper("p", product("x", "1", series=block))])
    assert len(presets) == count
    for preset in presets:
        n, alpha = preset["servers"], block.get("exponent", 1)
        assert preset["classes"][-1][0] == n
        assert preset["classes"][-1][2] == pytest.approx(n**-alpha, rel=1e-15)


def test_a_system_stands_once_a_paper_and_names_its_figures():
    block = {**JOBS, "probabilities": [0.75, 0.25]}
    run = paper("p", product("b", "2(b)", x=block), product("a", "7", x=block, y=block))
    labels = [preset["label"] for preset in find_presets([run, paper("q", product("t", z=block))])]
    text = "needs 1-10 of 10, rates 2, 1, shares 75, 25 %"
    assert labels == [f"Fig. 2(b), 7: {text}", f"Title of t: {text}"]


def test_a_figure_with_other_parameters_is_not_the_paper_s():
    changed = product("b", "2(b)", x={**JOBS, "probabilities": [0.75, 0.25]})
    changed = replace(changed, spec=changed.spec | {"faithful": False})
    (preset,) = find_presets([paper("p", changed)])
    assert preset["label"].startswith("Title of b: ")


def test_the_jobs_of_a_log_on_the_servers_that_the_run_asks_about():
    study = {"study": "workload-wastage", "parameters": {"servers": [4, 8, 16]}}
    columns = {"need": [1, 8], "share_of_jobs": [0.75, 0.25], "mean_duration": [0.5, 2.0]}
    asks = replace(product("waste"), spec={"series": {"x": study}, "faithful": True})
    table = Table("classes", pd.DataFrame(columns), {}, "")
    presets = find_presets([paper("mine", asks, replace(product("classes"), tables=(table,)))])
    assert [p["servers"] for p in presets] == [8, 16], "the largest job needs 8"
    assert all(p["classes"] == [[1, 2.0, 0.75], [8, 0.5, 0.25]] for p in presets)


def test_theorems_are_linked_where_the_ledger_has_them():
    texts = ("", "", "", {}, "", "", "", (), "agrees", "")
    claim = Claim("two-class-stability", "theorem-4-2-law", *texts, True, "", frozenset())
    links = find_links([paper("two-class-stability", claims=(claim,))])
    assert links.keys() == CLAIMS.keys()
    linked = {key: link["href"] for key, link in links.items() if "href" in link}
    assert linked == {
        "two-class-stability/theorem-4-2-law": "ledger.html#two-class-stability.theorem-4-2-law"
    }


@pytest.mark.slow
def test_an_address_names_a_system_of_the_run_by_its_place(exploring):
    shown = "() => explorer.present.servers"
    with exploring("#preset=1") as page:
        assert page.evaluate(shown) == 10
        page.wait_for_function("() => location.hash.startsWith('#servers=10&class=1,8.6,0.6')")
        page.evaluate("() => { location.hash = 'preset=0'; }")
        page.wait_for_function("() => explorer.present.servers === 40")
        page.evaluate("() => { location.hash = 'preset=7'; }")
        page.wait_for_timeout(100)
        assert page.evaluate(shown) == 40


def test_each_figure_leads_to_its_system():
    jobs = {**JOBS, "probabilities": [0.5, 0.5]}
    run = [paper("p", product("a", "1", one=jobs), product("b", "2", two={**JOBS, "servers": 99}))]
    run += [paper("q", product("c", "1", heterogeneous={"x": 1}), product("d", "2", one=jobs))]
    presets = find_presets(run)
    assert [preset["of"] for preset in presets] == [["a"], ["b"], ["d"]]
    assert find_preset_of_products(presets) == {"p/a": 0, "p/b": 1, "q/d": 2}
    page = render(run)["q.html"]
    assert page.count("explorer.html#preset=") == 1 and "explorer.html#preset=2" in page
