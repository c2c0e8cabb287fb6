"""λ* of FCFS for simulations, which must not need the exact solution of the open system.

The saturated chain gives it where the open one is out of reach: it has one level, not one for each
number of jobs. Where it has too many states as well, the saturated system is simulated: with a job
always waiting it completes λ* = E[servers held]/E[S] jobs per unit of time.
"""

from __future__ import annotations

import math

from atlas.models.feasibility import is_solvable
from atlas.models.systems import SimulatedBlock
from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import FcfsBlocks, prepare
from multiserver.open.qbd import QuasiBirthDeath
from multiserver.saturated import dispatch
from multiserver.simulation import fcfs, phase
from multiserver.simulation.phase import PhaseSample
from multiserver.simulation.saturated import hold
from multiserver.sizes import Exponential


def solvable_blocks(system: MultiserverJobSystem) -> FcfsBlocks | None:
    """The levels of the open system, or None where they are out of reach."""
    return prepare(system) if is_solvable(system.servers, system.needs) else None


def stable_throughput(
    system: MultiserverJobSystem,
    blocks: FcfsBlocks | None,
    parameters: SimulatedBlock,
    key: tuple[int, ...],
) -> float:
    """λ* (jobs per unit of time): exact where the open or the saturated chain can be solved, else
    simulated with as many jobs as a point, from streams of its own."""
    if blocks is not None:
        return blocks.throughput
    try:
        return dispatch.solve(system, relative_completions=False).throughput
    except ValueError:
        sizes = [Exponential(rate) for rate in system.rates]
        effort = parameters.model_dump(include={"jobs", "replications", "seed"})
        held = hold(system, sizes, key=(*key, 2**32 - 1), **effort)
        return held.mean / system.mean_demand


def simulate_phases(
    chain: QuasiBirthDeath,
    workload: fcfs.Workload,
    parameters: SimulatedBlock,
    key: tuple[int, ...],
    **options: object,
) -> PhaseSample:
    """The chain of a workload phase by phase, for as many jobs as are measured once more to warm
    up."""
    return phase.simulate(
        chain,
        2 * parameters.jobs,
        warm_up=0.5,
        least_warm_up=workload.least_warm_up,
        replications=parameters.replications,
        seed=parameters.seed,
        key=key,
        **options,
    )


def simulate_jobs(
    workload: fcfs.Workload, parameters: SimulatedBlock, key: tuple[int, ...], **options: object
) -> fcfs.Simulation:
    """FCFS job by job, `jobs` of them in all replications together."""
    return fcfs.simulate(
        workload,
        jobs=math.ceil(parameters.jobs / parameters.replications),
        replications=parameters.replications,
        seed=parameters.seed,
        key=key,
        **options,
    )
