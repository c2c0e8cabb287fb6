"""The page on backfilling prints what it shows, and what it says of that is so."""

from __future__ import annotations

import math
import re
from pathlib import Path

import multiserver as ms

PAGE = Path(__file__).resolve().parents[2] / "docs/backfilling.md"


def test_each_program_prints_what_stands_below_it(capsys):
    pairs = re.findall(
        r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S
    )
    assert len(pairs) == 3
    names: dict[str, object] = {}
    for program, shown in pairs:
        exec(compile(program, str(PAGE), "exec"), names)
        assert capsys.readouterr().out == shown
    jobs = names["jobs"]
    # First come, first served is unstable from here on, as the page says.
    system = ms.System(8, jobs)
    assert round(system.under(ms.FCFS).stability().load_limit, 2) == 0.67


def test_requests_that_are_too_long_cost_large_jobs_and_help_small_ones():
    """Each of four differences is above four standard errors, by chance once in 3e4."""
    names: dict[str, object] = {}
    program = re.search(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)[1]
    exec(compile(program, str(PAGE), "exec"), names)
    system = ms.System(8, names["jobs"])
    for policy in (ms.EasyBackfilling, ms.ConservativeBackfilling):
        exactly, thrice = (
            system.under(policy(overestimate=x)).simulate(load=0.7, jobs=200_000, seed=1).by_class
            for x in (0.0, 2.0)
        )
        for c, sign in ((0, -1), (2, 1)):
            a, b = thrice[c].mean_response_time, exactly[c].mean_response_time
            assert sign * (a.mean - b.mean) > 4 * math.hypot(a.standard_error, b.standard_error)
