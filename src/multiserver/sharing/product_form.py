"""The product form of a multi-server queue, job by job.

The state is the sequence c = (c_1, …, c_n) of the classes of the jobs present, oldest first. Each
server works on the oldest job it can serve, so job l is served at rate

    μ(S_{c_l} \\ ∪_{l'<l} S_{c_l'}) = μ({c_1 … c_l}) − μ({c_1 … c_{l−1}}).

With λ from the traffic equations, for any routing of the jobs that have been served,

    π(c) = π(0) ∏_{l=1..n} λ_{c_l} / μ({c_1 … c_l})             (`parallel-processing`, Theorem 1)

is a stationary measure. This also holds for a fixed number of permanent jobs (Proposition 3), and
for permanent and transient jobs together (Proposition 4). Its *partial balance*,

    π(c) λ_i = Σ_{l=1..n+1} π(c with a job of class i put in at l) μ(S_i \\ ∪_{l'<l} S_{c_l'}),  (6)

holds class by class. The measure of a network is the product of the measures of its queues,
restricted to the given numbers of permanent jobs (Theorems 3 and 4).

Given fractions, all functions return exact fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

from multiserver.sharing.queue import MultiServerQueue


def weight(queue: MultiServerQueue, arrival_rates: Sequence[Real], sequence: Sequence[int]) -> Real:
    """π(c)/π(0) for c = `sequence`, oldest job first, and λ = `arrival_rates` (N,)."""
    product: Real = 1
    mask = 0
    for i in sequence:
        mask |= 1 << i
        product = product * arrival_rates[i] / queue.rank(mask)
    return product


def service_rates(queue: MultiServerQueue, sequence: Sequence[int]) -> tuple[Real, ...]:
    """The rate at which each job of c = `sequence` is served, oldest first."""
    free = set(range(queue.size))
    found = []
    for i in sequence:
        # Summed server by server: a difference of ranks may round to a small number instead of 0.
        found.append(sum(queue.rates[s] for s in free & queue.compatible[i]))
        free -= queue.compatible[i]
    return tuple(found)


def class_rates(queue: MultiServerQueue, sequence: Sequence[int]) -> tuple[Real, ...]:
    """μ_i(c), the rate at which the oldest job of each class is served; 0 if there is none.

    The others of its class are not served. Given the numbers x of jobs, the mean of μ_i(c) under π
    is the balanced-fair rate φ_i(x) (`parallel-processing`, Proposition 1).
    """
    rates: list[Real] = [0] * queue.classes
    for i, rate in zip(sequence, service_rates(queue, sequence), strict=True):
        rates[i] += rate
    return tuple(rates)


def partial_balance_residual(
    queue: MultiServerQueue, arrival_rates: Sequence[Real], sequence: Sequence[int], i: int
) -> Real:
    """Left minus right side of (6) at c = `sequence` for class `i`, with π(0) = 1."""
    inflow: Real = 0
    for position in range(len(sequence) + 1):
        longer = (*sequence[:position], i, *sequence[position:])
        inflow += weight(queue, arrival_rates, longer) * service_rates(queue, longer)[position]
    return weight(queue, arrival_rates, sequence) * arrival_rates[i] - inflow
