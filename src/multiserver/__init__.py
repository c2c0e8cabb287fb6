"""Multiserver queues: stability, exact means, bounds and simulation, from one description.

In short::

    import multiserver as ms

    system = ms.System(servers=16, classes=[
        ms.JobClass(need=1, duration=ms.Exponential(rate=1.0), probability=0.90),
        ms.JobClass(need=4, duration=ms.Exponential(rate=0.5), probability=0.07),
        ms.JobClass(need=16, duration=ms.Exponential(rate=0.25), probability=0.03)])
    queue = system.under(ms.FCFS)

    print(queue.known())                # the methods for it: their range, source and cost
    print(queue.stability())            # λ*, the limit of the arrival rate
    print(queue.exact(load=0.6))        # E[N], E[T], waiting, by class
    print(queue.distribution(load=0.6)) # waiting and response times: percentiles, by class
    print(queue.simulate(load=0.6, jobs=10**6, seed=1))

- `System` and `JobClass`: servers, and how jobs may use them; `Network` and `Station`.
- `Exponential`, `Hyperexponential`, `Erlang`, `PhaseType`, `coxian`, `Deterministic`, `Bimodal`,
  `Pareto`, `Lognormal`, `Weibull`: durations. `scaled` multiplies one by a factor;
  `fit_two_moments` and `fit_three_moments` fit one to given moments.
- Policies: `FCFS`, `ServerFilling`, …; `policies.names()` lists them, `policy(name)` finds one, and
  `known()` lists the methods for all of them.
- A `Queue` is a system under a policy. The operating point is `load=` ρ = λ E[S]/n, or
  `arrival_rate=` λ, or `fraction_of_limit=` λ/λ*.
- A `Result` has the same attributes whether exact, bounded or simulated. A `Curve` holds results
  along a list of loads. `print` them or take `rows()`, `to_frame()`, `plot()`.
- Errors: `UnstableError` (with λ and λ*), `NotKnownError` (which says what to call instead).

The engines underneath are independent of each other: `multiserver.saturated`, `open`, `wcfs`,
`sharing`, `simulation`. `saturated` and parts of `open` take a `MultiserverJobSystem`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Modules are imported on first use: solving a closed form does not wait for numba.
_HOMES = {
    "curves": ("Curve",),
    "distribution": ("ClassDistribution", "Distribution", "TimeDistribution"),
    "errors": ("NotKnownError", "NotSampledError", "TooLargeError", "UnstableError"),
    "knowledge": ("Known", "known"),
    "model": ("MultiserverJobSystem",),
    "network": ("Network", "Station"),
    "policies": ("policy",),
    "policies.policy": ("Policy",),
    "queue": ("Queue",),
    "results": ("ClassResult", "Result", "Stability"),
    "sizing": ("Sizing", "Target", "fewest_servers"),
    "simulation.estimate": ("Estimate", "z_score"),
    "sizes": (
        *("Bimodal", "BoundedPareto", "Deterministic", "Erlang", "Exponential"),
        *("Hyperexponential", "Lognormal", "Pareto", "Weibull"),
        "scaled",
    ),
    "phase_type": ("PhaseType", "coxian"),
    "fitting": ("fit_distribution", "fit_three_moments", "fit_two_moments"),
    "system": ("JobClass", "System"),
    "wcfs.bounds": ("Interval",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted([*_HOME, *_registry(), "policies", "__version__"])
    if name == "policies":
        return import_module("multiserver.policies")
    if name in _HOME:
        return getattr(import_module(f"multiserver.{_HOME[name]}"), name)
    if name[:1].isupper() and name in _registry():
        return _registry()[name]
    raise AttributeError(f"module 'multiserver' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __getattr__("__all__")


def _registry() -> dict[str, Any]:
    return import_module("multiserver.policies").REGISTRY
