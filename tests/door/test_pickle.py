"""What a parallel map sends to its workers and gets back: queues, policies, results, errors."""

from __future__ import annotations

import contextlib
import pickle

import pytest

import multiserver as ms
from multiserver.policies import REGISTRY

from .systems import EVERY, NAMES, SYSTEMS


def sent(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("policy", REGISTRY.values(), ids=list(REGISTRY))
def test_a_policy_stays_itself(policy):
    assert sent(policy) is policy


def test_options_travel_with_their_policy():
    policy = ms.MaxWeight(ties="smaller")
    assert sent(policy) == policy != ms.MaxWeight


def test_an_equal_queue_is_the_same_key():
    queue = SYSTEMS["multiserver-jobs"].under(ms.MaxWeight(ties="smaller"))
    assert {queue: 3}[sent(queue)] == 3


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_a_queue_and_its_exact_results(model, policy):
    queue = SYSTEMS[model].under(policy)
    at = {} if model == "network" else {"load": 0.3}
    for question, asked in {"stability": {}, "exact": at, "bounds": at, "distribution": at}.items():
        with contextlib.suppress(ms.NotKnownError):
            found = getattr(queue, question)(**asked)
            assert str(sent(found)) == str(found)
            if question == "exact":
                tail = [found.tail(k) for k in (-2, 0, 3)]
                assert tail[0] == pytest.approx(1, abs=1e-12)
                assert [sent(found).tail(k) for k in (-2, 0, 3)] == tail
    # After it has solved something.
    assert str(sent(queue)) == str(queue)


@pytest.mark.parametrize("model", ["multiserver-jobs", "parallel-processing"])
def test_simulated_times(model):
    queue = SYSTEMS[model].under(ms.FCFS)
    found = queue.simulate(load=0.3, jobs=16_000, seed=1, times=True)
    again = sent(found)
    assert str(again) == str(found)
    assert str(again.distribution) == str(found.distribution)
    assert again.tail(2) == found.tail(2)


def test_errors():
    with pytest.raises(ms.UnstableError) as caught:
        SYSTEMS["multiserver-jobs"].under(ms.FCFS).exact(load=1.2)
    assert str(sent(caught.value)) == str(caught.value)
