"""Arguments of a strange type, and numbers of phases or moments that no computer holds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rigid_jobs import one_class, rigid

import multiserver as ms

ONE = ms.Exponential(rate=1.0)
JOB = ms.JobClass(duration=ONE)
STATION = ms.Station(rates=(1.0,), compatible=({0},))


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda: ms.System(np.array(4), [JOB]), r"servers must be .* integer, found array\(4\)"),
        (lambda: ms.System({1.0, 2.0}, [JOB]), "speeds must be in a list, one a server, found {1"),
        (lambda: ms.System({4: 1}, [JOB]), "speeds must be in a list, one a server, found {4: 1}"),
        (lambda: ms.System(4, np.array(1)), r"classes must be .* in a list; found array\(1\)"),
        (lambda: ms.JobClass(duration=ONE, compatible=np.array(1)), r"in a set; found array\(1\)"),
        (lambda: ms.JobClass(duration=ONE, compatible=[[0, 1]]), r"in a set; found \[\[0, 1\]\]"),
        (lambda: ms.PhaseType(1.0, -1.0), r"initial must be a list of numbers, found 1\.0"),
        (lambda: ms.PhaseType(("1",), ((-1,),)), r"initial must be a list .* found \('1',\)"),
        (lambda: ms.PhaseType((1.0,), -1.0), r"generator must be a list of rows, found -1\.0"),
        (lambda: ms.PhaseType((1.0,), ("a",)), "a row of the generator must be numbers, found 'a'"),
        (lambda: ms.fit_distribution("x"), r"distribution must be one, such as .*, found 'x'"),
        (lambda: ms.z_score(1.0, 2.0), r"z_score takes an estimate, .* found 1\.0 and 2\.0"),
        (lambda: ms.Station(1.0, ({0},)), r"rates must be in a list, one a server, found 1\.0"),
        (lambda: ms.Station((1.0,), {0}), "compatible must be a set .* for each class, found {0}"),
        (lambda: ms.Network(STATION, [0.5], [[0]]), "stations must be in a list, found Multi"),
        (lambda: ms.Network([1], [0.5], [[0]]), r"stations must be one .* or more, found \(1,\)"),
        (lambda: ms.Network([STATION], "a", [[0]]), "arrivals must be an array .*, found 'a'"),
        (lambda: ms.Network([STATION], [0.5], [["a"]]), r"routing must be .*, found \[\['a'\]\]"),
    ],
)
def test_what_was_found_is_said(ask, text):
    with pytest.raises(ValueError, match=text):
        ask()


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


@pytest.mark.parametrize("duration", [ONE, ms.Erlang(stages=2, rate=1.0)])
def test_moments_whose_factorial_is_no_float_are_refused_at_once(duration):
    """A million steps take minutes, for a number that is no float."""
    system = rigid(3, (1, duration, 0.5), (2, ONE, 0.5))
    time = system.under(ms.FCFS).distribution(load=0.3).waiting_time
    assert time.moment(100) > 0
    with pytest.raises(ms.TooLargeError, match=r"E\[time\^10{9}\], or 10{9}!, is larger than any"):
        time.moment(10**9)
