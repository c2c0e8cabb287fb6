"""A slow, simple computation of the results of the engines for preemptive policies: `responses`
serves a list of jobs under a policy given as a function of all jobs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from atlas.enumeration import counts
from multiserver.simulation.draws import draw, encode
from multiserver.simulation.streams import generator

# Jobs that end within this time of each other end at one time: a rounding of a clock below 1e4.
TIE = 1e-11


@dataclass(eq=False)
class Job:
    """A job of a class and a need, and what remains of its requirement."""

    job_class: int
    need: int
    arrived: float
    remaining: float
    response: float | None = None


def stream(workload, seed, key):
    """The jobs of replication 0, without end."""
    rng = generator(seed, *key, 0)
    kinds, parameters = encode(workload.sizes)
    cumulated = np.cumsum(workload.probabilities)
    now = 0.0
    while True:
        now += rng.standard_exponential() / workload.arrival_rate
        c = int(np.searchsorted(cumulated[:-1], rng.random(), side="right"))
        yield Job(c, workload.needs[c], now, draw(rng, kinds, parameters, c))


def responses(workload, policy, jobs, seed, key=()):
    """Response times of the first jobs; `policy` turns the present ones, oldest first, to rates."""
    coming = stream(workload, seed, key)
    observed, present, following, now = [], [], next(coming), 0.0
    while len(observed) < jobs or any(job.response is None for job in observed):
        rates = policy(present)
        step = following.arrived - now
        first = None
        for job, rate in zip(present, rates, strict=True):
            if rate > 0 and job.remaining / rate < step:
                step, first = job.remaining / rate, job
        for job, rate in zip(present, rates, strict=True):
            job.remaining -= rate * step
        now += step
        if first is None:
            present.append(following)
            if len(observed) < jobs:
                observed.append(following)
            following = next(coming)
        else:
            # All that end now leave, before the policy might interrupt one of them.
            for job, rate in list(zip(present, rates, strict=True)):
                if job is first or (rate > 0 and job.remaining / rate < TIE):
                    present.remove(job)
                    job.response = now - job.arrived
    return np.array([job.response for job in observed])


def recount(workload, seed, record, first, found):
    """Assert that sums `found` of one replication are those of its jobs from `first` on, given the
    response times `record` of all; whether each is measured, and finds each in the system."""
    jobs = len(record)
    told = islice(stream(workload, seed, ()), jobs)
    arrived, classes, required = np.transpose(
        [(job.arrived, job.job_class, job.remaining) for job in told]
    )
    measured = np.arange(jobs) >= first
    seen = (arrived < arrived[:, None]) & (arrived + record > arrived[:, None])
    for c in range(len(workload.needs)):
        mine = classes == c
        times, numbers = record[measured & mine], (seen & mine).sum(axis=1)[measured]
        expected = [len(times), times.sum(), (times**2).sum(), numbers.sum(), (numbers**2).sum()]
        expected.append(required[measured & mine].sum())
        np.testing.assert_allclose(found.sums[0, c, : len(expected)], expected, rtol=1e-9)
    # The jobs in the system at the marks, but for the last, which the job after them all finds.
    steps = found.present.shape[1] - 1
    marks = first + np.arange(steps) * (jobs - first) // steps
    np.testing.assert_array_equal(found.present[0, :-1], seen[marks].sum(axis=1))
    return measured, seen


# Policies for rigid jobs: k servers, jobs with needs, oldest first.


def served(k, jobs, order):
    """1 for each job that fits when they are gone through in an order, else 0."""
    rates, idle = [0.0] * len(jobs), k
    for i in order:
        if jobs[i].need <= idle:
            rates[i] = 1.0
            idle -= jobs[i].need
    return rates


def preemptive_first_fit(k):
    return lambda jobs: served(k, jobs, range(len(jobs)))


def least_servers_first(k):
    return lambda jobs: served(k, jobs, sorted(range(len(jobs)), key=lambda i: jobs[i].need))


def most_servers_first(k):
    return lambda jobs: served(k, jobs, sorted(range(len(jobs)), key=lambda i: -jobs[i].need))


def max_weight(k, ties="larger", packings="present", needs=None):
    """`needs` are those of all classes, which count only where packings are of all that fit."""
    rule = counts.max_weight(ties, packings)

    def rates(jobs):
        every = needs or sorted({job.need for job in jobs})
        present = tuple(sum(job.need == v for job in jobs) for v in every)
        left = dict(zip(every, rule(present, every, k), strict=True))
        chosen = []
        for job in jobs:
            chosen.append(float(left[job.need] > 0))
            left[job.need] -= job.need if chosen[-1] else 0
        return chosen

    return rates


def server_filling(k):
    def rates(jobs):
        m, demand = 0, 0
        while m < len(jobs) and demand < k:
            demand += jobs[m].need
            m += 1
        return served(k, jobs, sorted(range(m), key=lambda i: -jobs[i].need))

    return rates


def server_filling_divisible(k):
    def rates(jobs):
        choices = []
        for v in {job.need for job in jobs}:
            oldest = [i for i, job in enumerate(jobs) if job.need == v][: k // v]
            choices.append((-v * len(oldest), oldest[-1], oldest))
        chosen = min(choices)[2] if choices else []
        return [float(i in chosen) for i in range(len(jobs))]

    return rates


# Policies with rates of all sizes.


def shared(k, jobs, order):
    """Servers are handed out in an order, as many to each job as it can use."""
    rates, idle = [0.0] * len(jobs), k
    for i in order:
        held = min(jobs[i].need, idle)
        rates[i] = held / jobs[i].need
        idle -= held
    return rates


def threshold_parallelism(k):
    return lambda jobs: shared(k, jobs, range(len(jobs)))


def inelastic_first(k):
    return lambda jobs: shared(k, jobs, sorted(range(len(jobs)), key=lambda i: jobs[i].need))


def elastic_first(k):
    return lambda jobs: shared(k, jobs, sorted(range(len(jobs)), key=lambda i: -jobs[i].need))


def fastest_server_first(speeds):
    def rates(jobs):
        fastest = sorted(speeds, reverse=True)
        return [fastest[i] if i < len(speeds) else 0.0 for i in range(len(jobs))]

    return rates


def limited_processor_sharing(k):
    def rates(jobs):
        return [1 / min(len(jobs), k) if i < k else 0.0 for i in range(len(jobs))]

    return rates
