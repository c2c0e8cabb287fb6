"""A birth-death chain after an exponential time, against the inverse of its matrix."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.open.birth_and_death import Resolvent


@pytest.mark.parametrize(("up", "killing"), [(0.7, 0.2), (5.0, 3.0), (2.0, 1e-3)])
def test_applied_from_both_sides_it_is_the_inverse(up, killing):
    most = 30
    down = np.minimum(np.arange(most + 1), 4) * 0.9
    Q = np.diag(np.full(most, up), 1) + np.diag(down[1:], -1)
    np.fill_diagonal(Q, -Q.sum(axis=1))
    inverse = killing * np.linalg.inv(killing * np.eye(most + 1) - Q)
    moved = Resolvent(up, down, killing)
    np.testing.assert_allclose(moved @ np.eye(most + 1), inverse, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(np.eye(most + 1) @ moved, inverse, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(moved @ np.ones(most + 1), 1.0, rtol=1e-12)


def test_what_underflows_is_none():
    moved = Resolvent(1e-200, np.array([0.0, 1.0, 1.0, 1.0]), 1.0)
    row = np.array([1.0, 0.0, 0.0, 0.0]) @ moved
    np.testing.assert_allclose(row, [1.0, 1e-200 / 2, 0.0, 0.0], rtol=1e-12)
