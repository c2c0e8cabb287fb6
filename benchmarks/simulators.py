"""FCFS multiserver jobs in simulators by others, with which ours are compared.

Each takes a system, an arrival rate, a number of jobs and a seed, and returns E[T] and E[T_c] of
the classes. The first fifth of the jobs is discarded.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from multiserver.model import MultiserverJobSystem


def simulate_in_simpy(
    system: MultiserverJobSystem, arrival_rate: float, jobs: int, seed: int = 1
) -> list[float]:
    """SimPy, with one process per job; none of its resources is FCFS with blocking."""
    import simpy

    rng = np.random.default_rng(seed)
    world = simpy.Environment()
    idle, queue = system.servers, deque()
    times: list[list[float]] = [[] for _ in system.classes]

    def start():
        nonlocal idle
        while queue and queue[0][0] <= idle:
            need, started = queue.popleft()
            idle -= need
            started.succeed()

    def serve(c, measured):
        nonlocal idle
        need, rate = system.needs[c], system.rates[c]
        arrived, started = world.now, world.event()
        queue.append((need, started))
        start()
        yield started
        yield world.timeout(rng.standard_exponential() / rate)
        idle += need
        if measured:
            times[c].append(world.now - arrived)
        start()

    def arrive():
        classes = rng.choice(len(system.classes), size=jobs, p=system.probabilities)
        for number, c in enumerate(classes):
            yield world.timeout(rng.standard_exponential() / arrival_rate)
            world.process(serve(c, number >= jobs // 5))

    world.process(arrive())
    world.run()
    return [float(np.mean(np.concatenate(times))), *(float(np.mean(t or [np.nan])) for t in times)]


def simulate_in_most_queue(
    system: MultiserverJobSystem, arrival_rate: float, jobs: int, seed: int = 1
) -> list[float]:
    """most-queue, which has multiserver jobs built in."""
    from most_queue.sim.msj import MsjClass, MsjSim

    classes = [MsjClass(arrival_rate * c.probability, c.need, c.rate) for c in system.classes]
    # It serves these jobs after its warm-up, which is the given fraction of them.
    found = MsjSim(system.servers, classes, seed=seed).run(jobs - jobs // 5, warmup_fraction=0.25)
    return [float(found.v[0]), *(float(time) if time else np.nan for time in found.v_per_class)]
