"""The fewest servers for a target, against Erlang's formula, and where more servers are worse."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import multiserver as ms
from multiserver.bisection import bisect

from ..theory.references import erlang_c

ONE = ms.Exponential(rate=1.0)


def test_of_one_class_it_is_the_fewest_of_erlang():
    offered, t = 8.0, 0.5
    for bound in (0.2, 0.05, 0.001):
        target = ms.Target(time="waiting", longer_than=t, at_most=bound)
        found = ms.fewest_servers(
            [ms.JobClass(duration=ONE)], target, arrival_rate=offered, policy=ms.FCFS
        )
        n = next(
            n for n in range(9, 40) if erlang_c(n, offered) * math.exp(-(n - offered) * t) <= bound
        )
        assert found.smallest == found.from_here_on == n
        assert n == 9 or n - 1 in found.tried
        assert found.values[found.tried.index(n)] == pytest.approx(
            erlang_c(n, offered) * math.exp(-(n - offered) * t), rel=1e-10
        )


def test_both_answers_are_those_of_a_search():
    """Needs 2 and 5; and under FCFS no server more makes a job wait longer."""
    jobs = [
        ms.JobClass(need=v, duration=ms.Exponential(rate=r), probability=p)
        for v, r, p in ((2, 4.0, 0.5), (5, 0.5, 0.5))
    ]
    target = ms.Target(time="waiting", quantile=0.95, at_most=1.5, job_class=2)
    found = ms.fewest_servers(jobs, target, arrival_rate=1.0, policy=ms.FCFS, servers=range(5, 18))
    values = []
    for n in range(5, 18):
        try:
            queue = ms.System(n, jobs).under(ms.FCFS)
            wait = queue.distribution(arrival_rate=1.0).by_class[1].waiting_time
            values.append(wait.quantile(0.95))
        except ms.UnstableError:
            values.append(math.inf)
    assert list(found.values) == pytest.approx(values, rel=1e-12)
    assert all(more <= less * (1 + 1e-12) for less, more in pairwise(found.values))
    meets = [n for n, value in zip(range(5, 18), values, strict=True) if value <= 1.5]
    assert found.smallest == found.from_here_on == meets[0]
    assert [row["meets"] for row in found.rows()] == [value <= 1.5 for value in values]
    assert "not stable" in str(found)
    assert "with 0.95 quantile of the waiting time of class 2 ≤ 1.5:" in str(found)


def test_a_bisection_finds_what_a_search_of_all_finds():
    """Needs 1 and 6, whose waits hardly change but at multiples of 6."""
    jobs = [ms.JobClass(need=v, duration=ONE, probability=p) for v, p in ((1, 0.6), (6, 0.4))]
    asked = {"arrival_rate": 1.5, "policy": ms.FCFS}
    every: ms.Sizing | None = None
    for bound in (3.0, 1.5, 0.2, 1e-3):
        target = ms.Target(time="waiting", quantile=0.95, at_most=bound)
        every = every or ms.fewest_servers(jobs, target, **asked, servers=range(6, 41))
        found = ms.fewest_servers(jobs, target, **asked)
        enough = [value <= bound for value in every.values]
        fewest = every.tried[enough.index(True)]
        assert found.smallest == found.from_here_on == fewest and all(enough[fewest - 6 :])
        assert found.smallest > 8 and found.smallest - 1 in found.tried
        assert len(found.tried) <= 2 * math.log2(40)


def test_a_step_to_servers_that_are_too_many_for_an_exact_method_is_taken_back():
    """One server is tried, then 3, then 7, which durations of seven phases make too large."""
    duration = ms.Hyperexponential(
        probabilities=(0.5, 0.3, 0.1, 0.06, 0.03, 0.008, 0.002),
        rates=(1000.0, 100.0, 20.0, 5.0, 1.0, 0.1, 0.01),
    )
    jobs, rate = [ms.JobClass(duration=duration)], 0.9 / duration.mean
    target = ms.Target(time="waiting", longer_than=0.01, at_most=0.01)
    with pytest.raises(ms.NotKnownError):
        ms.System(7, jobs).under(ms.FCFS).distribution(arrival_rate=rate)
    enough = ms.fewest_servers(jobs, target, arrival_rate=rate, policy=ms.FCFS)
    assert enough.smallest == enough.from_here_on == 5 and enough.tried == (1, 3, 4, 5)
    assert enough.values[-1] <= 0.01 < enough.values[-2]


def test_an_answer_that_is_too_large_for_an_exact_method_is_refused():
    def meets(n: int) -> bool:
        if n > 9:
            raise ms.NotKnownError(f"{n} servers are too many")
        return n >= least

    least = 9
    assert bisect(meets, 2) == 9
    least = 10
    with pytest.raises(ms.NotKnownError, match="10 servers are too many"):
        bisect(meets, 2)


@pytest.mark.parametrize("bound", [{"longer_than": 0.0, "at_most": 0.1}, {"at_most": 1 / 9}])
def test_a_target_met_with_equality_is_met_in_spite_of_rounding(bound):
    """One server: P(W > 0) = λ = 0.1 and E[W] = λ/(1 − λ), both of which are computed as larger."""
    target, jobs = ms.Target(time="waiting", **bound), [ms.JobClass(duration=ONE)]
    found = ms.fewest_servers(jobs, target, arrival_rate=0.1, policy=ms.FCFS)
    assert found.smallest == 1 and found.rows()[0]["meets"] and "yes" in str(found)


def test_where_a_server_more_is_worse_the_answers_differ():
    target = ms.Target(at_most=1.0)
    values = (math.inf, 0.9, 1.1, 0.8, 0.7)
    found = ms.Sizing(
        policy="any", target=target, arrival_rate=1.0, tried=(2, 3, 4, 5, 6), values=values
    )
    assert (found.smallest, found.from_here_on) == (3, 5)


def test_means_under_policies_that_are_not_defined_for_all_numbers():
    jobs = [ms.JobClass(need=v, duration=ONE, probability=0.5) for v in (1, 2)]
    target = ms.Target(at_most=1.2)
    found = ms.fewest_servers(jobs, target, arrival_rate=2.0, policy=ms.ServerFilling)
    assert found.tried and all(n % 2 == 0 for n in found.tried)
    for n, value in zip(found.tried, found.values, strict=True):
        queue = ms.System(n, jobs).under(ms.ServerFilling)
        assert value == queue.exact(arrival_rate=2.0).mean_response_time


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"quantile": 0.5, "longer_than": 1.0}, "found both"),
        ({"quantile": 1.0}, r"quantile must lie in \(0, 1\), found 1\.0"),
        ({"time": "service"}, "time must be 'waiting' or 'response', found 'service'"),
        ({"longer_than": -1.0}, "longer_than must be a finite number from 0 on, found -1.0"),
        ({"at_most": math.inf}, "at_most must be a finite number from 0 on, found inf"),
        ({"job_class": 0}, "job_class must be a positive integer, found 0"),
        ({"longer_than": 2.0, "at_most": 5}, "at_most must be a probability, as 0.05 is; found 5"),
    ],
)
def test_what_is_no_target_is_refused(wrong, text):
    with pytest.raises(ValueError, match=text):
        ms.Target(**{"at_most": 1.0} | wrong)


@pytest.mark.parametrize(
    ("number", "bound"),
    [
        (Decimal, {"at_most": 1.2}),
        (Fraction, {"at_most": 3.5, "quantile": 0.95}),
        (np.float64, {"at_most": 1.2}),
    ],
)
def test_probabilities_may_be_numbers_of_any_kind(number, bound):
    plain, other = (
        [ms.JobClass(need=n, duration=ONE, probability=kind("0.5")) for n in (1, 2)]
        for kind in (float, number)
    )
    asked = {"target": ms.Target(**bound), "arrival_rate": 3.0, "policy": ms.FCFS}
    assert ms.fewest_servers(other, **asked) == ms.fewest_servers(plain, **asked)


def test_none_of_the_numbers_to_try_may_be_enough():
    asked = {"arrival_rate": 1.0, "policy": ms.FCFS, "servers": (2, 3)}
    found = ms.fewest_servers([ms.JobClass(duration=ONE)], ms.Target(at_most=0.5), **asked)
    assert found.smallest is None and found.from_here_on is None


@pytest.mark.parametrize("bound", [{}, {"longer_than": 0.0}])
def test_no_number_of_servers_spares_every_job_a_wait(bound):
    jobs, target = [ms.JobClass(duration=ONE)], ms.Target(time="waiting", at_most=0.0, **bound)
    with pytest.raises(ValueError, match="some jobs wait, however many servers there are"):
        ms.fewest_servers(jobs, target, arrival_rate=2.0, policy=ms.FCFS)
    # Nine in ten may start at once.
    target = ms.Target(time="waiting", at_most=0.0, quantile=0.9)
    assert ms.fewest_servers(jobs, target, arrival_rate=2.0, policy=ms.FCFS).smallest == 5


@pytest.mark.parametrize(
    "bound",
    [{"at_most": 0.99}, {"quantile": 0.5, "at_most": 0.69}, {"longer_than": 2.0, "at_most": 0.13}],
)
def test_a_target_that_no_number_of_servers_meets_is_refused(bound):
    """Durations alone have the mean 1, the median ln 2 and P(X > 2) = e^-2."""
    jobs = [ms.JobClass(duration=ONE)]
    with pytest.raises(ValueError, match=r"no number of servers meets .* even if no job waited"):
        ms.fewest_servers(jobs, ms.Target(**bound), arrival_rate=3.0, policy=ms.FCFS)
    near = bound | {"at_most": bound["at_most"] * 1.1}
    found = ms.fewest_servers(jobs, ms.Target(**near), arrival_rate=3.0, policy=ms.FCFS)
    assert 4 <= found.smallest < 12


@pytest.mark.parametrize(
    "bound",
    [
        {"at_most": 1.0},
        {"quantile": 0.95, "at_most": -math.log(0.05)},
        {"longer_than": 2.0, "at_most": math.exp(-2)},
    ],
)
def test_a_target_that_durations_alone_just_meet_is_refused(bound):
    """Some jobs wait, however many servers there are; rounding hid it from 24 servers on."""
    jobs = [ms.JobClass(duration=ONE)]
    with pytest.raises(ValueError, match=r"no number of servers meets .*, or only just"):
        ms.fewest_servers(jobs, ms.Target(**bound), arrival_rate=3.0, policy=ms.FCFS)
    certain = ms.Target(longer_than=0.0, at_most=1.0)
    assert ms.fewest_servers(jobs, certain, arrival_rate=3.0, policy=ms.FCFS).smallest == 4


@pytest.mark.parametrize(
    ("policy", "needs", "text"),
    [
        (ms.Quickswap, (2,), r"quickswap\(.*\) is for two needs, which no number of servers gives"),
        (ms.Quickswap(threshold=1.5), (1, 2), "is for threshold of an integer from 0 to"),
        (ms.ServerFilling, (2, 3), "server-filling is for needs that divide each other"),
        (ms.ServerFilling, range(1, 301), "server-filling is for needs that divide each other"),
        (ms.Quickswap(threshold=1), (1, 2), "change hardly anything, and the value is 0.0"),
    ],
)
def test_a_search_that_would_not_end_is_refused(policy, needs, text):
    """Quickswap holds small jobs back beside a single one, however many servers are idle."""
    jobs = [ms.JobClass(need=v, duration=ONE, probability=1 / len(needs)) for v in needs]
    target = ms.Target(time="waiting", at_most=0.01)
    with pytest.raises(ValueError, match=text):
        ms.fewest_servers(jobs, target, arrival_rate=0.2, policy=policy)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"classes": ms.JobClass(duration=ONE)}, "classes must be .* in a list; found JobClass"),
        ({"classes": []}, "classes must be one ms.JobClass or more"),
        (
            {"target": ms.Target(at_most=1.0, job_class=2)},
            "job_class must be .* from 1 to 1, found 2",
        ),
        ({"target": 3.0}, r"target must be one such as ms\.Target\(at_most=3\), found 3\.0"),
        ({"arrival_rate": "1"}, "arrival_rate must be a positive number, found '1'"),
        ({"policy": "fcfs"}, r"such as ms\.FCFS or ms\.policy\('fcfs'\), found 'fcfs'"),
        ({"servers": 4}, "servers must be numbers to try, in a list; found 4"),
        ({"servers": []}, r"servers must be numbers to try, in a list; found \[\]"),
    ],
)
def test_each_argument_is_checked(wrong, text):
    asked = {"classes": [ms.JobClass(duration=ONE)], "target": ms.Target(at_most=2.0)}
    asked |= {"arrival_rate": 1.0, "policy": ms.FCFS} | wrong
    classes, target = asked.pop("classes"), asked.pop("target")
    with pytest.raises(ValueError, match=text):
        ms.fewest_servers(classes, target, **asked)


def test_jobs_that_name_their_servers_need_the_numbers_to_try():
    """No rule says whom another server would serve; of 3 servers the third serves nobody here."""
    target, asked = ms.Target(at_most=1.0), {"arrival_rate": 1.0, "policy": ms.FCFS}
    both = [ms.JobClass(compatible={0, 1}, duration=ONE)]
    drawn = [ms.JobClass(degree=2, duration=ONE)]
    for jobs in (both, drawn):
        with pytest.raises(ValueError, match="name the numbers to try in `servers`"):
            ms.fewest_servers(jobs, target, **asked)
    found = ms.fewest_servers(both, target, **asked, servers=(2, 3))
    assert found.values == pytest.approx((1.0, 1.0), rel=1e-12)
    found = ms.fewest_servers(drawn, target, **asked, servers=(2, 3, 4))
    assert found.values[0] == pytest.approx(1.0, rel=1e-12)
    assert found.values[0] > found.values[1] > found.values[2] > 0.5


@pytest.mark.parametrize("load", [0.475, 0.75, 0.825])
def test_a_wait_of_zero_at_the_probability_of_no_wait_meets_a_target_of_zero(load):
    """P(W = 0) = 1 - ρ on one server: rounding made that quantile a wait of 1e-16."""
    target = ms.Target(time="waiting", quantile=1 - load, at_most=0)
    found = ms.fewest_servers(
        [ms.JobClass(duration=ONE)], target, arrival_rate=load, policy=ms.FCFS
    )
    assert found.smallest == 1
    beyond = ms.Target(time="waiting", quantile=1 - load + 1e-9, at_most=0)
    assert beyond.value(ms.System(1, [ms.JobClass(duration=ONE)]).under(ms.FCFS), load) > 1e-10
