"""The functions and times used for queues with needs 1 and n, each by another route."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from multiserver.open.exponential_sums import ExponentialSums
from multiserver.open.small_jobs import InterpolationNodes, StoppedChain, drains

from .references import close

RNG = np.random.default_rng(3)


def test_functions_of_the_basis_are_orthonormal_and_what_they_are_said_to_be():
    basis = ExponentialSums(np.array([0.3, 2.0, 2.0, 11.0, 0.7]))
    omega, weight = basis.frequencies(2000, 1e-3)
    values = basis.transforms(1j * omega)
    gram = (values.conj().T * weight) @ values / np.pi
    assert gram.real == close(np.eye(5), 1e-3, abs=1e-3)
    s = np.array([0.4, 3.0])
    whole = np.linalg.solve(
        s[:, None, None] * np.eye(5) + basis.generator, np.tile(basis.start[:, None], (2, 1, 1))
    )
    assert basis.transforms(s) == close(whole[..., 0], 1e-14)
    assert basis.moments(0) == close(basis.transforms(np.zeros(1))[0], 1e-13)
    assert basis.integrals_beyond(0.0) == close(basis.moments(0), 1e-14)
    step = 1e-5
    slope = (basis.transforms(np.array([step])) - basis.transforms(np.array([-step])))[0] / 2 / step
    assert -slope == close(basis.moments(1), 1e-8)
    # Kept jobs, by quadrature of fifty digits: all that come in the first times, or none.
    rate, p = 3.0, 0.9
    integrals = np.array(list(basis.poisson_integrals(rate, p, 4)))
    first = [
        [
            mpmath.quad(
                lambda u, t=t, m=m: (
                    mpmath.sqrt(2 * t)
                    * mpmath.exp(-(t + rate) * u)
                    * (rate * p * u) ** m
                    / mpmath.factorial(m)
                ),
                [0, 5, mpmath.inf],
            )
            for m in range(4)
        ]
        for t in (0.3,)
    ]
    assert integrals[0] == close(np.array(first[0], dtype=float), 1e-13)
    moved = basis.with_exact_poles(3e7, 1 - 1e-7, 1e-7)
    assert moved.rates == close(basis.rates, 1e-7)


def test_drains_against_fifty_digits():
    n, rate, q = 700, 650.0, 0.001
    p = 1 - q
    s = 1j * np.array([1e-4, 0.3, 5.0, 29.0, 31.0, 400.0, 1e5])
    nodes = InterpolationNodes(n)
    found = drains(nodes, n, s, p / (1 - s / rate), (rate * q - s) / (rate - s))
    with mpmath.workdps(50):
        for row, point in enumerate(s.tolist()):
            s_, q_ = mpmath.mpc(point), mpmath.mpf(q)
            y = (1 - q_) / (1 - s_ / rate)
            left = [mpmath.mpc(0)]
            for m in range(1, n + 1):
                left.append((left[-1] * m + 1) / (m + s_))
            r = n / (n + s_)
            summed = (left[n] + y / ((n + s_) * (1 - y))) / (1 - y * r)
            least = 2e-15 * max(1.0, float(abs(left[n])))
            most = 2 * least / float(abs(1 - y * r))
            assert abs(complex(summed) - found.summed_n[row]) < most
            assert abs(complex(left[n]) - found.left_n[row]) < least
            column = len(nodes.numbers) - 1
            for m in range(n - 1, -1, -1):
                summed = left[m] + y * summed
                if nodes.numbers[column] == m:
                    assert abs(complex(left[m]) - found.left[row, column]) < least
                    assert abs(complex(summed) - found.summed[row, column]) < 2 * most
                    column -= 1


@pytest.mark.parametrize(("n", "flow", "stop"), [(2, 3.0, 0.1), (3, 1e-9, 1e-12), (9, 8.5, 1e-15)])
def test_times_of_the_chain_in_fractions(n, flow, stop):
    """Against elimination in fractions of the chain cut off at 60 jobs more, h and 1 − h too."""
    entering = RNG.uniform(size=(3, n))
    chain = StoppedChain(n, flow, stop)
    a, k = Fraction(flow), Fraction(stop)
    # The chance h to come down, from the root that is less than 1, to sixty digits.
    with mpmath.workdps(60):
        b = mpmath.mpf(n) + mpmath.mpf(stop) - mpmath.mpf(flow)
        short = (
            2
            * mpmath.mpf(stop)
            / (b + mpmath.sqrt(b * b + 4 * mpmath.mpf(flow) * mpmath.mpf(stop)))
        )
        assert chain.falls_short == close(float(short), 1e-14)
        h = 1 - Fraction(str(short))
    for row, found in zip(entering, chain.times(entering), strict=True):
        rates = [a + k + m - (a * h if m == n - 1 else 0) for m in range(n)]
        flows = [Fraction(x) for x in row.tolist()]
        for m in range(1, n):
            share = a / rates[m - 1]
            flows[m] += flows[m - 1] * share
            rates[m] -= m * share
        times = [flows[-1] / rates[-1]]
        for m in range(n - 2, -1, -1):
            times.append((flows[m] + (m + 1) * times[-1]) / rates[m])
        assert found == close([float(t) for t in times[::-1]], 1e-14)
