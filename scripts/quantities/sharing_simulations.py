"""Quantities of service interruptions, simulated (`parallel-processing`, Sections 7–8).

Simulations are as short as a verdict beyond doubt allows: the parameters give the jumps. `points`
of one claim differ in the mean number m of interruptions per job.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from keys import stream_key
from multiserver.simulation.estimate import Estimate
from multiserver.simulation.interruptions import Performance, simulate
from quantities.sharing_models import read_cluster, read_servers
from sizing import read_size

Parameters = Mapping[str, Any]

SEED = 2018
REPLICATIONS = 32
# The runs of Section 8.
RUNS, JUMPS = 100, 1_000_000


def gap_to_balanced_fairness(parameters: Parameters) -> float:
    """1 − γ/γ of balanced fairness, of the class `class`."""
    return 1 - _rate(parameters).mean / _balanced(parameters)


def is_close_to_balanced_fairness(parameters: Parameters) -> bool:
    """Whether that gap is at most `within`."""
    return gap_to_balanced_fairness(parameters) <= parameters["within"]


def improves_with_interruptions(parameters: Parameters) -> bool:
    """Whether γ of the class grows along `points`, and stays below balanced fairness."""
    rates = [_rate({**parameters, "interruptions": m}).mean for m in parameters["points"]]
    return all(a < b for a, b in pairwise([*rates, _balanced(parameters)]))


def half_widths_within(parameters: Parameters) -> bool:
    """Whether no 95 % half-width of γ, carried to 100 runs of 1e6 jumps, is above `within`."""
    found = []
    for case in parameters["cases"]:
        whole = {**parameters, **case}
        scale = math.sqrt(REPLICATIONS * whole["jumps"] / (RUNS * JUMPS))
        found += [rate.half_width * scale for rate in _simulate(whole).service_rate]
    return max(found) <= parameters["within"]


def interruptions_per_job(parameters: Parameters) -> float:
    """The interruptions of a job of the class, on average."""
    return _simulate(parameters).interruptions[parameters["class"] - 1].mean


def _rate(parameters: Parameters) -> Estimate:
    return _simulate(parameters).service_rate[parameters["class"] - 1]


def _balanced(parameters: Parameters) -> float:
    servers = read_servers(parameters["system"])
    return float(servers.service_rates(parameters["load"])[parameters["class"] - 1])


def _simulate(parameters: Parameters) -> Performance:
    keys = ("system", "size", "load", "interruptions", "warmup", "jumps")
    return _run(json.dumps({key: parameters[key] for key in keys}, sort_keys=True))


@lru_cache
def _run(text: str) -> Performance:
    p = json.loads(text)
    size = read_size(p["size"])
    cluster = read_cluster(read_servers(p["system"]), size, p["load"], p["interruptions"])
    return simulate(
        cluster,
        seed=SEED,
        replications=range(REPLICATIONS),
        warmup=p["warmup"],
        jumps=p["jumps"],
        key=(stream_key(p),),
    )
