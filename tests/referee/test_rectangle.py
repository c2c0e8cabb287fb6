"""P(N > k) by the simulator's rules, against closed forms and the chain level by level."""

from __future__ import annotations

import pytest

from atlas.models.reference_rectangle import tails
from atlas.models.reference_values import second_route
from multiserver.policies import policy
from multiserver.sizes import Exponential, Hyperexponential
from multiserver.system import JobClass, System

EVEN = {"probabilities": [0.5, 0.5], "durations": [{"exponential": 1}] * 2}


def queue(rule: str, needs: tuple[int, ...], law=None, **options):
    share = 1 / len(needs)
    classes = [JobClass(need=v, duration=law or Exponential(1.0), probability=share) for v in needs]
    return System(4, classes).under(policy(rule)(**options))


def test_two_needs_that_take_all_servers_each_are_one_queue():
    """Needs 3 and 4 of four servers, both of rate 1: an M/M/1, P(N > k) = ρ^(k + 1)."""
    found = tails(queue("most-servers-first", (3, 4)), 0.4, [0, 5, 20])
    assert found == pytest.approx({k: 0.4 ** (k + 1) for k in (0, 5, 20)}, rel=1e-12)


@pytest.mark.parametrize("packings", ["present", "all"])
@pytest.mark.parametrize("ties", ["larger", "smaller"])
def test_as_level_by_level(ties, packings):
    options = {"ties": ties, "packings": packings}
    system = {"multiserver-jobs": {"servers": 4, "needs": [1, 3], **EVEN}}
    said = {"name": "max-weight", "options": options}
    block = {"system": system, "policy": said, "tail": [0, 2, 8]}
    other = queue("max-weight", (1, 3), **options)
    expected = second_route(block, other, 0.5)[0]
    found = tails(other, 0.5, [0, 2, 8])
    assert found == pytest.approx({k: expected["tail", "all", k] for k in found}, rel=1e-11)


def test_what_is_no_chain_of_two_numbers_is_left_out():
    spread = Hyperexponential(rates=(1.0, 2.0), probabilities=(0.5, 0.5))
    for other in (
        queue("preemptive-first-fit", (1, 4)),
        queue("max-weight", (1, 2, 4)),
        queue("max-weight", (1, 4), law=spread),
    ):
        assert tails(other, 0.3, [1]) == {}
    assert tails(queue("max-weight", (1, 4)), 0.3, []) == {}
