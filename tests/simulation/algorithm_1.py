"""Algorithm 1 as in its pseudo-code, server by server on a list of jobs."""

from __future__ import annotations

import math

import numpy as np

from multiserver.simulation.allocations import allocate
from multiserver.simulation.draws import draw, encode
from multiserver.simulation.interruption_runs import (
    AREA,
    DEPARTURES,
    INTERRUPTIONS,
    RESPONSE,
    RESPONSE_SQUARE,
    SQUARE,
    WORK,
)


class PseudoCode:
    """The queue and a_s, the job (not the class) of every server or None, as in Algorithm 1.

    `gained` lists the jobs that got servers in the last event.
    """

    def __init__(self, S):
        self.queue, self.sets, self.a = [], {}, [None] * S

    def arrival(self, job, servers):
        self.queue.append(job)
        self.sets[job] = servers
        self._scan(len(self.queue) - 1, servers)

    def departure(self, job):
        self._free(job, lambda: None)

    def expiry(self, job):
        self._free(job, lambda: self.queue.append(job))

    def _free(self, job, move):
        position = self.queue.index(job)
        self.queue.pop(position)
        move()
        for s in self.sets[job]:
            if self.a[s] == job:
                self.a[s] = None
        self._scan(position, self.sets[job])

    def _scan(self, position, servers):
        self.gained = []
        for job in self.queue[position:]:
            for s in self.sets[job]:
                if s in servers and self.a[s] is None:
                    self.a[s] = job
                    self.gained.append(job)
        # Nobody before that position was missed.
        assert {s: j for s, j in enumerate(self.a) if j is not None} == allocate(
            self.sets, self.queue
        )


def reference(cluster, rng, jumps):
    """One replication without warm-up on the pseudo-code, with the random numbers of `simulate`:
    its duration, the tallies, the times with 0, 1, … jobs, and of those that left in their order
    the classes and the response times."""
    S, classes, theta = len(cluster.capacities), cluster.classes, cluster.quantum
    encoded = encode([c.size for c in classes])
    rates = np.cumsum([c.arrival_rate for c in classes])
    state, jobs = PseudoCode(S), {}
    tally, levels, left, responses = np.zeros((7, len(classes))), [0.0], [], []
    t, arrival, number = 0.0, rng.standard_exponential() / rates[-1], 0
    count, last = [0] * len(classes), [0.0] * len(classes)

    def start(j, size):
        phase = theta * rng.standard_exponential() if theta < math.inf else math.inf
        work = min(size, phase)
        jobs[j].update(work=work, rest=size - work, rate=0.0, since=t)

    def reallocate():
        for j in set(state.gained):
            job = jobs[j]
            done = job["rate"] * (t - job["since"])
            tally[WORK, job["class"]] += done
            rate = sum(cluster.capacities[s] for s in range(S) if state.a[s] == j)
            job.update(work=max(job["work"] - done, 0.0), rate=rate, since=t)

    def change(c, by):
        levels[sum(count)] += t - max(last)
        levels.extend([0.0] * by)
        area = count[c] * (t - last[c])
        tally[AREA, c] += area
        tally[SQUARE, c] += count[c] * area
        count[c], last[c] = count[c] + by, t

    for _ in range(jumps):
        served = list(dict.fromkeys(j for j in state.a if j is not None))
        ends = [jobs[j]["since"] + jobs[j]["work"] / jobs[j]["rate"] for j in served]
        end = min(ends, default=math.inf)
        if end <= arrival:
            t, j = end, served[ends.index(end)]
            job = jobs[j]
            c = job["class"]
            tally[WORK, c] += job["work"]
            if job["rest"] > 0:
                tally[INTERRUPTIONS, c] += 1
                start(j, job["rest"])
                state.expiry(j)
            else:
                state.departure(j)
                change(c, -1)
                response = t - job["born"]
                tally[[DEPARTURES, RESPONSE, RESPONSE_SQUARE], c] += 1, response, response**2
                left.append(c)
                responses.append(response)
        else:
            t = arrival
            j, number = number, number + 1
            u = rng.random() * rates[-1]
            c = next(c for c in range(len(rates)) if u < rates[c])
            servers = classes[c].servers if classes[c].fixed else floyd(rng, S, classes[c].servers)
            jobs[j] = {"class": c, "born": t}
            change(c, 1)
            start(j, draw(rng, *encoded, c))
            state.arrival(j, servers)
            arrival = t + rng.standard_exponential() / rates[-1]
        reallocate()
    for c in range(len(classes)):
        change(c, 0)
    for j in {j for j in state.a if j is not None}:
        tally[WORK, jobs[j]["class"]] += jobs[j]["rate"] * (t - jobs[j]["since"])
    return t, tally, np.array(levels), left, np.array(responses)


def floyd(rng, S, d):
    """Floyd's random subset."""
    chosen = set()
    for top in range(S - d, S):
        s = int(rng.random() * (top + 1))
        chosen.add(top if s in chosen else s)
    return tuple(sorted(chosen))


def with_timers(cluster, rng, jumps):
    """∫ X dt over time, from the empty cluster: timers of rate C_s/θ that run while s is busy,
    as the paper has them, instead of quanta of work."""
    S, (c,) = len(cluster.capacities), cluster.classes
    encoded = encode([c.size])
    state, left = PseudoCode(S), {}
    timer = [math.inf] * S
    t, area, number = 0.0, 0.0, 0
    arrival = rng.standard_exponential() / c.arrival_rate
    for _ in range(jumps):
        rate = {}
        for s, j in enumerate(state.a):
            if j is not None:
                rate[j] = rate.get(j, 0) + cluster.capacities[s]
        end, job = min(((t + left[j] / r, j) for j, r in rate.items()), default=(math.inf, None))
        expiry = min(timer)
        then = min(end, arrival, expiry)
        for j, r in rate.items():
            left[j] -= r * (then - t)
        area += len(state.queue) * (then - t)
        t, before = then, list(state.a)
        if then == expiry:
            freed = before[timer.index(expiry)]
            state.expiry(freed)
        elif then == end:
            freed = job
            state.departure(job)
        else:
            freed, left[number] = None, draw(rng, *encoded, 0)
            state.arrival(number, floyd(rng, S, c.servers))
            number += 1
            arrival = t + rng.standard_exponential() / c.arrival_rate
        for s, j in enumerate(state.a):
            if j is None:
                timer[s] = math.inf
            elif j != before[s] or j == freed:
                timer[s] = t + cluster.quantum / cluster.capacities[s] * rng.standard_exponential()
    return area / t
