"""The registry of policies: one file and one import each.

To add one, write a file beside this one that makes a `Policy`, and import it here. Its rule can be
a plain function (see `first_fit`), which `job_level.class_simulation` compiles on use. A new
result on a policy is one more `Method` in its file. The tables of `known()`, the names that config
files use and the documentation are made from this registry.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from multiserver.checks import listed
from multiserver.policies.backfilling import (
    ConservativeBackfilling as ConservativeBackfilling,
)
from multiserver.policies.backfilling import EasyBackfilling as EasyBackfilling
from multiserver.policies.balanced_fairness import BalancedFairness as BalancedFairness
from multiserver.policies.elastic import ElasticFirst as ElasticFirst
from multiserver.policies.elastic import InelasticFirst as InelasticFirst
from multiserver.policies.equal_shares import EqualShares as EqualShares
from multiserver.policies.fastest_server_first import FastestServerFirst as FastestServerFirst
from multiserver.policies.fcfs import FCFS as FCFS
from multiserver.policies.first_fit import FirstFit as FirstFit
from multiserver.policies.least_servers_first import LeastServersFirst as LeastServersFirst
from multiserver.policies.max_weight import MaxWeight as MaxWeight
from multiserver.policies.most_servers_first import MostServersFirst as MostServersFirst
from multiserver.policies.policy import Policy
from multiserver.policies.preemptive_first_fit import PreemptiveFirstFit as PreemptiveFirstFit
from multiserver.policies.quickswap import (
    NonpreemptiveMostServersFirst as NonpreemptiveMostServersFirst,
)
from multiserver.policies.quickswap import Quickswap as Quickswap
from multiserver.policies.random_interruptions import RandomInterruptions as RandomInterruptions
from multiserver.policies.server_filling import ServerFilling as ServerFilling
from multiserver.policies.server_filling import ServerFillingDivisible as ServerFillingDivisible

if TYPE_CHECKING:
    from multiserver.network import Network
    from multiserver.system import System

# By Python name; each policy has its own `name` for files and tables.
REGISTRY = {name: found for name, found in list(globals().items()) if isinstance(found, Policy)}


def names(model: str | None = None) -> tuple[str, ...]:
    """The names of the policies that are defined for a model, or of all.

    >>> import multiserver as ms
    >>> ms.policies.names("threshold-parallelism")
    ('elastic-first', 'inelastic-first', 'fcfs')
    """
    return tuple(p.name for p in REGISTRY.values() if model is None or model in p.models)


def policy(name: str) -> Policy:
    """The policy with a name such as `server-filling`. Raises `ValueError` if there is none.

    >>> import multiserver as ms
    >>> ms.policy("max-weight") is ms.MaxWeight
    True
    """
    for found in REGISTRY.values():
        if found.name == name:
            return found
    close = get_close_matches(str(name).lower(), names(), 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"a policy must be one of {', '.join(names())}; found {name!r}{hint}")


def require_policy(policy: Policy) -> None:
    """Raise `ValueError` unless `policy` is a `Policy`."""
    if not isinstance(policy, Policy):
        one = "a policy must be one such as ms.FCFS or ms.policy('fcfs')"
        raise ValueError(f"{one}, found {policy!r}")


def require_defined(policy: Policy, system: System | Network) -> None:
    """Raise `ValueError` unless `policy` is a `Policy` and is defined for the system."""
    require_policy(policy)
    if system.model not in policy.methods:
        raise ValueError(
            f"the policies of {system.model} are {', '.join(names(system.model))};"
            f" found {policy.name}, which is for {', '.join(policy.models)}"
        )
    if pair := policy.misfit(system):
        option, expected = pair
        raise ValueError(f"the {option} must be {expected}, found {policy.options[option]!r}")
    if unmet := policy.lacks(system):
        raise ValueError(
            f"{policy.name} is defined for {unmet}, found needs {listed(system.needs)}"
            f" and {system.servers} servers"
        )
