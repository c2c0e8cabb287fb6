"""Config files, tables and Python know exactly the registered policies; imports are lazy."""

from __future__ import annotations

import ast
import io
import pydoc
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import multiserver as ms
from multiserver.policies import REGISTRY
from multiserver.policies.rehearsal import rehearse
from multiserver.simulation import class_queues

from .systems import EVERY, NAMES, SYSTEMS

SOURCE = Path(ms.__file__).parent
RULED = [
    (model, policy)
    for policy in REGISTRY.values()
    for model in ("multiserver-jobs", "threshold-parallelism")
    if model in policy.models
]


class FollowedError(Exception):
    """A rule has been followed; nothing is simulated."""


def test_names_are_unique_and_lead_to_their_policies():
    assert len({p.name for p in REGISTRY.values()}) == len(REGISTRY)
    assert all(ms.policy(p.name) is p is getattr(ms, name) for name, p in REGISTRY.items())
    with pytest.raises(ValueError, match=r"one of .*fcfs.*; found 'lifo'$"):
        ms.policy("lifo")
    for near, meant in (("FCFS", "fcfs"), ("firstfit", "first-fit")):
        with pytest.raises(ValueError, match=f"found {near!r}; did you mean {meant!r}"):
            ms.policy(near)


def test_every_policy_file_is_registered():
    """A file under policies that defines a policy is one of the registry."""
    for file in (SOURCE / "policies").glob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        names = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        defined = {name for name in names if name in REGISTRY}
        made = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Policy"
        ]
        assert bool(defined) == bool(made), file.name


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_known_says_what_is_answered(model, policy):
    queue = SYSTEMS[model].under(policy)
    known = queue.known()
    assert policy.definition in " ".join(str(known).split())
    assert {row["question"] for row in known.rows()} <= {
        *("capacity", "stability", "exact", "distribution", "bounds", "simulation"),
    }
    applying = {row["question"] for row in known.rows() if row["applies"]}
    for question, ask in (("exact", queue.exact), ("bounds", queue.bounds)):
        if question in applying:
            found = ask(load=0.3)
            assert any(found.method.startswith(row["method"]) for row in known.rows())
            assert found.source in {row["source"] for row in known.rows()}
        else:
            with pytest.raises(ms.NotKnownError):
                ask(load=0.3)


@pytest.mark.parametrize(("model", "policy"), RULED, ids=str)
def test_a_rule_interrupts_jobs_exactly_if_its_policy_says_so(model, policy, monkeypatch):
    """Of policies with a rule like `CLASS_POLICY`, which takes servers away only to interrupt."""
    taken, system = [], SYSTEMS[model]
    if policy.lacks(system):
        system = ms.System(4, [replace(c, probability=0.5) for c in system.classes[1:]])

    def follow(_, rule, **options):
        def watched(present, number, needs, servers, allotted):
            before = allotted.copy()
            getattr(rule, "py_func", rule)(present, number, needs, servers, allotted)
            taken.append((allotted < before).any())

        rehearse(watched, system.needs, system.servers)
        raise FollowedError

    monkeypatch.setattr(class_queues, "simulate", follow)
    with suppress(FollowedError):
        system.under(policy).simulate(load=0.3, jobs=1000, seed=1, replications=2)
    said = f"{policy.name} must say preemptive={any(taken)}: that is what its rule does"
    assert not taken or policy.preemptive == any(taken), said


def test_known_covers_all_policies_and_cites_papers():
    rows = ms.known().rows()
    of_models = {(model, "any") for model in {m for m, _ in EVERY} - {"network"}}
    every = {(m, p.name) for p in REGISTRY.values() for m in p.models}
    assert {(row["model"], row["policy"]) for row in rows} == every | of_models
    proved = [row for row in rows if row["question"] in ("exact", "bounds")]
    assert all(row["source"].startswith("`") for row in proved)
    assert "What is known" in str(ms.known())


def test_results_are_rows_and_tables():
    queue = SYSTEMS["multiserver-jobs"].under(ms.ServerFilling)
    results = [
        queue.exact(load=0.5),
        queue.bounds(load=0.5),
        queue.simulate(load=0.5, jobs=16_000, seed=1, replications=4),
    ]
    for found in results:
        rows = found.rows()
        assert {tuple(row) for row in rows} == {tuple(results[0].rows()[0])}
        assert all(row["kind"] == found.kind for row in rows)
        assert all(row["lower"] <= row["upper"] for row in rows)
        assert "E[T]" in str(found)
        assert "ρ = 0.5" in str(found)
    exact, bounded, simulated = (
        {(row["class"], row["quantity"]): row for row in found.rows()} for found in results
    )
    assert exact["all", "mean_jobs"]["value"] == results[0].mean_jobs
    assert exact.keys() == simulated.keys() >= bounded.keys()
    assert (3, "mean_response_time") in exact
    stable = queue.stability()
    assert stable.rows()[0]["limit"] == stable.limit


def test_help_teaches():
    out = io.StringIO()
    pydoc.Helper(output=out)("multiserver")
    text = out.getvalue()
    for word in ("System", "JobClass", "UnstableError", "Servers (their number", "queue.exact"):
        assert word in text
    assert set(dir(ms)) >= {*REGISTRY, "System", "Queue", "known", "__version__"}
    assert (SOURCE / "py.typed").is_file()
    with pytest.raises(AttributeError, match="no attribute 'LIFO'"):
        _ = ms.LIFO


def test_type_checkers_see_the_same_names():
    tree = ast.parse((SOURCE / "__init__.pyi").read_text("utf-8"))
    named = {a.asname for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert (named - {None}) | set(REGISTRY) | {"__version__"} == set(ms.__all__)


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("", {"numpy", "scipy", "numba", "multiserver.queue"}),
        ("import multiserver.sizes", {"scipy", "numba", "multiserver.queue"}),
        (
            "s = ms.System(2, [ms.JobClass(duration=ms.Exponential(rate=1.0))])\n"
            "s.under(ms.FCFS).exact(load=0.5); s.under(ms.ServerFilling).bounds(load=0.5)",
            {"numba", "pandas"},
        ),
    ],
)
def test_nothing_is_imported_before_it_is_used(code, absent):
    script = f"import sys, multiserver as ms\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & absent
