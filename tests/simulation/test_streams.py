"""Streams are a function of seed and key, and sizes drawn from them have their distributions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit
from scipy import stats

from multiserver.simulation.draws import draw, encode
from multiserver.simulation.streams import generator
from multiserver.sizes import Bimodal, Deterministic, Erlang, Exponential, Pareto

from .test_sizes import CONTINUOUS

SEVERAL_VALUES = Deterministic | Bimodal
DRAWS = 100_000
# The laws below are rejected by mistake with probability 1e-7 each.
FALSE_ALARM = 1e-7


@njit
def drawn(rng, kinds, parameters, c, count):
    sizes = np.empty(count)
    for i in range(count):
        sizes[i] = draw(rng, kinds, parameters, c)
    return sizes


def test_streams_are_those_of_spawned_seed_sequences():
    child = np.random.SeedSequence(7).spawn(2)[1].spawn(3)[2]
    spawned = np.random.Generator(np.random.SFC64(child))
    drawn = generator(np.uint8(7), np.int16(1), np.int64(2)).random(5)
    assert (drawn == generator(7, 1, 2).random(5)).all()
    assert (drawn == spawned.random(5)).all()


def test_different_keys_give_different_streams():
    keys = [(7,), (8,), (7, 0), (7, 1), (7, 0, 0), (7, 0, 1), (7, 1, 0), (7, 2**40), (2**70, 0)]
    assert len({generator(*key).random() for key in keys}) == len(keys)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((-1,), "seed must be a non-negative integer, found -1"),
        ((1.0,), "seed must be .* found 1.0"),
        ((1, -2), "key must be .* found -2"),
        ((1, "a"), "key must be .* found 'a'"),
        ((True,), "seed must be .* found True"),
    ],
)
def test_bad_seeds_and_keys(arguments, found):
    with pytest.raises(ValueError, match=found):
        generator(*arguments)


# Erlang's distribution of one stage, and a Pareto distribution without a variance, besides.
LAWS = {size: survival for size, survival, _ in CONTINUOUS if not isinstance(size, SEVERAL_VALUES)}
LAWS[Erlang(1, 0.5)] = lambda x: math.exp(-0.5 * x)
LAWS[Pareto(1.5, 3.0)] = lambda x: (3.0 / x) ** 1.5


@pytest.mark.parametrize("c", range(len(LAWS)))
def test_law_of_a_continuous_size(c):
    """Kolmogorov's test, each class drawn through the arrays of all."""
    kinds, parameters = encode(list(LAWS))
    sizes = drawn(generator(11, c), kinds, parameters, c, DRAWS)
    survival = np.vectorize(list(LAWS.values())[c])
    found = stats.kstest(sizes, lambda x: 1 - survival(x))
    assert found.pvalue > FALSE_ALARM


@pytest.mark.parametrize("probabilities", [(0.5, 0.125, 0.375), (0.98, 0.01, 0.01)])
def test_law_of_several_values(probabilities):
    values = (5.0, 0.25, 1.0)
    kinds, parameters = encode([Deterministic(1.0), Bimodal(values, probabilities)])
    sizes = drawn(generator(12), kinds, parameters, 1, DRAWS)
    counts = [int((sizes == value).sum()) for value in values]
    assert sum(counts) == DRAWS
    expected = DRAWS * np.array(probabilities)
    assert stats.chisquare(counts, expected).pvalue > FALSE_ALARM


def test_deterministic_size_uses_no_randomness():
    rng = generator(13)
    kinds, parameters = encode([Deterministic(math.pi), Exponential(1)])
    assert (drawn(rng, kinds, parameters, 0, 10) == math.pi).all()
    assert rng.random() == generator(13).random()


@pytest.mark.parametrize(("sizes", "found"), [([], "found none"), ([1.0], "found 1.0")])
def test_only_sizes_are_encoded(sizes, found):
    with pytest.raises(ValueError, match=found):
        encode(sizes)
