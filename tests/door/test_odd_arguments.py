"""Numbers of phases, moments or servers that no computer holds."""

from __future__ import annotations

import pytest
from tests.rigid_jobs import one_class, rigid

import multiserver as ms

ONE = ms.Exponential(rate=1.0)


@pytest.mark.parametrize("rate", [1e-101, 1e101])
def test_rates_of_phases_are_those_whose_squares_are_floats(rate):
    """E[N] of this M/M/1 was infinite at load 0.1."""
    with pytest.raises(ValueError, match=r"rates must lie in \[1e-100, 1e100\], found 1e"):
        ms.PhaseType((1.0,), ((-rate,),))
    edge = ms.PhaseType((1.0,), ((-1e100,),))
    found = one_class(1, edge).under(ms.FCFS).exact(load=0.5)
    assert found.mean_jobs == pytest.approx(1.0, rel=1e-12)


def test_durations_of_a_million_phases_are_those_without_phases():
    """Their matrices would take terabytes."""
    steady = ms.Erlang(stages=10**6, rate=1e6)
    one, two = (one_class(n, steady).under(ms.FCFS) for n in (1, 2))
    assert one.exact(load=0.5).mean_response_time == pytest.approx(1.5, rel=1e-6)
    with pytest.raises(ms.TooLargeError, match="has 1000000 phases in a dense matrix; 5000 fit"):
        one.exact(load=0.5).tail(3)
    assert two.stability().limit == pytest.approx(2.0, rel=1e-12)
    assert two.simulate(load=0.5, jobs=20_000, seed=1).mean_response_time.mean < 1.4
    for ask in (two.exact, one.distribution, two.distribution):
        with pytest.raises(ms.NotKnownError, match=r"of at most 5000 phases.*; ask .*simulate\(\)"):
            ask(load=0.5)


def test_servers_that_are_only_numbered_are_not_listed():
    system = ms.System(10**13, [ms.JobClass(degree=2, duration=ONE)])
    assert system.load(1e12) == 0.1
    with pytest.raises(ValueError, match=r"the servers are 0 … 9{13}, found compatible"):
        ms.System(10**13, [ms.JobClass(compatible={10**13}, duration=ONE)])


@pytest.mark.parametrize("duration", [ONE, ms.Erlang(stages=2, rate=1.0)])
def test_moments_whose_factorial_is_no_float_are_refused_at_once(duration):
    """A million steps take minutes, for a number that is no float."""
    system = rigid(3, (1, duration, 0.5), (2, ONE, 0.5))
    time = system.under(ms.FCFS).distribution(load=0.3).waiting_time
    assert time.moment(100) > 0
    with pytest.raises(ms.TooLargeError, match=r"E\[time\^10{9}\], or 10{9}!, is larger than any"):
        time.moment(10**9)


DURATIONS = (
    ms.Exponential(rate=4.0),
    ms.Erlang(stages=2, rate=4.0),
    ms.Hyperexponential(rates=(1.0, 2.0), probabilities=(0.5, 0.5)),
    ms.Deterministic(value=2.0),
    ms.Bimodal(values=(1.0, 2.0), probabilities=(0.5, 0.5)),
    ms.Pareto(shape=2.5, scale=1.0),
    ms.BoundedPareto(shape=1.5, low=1.0, high=10.0),
    ms.Lognormal(median=1.0, sigma=1.0),
    ms.Weibull(shape=0.8, scale=1.0),
    ms.coxian([1.0, 2.0], [0.5]),
)


@pytest.mark.parametrize("duration", DURATIONS, ids=lambda x: type(x).__name__)
def test_moments_are_those_of_integers_from_0_on(duration):
    """At −1 the product over no stage was 1, where E[1/S] of one stage is infinite."""
    assert type(duration.moment(0)) is float and duration.moment(0) == 1.0
    assert duration.moment(1) == pytest.approx(duration.mean, rel=1e-12)
    for k in (-1, 1.5, True, "1"):
        with pytest.raises(ValueError, match="k must be a non-negative integer"):
            duration.moment(k)
