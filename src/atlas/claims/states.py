"""Quantities of the saturated two-class chain: its states [h, a, b] and its transitions."""

from __future__ import annotations

import numpy as np

from atlas.claims import Found, Parameters, takes
from atlas.claims.transitions import draw
from atlas.models.systems import read_system
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import two_class
from multiserver.saturated.chain import UNSAMPLED, SaturatedChain, enumerate_chain

ROUTE = "enumeration of the saturated chain"
CONFIRMED = "the rules of Section 5 (tests/theory/test_chain.py)"

State = tuple[int, int, int]
Edge = tuple[State, int, State]


@takes("servers", "needs", "rates", "probabilities")
def listing(parameters: Parameters) -> list[State]:
    """All saturated states, by the number of class 1 jobs."""
    return enumerate_chain(read_system(parameters)).states()


@takes("servers", "needs", "rates", "probabilities", "jobs")
def with_class_1_jobs(parameters: Parameters) -> list[State]:
    """The states with `jobs` class 1 jobs in service: only s1(a)."""
    return [s for s in listing(parameters) if s[1] == parameters["jobs"]]


@takes("servers", "needs", "rates", "probabilities", "jobs")
def unblocked_with_class_2_jobs(parameters: Parameters) -> list[State]:
    """The states with `jobs` class 2 jobs in service and no blocking job: only s2(b)."""
    return [s for s in listing(parameters) if s[2] == parameters["jobs"] and s[0] == 0]


@takes("servers", "needs", "rates", "probabilities", optional=("until_full",))
def per_class_1_count(parameters: Parameters) -> list[int]:
    """The fewest and the most states that share a number of class 1 jobs in service, 0 … ⌊n/n1⌋.

    If jobs come `until_full`, that is until the total need is at least n as in formulation II, a
    state with idle servers and no blocking class 2 job counts twice: a job of either class waits.
    """
    servers, need_1 = parameters["servers"], parameters["needs"][0]
    found = []
    for a in range(servers // need_1 + 1):
        states = [s for s in listing(parameters) if s[1] == a]
        if parameters.get("until_full", False):
            idle = (idle_servers({**parameters, "state": s}) for s in states if s[0] == 0)
            states += [None for free in idle if free > 0]
        found.append(len(states))
    return [min(found), max(found)]


@takes("servers", "needs", "state")
def idle_servers(parameters: Parameters) -> int:
    """The servers left idle in `state`."""
    return parameters["servers"] - int(np.dot(parameters["state"][1:], parameters["needs"]))


@takes("servers", "needs", "rates")
def most_idle_servers(parameters: Parameters) -> int:
    """The most servers idle in any saturated state."""
    return int(two_class.states(parameters["servers"], parameters["needs"]).idle.max())


@takes("servers", "needs", "rates", "probabilities")
def least_total_need(parameters: Parameters) -> int:
    """The smallest total need of the jobs in service and the blocking one, over all states."""
    n1, n2 = parameters["needs"]
    return min(a * n1 + (b + h) * n2 for h, a, b in listing(parameters))


@takes("servers", "needs", "rates", "probabilities", "state")
def completion_rate(parameters: Parameters) -> float:
    """The rate at which jobs complete in `state`."""
    chain = enumerate_chain(read_system(parameters))
    here = [list(state) for state in chain.states()].index(list(parameters["state"]))
    return float(chain.completion_rate[here])


@takes("servers", "needs", "rates", "probabilities", "state", "completes")
def successors(parameters: Parameters) -> list[State]:
    """The states that `state` can change to when a job of class `completes` completes."""
    state, completes = tuple(parameters["state"]), parameters["completes"]
    edges = list_edges(enumerate_chain(read_system(parameters)))
    return sorted(to for (start, c, to) in edges if (start, c) == (state, completes))


@takes("servers", "needs", "rates", "probabilities", "state")
def predecessors(parameters: Parameters) -> list[tuple[State, int, int, int]]:
    """The transitions into `state`: previous state, class that completes, and numbers of class 1
    and class 2 jobs that enter from the queue."""
    state = tuple(parameters["state"])
    edges = list_edges(enumerate_chain(read_system(parameters)))
    return sorted((start, c, *_entries(start, c, to)) for (start, c, to) in edges if to == state)


@takes("servers", "needs", "rates", "probabilities", "state", "to")
def transition_probability(parameters: Parameters) -> float:
    """The probability of changing from state `state` to state `to` at a completion."""
    chain = enumerate_chain(read_system(parameters))
    numbers = {state: i for i, state in enumerate(chain.states())}
    i, j = numbers[tuple(parameters["state"])], numbers[tuple(parameters["to"])]
    return float(sum(matrix[i, j] for matrix in chain.transitions()))


@takes("servers", "needs", "rates", "probabilities")
def most_class_2_entries(parameters: Parameters) -> int:
    """The most class 2 jobs that enter from the queue in one transition."""
    edges = list_edges(enumerate_chain(read_system(parameters)))
    return max(_entries(*edge)[1] for edge in edges)


@takes("servers", "needs", "rates", "probabilities")
def full_of_class_2(parameters: Parameters) -> list[State]:
    """The states [h, a, b] for which there is no state s2(b + 1)."""
    return [
        s for s in listing(parameters) if s[2] == parameters["servers"] // parameters["needs"][1]
    ]


@takes("count", "largest", "seed")
def lemma_5_1_mismatches(parameters: Parameters) -> Found:
    """The number of transitions of `count` random systems that are not in Lemma 5.1, or in the
    lemma only."""
    pairs = [(set(list_edges(c)), _lemma_5_1(c)) for c in _random_chains(parameters)]
    wrong = sum(len(found ^ expected) for found, expected in pairs)
    return Found(wrong, f"{sum(len(found) for found, _ in pairs)} transitions")


@takes("count", "largest", "seed")
def idle_margins(parameters: Parameters) -> list[int]:
    """The smallest margins of the number of idle servers to n1 − 1 if no job blocks, and to n1 and
    n2 − 1 if one does."""
    margins: tuple[list[int], ...] = ([], [], [])
    for chain in _random_chains(parameters):
        n1, n2 = chain.system.needs
        blocked = chain.blocking != UNSAMPLED
        margins[0].extend(n1 - 1 - chain.idle[~blocked])
        margins[1].extend(chain.idle[blocked] - n1)
        margins[2].extend(n2 - 1 - chain.idle[blocked])
    return [int(min(margin)) for margin in margins]


def list_edges(chain: SaturatedChain) -> list[Edge]:
    """The chain's transitions as (from, completing class, to)."""
    states = chain.states()
    return [
        (states[i], c, states[j])
        for c, matrix in enumerate(chain.transitions(), start=1)
        for i, j in zip(*matrix.nonzero(), strict=True)
    ]


def _entries(start: State, completes: int, to: State) -> tuple[int, int]:
    enter_1 = to[1] - start[1] + (completes == 1)
    return enter_1, to[2] + to[0] - start[2] - start[0] + (completes == 2)


def _lemma_5_1(chain: SaturatedChain) -> set[Edge]:
    """The transitions i to viii of Lemma 5.1."""
    states = chain.states()
    s1 = {s[1]: s for s in states}
    s2 = {s[2]: s for s in states if s[0] == 0}
    edges: set[Edge] = set()
    for s in states:
        h, a, b = s
        if h == 0:
            if a > 0:
                edges |= {(s, 1, s), (s, 1, s1[a - 1])}
            if b > 0:
                between = range(a + 1, s2[b - 1][1])
                edges |= {(s, 2, s), (s, 2, s2[b - 1])}
                edges |= {(s, 2, (1, x, b - 1)) for x in between}
        else:
            if a > 0:
                edges.add((s, 1, s1[a - 1]))
            if b > 0:
                edges |= {(s, 2, s2[b])} | {(s, 2, (1, x, b)) for x in range(a, s2[b][1])}
    return edges


def _random_chains(parameters: Parameters) -> list[SaturatedChain]:
    drawn = draw(parameters["count"], parameters["largest"], parameters["seed"])
    return [
        enumerate_chain(MultiserverJobSystem.of(servers, needs, (1.0, 2.0), (0.5, 0.5)))
        for servers, needs in drawn
    ]
