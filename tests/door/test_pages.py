"""The programs on documentation pages print the output shown, and the text about it is true."""

from __future__ import annotations

import math
import re
from pathlib import Path

import matplotlib as mpl
import pytest

import multiserver as ms

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "backfilling.md"
# How many programs have their output below them.
PAGES = {"backfilling.md": 3, "programs.md": 11, "waiting.md": 2}
PROGRAM = re.compile(r"^```python\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_each_program_prints_what_stands_below_it(page, capsys):
    programs = PROGRAM.findall((DOCS / page).read_text("utf-8"))
    assert sum(bool(shown) for _, shown in programs) == PAGES[page]
    names: dict[str, object] = {}
    with mpl.rc_context({"backend": "agg"}):
        for program, shown in programs:
            exec(compile(program, page, "exec"), names)
            said = capsys.readouterr().out
            assert said == shown or not shown


def test_what_is_said_of_long_requests_and_of_first_come_first_served():
    """Requests that are too long cost large jobs and help small ones: each of four differences is
    above four standard errors, by chance once in 3e4."""
    names: dict[str, object] = {}
    program = re.search(r"^```python\n(.*?)^def ", PAGE.read_text("utf-8"), re.M | re.S)[1]
    exec(compile(program, str(PAGE), "exec"), names)
    system = ms.System(8, names["jobs"])
    assert round(system.under(ms.FCFS).stability().load_limit, 2) == 0.67
    for policy in (ms.EasyBackfilling, ms.ConservativeBackfilling):
        exactly, thrice = (
            system.under(policy(overestimate=x)).simulate(load=0.7, jobs=200_000, seed=1).by_class
            for x in (0.0, 2.0)
        )
        for c, sign in ((0, -1), (2, 1)):
            a, b = thrice[c].mean_response_time, exactly[c].mean_response_time
            assert sign * (a.mean - b.mean) > 4 * math.hypot(a.standard_error, b.standard_error)
