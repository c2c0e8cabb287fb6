"""From config to jobs: read, validate, resolve, fingerprint.

The only place where config becomes parameters. The Snakefile asks a `Plan` what to build; the
scripts that run as jobs get the resolved specs and never see the config. On another machine it asks
a `WrittenPlan`.
"""

from importlib import import_module
from typing import Any

# Nothing is imported before it is used: a job on another machine waits for no plan.
_WHERE = {
    "MEGABYTES": "resources",
    "Build": "build",
    "ConfigError": "errors",
    "Plan": "resolve",
    "WrittenPlan": "written_plan",
    "expose": "environment",
    "hold_driver": "locks",
    "require_writable": "locks",
}
__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
