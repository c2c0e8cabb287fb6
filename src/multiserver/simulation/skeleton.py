"""Several jumps of a quasi-birth-death process at once: the distribution of the state that they
lead to, and mean gains.

State x = (ℓ, i): level ℓ, the number of jobs N, and phase i. A jump leads from x to y with
probability P(x, y), after a time of mean h(x) = 1/(rate out of x). Let g be a function of the
states. The distribution after s jumps and the mean of ∫ g dt over them follow backwards, from the
first jump:

    P^s(x, ·) = Σ_y P(x, y) P^(s−1)(y, ·),        V_s(x) = h(x) g(x) + Σ_y P(x, y) V_(s−1)(y).

Let B be the last level of the boundary. From levels above B + s − 1, all s jumps start in levels
above B, where rates depend on the phase alone. There the distribution of the change of level and
the phase does not depend on the level, so that the states of levels below *top* = B + s and one
more set of phases, for top and all levels above it, make up a finite table.

Gains are tabulated relative to the starting level. With τ the mean time of s jumps, and A_1 and A_2
the means of ∫ (N − ℓ) dt and ∫ (N − ℓ)² dt,

    E ∫ N dt = ℓ τ + A_1,        E ∫ N² dt = ℓ² τ + 2 ℓ A_1 + A_2,

and the same with the number of waiting jobs, N less those in service, in the place of N. If a jump
goes to y at a level ℓ' ≠ ℓ, the A_1 and A_2 of y are shifted by ℓ' − ℓ = ±1 in this way.

The time that N spends above a level k depends on ℓ itself, if s jumps can cross k from there. It is
tabulated for those ℓ, and up to top; below them it is 0 and above them it is τ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from multiserver.open.qbd import Level, QuasiBirthDeath
from multiserver.simulation.alias import alias_tables

GAINS = 5
# The cost of an epoch while tables fit into a private cache, and its increase for each doubling
# beyond that; the cost of making an entry (ns). They decide on s, the number of jumps, but on no
# distribution.
EPOCH, EPOCH_PER_DOUBLING, SET_UP_PER_ENTRY = 5.0, 5.5, 45.0
CACHED_ENTRIES, MOST_ENTRIES = 2**16, 2**20


class JumpChain(NamedTuple):
    """Single jumps, from which s of them at once are computed: X states, row by row, with E jumps
    in all.

    The states of level l are rows first[l], first[l] + 1, …, those of all levels from top on
    first[top], …; `holding` is h (X,) and `in_service` the number of jobs (X,). The jumps of row x
    are number start[x] to start[x + 1] − 1: `move` is the change of level (E,), `phase` and
    `target` the phase and the row they lead to (E,), `probability` their P (E,).
    """

    steps: int
    phases: int
    first: NDArray[np.int64]
    holding: NDArray[np.float64]
    in_service: NDArray[np.float64]
    start: NDArray[np.int64]
    move: NDArray[np.int64]
    phase: NDArray[np.int64]
    target: NDArray[np.int64]
    probability: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The tables for `steps` jumps at once, from the X rows of a `JumpChain`.

    `distribution` is (X, slots, phases), slot j standing for a change of level by j · stride − s,
    where the stride is 2 if every jump changes the level and 1 otherwise. `gains` (X, 5) has τ, A_1
    and A_2 of the jobs in the system, A_1 and A_2 of those waiting. `above` has for each requested
    level the lowest level tabulated, and the mean time above the requested level from there on,
    (levels, phases): the first row also holds for all lower levels, and the last one for all higher
    ones.
    """

    chain: JumpChain
    stride: int
    distribution: NDArray[np.float64]
    gains: NDArray[np.float64]
    above: tuple[tuple[int, NDArray[np.float64]], ...]

    def alias_tables(self) -> tuple[NDArray[np.uint64], int]:
        """Alias tables of the distribution; an outcome is (change of level + s) · 2^16 + phase."""
        rows, slots, phases = self.distribution.shape
        outcomes = np.add.outer(np.arange(slots) * self.stride << 16, np.arange(phases)).ravel()
        return alias_tables(self.distribution.reshape(rows, -1), outcomes)


def jump_chain(qbd: QuasiBirthDeath, steps: int) -> JumpChain:
    """The single jumps out of all levels that must be distinguished for `steps` jumps."""
    boundary, B = qbd.boundary, len(qbd.boundary) - 1
    levels = [*boundary, *[qbd.repeating] * steps]
    sizes = [len(level.in_service) for level in levels]
    first = np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64)
    top = B + steps
    blocks: dict[int, tuple[NDArray, ...]] = {}
    starts, holding, in_service = [np.zeros(1, dtype=np.int64)], [], []
    edges: list[tuple[NDArray, ...]] = []
    for at, level in enumerate(levels):
        jumps = blocks.get(id(level))
        if jumps is None:
            jumps = blocks[id(level)] = _jumps(level)
        h, counts, move, phase, probability = jumps
        to = np.minimum(at + move, top) if at < top else np.full(len(move), top)
        holding.append(h)
        in_service.append(level.in_service)
        starts.append(counts)
        edges.append((move, phase, first[to] + phase, probability))
    move, phase, target, probability = (np.concatenate(part) for part in zip(*edges, strict=True))
    return JumpChain(
        steps=steps,
        phases=max(sizes),
        first=first,
        holding=np.concatenate(holding),
        in_service=np.concatenate(in_service).astype(float),
        start=np.cumsum(np.concatenate(starts)),
        move=move,
        phase=phase,
        target=target,
        probability=probability,
    )


def skeleton(qbd: QuasiBirthDeath, steps: int, levels: tuple[int, ...] = ()) -> Skeleton:
    """The tables for `steps` ≥ 1 jumps at once, with the time above each of the given levels."""
    chain = jump_chain(qbd, steps)
    stride = 1 if (chain.move == 0).any() else 2
    own = np.concatenate([np.arange(n) for n in np.diff(chain.first, append=len(chain.holding))])
    distribution = _distribution(chain, own, stride)
    elapsed = np.zeros((steps + 1, len(chain.holding)))
    gains = _gains(chain, elapsed)
    top = len(chain.first) - 1
    above = []
    for k in levels:
        low, high = max(0, k - steps), max(k + steps, top)
        above.append((low, _above(chain, elapsed, k, low, high)))
    slots = distribution.shape[1] // chain.phases
    return Skeleton(
        chain, stride, distribution.reshape(-1, slots, chain.phases), gains, tuple(above)
    )


def cheapest_steps(qbd: QuasiBirthDeath, jumps: float) -> int:
    """The s for which the tables and `jumps` jumps together take least time."""
    levels = [*qbd.boundary, qbd.repeating]
    sizes = [len(level.in_service) for level in levels]
    within = any((level.stay - np.diag(np.diagonal(level.stay))).any() for level in levels)
    phases = max(sizes)
    choices = {1: EPOCH * jumps}
    for bits in range(1, MOST_ENTRIES.bit_length()):
        # The largest s whose outcomes fill a power of two of columns.
        slots = (1 << bits) // phases
        s = (slots - 1) // 2 if within else slots - 1
        entries = (sum(sizes) + (s - 1) * sizes[-1]) << bits
        if s > 1 and entries <= MOST_ENTRIES:
            doublings = max(0.0, math.log2(entries / CACHED_ENTRIES))
            epoch = EPOCH + EPOCH_PER_DOUBLING * doublings
            choices[s] = SET_UP_PER_ENTRY * entries + epoch * jumps / s
    return min(choices, key=choices.__getitem__)


def _jumps(level: Level) -> tuple[NDArray, ...]:
    """Mean holding times, jumps per phase, and move, phase and probability of each jump."""
    stay = level.stay.copy()
    np.fill_diagonal(stay, 0)
    rates = np.hstack([level.down, stay, level.up])
    holding = 1 / rates.sum(axis=1)
    row, column = np.nonzero(rates)
    n, down, up = len(holding), level.down.shape[1], level.up.shape[1]
    move = np.repeat([-1, 0, 1], [down, n, up])[column]
    phase = np.concatenate([np.arange(down), np.arange(n), np.arange(up)])[column]
    return (
        holding,
        np.bincount(row, minlength=n),
        move,
        phase,
        (rates * holding[:, None])[row, column],
    )


@njit(cache=True)
def _distribution(chain, own, stride):
    """P^s, (X, slots · phases), slot after slot."""
    start, move, target, probability = chain.start, chain.move, chain.target, chain.probability
    rows, phases, steps = len(own), chain.phases, chain.steps
    width = (2 * steps // stride + 1) * phases
    old = np.zeros((rows, width))
    new = np.zeros((rows, width))
    for x in range(rows):
        old[x, own[x]] = 1.0
    for r in range(steps):
        reach = (2 * r // stride + 1) * phases
        for x in range(rows):
            new[x, : (2 * (r + 1) // stride + 1) * phases] = 0.0
            for e in range(start[x], start[x + 1]):
                p, y, shift = probability[e], target[e], (move[e] + 1) // stride * phases
                into, out = new[x, shift : shift + reach], old[y, :reach]
                for j in range(reach):
                    into[j] += p * out[j]
        old, new = new, old
    return old


@njit(cache=True)
def _gains(chain, elapsed):
    """τ, A_1, A_2, and A_1, A_2 of the waiting jobs, (X, 5); fills `elapsed` with τ of up to s
    jumps."""
    start, move, target, probability = chain.start, chain.move, chain.target, chain.probability
    holding, in_service = chain.holding, chain.in_service
    steps, rows = chain.steps, len(holding)
    old = np.zeros((rows, GAINS))
    new = np.zeros((rows, GAINS))
    for r in range(1, steps + 1):
        for x in range(rows):
            h, c = holding[x], in_service[x]
            t, n1, n2, w1, w2 = h, 0.0, 0.0, -c * h, c * c * h
            for e in range(start[x], start[x + 1]):
                p, y, d = probability[e], target[e], move[e]
                tau = old[y, 0]
                t += p * tau
                n1 += p * (old[y, 1] + d * tau)
                n2 += p * (old[y, 2] + 2 * d * old[y, 1] + d * d * tau)
                w1 += p * (old[y, 3] + d * tau)
                w2 += p * (old[y, 4] + 2 * d * old[y, 3] + d * d * tau)
            new[x, 0], new[x, 1], new[x, 2], new[x, 3], new[x, 4] = t, n1, n2, w1, w2
            elapsed[r, x] = t
        old, new = new, old
    return old


@njit(cache=True)
def _above(chain, elapsed, k, low, high):
    """Mean time above level k from each level low … high and phase, (levels, phases)."""
    start, move, target, probability = chain.start, chain.move, chain.target, chain.probability
    first, holding, phase, phases = chain.first, chain.holding, chain.phase, chain.phases
    steps, top = chain.steps, len(first) - 1
    old = np.zeros((high - low + 1, phases))
    new = np.zeros((high - low + 1, phases))
    for r in range(1, steps + 1):
        for level in range(low, high + 1):
            b = min(level, top)
            end = first[b + 1] if b < top else len(holding)
            for x in range(first[b], end):
                v = holding[x] if level > k else 0.0
                for e in range(start[x], start[x + 1]):
                    to = level + move[e]
                    if to > high:
                        v += probability[e] * elapsed[r - 1, target[e]]
                    elif to >= low:
                        v += probability[e] * old[to - low, phase[e]]
                new[level - low, x - first[b]] = v
        old, new = new, old
    return old
