"""From config to jobs: what is to be made, and what determines it.

This is the only place where config becomes parameters (`atlas.config` reads it). The Snakefile asks
a `Plan` what to build, or on another machine a `WrittenPlan`. The scripts that run as jobs get the
resolved specs and never see the config.
"""

from importlib import import_module
from typing import Any

# Nothing is imported before it is used: a job on another machine need not wait for the planner.
_WHERE = {
    "MEGABYTES": "plan.resources",
    "Build": "plan.build",
    "ConfigError": "config.errors",
    "Plan": "plan.resolve",
    "WrittenPlan": "plan.written_plan",
    "cancel_timers": "plan.environment",
    "expose": "plan.environment",
    "hold_driver": "plan.locks",
    "install_log_filter": "plan.job_logs",
    "require_writable": "plan.locks",
}
__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"atlas.{_WHERE[name]}"), name)
