"""Streams of random numbers that depend on a seed and a key only.

A key is a tuple of non-negative integers that says what the numbers are for (a series, a point, a
replication). Equal keys give equal streams, different keys independent ones, whatever the number of
cores, the order of the computations and the way that they are cut into chunks.

Words have 32 bits: a part of a key from 2^32 on counts as several parts, its words from the lowest
on, so that 2^32 is the key (0, 1). Of a seed the words beyond the fourth are such parts too.
"""

from __future__ import annotations

import numpy as np

from multiserver.checks import require_integer


def generator(seed: int, *key: int) -> np.random.Generator:
    """The stream of `key` under `seed`: SFC64, seeded by a `SeedSequence` spawned along the key.

    Raises `ValueError` unless the seed and the key are non-negative integers.
    """
    # Plain integers hash as the same words, whatever their width was.
    seed = require_integer("seed", seed, least=0)
    key = tuple(require_integer("key", part, least=0) for part in key)
    sequence = np.random.SeedSequence(seed, spawn_key=key)
    return np.random.Generator(np.random.SFC64(sequence))
