r"""The waiting time under first come, first served, by a chain with a tagged job.

By PASTA an arriving job finds the stationary distribution. Later arrivals do not affect it, so the
jobs before it can only decrease. It is *undrawn* behind a closed front u and b other jobs; then,
unless it fits, *blocked* as the last of a front; then in *service*, in the phases of its duration.
In the joint distribution of these states with its class c, class c has mass p_c.

By uniformisation with rate Λ, the fastest rate of all states, this becomes a chain in discrete
steps. With s_k the probability that a time has not ended within k steps,

    P(time > t) = Σ_k e^{−Λt} (Λt)^k/k! s_k

(A. Jensen, *Skand. Aktuarietidskr.* 36, 1953). There is no subtraction, and one run of the chain
gives the distribution at every t.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse import block_array, csr_array, eye_array, kron

from atlas.enumeration.fronts import FrontChain
from atlas.enumeration.policies import FirstCome, Jobs

Array = NDArray[np.float64]
# The probability of the states left out, with more jobs before the tagged one; the most such jobs;
# and the most steps.
NEGLIGIBLE, MOST_JOBS, MOST_STEPS = 1e-18, 100_000, 1_000_000


@dataclass(frozen=True)
class Times:
    """For each class and, last, all jobs: P(W = 0), and s_k of W and of T (K, C + 1), at the
    rate Λ."""

    no_wait: Array
    waiting: Array
    response: Array
    rate: float

    def quantile(self, p: float, column: int, *, waiting: bool) -> float:
        """The least t with P(time ≤ t) ≥ p: 0 if P(time = 0) ≥ p. Raises `ArithmeticError` if it
        lies beyond the computed steps."""
        survival = (self.waiting if waiting else self.response)[:, column]
        if survival[0] <= 1 - p:
            return 0.0

        def excess(mean: float) -> float:
            weights = poisson(mean, len(survival))
            return float(weights @ survival) - (1 - p)

        most = (math.sqrt(36 + len(survival) - 80) - 6) ** 2
        if excess(most) > 0:
            raise ArithmeticError(f"a quantile at {p!r} beyond {most:.0f} steps")
        return brentq(excess, 0.0, most, xtol=1e-15, rtol=1e-15) / self.rate


def poisson(mean: float, count: int) -> Array:
    """The Poisson probabilities of 0 … `count` − 1, normalised to sum 1, from the largest
    outwards."""
    k = np.arange(1, count)
    middle = min(math.floor(mean), count - 1)
    up = np.cumprod(mean / k[middle:])
    down = np.cumprod(k[:middle][::-1] / mean) if middle else k[:0]
    weights = np.concatenate([down[::-1], [1.0], up])
    return weights / weights.sum()


def follow(rule: FirstCome, arrival_rate: float, least: float) -> Times:
    """The distributions of times at λ, up to tail probability `least`.

    Raises `ArithmeticError` if that needs too many jobs or steps, or unless λ < λ*.
    """
    chain = FrontChain(rule)
    shifts, draws = _before_the_draw(chain)
    entering, later, of_class, blocked = _after_the_draw(chain)
    rate = max(-float(m.diagonal().min()) for m in (shifts[0], later))
    undrawn, drawn = _state_on_arrival(chain, arrival_rate)
    one_step = _one_step(shifts, draws, entering, later, rate, undrawn.shape[1])
    p = np.array(rule.probabilities)
    waits = of_class * blocked[:, None] / p
    lasts = of_class / p
    before = undrawn.size
    distribution = np.concatenate([undrawn.ravel(), entering @ drawn])
    begun = distribution[before:] @ (lasts - waits)
    either = np.hstack([waits, lasts])
    rows: list[Array] = []
    last = MOST_STEPS
    while len(rows) < last:
        rows.append(distribution[:before].sum() + distribution[before:] @ either)
        if last == MOST_STEPS and rows[-1].max() < least:
            # With a Poisson number of steps the tail is below `least` at this slightly larger mean.
            # The number of steps exceeds `last` with probability 1e-25.
            mean = len(rows) + 3 * math.sqrt(len(rows)) + 20
            last = math.ceil(mean + 12 * math.sqrt(mean) + 80)
        distribution = one_step @ distribution
    if last == MOST_STEPS:
        raise ArithmeticError(f"times of more than {MOST_STEPS} steps")
    survival = np.array(rows).reshape(len(rows), 2, -1)
    waiting, response = np.moveaxis(np.concatenate([survival, survival @ p[:, None]], axis=2), 1, 0)
    return Times(np.append(begun, begun @ p), waiting, response, rate)


def _state_on_arrival(chain: FrontChain, arrival_rate: float) -> tuple[Array, Array]:
    """The state that a job finds: the distribution of (u, b) (F, B), and that of open fronts, at
    which it is drawn immediately."""
    rule, open_fronts = chain.rule, _open(chain)
    levels, R = chain.level_weights(arrival_rate)
    mass = sum(float(weights.sum()) for weights in levels[:-1])
    mass += float(np.linalg.solve((np.eye(len(R)) - R).T, levels[-1]).sum())
    while float(levels[-1].sum()) > NEGLIGIBLE * mass:
        levels.append(levels[-1] @ R)
        if len(levels) > MOST_JOBS:
            raise ArithmeticError(f"more than {MOST_JOBS} jobs matter")
    place = {u: (i, sum(rule.jobs(u))) for i, u in enumerate(chain.closed)}
    undrawn, drawn = np.zeros((len(place), len(levels))), np.zeros(len(open_fronts))
    for n, weights in enumerate(levels):
        for u, probability in zip(chain.states(n), weights / mass, strict=True):
            if u in place:
                i, before = place[u]
                undrawn[i, n - before] += probability
            else:
                drawn[open_fronts[u]] += probability
    return undrawn, drawn


def _open(chain: FrontChain) -> dict[Hashable, int]:
    return {u: i for i, u in enumerate(u for u in chain.fronts if chain.rule.is_open(u))}


def _before_the_draw(chain: FrontChain) -> tuple[list[csr_array], list[csr_array]]:
    """Rates from closed fronts to closed ones, by the number j of jobs that move up, with the rates
    out of a state on the diagonal at j = 0; and rates to open fronts, also by j."""
    rule, closed, opened = chain.rule, chain.closed, _open(chain)
    place = {u: i for i, u in enumerate(closed)}
    shifts: list[list[tuple[int, int, float]]] = [[] for _ in range(chain.largest + 2)]
    draws: list[list[tuple[int, int, float]]] = [[] for _ in range(chain.largest + 2)]
    for u, i in place.items():
        for rate, after, _ in rule.events(u):
            shifts[0].append((i, i, -rate))
            reached = {after: rate}
            for j in range(chain.largest + 2):
                grown: dict[Hashable, float] = {}
                for front, flow in reached.items():
                    if not rule.is_open(front):
                        shifts[j].append((place[front], i, flow))
                        continue
                    draws[j].append((opened[front], i, flow))
                    for probability, larger in rule.admit(front):
                        grown[larger] = grown.get(larger, 0.0) + flow * probability
                reached = grown
    F = len(closed)
    return [_matrix(m, F, F) for m in shifts], [_matrix(m, len(opened), F) for m in draws]


def _after_the_draw(chain: FrontChain) -> tuple[csr_array, csr_array, Array, Array]:
    """The probabilities of states that a job drawn at an open front enters; the rates between these
    states; the class of the job in each (M, C); and whether it is blocked there."""
    rule, opened = chain.rule, _open(chain)
    fronts = [u for u in chain.closed if rule.demand(u) > rule.servers]
    phases = [(c, i) for c, X in enumerate(rule.durations) for i in range(len(X.exits))]
    place = {state: k for k, state in enumerate((*fronts, *phases))}

    def of(front: Jobs, job: tuple[int, int]) -> int:
        return place[front if rule.demand(front) > rule.servers else job]

    entering, later = [], []
    for u, i in opened.items():
        for probability, job in rule.possible_arrivals():
            entering.append((of(rule.arrange((*u, job)), job), i, probability))
    for u in fronts:
        for rate, after, _ in rule.events(u):
            later += [(place[u], place[u], -rate), (of(after, u[-1]), place[u], rate)]
    for c, i in phases:
        X, k = rule.durations[c], place[c, i]
        later += [(place[c, j], k, rate) for rate, j in X.moves[i]]
        later.append((k, k, -X.exits[i] - sum(rate for rate, _ in X.moves[i])))
    kinds = [u[-1][0] for u in fronts] + [c for c, _ in phases]
    of_class = np.eye(len(rule.durations))[kinds]
    blocked = np.arange(len(place)) < len(fronts)
    M = len(place)
    return _matrix(entering, M, len(opened)), _matrix(later, M, M), of_class, blocked


def _matrix(entries: Sequence[tuple[int, int, float]], rows: int, columns: int) -> csr_array:
    """The sums of (to, from, rate) as a matrix, which acts on distributions as columns."""
    to, source, rates = np.array(entries, dtype=float).reshape(-1, 3).T
    return csr_array((rates, (to.astype(int), source.astype(int))), shape=(rows, columns))


def _one_step(
    shifts: list[csr_array],
    draws: list[csr_array],
    entering: csr_array,
    later: csr_array,
    rate: float,
    behind: int,
) -> csr_array:
    """I + Q/Λ on the distribution of (u, b), b < `behind`, followed by that of the states after the
    draw."""
    undrawn = sum(kron(m, eye_array(behind, k=j)) for j, m in enumerate(shifts[:behind]))
    numbers = eye_array(behind, format="csr")
    drawn = sum(kron(m, numbers[[j]]) for j, m in enumerate(draws[:behind]))
    both = block_array([[undrawn, None], [entering @ drawn, later]], format="csr")
    return (both + rate * eye_array(both.shape[0], format="csr")) / rate
