"""Networks of parallel processing as chains of the numbers of jobs, from the definition.

A station with x_i jobs of class i serves them at the rates Φ(x − e_i)/Φ(x), where Φ is its balance
function. A job that was served joins another class or leaves, at random. Transient jobs arrive and
leave; permanent jobs circulate in a *chain* of classes. The level is the number of transient jobs,
truncated so late that this changes no digit; without transient jobs there is one level.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from atlas.enumeration.balance import Balance, Sets, limit
from atlas.enumeration.counts import NEGLIGIBLE, compositions
from atlas.enumeration.elimination import Level, eliminate
from atlas.enumeration.fronts import Means

Counts = tuple[int, ...]
Stations = Sequence[tuple[Sequence[float], Sets]]
# The most transient jobs, and the most states of a level.
MOST, LARGEST = 200, 1500


def find_chains(routing: NDArray[np.float64]) -> list[list[int]]:
    """The sets of classes that jobs never leave, ordered by their first class."""
    classes = range(len(routing))
    reach = np.eye(len(routing), dtype=bool) | (routing > 0)
    for _ in classes:
        reach = reach | (reach @ reach)
    leaves = routing.sum(axis=1) < 1 - 1e-9
    kept = [i for i in classes if not leaves[reach[i]].any()]
    chains = {tuple(j for j in kept if reach[i, j] and reach[j, i]) for i in kept}
    return sorted(map(list, chains))


def means(
    stations: Stations,
    arrivals: NDArray[np.float64],
    routing: NDArray[np.float64],
    populations: Sequence[int],
) -> tuple[Means, float | None]:
    """The means, and λ* of the transient jobs; `populations` are those of the chains.

    Raises `ArithmeticError` if more jobs matter than `MOST`, or levels are larger than `LARGEST`.
    """
    chains = find_chains(routing)
    free = [i for i in range(len(routing)) if not any(i in chain for chain in chains)]
    network = _Network(stations, arrivals, routing, free, _placed(chains, populations, routing))
    most = 20 if free else 0
    while True:
        result, end = network.solve(most)
        if end <= NEGLIGIBLE:
            return result, _limit(stations, arrivals, routing, free)
        if most >= MOST:
            raise ArithmeticError(f"more than {most} jobs matter")
        most = min(MOST, 2 * most)


def _placed(
    chains: list[list[int]], populations: Sequence[int], routing: NDArray[np.float64]
) -> list[Counts]:
    """All numbers of permanent jobs by class."""
    states = []
    for parts in itertools.product(
        *(compositions(m, len(chain)) for m, chain in zip(populations, chains, strict=True))
    ):
        x = [0] * len(routing)
        for chain, part in zip(chains, parts, strict=True):
            for i, m in zip(chain, part, strict=True):
                x[i] = m
        states.append(tuple(x))
    return states


def _limit(
    stations: Stations, arrivals: NDArray[np.float64], routing: NDArray[np.float64], free: list[int]
) -> float | None:
    """λ*: each station must be stable without the permanent jobs."""
    if not free:
        return None
    visits = np.linalg.solve(np.eye(len(free)) - routing[np.ix_(free, free)].T, arrivals[free])
    work, first, scale = dict(zip(free, visits, strict=True)), 0, []
    for speeds, sets in stations:
        own = [i for i in range(first, first + len(sets)) if i in work]
        if own:
            scale.append(limit(speeds, [sets[i - first] for i in own], [work[i] for i in own]))
        first += len(sets)
    return float(arrivals.sum()) * min(scale)


class _Network:
    """The chain, level by level."""

    def __init__(
        self,
        stations: Stations,
        arrivals: NDArray[np.float64],
        routing: NDArray[np.float64],
        free: list[int],
        placed: list[Counts],
    ) -> None:
        self.stations = [Balance(*station) for station in stations]
        ends = np.cumsum([len(sets) for _, sets in stations]).tolist()
        self.spans = list(zip([0, *ends], ends, strict=False))
        self.arrivals, self.routing, self.free, self.placed = arrivals, routing, free, placed

    def states(self, n: int) -> list[Counts]:
        """All states with n transient jobs."""
        states = []
        for part in compositions(n, len(self.free)) if self.free else [()]:
            added = dict(zip(self.free, part, strict=True))
            states += [tuple(m + added.get(i, 0) for i, m in enumerate(x)) for x in self.placed]
        return states

    def served(self, x: Counts) -> list[float]:
        """The service rate of each class."""
        pairs = zip(self.stations, self.spans, strict=True)
        return [speed for station, (i, j) in pairs for speed in station.shares(x[i:j])]

    def solve(self, most: int) -> tuple[Means, float]:
        """The means with at most `most` transient jobs, and the share of the last level in the
        smallest mean."""
        states = [self.states(n) for n in range(most + 1)]
        if len(states[-1]) > LARGEST:
            raise ArithmeticError(f"a level of {len(states[-1])} states")
        served = [np.array([self.served(x) for x in level]) for level in states]
        index = [{x: k for k, x in enumerate(level)} for level in states]
        levels = []
        for n, level in enumerate(states):
            sizes = [len(states[n + 1]) if n < most else 0, len(level), len(states[n - 1])]
            up, within, down = (np.zeros((len(level), size)) for size in sizes)
            for k, x in enumerate(level):
                for i in self.free if n < most else ():
                    up[k, index[n + 1][_move(x, None, i)]] += self.arrivals[i]
                for i in np.flatnonzero(served[n][k]):
                    speed = served[n][k, i]
                    for j in np.flatnonzero(self.routing[i]):
                        within[k, index[n][_move(x, i, j)]] += speed * self.routing[i, j]
                    if i in self.free:
                        out = 1 - self.routing[i].sum()
                        down[k, index[n - 1][_move(x, i, None)]] += speed * out
            np.fill_diagonal(within, 0.0)
            levels.append(Level(up, within, down if n else down[:, :0]))
        probabilities = eliminate(levels)
        mass = sum(float(p.sum()) for p in probabilities)
        jobs = sum(p @ np.array(x) for p, x in zip(probabilities, states, strict=True)) / mass
        flows = sum(p @ speed for p, speed in zip(probabilities, served, strict=True)) / mass
        end = float(probabilities[-1].sum()) / mass * most / float(jobs.min())
        # Sizes have mean 1, so the work done equals the number of jobs served.
        busy = float(flows.sum())
        return Means(tuple(jobs.tolist()), None, busy, (), flows=tuple(flows.tolist())), end


def _move(x: Counts, away: int | None, to: int | None) -> Counts:
    return tuple(m - (i == away) + (i == to) for i, m in enumerate(x))
