"""Random systems with few and with many fronts, to compare routes with each other."""

from __future__ import annotations

import numpy as np

import multiserver as ms
from multiserver.open import uniformized_waiting
from multiserver.phased import count_fronts
from multiserver.policies.phase_type import phased_jobs


def random_queue(rng: np.random.Generator) -> tuple[ms.Queue, float]:
    """A first-come first-served queue and a fraction of λ*: up to 8 servers, 3 classes and 200
    fronts, rates over three decades, and durations of up to three phases."""
    while True:
        servers = int(rng.integers(1, 9))
        count = int(rng.integers(1, 4))
        weights = 10 ** rng.uniform(-2, 0, count)
        classes = [
            ms.JobClass(
                need=int(rng.integers(1, servers + 1)),
                duration=random_duration(rng, 10 ** rng.uniform(-1.5, 1.5)),
                probability=float(p),
            )
            for p in weights / weights.sum()
        ]
        queue = ms.System(servers, classes).under(ms.FCFS)
        fronts, _ = count_fronts(phased_jobs(queue.system))
        known = {r["question"] for r in queue.known().rows() if r["applies"]}
        if fronts <= 200 and "distribution" in known:
            fraction = float(rng.choice([rng.uniform(0.02, 0.9), 1 - 10 ** rng.uniform(-3, -1)]))
            return queue, fraction


def random_large_queue(rng: np.random.Generator) -> tuple[ms.Queue, float]:
    """The same of 8 to 40 servers, 3 to 5 classes of different needs and 200 to 700 fronts, whose
    times are found in steps: rates over a decade."""
    while True:
        servers, count = int(rng.integers(8, 41)), int(rng.integers(3, 6))
        needs = rng.choice(np.arange(1, servers // 2 + 1), min(count, servers // 2), replace=False)
        weights = 10 ** rng.uniform(-1, 0, len(needs))
        classes = [
            ms.JobClass(
                need=int(need),
                duration=random_duration(rng, 10 ** rng.uniform(-0.5, 0.5)),
                probability=float(p),
            )
            for need, p in zip(needs, weights / weights.sum(), strict=True)
        ]
        queue = ms.System(servers, classes).under(ms.FCFS)
        jobs = phased_jobs(queue.system)
        if count_fronts(jobs)[0] <= 700 and uniformized_waiting.is_preferred(jobs):
            return queue, float(rng.uniform(0.02, 0.98))


def random_duration(rng: np.random.Generator, mean: float):
    """An exponential, hyperexponential, Erlang or Coxian duration of up to three phases."""
    match rng.integers(0, 4):
        case 0:
            return ms.Exponential(rate=1 / mean)
        case 1:
            q, ratio = float(rng.uniform(0.05, 0.95)), float(10 ** rng.uniform(-1, 1))
            distribution = ms.Hyperexponential(rates=(1.0, ratio), probabilities=(q, 1 - q))
        case 2:
            distribution = ms.Erlang(stages=int(rng.integers(2, 4)), rate=1.0)
        case _:
            rates = tuple(map(float, 10 ** rng.uniform(-0.5, 0.5, 2)))
            distribution = ms.coxian(rates=rates, further=(float(rng.uniform(0.1, 1.0)),))
    return ms.scaled(distribution, mean / distribution.mean)
