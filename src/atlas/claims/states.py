"""Quantities of the saturated two-class chain: its states [h, a, b] and its transitions.

States and transitions are those of `two-class-stability`, Sections 3.2 and 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from atlas.claims import Found, System
from atlas.claims.transitions import draw
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import two_class
from multiserver.saturated.chain import UNSAMPLED, SaturatedChain, enumerate_chain

ROUTE = "enumeration of the saturated chain"
CONFIRMED = "the rules of Section 5 (tests/theory/test_chain.py)"

State = tuple[int, int, int]
Edge = tuple[State, int, State]


def listing(**system: Unpack[System]) -> list[State]:
    """All saturated states, by the number of class 1 jobs."""
    return enumerate_chain(MultiserverJobSystem.of(**system)).states()


def with_class_1_jobs(*, jobs: int, **system: Unpack[System]) -> list[State]:
    """The states with `jobs` class 1 jobs in service: only s1(a)."""
    return [s for s in listing(**system) if s[1] == jobs]


def unblocked_with_class_2_jobs(*, jobs: int, **system: Unpack[System]) -> list[State]:
    """The states with `jobs` class 2 jobs in service and no blocking job: only s2(b)."""
    return [s for s in listing(**system) if s[2] == jobs and s[0] == 0]


def per_class_1_count(*, until_full: bool = False, **system: Unpack[System]) -> list[int]:
    """The fewest and the most states that share a number of class 1 jobs in service, 0 … ⌊n/n1⌋.

    If jobs come `until_full`, that is until the total need is at least n as in formulation II, a
    state with idle servers and no blocking class 2 job counts twice: a job of either class waits.
    """
    servers, needs = system["servers"], system["needs"]
    all_states, found = listing(**system), []
    for a in range(servers // needs[0] + 1):
        states = [s for s in all_states if s[1] == a]
        unblocked = [s for s in states if s[0] == 0 and until_full]
        idle = (idle_servers(servers=servers, needs=needs, state=s) for s in unblocked)
        found.append(len(states) + sum(free > 0 for free in idle))
    return [min(found), max(found)]


def idle_servers(*, servers: int, needs: Sequence[int], state: State) -> int:
    """The servers left idle in `state`."""
    return servers - int(np.dot(state[1:], needs))


def most_idle_servers(*, servers: int, needs: Sequence[int], rates: Sequence[float]) -> int:
    """The most servers idle in any saturated state."""
    return int(two_class.states(servers, needs).idle.max())


def least_total_need(**system: Unpack[System]) -> int:
    """The smallest total need of the jobs in service and the blocking one, over all states."""
    n1, n2 = system["needs"]
    return min(a * n1 + (b + h) * n2 for h, a, b in listing(**system))


def completion_rate(*, state: State, **system: Unpack[System]) -> float:
    """The rate at which jobs complete in `state`."""
    chain = enumerate_chain(MultiserverJobSystem.of(**system))
    return float(chain.completion_rate[chain.states().index(tuple(state))])


def successors(*, state: State, completes: int, **system: Unpack[System]) -> list[State]:
    """The states that `state` can change to when a job of class `completes` completes."""
    edges = list_edges(enumerate_chain(MultiserverJobSystem.of(**system)))
    return sorted(to for (start, c, to) in edges if (start, c) == (tuple(state), completes))


def predecessors(*, state: State, **system: Unpack[System]) -> list[tuple[State, int, int, int]]:
    """The transitions into `state`: previous state, class that completes, and numbers of class 1
    and class 2 jobs that enter from the queue."""
    state = tuple(state)
    edges = list_edges(enumerate_chain(MultiserverJobSystem.of(**system)))
    return sorted((start, c, *_entries(start, c, to)) for (start, c, to) in edges if to == state)


def transition_probability(*, state: State, to: State, **system: Unpack[System]) -> float:
    """The probability of changing from state `state` to state `to` at a completion."""
    chain = enumerate_chain(MultiserverJobSystem.of(**system))
    i, j = (chain.states().index(tuple(s)) for s in (state, to))
    return float(sum(matrix[i, j] for matrix in chain.transitions()))


def most_class_2_entries(**system: Unpack[System]) -> int:
    """The most class 2 jobs that enter from the queue in one transition."""
    edges = list_edges(enumerate_chain(MultiserverJobSystem.of(**system)))
    return max(_entries(*edge)[1] for edge in edges)


def full_of_class_2(**system: Unpack[System]) -> list[State]:
    """The states [h, a, b] for which there is no state s2(b + 1)."""
    return [s for s in listing(**system) if s[2] == system["servers"] // system["needs"][1]]


def lemma_5_1_mismatches(*, count: int, largest: int, seed: int) -> Found:
    """The number of transitions of `count` random systems that are not in Lemma 5.1, or in the
    lemma only."""
    pairs = [(set(list_edges(c)), _lemma_5_1(c)) for c in _random_chains(count, largest, seed)]
    wrong = sum(len(found ^ expected) for found, expected in pairs)
    return Found(wrong, f"{sum(len(found) for found, _ in pairs)} transitions")


def idle_margins(*, count: int, largest: int, seed: int) -> list[int]:
    """The smallest margins of the number of idle servers to n1 − 1 if no job blocks, and to n1 and
    n2 − 1 if one does."""
    margins: tuple[list[int], ...] = ([], [], [])
    for chain in _random_chains(count, largest, seed):
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


def _random_chains(count: int, largest: int, seed: int) -> list[SaturatedChain]:
    return [
        enumerate_chain(MultiserverJobSystem.of(servers, needs, (1.0, 2.0), (0.5, 0.5)))
        for servers, needs in draw(count, largest, seed)
    ]
