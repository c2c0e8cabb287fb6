"""Phases of the FCFS chain counted without listing them, against the chain itself."""

from __future__ import annotations

import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import MAX_BLOCK_ENTRIES, prepare
from multiserver.open.phase_count import block_entries


@pytest.mark.parametrize(
    ("servers", "needs"),
    [
        (1, [1]),
        (7, [3]),
        (10, [1, 10]),
        (30, [3, 10]),
        (12, [1, 4, 6]),
        (16, [1, 4, 16]),
        (9, [2, 2, 5]),
    ],
)
def test_the_count_is_that_of_the_levels(servers, needs):
    rates, p = [1.0] * len(needs), [1 / len(needs)] * len(needs)
    blocks = prepare(MultiserverJobSystem.of(servers, needs, rates, p))
    assert block_entries(servers, needs) == sum(len(level) ** 2 for level in blocks.fronts[:-1])


def test_what_cannot_be_solved_is_counted_in_no_time():
    assert block_entries(48, [1, 3, 7, 24]) > MAX_BLOCK_ENTRIES
    assert block_entries(10**8, [1, 10**8]) == float("inf")


def test_a_need_above_the_servers_is_refused():
    with pytest.raises(ValueError, match="needs must lie in"):
        block_entries(4, [1, 5])
