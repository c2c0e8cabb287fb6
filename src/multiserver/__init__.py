"""Multiserver queues: stability, exact means, bounds and simulation, from one description.

In short::

    import multiserver as ms

    system = ms.System(servers=16, classes=[
        ms.JobClass(need=1, duration=ms.Exponential(rate=1.0), probability=0.90),
        ms.JobClass(need=4, duration=ms.Exponential(rate=0.5), probability=0.07),
        ms.JobClass(need=16, duration=ms.Exponential(rate=0.25), probability=0.03)])
    queue = system.under(ms.FCFS)

    print(queue.known())                # what is known of it: how, from which theorem, at what cost
    print(queue.stability())            # the largest arrival rate λ*
    print(queue.exact(load=0.6))        # E[N], E[T], waiting, by class
    print(queue.distribution(load=0.6)) # waiting and response times: percentiles, by class
    print(queue.simulate(load=0.6, jobs=10**6, seed=1))

- `System` and `JobClass`: servers, and what jobs may do with them; `Network` and `Station`.
- `Exponential`, `Hyperexponential`, `Erlang`, `PhaseType`, `coxian`, `Deterministic`, `Bimodal`,
  `Pareto`, `Lognormal`, `Weibull`: durations; `scaled` stretches one; `fit_two_moments` and
  `fit_three_moments` find one.
- Policies: `FCFS`, `ServerFilling`, …; `policies.names()`; `policy(name)` finds one, and `known()`
  says what is known of all.
- A `Queue` is a system under a policy. The operating point is `load=` ρ = λ E[S]/n, or
  `arrival_rate=` λ, or `fraction_of_limit=` λ/λ*.
- `Result` has the same attributes whether exact, bounded or simulated, and `Curve` results along
  a list of loads; `print` them or take `rows()`, `to_frame()`, `plot()`.
- Errors: `UnstableError` (with λ and λ*), `NotKnownError` (which says what to ask instead).

The engines stand below, independent of each other: `multiserver.saturated`, `open`, `wcfs`,
`sharing`, `simulation`; `MultiserverJobSystem` is their noun.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Nothing is imported before it is used: who solves one closed form waits for no compiler.
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
