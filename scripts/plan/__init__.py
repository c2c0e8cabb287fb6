"""From config to jobs: read, validate, resolve, fingerprint.

The only place where config becomes parameters. The Snakefile asks a `Plan` what to build; the
scripts that run as jobs get the resolved specs and never see the config.
"""

from plan.environment import expose
from plan.errors import ConfigError
from plan.health import require_writable
from plan.resolve import Plan
from plan.resources import minutes

__all__ = ["ConfigError", "Plan", "expose", "minutes", "require_writable"]
