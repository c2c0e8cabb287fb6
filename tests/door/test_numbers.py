"""What counts as a number: floats, fractions and decimals alike; texts, truth values and arrays do
not, and a message says so, as of any argument of a strange type."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from tests.rigid_jobs import rigid

import multiserver as ms

ONE = ms.Exponential(rate=1.0)
JOBS = [ms.JobClass(duration=ONE)]
SYSTEM = ms.System(2, JOBS)
QUEUE = SYSTEM.under(ms.FCFS)
MIXED = rigid(4, (1, ONE, 0.5), (3, ms.Deterministic(1.0), 0.5)).under(ms.FCFS)
ITERATED = rigid(3, (1, ONE, 0.5), (2, ONE, 0.5)).under(ms.MaxWeight)
RUN = QUEUE.simulate(load=0.5, jobs=2000, seed=1, times=True)
TARGET = ms.Target(at_most=3)
TIME, SAMPLED = QUEUE.distribution(load=0.5).response_time, RUN.distribution.response_time
ESTIMATE, INTERVAL = ms.Estimate(1.0, 0.1, 0.05, 10, 1000, 1000.0), ms.Interval(1.0, 2.0)
PHASES = ms.PhaseType((1.0,), ((-1.0,),))
STATION = ms.Station(rates=(1.0,), compatible=({0},))
NETWORK = ms.Network([STATION], arrivals=[0.5], routing=[[0.0]])

# What takes a number that a half is.
TAKE_A_HALF = {
    "load": SYSTEM.load,
    "arrival_rate": SYSTEM.arrival_rate,
    "load of a network": NETWORK.load,
    "arrival rate of a network": NETWORK.arrival_rate,
    "speeds": lambda x: ms.System([1.0, x], JOBS).servers,
    "probability": lambda x: ms.JobClass(duration=ONE, probability=x).demand,
    "exact": lambda x: QUEUE.exact(load=x).mean_jobs,
    "points": lambda x: [found.mean_jobs for found in QUEUE.exact(load=[0.3, x])],
    "distribution": lambda x: QUEUE.distribution(arrival_rate=x).waiting_time.mean,
    "simulate": lambda x: QUEUE.simulate(fraction_of_limit=x, jobs=1000, seed=1).mean_jobs,
    "half_width": lambda x: MIXED.stability(half_width=x).limit,
    "warm_up": lambda x: QUEUE.simulate(load=0.5, jobs=1000, seed=1, warm_up=x).mean_jobs,
    "confidence": lambda x: QUEUE.simulate(load=0.5, jobs=1000, seed=1, confidence=x).mean_jobs,
    "sf": TIME.sf,
    "quantile": TIME.quantile,
    "sampled sf": SAMPLED.sf,
    "sampled quantile": SAMPLED.quantile,
    "lower": lambda x: ms.Interval(x, 2),
    "at_least": INTERVAL.at_least,
    "mapped interval": lambda x: INTERVAL.mapped(x, x),
    "mapped estimate": lambda x: ESTIMATE.mapped(x, x),
    "covers": ESTIMATE.covers,
    "z_score": lambda x: ms.z_score(ESTIMATE, x),
    "estimate": lambda x: ms.Estimate(x, x, x, 10, 1000, 1000.0),
    "target": lambda x: TARGET.value(QUEUE, x),
    "fewest_servers": lambda x: ms.fewest_servers(JOBS, TARGET, arrival_rate=x, policy=ms.FCFS),
    "at_most": lambda x: repr(ms.Target(at_most=x)),
    "longer_than": lambda x: repr(ms.Target(at_most=1, longer_than=x)),
    "target's quantile": lambda x: repr(ms.Target(at_most=1, quantile=x)),
    "enough": lambda x: ITERATED.exact(load=0.3, enough=x).mean_jobs,
    "overestimate": lambda x: repr(ms.EasyBackfilling(overestimate=x)),
    "rate": lambda x: repr(ms.Exponential(x)),
    "mixture": lambda x: ms.Hyperexponential((1.0, x), (x, 0.5)),
    "coxian": lambda x: ms.coxian((1.0, x), (x,)),
    "scaled": PHASES.scaled,
    "fit": lambda x: ms.fit_two_moments(x, x),
    "station": lambda x: ms.Station((x,), ({0},)).rank(1),
}
ARRAYS_TOO = {"sf", "quantile"}
# What was not measured, and what is not known.
NAN_TOO = {"estimate", "z_score"}
OPTIONAL = {"longer_than", "target's quantile"}


@pytest.mark.parametrize("name", TAKE_A_HALF)
def test_a_half_is_a_half_however_it_is_written(name, recwarn):
    ask = TAKE_A_HALF[name]
    expected = ask(0.5)
    for half in (Decimal("0.5"), Fraction(1, 2), np.float32(0.5), np.longdouble(0.5)):
        assert ask(half) == expected
    assert not recwarn.list


def test_short_floats_are_fitted_as_plain_ones():
    moments = 1.0, 3.0, 20.0
    assert ms.fit_three_moments(*map(np.float32, moments)) == ms.fit_three_moments(*moments)


@pytest.mark.parametrize("name", TAKE_A_HALF)
def test_what_is_no_number_is_refused_in_words(name):
    taken = {float: NAN_TOO, np.ndarray: ARRAYS_TOO, type(None): OPTIONAL}
    for wrong in ("0.5", b"0.5", None, True, 1j, {}, {0.5}, np.array([[0.5, 1.0]]), math.nan):
        if name not in taken.get(type(wrong), ()):
            with pytest.raises(ValueError, match=r"number|must|takes|exactly one|shapes") as error:
                TAKE_A_HALF[name](wrong)
            assert "found" in str(error.value)


@pytest.mark.parametrize("name", sorted(TAKE_A_HALF.keys() - {"station"}))
def test_numbers_that_no_float_holds_end_in_no_other_error(name):
    for wrong in (10**400, -(10**400), Decimal("NaN"), Decimal("sNaN")):
        try:
            TAKE_A_HALF[name](wrong)
        except ValueError as error:
            assert "found" in str(error) or isinstance(error, ms.UnstableError)


def test_the_sign_of_a_number_beyond_all_floats_is_kept():
    assert TIME.sf(-(10**400)) == 1.0
    assert TIME.sf(10**400) == 0.0
    assert SAMPLED.sf(10**400).mean == 0
    with pytest.raises(ValueError, match="at_most must be a finite number from 0 on, found -1"):
        ms.Target(at_most=-(10**400))


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda: ms.Interval(2, 1), "lower must be at most upper, found 2 and 1"),
        (lambda: ms.Interval("a", 1), "lower must be a number, found 'a'"),
        (lambda: ms.Interval(0, math.nan), "upper must be a number, found nan"),
        (lambda: INTERVAL.mapped("a", 0), "factor must be a number, found 'a'"),
        (lambda: ESTIMATE.mapped(1, None), "shift must be a number, found None"),
        (lambda: SYSTEM.load("a"), "arrival_rate must be a number from 0 on, found 'a'"),
        (lambda: SYSTEM.load(-1), "arrival_rate must be a number from 0 on, found -1"),
        (lambda: SYSTEM.arrival_rate([1]), r"load must be a number from 0 on, found \[1\]"),
        (lambda: NETWORK.arrival_rate("a"), "load must be a number from 0 on, found 'a'"),
        (lambda: NETWORK.load(-1), "arrival_rate must be a number from 0 on, found -1"),
        (lambda: QUEUE.exact(load=[0.3, [0.5]]), r"a list of numbers, .*found load = \[0.3, \["),
        (lambda: QUEUE.exact(load=[0.3, "a"]), "load must be a positive .*, found 'a'"),
        (lambda: QUEUE.exact(load=[]), r"may be a list of numbers, at least.*found load = \[\]"),
        (lambda: QUEUE.stability(half_width="a"), r"half_width must lie in \(0, 1\), found 'a'"),
        (lambda: QUEUE.stability(half_width=[0.1]), r"half_width must lie .* found \[0\.1\]"),
        (lambda: QUEUE.stability(seed=0.5), r"seed must be a non-negative integer, found 0\.5"),
        (lambda: QUEUE.simulate(load=0.5, jobs=1000, seed=1, level=[1]), r"level must be .* \[1\]"),
        (lambda: QUEUE.simulate(load=0.5, jobs=1000, seed=1, key=b"1"), "key must be .* b'1'"),
        (lambda: QUEUE.simulate(load=0.5, jobs=math.inf, seed=1), "jobs must be .* found inf"),
        (lambda: QUEUE.exact(load=[0.5]).plot([1]), r"quantity must be one of .*found \[1\]"),
        (lambda: TARGET.value("a", 0.5), r"queue must be one such as system\.under.*found 'a'"),
        (lambda: ms.Target(at_most=1, job_class=5).value(QUEUE, 0.5), "from 1 to 1, found 5"),
        (lambda: ms.System(b"12", JOBS), "servers must be a positive integer, found b'12'"),
        (lambda: ms.System(10**400, JOBS), "servers must be at most 1e.100, found a larger"),
        (lambda: ms.Hyperexponential(np.array(1), (1,)), r"must be lists .*found array\(1\)"),
        (lambda: ms.coxian(1.0, (0.5,)), r"rates must be a list of numbers, found 1\.0"),
        (lambda: PHASES.moment(0.5), r"k must be a non-negative integer, found 0\.5"),
        (lambda: PHASES.moment(171), "k must be at most 170, found 171"),
        (lambda: ms.Lognormal(1, 1).moment("a"), "k must be a non-negative integer, found 'a'"),
        (lambda: ms.scaled(3, 2.0), "size must be a distribution, found 3"),
        (lambda: QUEUE.exact(load=0.1, most_states=None), "most_states must be .*, found None"),
        (lambda: ms.System(np.array(4), JOBS), r"servers must be .* integer, found array\(4\)"),
        (lambda: ms.System({1.0, 2.0}, JOBS), "speeds must be in a list, one a server, found {1"),
        (lambda: ms.System({4: 1}, JOBS), "speeds must be in a list, one a server, found {4: 1}"),
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
def test_the_argument_is_named_with_what_was_found(ask, text):
    with pytest.raises(ValueError, match=text):
        ask()


@pytest.mark.parametrize("value", [INTERVAL, ESTIMATE])
def test_arithmetic_is_with_numbers_of_every_kind_and_with_nothing_else(value):
    half = Decimal("0.5")
    assert value * half == half * value == value / 2
    assert value + half == half + value == value - -half
    for wrong in ("a", None, True, [0.5], 1j):
        for act in (lambda a, b: a + b, lambda a, b: a * b, lambda a, b: b - a):
            with pytest.raises(TypeError):
                act(value, wrong)


@pytest.mark.parametrize("load", [0.1, 0.4, 0.5])
def test_there_are_surely_more_than_minus_one_jobs(load):
    """The sum of a chain's probabilities rounds to 1 ± 4e-16."""
    queue = rigid(2, (1, 1.0, 0.5), (2, 2.0, 0.5)).under(ms.LeastServersFirst)
    found = queue.exact(load=load, enough=1e-4)
    assert found.tail(-1) == 1.0 > found.tail(0)
