"""Servers shared by random interruptions, job by job: Algorithm 1 of `parallel-processing`.

A cluster has servers 0 … S − 1 of capacities C_s (work per unit of time). Jobs of class i arrive at
rate λ_i with random sizes (work) of mean σ_i, each with a set of servers: S_i for all of the class,
or d servers drawn uniformly at random for each job (Section 8). All jobs form one queue. A server
serves the first job whose set contains it; a job is served at the sum of the capacities of its
servers, and no work is lost when it is interrupted (Section 7).

Server s interrupts the job it serves at rate C_s/θ: the job gives up all its servers, which go to
the next jobs, and moves to the end of the queue. A job served at rate r is thus interrupted at rate
r/θ, that is, after an exponential amount of its own *work* of mean θ, however many servers it has
and whenever it gets them. Here that amount is drawn when the job joins the end of the queue, which
is the same in distribution as timers at the servers and leaves fewer events. A job of size x is
interrupted Poisson(x/θ) times, hence m = σ/θ times on average, where σ = Σ λ_i σ_i / Σ λ_i is the
mean size: m determines θ. m = 0 is FCFS at every server; m → ∞ tends to balanced fairness, which
smaller m attain if sizes are exponential with one mean.

With φ_i(X) the completion rate of class i, the mean service rate that the class sees is (Section 8)

    γ_i = E[φ_i(X)] σ_i / E[X_i] = λ_i σ_i / E[X_i].

The estimates are those of `interruption_estimates`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from multiserver.checks import require_integer
from multiserver.simulation.cluster import Cluster as Cluster
from multiserver.simulation.cluster import ParallelClass as ParallelClass
from multiserver.simulation.cluster import require_positive
from multiserver.simulation.interruption_estimates import Performance, summarise
from multiserver.simulation.interruption_runs import replicate
from multiserver.simulation.run_length import RunLength


def simulate(
    cluster: Cluster,
    *,
    seed: int,
    replications: range,
    warmup: int = 1_000_000,
    jumps: int = 1_000_000,
    key: tuple[int, ...] = (),
    stable_below: float | None = None,
    highest: float | None = None,
    times: bool = False,
) -> Performance:
    """Independent replications: each tallies `jumps` jumps of a cluster after `warmup` from an
    empty start.

    Arrivals, departures and interruptions are the jumps. Replication r draws from the stream of
    `seed` and (key, r), whatever the others are. The defaults are the effort of the paper, for 100
    replications (Section 8). Intervals need windows that are long against the relaxation of the
    cluster, and sizes of finite third moment if m = 0. `stable_below` is λ*, the total rate of
    arrivals below which the cluster is stable, if known, and `highest` a rate that λ* is known not
    to exceed. With `times`, the response times of the jobs are kept. Raises `ValueError` if there
    are fewer than two replications, and `UnstableError` if the jobs in the cluster grow and λ* is
    not known to be higher.
    """
    require_integer("jumps", jumps)
    length = _length(cluster, warmup, jumps, stable_below or highest)
    kept = (length.warm_up, length.jobs) if times else (0, 0)
    runs = replicate(cluster, seed, replications, warmup, jumps, key, kept)
    return summarise(cluster, length, runs, stable_below)


def _length(cluster: Cluster, warmup: int, jumps: int, limit: float | None) -> RunLength:
    """The length of a window, in jobs."""
    jobs, before = (math.floor(n / (2 + cluster.interruptions)) for n in (jumps, warmup))
    return RunLength.of(cluster.workload, jobs, before, cluster.load, limit)


def simulate_to_precision(
    cluster: Cluster,
    half_width: float,
    *,
    seed: int,
    first: int,
    most: int,
    warmup: int = 1_000_000,
    jumps: int = 1_000_000,
    key: tuple[int, ...] = (),
) -> Performance:
    """Replicate until the 95 % half-width of every γ_i is at most `half_width`.

    Runs `first` replications, then as many more as their spread requires, and again if the spread
    was underestimated. Stops at `most` replications at the latest, with the half-widths reached by
    then. A run that stops when its interval is short stops sooner if the spread is underestimated,
    so that intervals cover slightly less than they say; many `first` replications make this small
    (Asmussen and Glynn, *Stochastic Simulation*, 2007, Section III.5). Equal arguments give equal
    results. Raises `ValueError` unless 2 ≤ first ≤ most and the half-width is positive.
    """
    require_positive("half_width", half_width)
    if not 2 <= first <= most:
        raise ValueError(f"2 ≤ first ≤ most must hold, found {first!r} and {most!r}")
    length = _length(cluster, warmup, jumps, None)
    runs = replicate(cluster, seed, range(first), warmup, jumps, key)
    while True:
        found, R = summarise(cluster, length, runs), len(runs.durations)
        # Intervals that are withheld count too.
        widths = [-stdtrit(g.freedom, 0.025) * g.standard_error for g in found.service_rate]
        widest = float(np.nan_to_num(widths, nan=math.inf).max())
        if most == R or widest <= half_width:
            return found
        more = range(R, math.floor(min(most, R * (widest / half_width) ** 2 + 1)))
        runs = runs.joined(replicate(cluster, seed, more, warmup, jumps, key))
