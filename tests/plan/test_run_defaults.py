"""A run's seed and effort reach every simulated series, and no other."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.conftest import ROOT

from atlas.config.errors import ConfigError
from atlas.config.series import apply_run_defaults, run_defaults
from atlas.plan.resolve import Plan

pytestmark = pytest.mark.usefixtures("unedited")

PAPERS = {"papers": ["two-class-stability"]}
SMALL = {"papers": ["product-form-saturated"]}


def series(root=ROOT, **config):
    plan = Plan.load({**PAPERS, **config}, root)
    figure = next(p for p in plan.products if p.id == "fig3")
    return figure.series["blue-simulated"], figure.series["blue"]


def test_effort_sets_the_number_of_jobs_and_that_of_the_paper_a_half_width():
    found = {
        effort: series(effort=effort)[0].parameters
        for effort in ("paper", "as-printed", "quick", 12345)
    }
    jobs = {effort: parameters["jobs"] for effort, parameters in found.items()}
    assert jobs == {"paper": 10**8, "as-printed": 10**8, "quick": 200_000, 12345: 12345}
    widths = {effort: parameters["half_width"] for effort, parameters in found.items()}
    assert widths == {"paper": 0.01, "as-printed": 0, "quick": 0, 12345: 0}


def test_a_number_of_jobs_below_the_least_is_one_fault():
    """It was told to be none of the words that may take its place, too."""
    with pytest.raises(ConfigError, match=r"(?s)^1 fault .*found +7\n.*at least 1000"):
        Plan.load({**SMALL, "effort": 7}, ROOT)


def test_a_quick_run_asks_for_fewer_digits_of_what_is_found_by_iteration():
    run = {"seed": 1}
    defaults = {
        e: run_defaults(run | {"effort": e})["enough"] for e in ("quick", "paper", "as-printed", 9)
    }
    assert defaults == {"quick": 1e-3, "paper": 1e-6, "as-printed": 1e-6, 9: 1e-6}
    given = {"study": "policy-response-time", "enough": None}
    assert apply_run_defaults(given, run_defaults(run | {"effort": "quick"}))["enough"] == 1e-3


def test_what_a_series_has_of_its_own_is_kept_and_exact_ones_depend_on_neither(project):
    first, second = (series(seed=seed, effort=effort) for seed, effort in ((1, "paper"), (7, 9999)))
    assert second[0].parameters["seed"] == 7
    assert first[0].digest != second[0].digest
    assert first[1].digest == second[1].digest
    project.edit(
        "config/papers/two-class-stability.yaml",
        "blue-simulated: {study: simulated-response-time,",
        "blue-simulated: {study: simulated-response-time, seed: 11, half_width: 0.002,",
    )
    own, _ = series(project.root, seed=7, effort="paper")
    assert (own.parameters["seed"], own.parameters["half_width"]) == (11, 0.002)


def test_another_seed_changes_what_is_simulated_and_nothing_else():
    first, second = (
        {(p.id, name): s for p in plan.products for name, s in p.series.items()}
        for plan in (
            Plan.load({**PAPERS, "effort": "quick", "seed": seed}, ROOT) for seed in (1, 2)
        )
    )
    changed = [place for place, series in first.items() if series.digest != second[place].digest]
    drawn = Counter(id for id, _ in changed if id not in ("ledger", "values", "z-scores"))
    assert drawn == {
        **{"fig3": 2, "limit-by-variability": 6, "waiting-tail": 2, "waiting-quantiles": 2},
        **{"cells": 4, "cells-limits": 2, "cells-tail": 3},
    }
    assert "claims" in {first[place].study for place in changed if place[0] == "ledger"}


@pytest.mark.parametrize("wrong", ["fast", 10, 1.5, None])
def test_an_unknown_effort_is_refused(wrong):
    with pytest.raises(ConfigError, match="effort"):
        Plan.load({**SMALL, "effort": wrong}, ROOT)


def test_simulated_series_are_scored():
    plan = Plan.load(PAPERS, ROOT)
    scores = next(p for p in plan.products if p.id == "z-scores")
    scored = {figure: [] for figure in ("fig3", "limit-by-variability", "wastage-plane")}
    for name in scores.series:
        figure, _, series = name.partition("/")
        scored.setdefault(figure, []).append(series)
    assert scored["fig3"] == ["blue-simulated", "red-simulated"]
    assert len(scored["limit-by-variability"]) == 6
    assert all(name.endswith("-simulated") for name in scored["limit-by-variability"])
    assert scored["wastage-plane"] == []
