"""Systems that would not fit in memory or have no exact method are refused: by the plan if counting
shows it, by the job if only solving does. The message says what to do instead. Simulated systems
need no exact solution."""

from __future__ import annotations

import pytest
from pydantic_core import PydanticCustomError
from scripts.compute import check
from tests.blocks import elastic_block, rigid_block

from atlas.config.kinds import module
from atlas.config.series import complete_series
from atlas.models.finite_skip import read_model
from multiserver.errors import TooLargeError
from multiserver.open import elastic, finite_skip
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.sharing import chain, networks
from multiserver.sharing.queue import MultiServerQueue
from multiserver.sizes import Exponential

PHASES = {"hyperexponential": {"rates": [1.0, 2.0], "probabilities": [0.5, 0.5]}}
POLICIES = {
    "fastest-server-first": {"heterogeneous": {"speeds": [0.0625] * 16, "sizes": [PHASES]}},
    "equal-shares": {"limited-processor-sharing": {"limit": 9000, "sizes": [{"exponential": 1.0}]}},
    "fcfs": elastic_block(400, (1, 1.0, 0.5), (2, 1.0, 0.25), (400, 1.0, 0.25)),
    "server-filling": rigid_block(128, (1, 1.0, 0.5), (2, 1.0, 0.5)),
    "server-filling-divisible": rigid_block(12, *[(v, 1.0, 0.25) for v in (1, 2, 3, 4)]),
}
SIMULATED = {"study": "simulated-policy", "loads": [0.5], "jobs": 1000, "seed": 1}
QUEUE = {"capacities": [1.0] * 17, "servers": [[i] for i in range(1, 18)]}
OPEN = {
    "queues": [{"capacities": [1.0], "servers": [[1], [1], [1]]}],
    "arrivals": [0.1, 0.1, 0.1],
    "routing": [[0, 0, 0]] * 3,
}
WIDE = {
    "queues": [QUEUE],
    "arrivals": [0.1] * 17,
    "routing": [[0] * 17] * 17,
}
MIXED = {"hyperexponential": {"rates": [1, 2], "probabilities": [0.5, 0.5]}}
LARGE = {"servers": 10**9, "needs": [1, 2], "rates": [1, 1], "probabilities": [0.5, 0.5]}


def refused(series: dict, *words: str) -> None:
    _, _, faults = complete_series(series, ())
    assert len(faults) == 1
    said = f"{faults[0].found} {faults[0].expected}"
    assert [word for word in words if word not in said] == [], said


def refused_by_the_job(series: dict, key: str | tuple[str, ...], *words: str) -> None:
    _, parameters, faults = complete_series(series, ())
    assert faults == []
    with pytest.raises(PydanticCustomError) as caught:
        check(module("studies", series["study"]), parameters)
    told = caught.value.context
    said = f"{told['found']} {told['expected']}"
    assert told["at"] == ((key,) if isinstance(key, str) else key)
    assert [word for word in words if word not in said] == [], said


def accepted(series: dict) -> None:
    _, parameters, faults = complete_series(series, ())
    assert faults == []
    check(module("studies", series["study"]), parameters)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_front_that_is_too_large_is_refused_and_simulated(policy):
    system = {"system": POLICIES[policy], "policy": policy}
    words = policy, "more than", "simulated-policy"
    refused_by_the_job({"study": "policy-response-time", **system}, "system", *words)
    accepted({**SIMULATED, **system})
    assert read_model(system).exact() is None  # so that none stands beside


@pytest.mark.parametrize("first", ["inelastic-first", "elastic-first"])
def test_levels_that_are_too_large_are_refused_and_simulated(first):
    system = {"system": elastic_block(4000, (1, 1.0, 0.5), (4000, 1.0, 0.5)), "policy": first}
    words = first, "more than", "simulated-policy"
    refused_by_the_job({"study": "policy-response-time", **system}, "highest_load", *words)
    accepted({**SIMULATED, **system})
    assert read_model(system).exact() is None


@pytest.mark.parametrize("first", ["inelastic-first", "elastic-first"])
@pytest.mark.parametrize(
    "system",
    [
        elastic_block(2, (2, {"deterministic": 1.0}, 1.0)),
        elastic_block(2, (1, {"erlang": {"stages": 2, "rate": 1}}, 0.5), (1, MIXED, 0.5)),
        elastic_block(600, (3, 1.0, 0.25), (3, 1.0, 0.25), (600, 1.0, 0.5)),
    ],
)
def test_thresholds_are_counted_as_the_library_counts_them(first, system):
    """Of one threshold there is no such chain, and of 3 and 600 it has 200 levels."""
    accepted({"study": "policy-response-time", "system": system, "policy": first})


def test_where_the_load_alone_is_too_large_no_exact_value_stands_beside():
    system = {
        "system": elastic_block(2, (1, 1.0, 0.001), (2, 1.0, 0.999)),
        "policy": "elastic-first",
    }
    series = {"study": "policy-response-time", **system, "highest_load": 0.9999}
    refused_by_the_job(series, "highest_load", "told apart", "lower load")
    exact = read_model(system).exact()
    assert str(exact(0.9999)) == "[nan nan nan]"
    assert min(exact(0.5)) > 0


def test_what_the_library_refuses_is_what_the_plan_refuses():
    """The estimates are of what is built: one front fewer is solved."""
    front = LimitedProcessorSharing(finite_skip.MAX_FRONTS, Exponential(1.0))
    with pytest.raises(TooLargeError, match="more than 3000 fronts"):
        finite_skip.prepare(front)
    finite_skip.require_fits(LimitedProcessorSharing(finite_skip.MAX_FRONTS - 1, Exponential(1.0)))
    jobs = elastic.ElasticInelastic(4000, 1.0, 1.0, 0.5, "elastic")
    with pytest.raises(TooLargeError, match="as many levels"):
        elastic.response_times(jobs, 0.95)


@pytest.mark.parametrize(
    ("series", "words"),
    [
        (
            {"study": "balanced-fairness"}
            | {"system": {"assigned": {**QUEUE, "shares": [1 / 17] * 17}}},
            ["17 classes", "made one", "random"],
        ),
        (
            {"study": "network-means", "network": WIDE, "fractions_of_limit": [0.5]},
            ["17 classes", "at most 16", "made one"],
        ),
        (
            {"study": "sharing-check", "networks": {"open": {"network": OPEN, "most": 20}}},
            ["states", "fewer jobs", "network-means"],
        ),
        ({"study": "formulations", "systems": {"large": LARGE}, "seed": 1}, ["2^1000000000"]),
        ({"study": "saturated-states", **LARGE}, ["states at each of 1 points", "fewer servers"]),
        (
            {"study": "scaling-by-servers", "exponent": 38, "rates": [1, 1]},
            ["n^-alpha of 1e-304", "1e-300", "smaller exponent"],
        ),
    ],
    ids=lambda value: value["study"] if isinstance(value, dict) else "",
)
def test_what_does_not_fit_is_refused_with_what_can_be_done(series, words):
    refused(series, *words)


def test_what_cannot_be_enumerated_is_refused_by_the_job():
    words = "ways to share 1000000000 servers", "fewer servers"
    transitions = {"study": "transitions", "servers": 10**9, "needs": [1, 2]}
    refused_by_the_job(transitions, "servers", *words)
    product_form = {"study": "product-form-check", "systems": {"large": LARGE}, "seed": 1}
    refused_by_the_job(product_form, ("systems", "large"), *words)


def test_a_state_that_is_not_reached_is_refused_with_some_that_are():
    state = {"study": "queue-state", "servers": 30, "needs": [3, 10], "waiting": [1]}
    accepted({**state, "state": [1, 4, 1]})
    refused_by_the_job({**state, "state": [1, 4, 2]}, "state", "[1, 4, 2]", "[1, 4, 1]")


def test_permanent_jobs_beyond_memory_are_refused():
    queue = MultiServerQueue((1.0,), (frozenset({0}),))
    with pytest.raises(TooLargeError, match="combinations of permanent jobs"):
        networks.require_fits((queue, queue), (1000,) * 20)
    networks.require_fits((queue, queue), (1000,))


def test_states_are_counted_before_they_are_enumerated():
    """Against the chain itself: closed, open and mixed."""
    one = MultiServerQueue((1.0, 1.0), (frozenset({0}), frozenset({0, 1})))
    two = MultiServerQueue((1.0,), (frozenset({0}),))
    around = [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    closed = networks.Network((two, two), [0, 0], [[0, 1], [1, 0]], (5,))
    opened = networks.Network((one, two), [0.1, 0.1, 0.1], [[0] * 3] * 3)
    mixed = networks.Network((one, two), [0, 0.1, 0], around, (4,))
    for network, most in ((closed, 0), (opened, 4), (mixed, 3)):
        found = chain.stationary_distribution(network, most)
        assert chain.count_states(network, most) == len(found)


@pytest.mark.parametrize("policy", ["first-fit", "max-weight", "preemptive-first-fit"])
def test_what_no_policy_can_serve_is_refused(policy):
    """16 servers hold one job of need 11 and five of need 1: at most 3/4 is in use."""
    system = {"system": rigid_block(16, (1, 1.0, 0.5), (11, 1.0, 0.5)), "policy": policy}
    model = read_model(system)
    assert model.highest == pytest.approx(0.75, rel=1e-12)
    assert model.refuses(0.75)
    assert not model.refuses(0.74)
    series = {**SIMULATED, **system}
    refused({**series, "loads": [0.5, 0.9]}, "a load of 0.9", "below 0.75")
    accepted({**series, "loads": [0.5, 0.74]})
    block = {"separates": "it", "papers": ["mine"], "system": system["system"], "policy": policy}
    reference = {"study": "reference-simulated", "jobs": 1000, "seed": 1}
    accepted({**reference, "systems": {"mine": {**block, "load": 0.7}}})
    steep = {**reference, "systems": {"mine": {**block, "load": 0.8}}}
    refused_by_the_job(steep, ("systems", "mine", "load"), "no policy is stable", "below 2")


def test_clusters_that_cannot_exist_are_refused_before_their_rates_are_found():
    sharing = {"study": "balanced-fairness"}
    refused({**sharing, "system": {"random": {"servers": 4, "degree": 5}}}, "degree is 5")
    strange = {"capacities": [1.0], "servers": [[2]], "shares": [1.0]}
    refused({**sharing, "system": {"assigned": strange}}, "server 2 of 1", "1 to 1")


TANDEM = {
    "queues": [{"capacities": [1.0, 1.0], "servers": [[1], [1, 2]]}],
    "arrivals": [0.3, 0.6],
    "routing": [[0, 0], [0.5, 0]],
}
CYCLE = {"arrivals": [0, 0], "routing": [[0, 1], [1, 0]]}


@pytest.mark.parametrize(
    ("changed", "at", "words"),
    [
        (
            {"queues": [{"capacities": [1.0], "servers": [[1], [2]]}]},
            ("queues", 0, "servers", 1, 0),
            ["server 2 of 1"],
        ),
        ({"arrivals": [0.3]}, ("arrivals",), ["1 of 2 classes"]),
        ({"routing": [[0, 0], [0.5]]}, ("routing", 1), ["1 of 2 classes"]),
        ({"routing": [[0, 0], [0.5, 0.7]]}, ("routing", 1), ["a sum of 1.2"]),
        (
            {"arrivals": [0.3, 0]} | {"routing": [[0, 0], [0, 0]]},
            ("routing",),
            ["classes [2] are never visited"],
        ),
        (
            {"routing": [[1, 0], [0.5, 0]]},
            ("routing",),
            ["classes [1] are never left", "from classes [1, 2]"],
        ),
        ({"populations": [3]}, ("populations",), ["[3]", "permanent"]),
        (CYCLE | {"routing": [[1, 0], [0, 1]]}, ("routing",), ["2 sets of classes, [[1], [2]]"]),
    ],
)
def test_a_network_that_cannot_exist_is_refused_at_its_key_with_numbers_from_one(
    changed, at, words
):
    points = [0.5] if any(changed.get("arrivals", TANDEM["arrivals"])) else []
    series = {"study": "network-means", "network": TANDEM | changed}
    series |= {"fractions_of_limit": points} if points else {"permanent": [1]}
    _, _, [fault] = complete_series(series, ())
    said = f"{fault.found} {fault.expected}"
    assert fault.path == ("network", *at) and [w for w in words if w not in said] == [], said


def test_permanent_jobs_are_those_of_a_chain():
    closed = {"study": "network-means", "network": TANDEM | CYCLE}
    refused(closed, "classes that jobs never leave", "permanent if there are")
    opened = {"study": "network-means", "network": TANDEM, "fractions_of_limit": [0.5]}
    refused(opened | {"permanent": [1]}, "no classes that jobs never leave")
    system = {"speeds": [1, 1], "compatible": [[1], [1, 3]], "probabilities": [0.5, 0.5]}
    system |= {"durations": [{"exponential": 1.0}] * 2}
    own = {"system": {"parallel-processing": system}, "policies": ["fcfs"], "loads": [0.5]}
    refused({"study": "policies-by-load", "seed": 1, **own}, "server 3 of 2")
