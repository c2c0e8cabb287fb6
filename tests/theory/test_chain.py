"""The enumerated chain against FCFS job by job."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from multiserver.fronts.every import count_vectors
from multiserver.model import MultiserverJobSystem
from multiserver.saturated.chain import UNSAMPLED, count_packings, enumerate_chain

from .references import brute_chain

TWO = [(30, (3, 10), (2.0, 1.0), (0.6, 0.4))]
SEVERAL = [
    (12, (1, 2, 5), (1.0, 3.0, 0.2), (0.5, 0.3, 0.2)),
    (17, (2, 3, 7), (1.0, 1e3, 1e-3), (0.2, 0.7, 0.1)),
    (13, (4, 6, 9), (5.0, 1.0, 2.0), (0.1, 0.8, 0.1)),
    (11, (11, 1, 4), (0.5, 7.0, 1.0), (0.25, 0.5, 0.25)),
    (10, (1, 2, 4, 8), (1.0, 0.5, 0.25, 0.125), (0.4, 0.3, 0.2, 0.1)),
    (14, (7, 3, 5, 14), (3.0, 1.0, 4.0, 1.5), (0.1, 0.2, 0.3, 0.4)),
    (15, (2, 4, 6, 15), (1.0, 2.0, 3.0, 4.0), (0.1, 0.2, 0.3, 0.4)),
    (9, (2, 3, 4, 5, 9), (1.0, 2.0, 3.0, 4.0, 5.0), (0.2,) * 5),
]
ONE_NEED = [
    (10, (3,), (2.0,), (1.0,)),
    (7, (7,), (2.0,), (1.0,)),
    (5, (1,), (0.5,), (1.0,)),
    (10, (3, 3), (2.0, 0.1), (0.3, 0.7)),
    (8, (8, 8), (2.0, 0.1), (0.3, 0.7)),
    (9, (2, 5, 2), (1.0, 3.0, 10.0), (0.5, 0.2, 0.3)),
]
every_system = pytest.mark.parametrize(("n", "needs", "rates", "p"), TWO + SEVERAL + ONE_NEED)


def states(chain):
    """(jobs in service, class of the blocking job or None), timed state by timed state."""
    heads = [None if h == UNSAMPLED else h for h in chain.blocking.tolist()]
    return list(zip(map(tuple, chain.in_service.tolist()), heads, strict=True))


def dense_transitions(chain):
    return np.stack([p.toarray() for p in chain.transitions()])


@every_system
def test_transitions_are_those_of_fcfs(n, needs, rates, p):
    chain = enumerate_chain(MultiserverJobSystem.of(n, needs, rates, p))
    brute = brute_chain(n, needs, rates, p)
    assert sorted(states(chain), key=str) == sorted(brute.states, key=str)
    order = [brute.states.index(state) for state in states(chain)]
    expected = brute.completions[np.ix_(range(len(needs)), order, order)]
    # Up to a dozen jobs enter in one jump: a dozen factors, each rounded.
    np.testing.assert_allclose(dense_transitions(chain), expected, rtol=1e-14)
    np.testing.assert_allclose(chain.completion_rate, brute.rate[order], rtol=1e-15)
    np.testing.assert_array_equal(chain.idle, brute.idle[order])


@pytest.mark.parametrize(
    ("n", "needs", "named"),
    [
        (100_000, (1, 2, 3), "share 100000 servers among 3 kinds"),
        (5_000_000, (1, 5_000_000), "5000000 servers"),
        (1_000_000, (1, 2, 3, 5, 7), "share 1000000 servers among 5 kinds"),
    ],
)
def test_too_many_states_are_refused_before_they_are_built(n, needs, named):
    uniform = [1 / len(needs)] * len(needs)
    with pytest.raises(ValueError, match=named):
        enumerate_chain(MultiserverJobSystem.of(n, needs, [1.0] * len(needs), uniform))


def test_a_million_states_are_not_too_many():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chain = enumerate_chain(MultiserverJobSystem.of(10**6, (1, 10**6), (1.0, 1.0), (0.5, 0.5)))
    assert len(chain.idle) == 10**6 + 1


@pytest.mark.parametrize(("servers", "needs"), [(7, (1, 4)), (12, (1, 4, 6)), (40, (3, 5, 11))])
def test_packings_are_the_states_that_the_solver_would_look_at(servers, needs):
    system = MultiserverJobSystem.of(
        servers, needs, [1.0] * len(needs), [1 / len(needs)] * len(needs)
    )
    assert count_packings(system) == len(
        count_vectors(servers, np.array(needs), max(servers - 2 * max(needs) + 1, 0))
    )
