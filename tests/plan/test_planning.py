"""Planning only reads and counts: it solves and compiles nothing."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from pathlib import Path

from numba.core import event
from tests.conftest import ROOT

from atlas.config.kinds import kinds
from atlas.plan.resolve import Plan

ENGINES = tuple(
    str(ROOT / "src/multiserver" / name)
    for name in ("fronts", "open", "saturated", "simulation", "wcfs")
)
# What these do is to count what there would be to solve; and what no policy exceeds takes less than
# a millisecond. A workload counts the jobs that a simulation leaves out.
COUNT = {
    "applies",
    "block_entries",
    "fits",
    "is_cheapest",
    "is_feasible",
    "is_preferred",
    "measured_jobs",
    "most_between",
}
BOUND = ("packings.py", "simulation/workload.py")


class Compiled(event.Listener):
    def __init__(self) -> None:
        self.count = 0

    def on_start(self, event: event.Event) -> None:
        self.count += 1

    def on_end(self, event: event.Event) -> None:
        pass


def test_planning_everything_solves_and_compiles_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for group in ("studies", "drawings"):
        for kind in kinds(group):  # their imports are no part of it
            importlib.import_module(f"atlas.{group}.{kind.replace('-', '_')}")
    for file in Path(ROOT, "src/atlas/claims").glob("[a-z]*.py"):
        importlib.import_module(f"atlas.claims.{file.stem}")
    called: Counter = Counter()

    def note(frame, what, _):
        file = frame.f_code.co_filename
        if what == "call" and file.startswith(ENGINES) and not file.endswith(BOUND):
            called[frame.f_code.co_name] += 1

    compiled = Compiled()
    with event.install_listener("numba:compile", compiled):
        sys.setprofile(note)
        try:
            plan = Plan.load({}, ROOT)
        finally:
            sys.setprofile(None)
    assert len(plan.papers) == len([*Path(ROOT, "config/papers").glob("*.yaml")]) + 1
    assert called.keys() - COUNT - {"__post_init__", "<genexpr>", "<lambda>"} == set()
    assert compiled.count == 0
