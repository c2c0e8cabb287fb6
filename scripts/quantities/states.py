"""Quantities of the saturated two-class chain: its states [h, a, b] and its transitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multiserver import MultiserverJobSystem
from multiserver.saturated import two_class
from multiserver.saturated.chain import UNSAMPLED, SaturatedChain, enumerate_chain
from quantities.systems import read_system

State = tuple[int, int, int]
Edge = tuple[State, int, State]


def count(parameters: Mapping[str, Any]) -> int:
    """How many saturated states there are."""
    return len(enumerate_chain(read_system(parameters)).idle)


def listing(parameters: Mapping[str, Any]) -> list[State]:
    """All saturated states, by the number of class 1 jobs."""
    return list_states(enumerate_chain(read_system(parameters)))


def with_class_1_jobs(parameters: Mapping[str, Any]) -> list[State]:
    """The states with `jobs` class 1 jobs in service: s1(a) alone."""
    return [s for s in listing(parameters) if s[1] == parameters["jobs"]]


def unblocked_with_class_2_jobs(parameters: Mapping[str, Any]) -> list[State]:
    """The states with `jobs` class 2 jobs in service and none blocking: s2(b) alone."""
    return [s for s in listing(parameters) if s[2] == parameters["jobs"] and s[0] == 0]


def one_for_each_class_1_count(parameters: Mapping[str, Any]) -> bool:
    """Whether each number of class 1 jobs from 0 to ⌊n/n1⌋ has exactly one state."""
    most = parameters["servers"] // parameters["needs"][0]
    return [s[1] for s in listing(parameters)] == list(range(most + 1))


def idle_servers(parameters: Mapping[str, Any]) -> int:
    """The servers left idle in `state`."""
    return parameters["servers"] - int(np.dot(parameters["state"][1:], parameters["needs"]))


def most_idle_servers(parameters: Mapping[str, Any]) -> int:
    """The most servers idle in any saturated state."""
    return int(two_class.states(parameters["servers"], parameters["needs"]).idle.max())


def least_total_need(parameters: Mapping[str, Any]) -> int:
    """The smallest total need of the jobs in service and the blocking one, over all states."""
    n1, n2 = parameters["needs"]
    return min(a * n1 + (b + h) * n2 for h, a, b in listing(parameters))


def completion_rate(parameters: Mapping[str, Any]) -> float:
    """The rate at which jobs complete in `state`."""
    return float(np.dot(parameters["state"][1:], parameters["rates"]))


def successors(parameters: Mapping[str, Any]) -> list[State]:
    """The states that `state` can change to when a job of class `completes` completes."""
    state, completes = tuple(parameters["state"]), parameters["completes"]
    edges = list_edges(enumerate_chain(read_system(parameters)))
    return sorted(to for (start, c, to) in edges if (start, c) == (state, completes))


def predecessors(parameters: Mapping[str, Any]) -> list[tuple[State, int, int, int]]:
    """The ways into `state`: from where, which class completes, how many jobs of class 1 and of
    class 2 enter from the queue."""
    state = tuple(parameters["state"])
    edges = list_edges(enumerate_chain(read_system(parameters)))
    return sorted((start, c, *_entries(start, c, to)) for (start, c, to) in edges if to == state)


def transition_probability(parameters: Mapping[str, Any]) -> float:
    """The probability of changing from state `state` to state `to` at a completion."""
    chain = enumerate_chain(read_system(parameters))
    numbers = {state: i for i, state in enumerate(list_states(chain))}
    i, j = numbers[tuple(parameters["state"])], numbers[tuple(parameters["to"])]
    return float(sum(matrix[i, j] for matrix in chain.transitions()))


def most_class_2_entries(parameters: Mapping[str, Any]) -> int:
    """The most class 2 jobs that enter from the queue in one transition."""
    edges = list_edges(enumerate_chain(read_system(parameters)))
    return max(_entries(*edge)[1] for edge in edges)


def full_of_class_2(parameters: Mapping[str, Any]) -> list[State]:
    """The states [h, a, b] to which no state s2(b + 1) belongs."""
    return [
        s for s in listing(parameters) if s[2] == parameters["servers"] // parameters["needs"][1]
    ]


def lemma_5_1_holds(parameters: Mapping[str, Any]) -> bool:
    """Whether the transitions of `count` random systems are exactly those of Lemma 5.1."""
    return all(set(list_edges(chain)) == _lemma_5_1(chain) for chain in _random_chains(parameters))


def idle_bounds_hold(parameters: Mapping[str, Any]) -> bool:
    """Whether 0 … n1 − 1 servers are idle where no job blocks and n1 … n2 − 1 where one does."""
    for chain in _random_chains(parameters):
        n1, n2 = chain.system.needs
        free = chain.blocking == UNSAMPLED
        if chain.idle[free].max() > n1 - 1:
            return False
        if not np.all((chain.idle[~free] >= n1) & (chain.idle[~free] <= n2 - 1)):
            return False
    return True


def list_states(chain: SaturatedChain) -> list[State]:
    """The chain's states as [h, a, b]."""
    return [
        (int(head != UNSAMPLED), *map(int, jobs))
        for head, jobs in zip(chain.blocking, chain.in_service, strict=True)
    ]


def list_edges(chain: SaturatedChain) -> list[Edge]:
    """The chain's transitions as (from, completing class, to)."""
    states = list_states(chain)
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
    states = list_states(chain)
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


def _random_chains(parameters: Mapping[str, Any]) -> list[SaturatedChain]:
    rng = np.random.default_rng(parameters["seed"])
    chains = []
    for _ in range(parameters["count"]):
        servers = int(rng.integers(2, parameters["largest"] + 1))
        need_2 = int(rng.integers(2, servers + 1))
        need_1 = int(rng.integers(1, need_2))
        system = MultiserverJobSystem.of(servers, (need_1, need_2), (1.0, 2.0), (0.5, 0.5))
        chains.append(enumerate_chain(system))
    return chains
