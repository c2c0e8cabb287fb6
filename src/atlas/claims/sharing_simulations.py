"""Quantities of service interruptions, simulated (`parallel-processing`, Sections 7–8).

The parameters give the `jumps` of a run at the effort of the paper. `points` of one claim differ in
the mean number m of interruptions per job.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from itertools import pairwise

from atlas.claims import Found, Parameters, takes
from atlas.models.clusters import read_cluster, read_servers
from atlas.models.sizes import read_size
from atlas.models.streams import stream_key
from multiserver.simulation.estimate import Estimate
from multiserver.simulation.interruptions import Performance, simulate

ROUTE = "simulation of the interruptions"
CONFIRMED = "balanced fairness for exponential sizes (z-scores of the paper)"

# Claims about one system share its simulations and are one Snakemake job.
GROUP_BY = "system"

# The parameters on which the random streams of a simulation depend.
KEYED = ("system", "size", "load", "interruptions", "warmup", "jumps")
REPLICATIONS = 32
# The runs of Section 8.
RUNS, JUMPS = 100, 1_000_000


@takes("system", "size", "load", "interruptions", "class", "warmup", "jumps", "seed")
def gap_to_balanced_fairness(parameters: Parameters) -> Found:
    """The relative distance of γ of the class below that of balanced fairness."""
    rate, balanced = _rate(parameters), _balanced(parameters)
    return Found(
        1 - rate.mean / balanced, f"ρ = {parameters['load']:g}", rate.half_width / balanced
    )


@takes("system", "size", "load", "interruptions", "class", "warmup", "jumps", "seed")
def absolute_gap(parameters: Parameters) -> Found:
    """The distance of γ of the class below that of balanced fairness, in rates of one server."""
    rate, balanced = _rate(parameters), _balanced(parameters)
    return Found(balanced - rate.mean, f"ρ = {parameters['load']:g}", rate.half_width)


@takes("system", "size", "load", "points", "class", "warmup", "jumps", "seed")
def smallest_gain(parameters: Parameters) -> Found:
    """The smallest gain of γ of the class from one of the points to the next, and to balanced
    fairness."""
    points = parameters["points"]
    rates = [_rate({**parameters, "interruptions": m}) for m in points]
    ends = [(rate.mean, rate.half_width) for rate in rates] + [(_balanced(parameters), 0.0)]
    gains = [
        (high - low, f"from m = {m:g}", math.hypot(low_error, high_error))
        for m, ((low, low_error), (high, high_error)) in zip(points, pairwise(ends), strict=True)
    ]
    return Found(*min(gains))


@takes("size", "cases", "warmup", "jumps", "seed")
def largest_half_width(parameters: Parameters) -> float:
    """The largest 95 % half-width of γ, scaled to the 100 runs of 1e6 jumps of Section 8."""
    found = []
    for case in parameters["cases"]:
        whole = {**parameters, **case}
        scale = math.sqrt(REPLICATIONS * whole["jumps"] / (RUNS * JUMPS))
        found += [rate.margin * scale for rate in _simulate(whole).service_rate]
    return max(found)


@takes("system", "size", "load", "interruptions", "class", "warmup", "jumps", "seed")
def interruptions_per_job(parameters: Parameters) -> Found:
    """The mean number of interruptions of a job of the class."""
    found = _simulate(parameters).interruptions[parameters["class"] - 1]
    return Found(found.mean, "", found.half_width)


def _rate(parameters: Parameters) -> Estimate:
    return _simulate(parameters).service_rate[parameters["class"] - 1]


def _balanced(parameters: Parameters) -> float:
    servers = read_servers(parameters["system"])
    return float(servers.service_rates(parameters["load"])[parameters["class"] - 1])


def _simulate(parameters: Parameters) -> Performance:
    return _run(json.dumps({key: parameters[key] for key in (*KEYED, "seed")}, sort_keys=True))


@lru_cache
def _run(text: str) -> Performance:
    p = json.loads(text)
    size = read_size(p["size"])
    cluster = read_cluster(read_servers(p["system"]), size, p["load"], p["interruptions"])
    return simulate(
        cluster,
        seed=p["seed"],
        replications=range(REPLICATIONS),
        warmup=p["warmup"],
        jumps=p["jumps"],
        key=(stream_key({key: p[key] for key in KEYED}),),
    )
