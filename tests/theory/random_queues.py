"""Random systems of few fronts, at random loads, for routes to be held against each other."""

from __future__ import annotations

import numpy as np

import multiserver as ms
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


def random_duration(rng: np.random.Generator, mean: float):
    """An exponential, hyperexponential, Erlang or Coxian duration of up to three phases."""
    match rng.integers(0, 4):
        case 0:
            return ms.Exponential(rate=1 / mean)
        case 1:
            q, ratio = float(rng.uniform(0.05, 0.95)), float(10 ** rng.uniform(-1, 1))
            law = ms.Hyperexponential(rates=(1.0, ratio), probabilities=(q, 1 - q))
        case 2:
            law = ms.Erlang(stages=int(rng.integers(2, 4)), rate=1.0)
        case _:
            rates = tuple(map(float, 10 ** rng.uniform(-0.5, 0.5, 2)))
            law = ms.coxian(rates=rates, further=(float(rng.uniform(0.1, 1.0)),))
    return ms.scaled(law, mean / law.mean)
