"""Algorithm 1 against its pseudo-code, against closed forms, and against timers at the servers."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t as student_t
from tests.simulation.interrupted import FALSE_ALARM, PAPER_SIZE

from multiserver.errors import UnstableError
from multiserver.policies import RandomInterruptions
from multiserver.simulation.allocations import Allocation, allocate, interrupt, record
from multiserver.simulation.assignments import NODE, draw_servers
from multiserver.simulation.estimate import estimate, z_score
from multiserver.simulation.interruption_runs import (
    AREA,
    DEPARTURES,
    INTERRUPTIONS,
    RESPONSE,
    RESPONSE_SQUARE,
    SQUARE,
)
from multiserver.simulation.interruptions import (
    Cluster,
    ParallelClass,
    simulate,
    simulate_to_precision,
)
from multiserver.simulation.streams import generator
from multiserver.sizes import Bimodal, Deterministic, Erlang, Exponential, Pareto
from multiserver.system import JobClass, System

from ..theory.references import close
from .algorithm_1 import reference, with_timers

# The pseudo-code, with the same random numbers.


def random_cluster(draws: random.Random):
    """Up to nine servers and three classes; capacities of few bits, whose sums do not round."""
    S = draws.randint(1, 9)
    sizes = [
        PAPER_SIZE,
        Exponential(2),
        Deterministic(0.5),
        Bimodal((0.25, 3), (0.75, 0.25)),
        Pareto(2.5, 0.5),
        Erlang(3, 4),
    ]

    def servers():
        d = draws.randint(1, S)
        return draws.choice([d, tuple(draws.sample(range(S), d))])

    classes = tuple(
        ParallelClass(draws.uniform(0.1, S / 2), draws.choice(sizes), servers())
        for _ in range(draws.randint(1, 3))
    )
    capacities = tuple(draws.choice([0.5, 1.0, 1.25, 2.0]) for _ in range(S))
    return Cluster(capacities, classes, draws.choice([0, 0.5, 3]))


def check_replication(cluster, seed, warmup, jumps):
    """Two replications, the least that make an interval: times and counts to the last bit without
    a warm-up; sums of work are added in another order, sums over a window are differences."""
    runs = {"seed": seed, "replications": range(2), "warmup": warmup, "jumps": jumps}
    found = simulate(cluster, **runs, times=True)
    for r in range(2):
        duration, tally, levels, left, times = reference(
            cluster, generator(seed, r), warmup + jumps
        )
        early = 0
        if warmup == 0:
            exact = [AREA, SQUARE, DEPARTURES, RESPONSE, RESPONSE_SQUARE, INTERRUPTIONS]
            assert found.runs.durations[r] == duration
            np.testing.assert_array_equal(found.runs.tallies[r][exact], tally[exact])
        else:
            before, earlier, low, gone, _ = reference(cluster, generator(seed, r), warmup)
            duration, tally = duration - before, tally - earlier
            levels[: len(low)] -= low
            early = min(found.length.warm_up, len(gone))
            np.testing.assert_array_equal(found.runs.classes[r, :early], gone[:early])
            np.testing.assert_allclose(found.runs.responses[r, :early], times[:early], rtol=1e-10)
            left, times = left[len(gone) :], times[len(gone) :]
        assert found.runs.durations[r] == close(duration, rel=1e-11)
        np.testing.assert_allclose(found.runs.tallies[r], tally, rtol=1e-10, atol=1e-9)
        at_level = found.runs.time_at_level[r]
        K = len(at_level) - 1
        levels = [*levels[:K], *[0.0] * (K - len(levels)), levels[K:].sum()]
        np.testing.assert_allclose(at_level, levels, rtol=1e-10, atol=1e-9)
        first, end = found.runs.early[r], found.runs.recorded[r]
        assert first == early
        kept = end - first
        assert kept == min(found.runs.responses.shape[1] - first, len(left))
        assert kept >= min(found.length.jobs, len(left))
        np.testing.assert_array_equal(found.runs.classes[r, first:end], left[:kept])
        np.testing.assert_allclose(found.runs.responses[r, first:end], times[:kept], rtol=1e-10)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_pseudo_code_with_the_same_random_numbers(seed):
    check_replication(random_cluster(random.Random(seed)), seed, 0, 400)


@pytest.mark.parametrize("seed", range(40, 45))
def test_window_after_a_warm_up_is_what_the_whole_run_adds(seed):
    check_replication(random_cluster(random.Random(seed)), seed, 200, 200)


def test_queue_that_outgrows_its_room():
    """Twice, on its way to over 128 jobs, in an overloaded cluster."""
    cluster = Cluster((1, 1, 1), (ParallelClass(12, PAPER_SIZE, 2),), 1)
    found = check_replication(cluster, 1, 0, 900)
    tallies = found.runs.tallies
    assert (900 - 2 * tallies[:, DEPARTURES] - tallies[:, INTERRUPTIONS] > 128).all()


# Who serves whom.


def test_figure_1():
    """Job 1 (here 0) may use server 1 (here 0), job 2 (here 1) both; then job 1 is interrupted."""
    run = record((1, 1), [(0, (0,), 5), (1, (0, 1), 4)], [(2, 0), (9, 1)])
    assert run == [
        Allocation(0, "arrival", (0,), (0, None)),
        Allocation(1, "arrival", (0, 1), (0, 1)),
        Allocation(2, "interruption", (1, 0), (1, 1)),
        Allocation(3.5, "departure", (0,), (0, None)),
        Allocation(6.5, "departure", (), (None, None)),
    ]


def test_lone_interrupted_job_resumes():
    run = record((2,), [(0, (0,), 3)], [(1, 0)])
    assert [(a.time, a.event, a.served) for a in run] == [
        (0, "arrival", (0,)),
        (1, "interruption", (0,)),
        (1.5, "departure", (None,)),
    ]


@pytest.mark.parametrize("seed", range(8))
def test_compiled_lists_allocate_as_the_rule_says(seed):
    draws = random.Random(seed)
    S = draws.randint(1, 12)
    sets = [draws.sample(range(S), draws.randint(1, min(S, 4))) for _ in range(150)]
    jobs = [(draws.uniform(0, 10), servers, draws.uniform(0, 1)) for servers in sets]
    cuts = [(draws.uniform(0, 12), draws.randrange(S)) for _ in range(300)]
    order = ()
    run = record([draws.uniform(0.5, 2) for _ in range(S)], jobs, cuts)
    assert [sum(a.event == e for a in run) for e in ("arrival", "departure")] == [150, 150]
    for a in run:
        expected = allocate(sets, a.order)
        assert dict(enumerate(a.served)) == {s: expected.get(s) for s in range(S)}
        if a.event == "interruption":
            assert a.order == interrupt(order, a.order[-1])
        order = a.order


def test_random_sets_are_uniform():
    """χ² of the 20 sets of three out of six servers; false alarm 5e-8 at 71.6 (19 degrees)."""
    rng, nodes, draws = generator(11), np.zeros(3, NODE), 20_000
    counts = dict.fromkeys(combinations(range(6), 3), 0)
    for _ in range(draws):
        draw_servers(rng, nodes, 0, 3, 6)
        counts[tuple(nodes["server"].tolist())] += 1
    expected = draws / len(counts)
    assert sum((n - expected) ** 2 for n in counts.values()) / expected < 71.6


# Timers at the servers instead of quanta of work.


def test_quanta_of_work_are_timers_at_the_servers():
    """The mean of X̄ over the first 300 jumps, a law that both must share to the last digit."""
    cluster = Cluster((1, 2, 1, 0.5), (ParallelClass(3.2, PAPER_SIZE, 2),), 2)
    R, jumps = 250, 300
    found = simulate(cluster, seed=41, replications=range(R), warmup=0, jumps=jumps)
    ours = found.runs.tallies[:, AREA, 0] / found.runs.durations
    theirs = np.array([with_timers(cluster, generator(42, r), jumps) for r in range(R)])
    difference = estimate(ours - theirs, np.ones(R), variance=1, jobs=R)
    assert difference.margin < 0.15 * theirs.mean()
    assert abs(z_score(difference, 0)) < FALSE_ALARM


# Replications.

TOY = Cluster((1, 1, 1), tuple(ParallelClass(0.9, PAPER_SIZE, s) for s in ((0, 2), (1, 2))), 2)
EFFORT = {"warmup": 1000, "jumps": 4000}


def test_replications_do_not_depend_on_how_they_are_cut():
    whole = simulate(TOY, seed=5, replications=range(7), **EFFORT)
    part = simulate(TOY, seed=5, replications=range(2, 5), **EFFORT)
    longer = simulate_to_precision(TOY, 1e-9, seed=5, first=3, most=7, **EFFORT)
    np.testing.assert_array_equal(part.runs.tallies, whole.runs.tallies[2:5])
    np.testing.assert_array_equal(longer.runs.tallies, whole.runs.tallies)
    np.testing.assert_array_equal(longer.runs.durations, whole.runs.durations)
    assert longer.service_rate == whole.service_rate
    other = simulate(TOY, seed=5, replications=range(7), key=(1,), **EFFORT)
    assert not np.isin(other.runs.durations, whole.runs.durations).any()


def width(found):
    """The largest half-width of a service rate, whether its interval is shown or not."""
    rates = found.service_rate
    return max(student_t.ppf(0.975, g.freedom) * g.standard_error for g in rates)


def test_the_spread_says_how_many_replications_a_short_interval_takes():
    pilot = width(simulate(TOY, seed=6, replications=range(10), **EFFORT))
    for bound, R in ((1.0001 * pilot, 10), (1e-9, 50)):
        found = simulate_to_precision(TOY, bound, seed=6, first=10, most=50, **EFFORT)
        assert len(found.runs.durations) == R
    bound, R = pilot / 2, 41
    while True:
        whole = simulate(TOY, seed=6, replications=range(R), **EFFORT)
        if width(whole) <= bound:
            break
        R = math.floor(R * (width(whole) / bound) ** 2) + 1
    found = simulate_to_precision(TOY, bound, seed=6, first=10, most=1000, **EFFORT)
    np.testing.assert_array_equal(found.runs.tallies, whole.runs.tallies)
    assert width(found) <= bound


@pytest.mark.parametrize("speed", [1e-9, 1e-100])
def test_a_server_so_slow_that_a_run_would_not_end_is_refused(speed):
    job = JobClass(compatible={0, 1}, duration=Exponential(1.0))
    queue = System((speed, 1.0, 1.0), [job]).under(RandomInterruptions)
    with pytest.raises(ValueError, match=r"^jobs come and go .* as the slowest serve some that"):
        queue.simulate(load=0.1, jobs=1000, seed=1)


def test_load_and_quantum():
    classes = ParallelClass(2, Exponential(2), 1), ParallelClass(1, Deterministic(2), (2, 0))
    cluster = Cluster((1, 2, 3), classes, 4)
    assert cluster.mean_size == close(1, rel=1e-15)
    assert cluster.quantum == close(1 / 4, rel=1e-15)
    assert cluster.load == close(1 / 2, rel=1e-15)
    assert Cluster((1, 2, 3), classes, 0).quantum == math.inf
    assert classes[1].servers == (0, 2)


def test_a_class_is_interrupted_in_proportion_to_its_mean_size_as_the_definition_says():
    """Constant sizes of 1 and 3: two false alarms have a probability of 1.2e-8 each."""
    classes = [ParallelClass(0.4, Deterministic(x), (0, 1)) for x in (1, 3)]
    cluster = Cluster((1, 2), tuple(classes), 2)
    tallies = simulate(cluster, seed=1, replications=range(32), **EFFORT).runs.tallies
    for c, expected in enumerate((2 * 1 / 2, 2 * 3 / 2)):
        times, left = tallies[:, INTERRUPTIONS, c], tallies[:, DEPARTURES, c]
        # A job of constant size is interrupted a Poisson number of times.
        found = estimate(times, left, variance=expected, jobs=int(left.sum()))
        assert abs(z_score(found, expected)) < FALSE_ALARM
    assert "those of a class in proportion to its mean size" in RandomInterruptions.definition


def test_who_knows_the_limit_is_told_of_growth_and_others_that_the_cluster_is_unstable():
    crowded = Cluster((1,), (ParallelClass(1.5, Exponential(1), (0,)),), 0)
    effort = {"seed": 1, "replications": range(16), **EFFORT}
    with pytest.raises(UnstableError, match="more a unit of time than complete"):
        simulate(crowded, **effort, highest=2.0)
    assert simulate(crowded, **effort, stable_below=2.0).caveat.startswith("the jobs in the system")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ParallelClass(0, Exponential(1), 1), "arrival_rate must be .*leave out this"),
        (lambda: ParallelClass(1, Pareto(1, 1), 1), "finite mean"),
        (lambda: ParallelClass(1, Exponential(1), 0), "must be positive, found 0"),
        (lambda: ParallelClass(1, Exponential(1), ()), "at least one"),
        (lambda: ParallelClass(1, Exponential(1), (1, 1)), "distinct"),
        (lambda: Cluster((1, 1), (), 1), "found none"),
        (lambda: Cluster((1, math.inf), TOY.classes, 1), "capacity must be a positive"),
        (lambda: Cluster((1, 1), TOY.classes, 1), "among the 2"),
        (lambda: Cluster((1,), (ParallelClass(1, Exponential(1), 2),), 1), "among the 1"),
        (lambda: Cluster(TOY.capacities, TOY.classes, -1), "at least 0, found -1"),
        (lambda: simulate(TOY, seed=1, replications=range(2), warmup=0, jumps=0), "jumps must be"),
        (lambda: simulate(TOY, seed=1, replications=range(1), **EFFORT), "at least two"),
        (
            lambda: simulate_to_precision(TOY, 0, seed=1, first=2, most=3),
            "half_width must be a positive",
        ),
        (lambda: simulate_to_precision(TOY, 1, seed=1, first=1, most=3), "2 ≤ first ≤ most"),
        (lambda: TOY.settling_jumps(TOY.load), "a load below"),
        (lambda: interrupt((1, 2), 3), "found 3"),
    ],
)
def test_refusals(build, message):
    with pytest.raises(ValueError, match=message):
        build()
