"""Distributions of job sizes and durations.

S is the size of a job: the time that it spends in service at speed 1. Its *largest expected
remaining size* (`finite-skip`, Section 2.2) is

    rem_max = sup_{x ≥ 0} E[S − x | S > x],

and E[S²] ≤ 2 E[S] rem_max. A *phase-type* size is the time until absorption of a Markov chain that
starts in phase i with probability α_i and moves at the rates T: P(S > x) = α exp(T x) 1.
"""

from __future__ import annotations

from dataclasses import fields, replace

from multiserver.phase_type import PhaseType, exit_rate
from multiserver.sizes.bounded_pareto import BoundedPareto as BoundedPareto
from multiserver.sizes.lognormal_weibull import Lognormal as Lognormal
from multiserver.sizes.lognormal_weibull import Weibull as Weibull
from multiserver.sizes.non_phase_type import Bimodal as Bimodal
from multiserver.sizes.non_phase_type import Deterministic as Deterministic
from multiserver.sizes.non_phase_type import Pareto as Pareto
from multiserver.sizes.parameters import positive
from multiserver.sizes.phased import Erlang as Erlang
from multiserver.sizes.phased import Exponential as Exponential
from multiserver.sizes.phased import Hyperexponential as Hyperexponential

_Phased = Exponential | Hyperexponential | Erlang | PhaseType
Size = _Phased | Deterministic | Bimodal | Pareto | BoundedPareto | Lognormal | Weibull


def simplest(size: Size) -> Size:
    """The same distribution as an exponential or a constant, if it is one described otherwise:
    branches of one rate, a single stage, phases that all end at one rate, a single value.

    >>> simplest(Hyperexponential(rates=(2.0, 2.0), probabilities=(0.5, 0.5)))
    Exponential(rate=2.0)
    """
    match size:
        case Hyperexponential(rates=(rate, *others)) if {rate} >= {*others}:
            return Exponential(rate)
        case Erlang(stages=1, rate=rate):
            return Exponential(rate)
        case Bimodal(values=(value, *others)) if {value} >= {*others}:
            return Deterministic(value)
        case PhaseType():
            _, rows = size.phases()
            ends = {exit_rate(row, i) for i, row in enumerate(rows.tolist())}
            return Exponential(ends.pop()) if len(ends) == 1 else size
    return size


_RATES, _TIMES = {"rate", "rates"}, {"value", "values", "scale", "low", "high", "median"}


def scaled(size: Size, factor: float) -> Size:
    """The distribution of `factor` times S. Raises `ValueError` if S is no distribution, or the
    factor or a parameter is out of range."""
    factor = positive("factor", factor)
    if not isinstance(size, Size):
        raise ValueError(f"size must be a distribution, found {size!r}")
    if isinstance(size, PhaseType):
        return size.scaled(factor)
    changed = {}
    for field in fields(size):
        value = getattr(size, field.name)
        if field.name in _RATES | _TIMES:
            by = factor if field.name in _TIMES else 1 / factor
            many = isinstance(value, tuple)
            changed[field.name] = tuple(by * x for x in value) if many else by * value
    return replace(size, **changed)
