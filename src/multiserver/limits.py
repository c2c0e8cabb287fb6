"""λ* of one queue, or an upper bound where it is not known; and λ at an operating point."""

from __future__ import annotations

import math
from functools import cached_property
from sys import float_info

from multiserver.checks import as_float, require_integer
from multiserver.errors import NotKnownError, TooLargeError
from multiserver.method_selection import Methods
from multiserver.network import Network
from multiserver.operating_point import rate_of
from multiserver.policies.capacity import upper_bound
from multiserver.policies.policy import Limit, Method, Policy
from multiserver.results import Stability
from multiserver.system import System

# The defaults of `Queue.stability()`: no E[Δ(Y_d)], a relative half-width and a seed.
DEFAULT_ARGUMENTS = (False, 0.01, 1)


class Limits:
    """λ* by the `methods` of one queue; answers are cached."""

    def __init__(self, methods: Methods) -> None:
        self._methods = methods
        self._found: dict[tuple[bool, float, int], Stability] = {}

    def stability(self, relative_completions: bool, half_width: float, seed: int) -> Stability:
        """As `Queue.stability`. Raises `ValueError` unless 0 < half_width < 1 and the seed is a
        non-negative integer."""
        if not 0 < as_float(half_width) < 1:
            raise ValueError(f"half_width must lie in (0, 1), found {half_width!r}")
        seed = require_integer("seed", seed, least=0)
        arguments = bool(relative_completions), as_float(half_width), seed
        if arguments not in self._found:
            self._found[arguments] = self._find(*arguments)
        return self._found[arguments]

    def _find(self, relative_completions: bool, half_width: float, seed: int) -> Stability:
        system, policy = self._methods.system, self._methods.policy
        options = dict(policy.options)
        try:
            method = self._methods.first("stability")
        except NotKnownError:
            found, method = self.upper_bound
            if method is None:
                raise
            return from_bound(system, policy, method, found)
        if method.sampled:
            options |= {"half_width": half_width, "seed": seed}
        # Only an exact method takes the place of one for which the system is too large.
        others = [m for m in self._methods.applying("stability") if m != method and not m.sampled]
        highest, too_large = self.upper_bound[0].arrival_rate, None
        for one in (method, *others):
            try:
                found = one.answer(system, relative_completions=relative_completions, **options)
            except TooLargeError as error:
                too_large = too_large or error
            else:
                return from_limit(system, policy, one, found, highest)
        raise self._methods.too_large("stability", too_large) from too_large

    @cached_property
    def upper_bound(self) -> tuple[Limit, Method | None]:
        """The upper bound on λ* for every policy, and the method that gave it."""
        return upper_bound(self._methods.system)

    @cached_property
    def known(self) -> float | None:
        """λ* if it is known without a simulation, else None."""
        try:
            first = self._methods.first("stability")
            return None if first.sampled else self.stability(*DEFAULT_ARGUMENTS).limit
        except NotKnownError:
            return None

    def rounding(self, rate: float | None) -> float:
        """The relative error of λ* − λ by rounding of both, at λ = `rate` below λ*; 0 if λ* is not
        known."""
        limit = self.known
        return 0.0 if rate is None or limit is None else float_info.epsilon / (1 - rate / limit)

    def rate(
        self, load: float | None, arrival_rate: float | None, fraction: float | None
    ) -> float | None:
        """λ of an operating point; raises as `operating_point.rate_of`."""
        limit = self.known if fraction is None else self.stability(*DEFAULT_ARGUMENTS).limit
        if fraction is not None and limit is None:
            self._methods.first("stability")
        if limit is None:
            return self.rate_below_any_limit(load, arrival_rate)
        point = {"load": load, "arrival_rate": arrival_rate, "fraction_of_limit": fraction}
        bound = limit, "λ* =", ""
        return rate_of(self._methods.system, repr(self._methods.policy), limit, bound, point)

    def rate_below_any_limit(self, load: float | None, arrival_rate: float | None) -> float | None:
        """λ of a load or rate, which must be below the bound for every policy; this needs no λ*."""
        found, method = self.upper_bound
        if method is None:
            # Raises the reason why λ* is not known: neither is a bound, as for networks.
            self.stability(*DEFAULT_ARGUMENTS)
        why = f", at and above which no policy is stable, by {method.name}"
        bound = found.arrival_rate, "λ_max =", why
        point = {"load": load, "arrival_rate": arrival_rate, "fraction_of_limit": None}
        return rate_of(self._methods.system, repr(self._methods.policy), None, bound, point)


def from_limit(
    system: System | Network, policy: Policy, method: Method, found: Limit, highest: float
) -> Stability:
    """λ* as a method found it; no policy is stable from λ = `highest` on."""
    wastage = found.wastage
    load = system.load(found.arrival_rate) if math.isfinite(found.arrival_rate) else None
    # n/E[S] · E[S]/n may round to less than 1.
    load = 1.0 if load is not None and wastage == 0 else load
    return Stability(
        model=system.model,
        policy=repr(policy),
        method=", ".join(filter(None, [method.name, found.note])),
        source=method.source,
        limit=float(found.arrival_rate),
        load_limit=load,
        wastage=wastage,
        # 1 − wastage/n would lose the digits of a small load.
        utilisation=None if wastage is None else load,
        relative_completions=found.relative_completions,
        estimate=found.estimate,
        highest=highest,
    )


def from_bound(system: System | Network, policy: Policy, method: Method, found: Limit) -> Stability:
    """The `Stability` of a queue whose λ* is not known: only the bound for every policy."""
    return Stability(
        model=system.model,
        policy=repr(policy),
        method=f"λ* is not known; no policy exceeds {method.name}",
        source=method.source,
        limit=None,
        load_limit=None,
        wastage=None,
        utilisation=None,
        relative_completions=None,
        highest=found.arrival_rate,
    )
