"""What the solver of quasi-birth-death processes refuses."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.theory.test_qbd import m_m_k

from multiserver.open.qbd import Level, QuasiBirthDeath, UnstableError, solve

from .references import close

# What is refused.


@pytest.mark.parametrize("arrival_rate", [2.0, 2.5])
def test_unstable(arrival_rate):
    message = f"jobs arrive at rate {arrival_rate!r}, which must be below λ* = 2.0"
    with pytest.raises(UnstableError, match=re.escape(message)):
        solve(m_m_k(2, arrival_rate))


def test_unstable_where_arrivals_change_the_phase():
    """Arrivals flip the phase: at rate λ both are equally likely and jobs leave at rate 2."""
    up = np.array([[0.0, 1.0], [1.0, 0.0]])
    down = np.diag([1.0, 3.0])
    for rate, stable in ((1.99, True), (2.01, False)):
        empty = Level(rate * up, np.zeros((2, 2)), np.zeros((2, 0)), np.zeros(2))
        level = Level(rate * up, np.zeros((2, 2)), down, np.ones(2))
        qbd = QuasiBirthDeath(rate, (empty, level), level)
        if stable:
            assert solve(qbd).drift == close(-0.01, rel=1e-12)
        else:
            with pytest.raises(UnstableError, match=r"below the rate at which they can leave, 2.0"):
                solve(qbd)


def test_several_closed_classes():
    level = Level(np.eye(2), np.zeros((2, 2)), 3 * np.eye(2), np.ones(2))
    empty = replace(level, down=np.zeros((2, 0)))
    with pytest.raises(ValueError, match="several closed classes"):
        solve(QuasiBirthDeath(1.0, (empty, level), level))


def test_descriptions_that_do_not_fit():
    good = m_m_k(2, 1.0)
    zero, one, two = good.boundary
    for arguments, message in [
        ((0.0, good.boundary, good.repeating), "positive finite number, found 0.0"),
        ((math.nan, good.boundary, good.repeating), "positive finite number, found nan"),
        ((1.0, (zero,), good.repeating), "levels 0 and 1 must be given, found 1"),
        ((1.0, (zero, replace(one, down=np.ones((1, 2))), two), good.repeating), "level 1 must"),
        ((1.0, (one, two), good.repeating), "level 0 must"),
        ((1.0, good.boundary, replace(two, stay=np.ones((1, 1)))), "the repeating level's stay"),
        ((1.1, good.boundary, good.repeating), "arrive at rate 1.1 in every phase, found"),
        ((1.0, (zero, replace(one, down=-one.down), two), good.repeating), "0 or more"),
        ((1.0, (zero, replace(one, down=one.down * np.nan), two), good.repeating), "finite"),
    ]:
        with pytest.raises(ValueError, match=message):
            QuasiBirthDeath(*arguments)
