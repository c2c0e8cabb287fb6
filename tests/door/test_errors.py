"""Every misuse gets an error that says what was found, what was expected and what to do."""

from __future__ import annotations

import pytest

import multiserver as ms

from .systems import EVERY, NAMES, SYSTEMS

ONE = ms.Exponential(rate=1.0)
JOB = ms.JobClass(duration=ONE)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"duration": 2.0}, r"duration must be a distribution, .* found 2\.0"),
        ({"duration": ms.Pareto(shape=1.0, scale=1.0)}, "mean .* is infinite: no arrival rate"),
        ({"probability": 0.0}, r"probability must lie in \(0, 1\], found 0\.0 \(leave out"),
        ({"probability": True}, "probability must lie in"),
        ({"need": 0}, "need must be a positive integer, found 0"),
        ({"need": 1.5}, r"need must be a positive integer, found 1\.5"),
        ({"threshold": -1}, "threshold must be a positive integer, found -1"),
        ({"degree": 0}, "degree must be a positive integer, found 0"),
        ({"compatible": ()}, "compatible must be numbers of servers, from 0"),
        ({"compatible": (-1,)}, "compatible must be numbers of servers, from 0"),
        ({"compatible": (True,)}, "compatible must be numbers of servers, from 0"),
        ({"compatible": 3}, "compatible must be numbers of servers, from 0, in a set; found 3"),
        ({"compatible": [1, 0, 1]}, r"compatible must name each server once, found \[1, 0, 1\]"),
        ({"need": 1, "degree": 2}, "found need and degree"),
    ],
)
def test_classes(arguments, text):
    with pytest.raises(ValueError, match=text):
        ms.JobClass(**{"duration": ONE} | arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"servers": 0}, "servers must be a positive integer, found 0"),
        ({"servers": "4"}, "servers must be a positive integer, found '4'"),
        ({"servers": [1.0, 0.0]}, r"speeds must be positive finite numbers, found 0\.0"),
        ({"servers": []}, "at least one server, found no speed"),
        ({"classes": []}, "classes must be one ms.JobClass or more"),
        ({"classes": [ONE]}, "classes must be one ms.JobClass or more"),
        ({"classes": JOB}, "classes must be one ms.JobClass or more, in a list; found JobClass"),
        ({"classes": None}, "classes must be one ms.JobClass or more, in a list; found None"),
        ({"classes": [JOB, JOB]}, r"sum to 1, found a sum of 2\.0"),
        (
            {"classes": [ms.JobClass(need=5, duration=ONE)]},
            "need 5 exceeds the 4 servers: such a job never starts",
        ),
        (
            {"classes": [ms.JobClass(threshold=5, duration=ONE)]},
            "threshold 5 exceeds the 4 servers: no job can use more",
        ),
        ({"classes": [ms.JobClass(degree=5, duration=ONE)]}, r"0 … 3, found degree = 5"),
        ({"classes": [ms.JobClass(compatible={4}, duration=ONE)]}, r"0 … 3, found compatible"),
        (
            {
                "classes": [
                    ms.JobClass(duration=ONE, probability=0.5),
                    ms.JobClass(threshold=2, duration=ONE, probability=0.5),
                ]
            },
            "use servers alike, found need and threshold",
        ),
        ({"servers": [1.0, 2.0], "classes": [ms.JobClass(need=2, duration=ONE)]}, "one class of"),
        ({"servers": [1.0], "classes": [ms.JobClass(threshold=1, duration=ONE)]}, "found speeds"),
        ({"limit": 2}, "limited processor sharing has one server .* found servers = 4"),
        ({"servers": 1, "limit": 0}, "limit must be a positive integer, found 0"),
        (
            {"servers": 1, "limit": 2, "classes": [ms.JobClass(need=2, duration=ONE)]},
            r"one class of jobs that need it, .* of needs \(2,\)",
        ),
    ],
)
def test_systems(arguments, text):
    with pytest.raises(ValueError, match=text):
        ms.System(**{"servers": 4, "classes": [JOB]} | arguments)


def test_policies_go_with_their_systems_only():
    limited = SYSTEMS["limited-processor-sharing"]
    with pytest.raises(ValueError, match="are equal-shares; found max-weight, which is for multi"):
        limited.under(ms.MaxWeight)
    with pytest.raises(ValueError, match=r"such as ms\.FCFS or ms\.policy\('fcfs'\), found 'fcfs'"):
        limited.under("fcfs")
    needs = [ms.JobClass(need=v, duration=ONE, probability=0.5) for v in (2, 3)]
    with pytest.raises(ValueError, match=r"needs that divide each other .* found needs \(2, 3\)"):
        ms.System(6, needs).under(ms.ServerFilling)
    ms.System(6, needs).under(ms.ServerFillingDivisible)
    with pytest.raises(ValueError, match=r"divide the servers, .* and 5 servers"):
        ms.System(5, needs).under(ms.ServerFillingDivisible)
    with pytest.raises(ValueError, match="the options of fcfs are none; found 'm'"):
        ms.FCFS(m=3)
    with pytest.raises(ValueError, match="of random-interruptions are per_job; found 'm'"):
        ms.RandomInterruptions(m=3)


@pytest.mark.parametrize("factor", [0, -1.0, float("nan"), float("inf"), "2"])
@pytest.mark.parametrize(
    "size", [ms.Exponential(1.0), ms.PhaseType((1.0,), ((-1.0,),)), ms.Deterministic(1.0)]
)
def test_sizes_are_scaled_by_positive_factors(size, factor):
    with pytest.raises(ValueError, match=r"factor must be a number in \[1e-100, 1e100\], found"):
        ms.scaled(size, factor)


@pytest.mark.parametrize(
    ("point", "text"),
    [
        ({}, "exactly one of load, arrival_rate and fraction_of_limit; found none"),
        ({"load": 0.5, "arrival_rate": 1.0}, "found load and arrival_rate"),
        ({"load": 0}, "load must be a positive finite number, 1e-100 or more, found 0"),
        ({"load": 1e-300}, "load must be a positive finite number, 1e-100 or more, found 1e-300"),
        ({"load": True}, "load must be a positive finite number"),
        ({"load": "0.5"}, "load must be a positive finite number"),
        ({"arrival_rate": float("inf")}, "arrival_rate must be a positive finite number"),
        ({"fraction_of_limit": -0.5}, "fraction_of_limit must be a positive finite number"),
    ],
)
@pytest.mark.parametrize("ask", ["exact", "bounds", "simulate"])
def test_operating_points(ask, point, text):
    queue = SYSTEMS["multiserver-jobs"].under(ms.ServerFilling)
    effort = {"jobs": 100, "seed": 1} if ask == "simulate" else {}
    with pytest.raises(ValueError, match=text):
        getattr(queue, ask)(**point, **effort)


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_one_error_for_instability_with_both_rates(model, policy):
    queue = SYSTEMS[model].under(policy)
    with pytest.raises(ms.UnstableError, match=r"λ = .* \(load 1\) must be below") as caught:
        queue.exact(load=1.0)
    error = caught.value
    assert error.arrival_rate == pytest.approx(SYSTEMS[model].arrival_rate(1.0), rel=1e-12)
    assert 0 < error.limit <= error.arrival_rate
    assert error.scale == error.limit / error.arrival_rate
    assert isinstance(error, ValueError)


def test_a_load_in_percent_is_told_what_to_say():
    queue = SYSTEMS["multiserver-jobs"].under(ms.FCFS)
    with pytest.raises(ms.UnstableError, match=r"\(load 30\) .*; for a load of 30 %, say 0\.3$"):
        queue.exact(load=30)
    with pytest.raises(ms.UnstableError, match=r"λ_max = \S+ \(load 1\), .* by the packings"):
        SYSTEMS["multiserver-jobs"].under(ms.FirstFit).simulate(load=1.2, jobs=100, seed=1)
    with pytest.raises(ms.UnstableError, match=r"\(load 0\.\d+\)$"):
        queue.exact(load=1.2)


def test_the_limit_binds_before_the_capacity():
    queue = SYSTEMS["multiserver-jobs"].under(ms.FCFS)
    limit = queue.stability().load_limit
    assert limit < 0.99
    for ask in (queue.exact, lambda load: queue.simulate(load=load, jobs=100, seed=1)):
        with pytest.raises(ms.UnstableError, match=r"must be below λ\* = "):
            ask(load=(1 + limit) / 2)
    with pytest.raises(ms.UnstableError):
        queue.exact(fraction_of_limit=1.0)
    unknown = r"no limit of stability is known \(one job at a time.*\); ask simulate\(\)"
    with pytest.raises(ms.NotKnownError, match=unknown):
        SYSTEMS["multiserver-jobs"].under(ms.PreemptiveFirstFit).exact(fraction_of_limit=0.5)
    # No policy carries more than a set of servers can, whatever the sizes.
    classes = [
        ms.JobClass(compatible=s, duration=ms.Deterministic(value=1.0), probability=p)
        for s, p in (({0}, 0.9), ({0, 1}, 0.1))
    ]
    with pytest.raises(ms.UnstableError, match=r"below λ_max = 1\.11111"):
        ms.System(2, classes).under(ms.FCFS).simulate(load=0.6, jobs=100, seed=1)


@pytest.mark.parametrize(
    ("effort", "text"),
    [
        ({"replications": 1}, r"from 2 on \(one has no interval\), found 1"),
        ({"replications": range(4)}, "replications must be an integer from 2 on"),
        ({"jobs": 0}, "jobs must be an integer from 1 on, found 0"),
        ({"jobs": 1e6 + 0.5}, "jobs must be an integer from 1 on"),
        ({"warm_up": 1.0}, r"warm_up must lie in \[0, 1\)"),
        ({"confidence": 0.0}, r"confidence must lie in \(0, 1\)"),
        ({"jobs": 1e30}, r"jobs must be at most 1e\+15, found 1e\+30"),
        ({"jobs": 10**400}, r"jobs must be at most 1e\+15, found 10{400}"),
        ({"jobs": 10}, r"some of 1 jobs, .*: ask for more jobs, or fewer replications"),
        ({"jobs": 10, "level": "phases"}, "epochs, .*: ask for more jobs, or fewer replications"),
        ({"key": 3}, r"key must be non-negative integers, as in \(1, 2\); found 3"),
        ({"half_width": "1 %"}, r"half_width must be a share .*; found '1 %'"),
        ({"half_width": 0}, r"half_width must be a share of the mean in \(0, 1\), .*; found 0"),
        ({"half_width": 5}, r"such as 0\.05 for 5 %; found 5"),
        ({"level": "front"}, "level must be 'jobs' or 'phases', found 'front'"),
        ({"seed": -1}, "seed must be a non-negative integer, found -1"),
    ],
)
def test_efforts(effort, text):
    queue = SYSTEMS["multiserver-jobs"].under(ms.FCFS)
    with pytest.raises(ValueError, match=text):
        queue.simulate(**{"load": 0.5, "jobs": 1000, "seed": 1} | effort)


def test_too_many_states_come_with_advice():
    needs = [ms.JobClass(need=v, duration=ONE, probability=0.25) for v in (1, 2, 3, 5)]
    queue = ms.System(200, needs).under(ms.FCFS)
    with pytest.raises(ms.NotKnownError, match=r"exact\(\) takes too much .* ask .*simulate\(\)"):
        queue.exact(arrival_rate=1.0)
    erlang = ms.System(1, [ms.JobClass(duration=ms.Erlang(stages=20, rate=1.0))], limit=12)
    with pytest.raises(ms.NotKnownError, match=r"takes too much .* ask .*bounds\(\), simulate\(\)"):
        erlang.under(ms.EqualShares).exact(load=0.5)
    sets = [ms.JobClass(compatible={s}, duration=ONE, probability=1 / 17) for s in range(17)]
    with pytest.raises(ms.NotKnownError, match=r"at most 16 classes, .*; ask simulate\(\)"):
        ms.System(17, sets).under(ms.FCFS).exact(load=0.5)


def test_messages_about_many_classes_are_short():
    many = [
        ms.JobClass(need=1 + c % 7, duration=ms.Exponential(rate=1.0 + c), probability=0.001)
        for c in range(1000)
    ]
    some = r"20 servers and needs \(1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, … of 1000 classes\)"
    with pytest.raises(ms.NotKnownError, match=some) as caught:
        ms.System(20, many).under(ms.FCFS).exact(load=0.1)
    assert len(str(caught.value)) < 400
    with pytest.raises(ValueError, match=r"found needs \(1, 2, .*, … of 1000 classes\) and 20"):
        ms.System(20, many).under(ms.ServerFilling)


def test_networks():
    station = ms.Station(rates=(1.0, 0.0), compatible=({0, 1},))
    with pytest.raises(ValueError, match=r"speeds must be positive finite numbers, found 0\.0"):
        ms.Network([station], [0.5], [[0.0]])
    with pytest.raises(ms.UnstableError):
        ms.Network([ms.Station((1.0,), ({0},))], [2.0], [[0.0]]).under(ms.FCFS).exact()
    with pytest.raises(ValueError, match=r"are balanced-fairness, fcfs; found max-weight"):
        SYSTEMS["network"].under(ms.MaxWeight)


def test_a_network_that_is_too_large_says_so():
    station = ms.Station(rates=[1.0] * 17, compatible=[{i} for i in range(17)])
    network = ms.Network([station], arrivals=[0.1] * 17, routing=[[0.0] * 17] * 17)
    for ask in (network.under(ms.FCFS).stability, network.under(ms.FCFS).exact):
        with pytest.raises(ms.NotKnownError, match="17 classes have too many subsets"):
            ask()


def test_tails_are_at_integers():
    queue = ms.System(1, [JOB]).under(ms.FCFS)
    for found in (queue.exact(load=0.5), queue.simulate(load=0.5, jobs=2000, seed=1)):
        for k in (0.5, True):
            with pytest.raises(ValueError, match="k must be an integer, found"):
                found.tail(k)


def test_tails_so_far_out_that_integers_overflow():
    found = SYSTEMS["multiserver-jobs"].under(ms.ServerFilling).exact(load=0.5)
    assert found.tail(10**30) == 0.0 and found.tail(-(10**30)) == 1.0
    found = ms.System(1, [JOB]).under(ms.FirstFit).simulate(load=0.5, jobs=2000, seed=1, times=True)
    assert found.tail(10**30).mean == 0.0 and found.tail(-(10**30)).mean == 1.0
    found = ms.System(1, [JOB]).under(ms.FCFS).simulate(load=0.5, jobs=2000, seed=1)
    with pytest.raises(
        ValueError, match="k must lie in 0 … 101, found 1000000000000000000000000000000"
    ):
        found.tail(10**30)


def test_of_no_probability_there_is_no_quantile():
    queue = SYSTEMS["multiserver-jobs"].under(ms.FCFS)
    assert queue.distribution(load=0.3).waiting_time.quantile([]).shape == (0,)
