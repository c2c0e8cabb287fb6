"""FCFS multiserver jobs in simulators that others wrote: what ours are measured by.

Each takes a system, an arrival rate and a number of jobs, and returns E[T].
"""

from __future__ import annotations

from collections import deque

import numpy as np

from multiserver.model import MultiserverJobSystem


def simulate_in_simpy(system: MultiserverJobSystem, arrival_rate: float, jobs: int) -> float:
    """SimPy, one process a job: FCFS with blocking is not among its resources."""
    import simpy

    rng = np.random.default_rng(1)
    world = simpy.Environment()
    idle, queue, times = system.servers, deque(), []

    def start():
        nonlocal idle
        while queue and queue[0][0] <= idle:
            need, started = queue.popleft()
            idle -= need
            started.succeed()

    def serve(need, rate):
        nonlocal idle
        arrived, started = world.now, world.event()
        queue.append((need, started))
        start()
        yield started
        yield world.timeout(rng.standard_exponential() / rate)
        idle += need
        times.append(world.now - arrived)
        start()

    def arrive():
        classes = rng.choice(len(system.classes), size=jobs, p=system.probabilities)
        for c in classes:
            yield world.timeout(rng.standard_exponential() / arrival_rate)
            world.process(serve(system.needs[c], system.rates[c]))

    world.process(arrive())
    world.run()
    return float(np.mean(times))


def simulate_in_most_queue(system: MultiserverJobSystem, arrival_rate: float, jobs: int) -> float:
    """most-queue, which knows multiserver jobs."""
    from most_queue.sim.msj import MsjClass, MsjSim

    classes = [MsjClass(arrival_rate * c.probability, c.need, c.rate) for c in system.classes]
    return float(MsjSim(system.servers, classes, seed=1).run(jobs).v[0])
