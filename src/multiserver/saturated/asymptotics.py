"""Growth rates of the saturated system with server needs 1 and n, as n → ∞ and p_n → 0.

n servers, FCFS; a job needs one server (probability p_1, rate μ_1) or all n (p_n = 1 − p_1, μ_n);
μ is the throughput and E[Δ(Y_d)] the mean relative completions, both defined in `one_or_n`, where
they are exact. `multilevel-scaling` (Grosof & Ayhan, "Multiserver-job Response Time under
Multilevel Scaling") distinguishes three regimes by n p_n, the ratio of the work of both classes if
μ_1 = μ_n. In regimes 1 (n-server dominated, n p_n → ∞) and 2 (balanced, n p_n = c), Theorem 4.1:

    μ ~ μ_1/(p_n ln(1/p_n)),        E[Δ(Y_d)] ~ 1/(2 p_n).

In regime 3 (one-server dominated, n p_n → 0), for p_n = n^−α with α > 1, Theorem 4.2:

    μ = μ_1 (n − n^{2−α} (ln n + γ + μ_1/μ_n − 1 + o(1))),        E[Δ(Y_d)] ~ n^{2−α} ln² n / 2.

The γ = 0.5772… is lost in print, where H_{n−1} = ln n + γ + o(1) becomes ln n.

Regime 3 in one formula: let n p_n → 0. In (A) of `one_or_n`, p_n F → 0, K = ln n + O(1) and
Q = ln² n / 2 + O(ln n), so that with A = n p_n ln n

    1/μ = (1/n + p_n (ln n + O(1)))/μ_1        gives   μ ~ n μ_1/(1 + A),
    E[Δ(Y_d)] = p_n (μ/μ_1)² (Q + O(ln n))     gives   E[Δ(Y_d)] ~ p_n (n ln n)²/(2 (1 + A)²).

A → 0 and A → ∞ are the two cases of Lemma 8.1; Lemma 8.2, E[Δ(Y_d)] = o(1/p_n) as A → 0, follows
from p_n E[Δ(Y_d)] ~ A²/(2 (1 + A)²). A = c, which is p_n = c/(n ln n), lies between them:

    μ ~ n μ_1/(1 + c),        E[Δ(Y_d)] ~ n ln n · c/(2 (1 + c)²).

The latter is largest at c = 1, where it exceeds the θ(n) of regime 2: mean relative completions
peak in regime 3, at α ≈ 1 + ln ln n / ln n, and not at balanced load.

Convergence is slow: relative errors are of order 1/ln n, except for μ with α > 1. There the o(1) of
Theorem 4.2 is of order n^{1−α} ln² n, which for α = 1.2 is still 2 at n = 1e13.

All functions broadcast over array arguments: n and the rates are positive, 0 < p_n < 1, and each
docstring says when the value is an asymptote. None of them raises.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64] | np.float64


def throughput_n_dominated(p_n: ArrayLike, rate_1: ArrayLike = 1.0) -> Values:
    """μ_1/(p_n ln(1/p_n)) jobs per unit of time: μ to leading order when n p_n → ∞ or n p_n → c.

    `multilevel-scaling`, Theorem 4.1 (Lemmas 6.1 and 7.1). Neither c nor μ_n matter.
    """
    p_n = np.asarray(p_n, dtype=float)
    return -np.asarray(rate_1) / (p_n * np.log(p_n))


def relative_completions_n_dominated(p_n: ArrayLike) -> Values:
    """1/(2 p_n) jobs: E[Δ(Y_d)] to leading order when n p_n → ∞ or n p_n → c.

    `multilevel-scaling`, Theorem 4.1 (Theorems 6.1 and 7.1).
    """
    return 0.5 / np.asarray(p_n, dtype=float)


def throughput_all_busy(n: ArrayLike, rate_1: ArrayLike = 1.0) -> Values:
    """n μ_1 jobs per unit of time: μ to leading order when p_n = o(1/(n ln n)).

    `multilevel-scaling`, Lemma 8.1, first case; the first term of Theorem 4.2.
    """
    return np.asarray(n, dtype=float) * np.asarray(rate_1)


def throughput_between(n: ArrayLike, p_n: ArrayLike, rate_1: ArrayLike = 1.0) -> Values:
    """μ_1/(p_n ln n) jobs per unit of time: μ to leading order when 1/(n ln n) ≪ p_n ≪ 1/n.

    `multilevel-scaling`, Lemma 8.1, second case.
    """
    return np.asarray(rate_1) / (np.asarray(p_n) * np.log(n))


def throughput_one_dominated(
    n: ArrayLike, alpha: ArrayLike, rate_1: ArrayLike = 1.0, rate_n: ArrayLike = 1.0
) -> Values:
    """μ_1 (n − n^{2−α} (ln n + γ + μ_1/μ_n − 1)) jobs per unit of time, for p_n = n^−α, α > 1.

    μ up to o(n^{2−α}); may be negative where ln n is not yet small against n^{α−1}.
    `multilevel-scaling`, Theorem 4.2 and Lemma 8.3, with the γ that is lost in print.
    """
    printed = throughput_one_dominated_as_printed(n, alpha, rate_1, rate_n)
    return printed - np.asarray(rate_1) * np.euler_gamma * _power(n, alpha)


def throughput_one_dominated_as_printed(
    n: ArrayLike, alpha: ArrayLike, rate_1: ArrayLike = 1.0, rate_n: ArrayLike = 1.0
) -> Values:
    """μ_1 (n − n^{2−α} (ln n + μ_1/μ_n − 1)): `throughput_one_dominated` without γ.

    Off by γ μ_1 n^{2−α}, as large as the last term it keeps. For comparison with the print only.
    """
    n, rate_1 = np.asarray(n, dtype=float), np.asarray(rate_1)
    return rate_1 * (n - _power(n, alpha) * (np.log(n) + rate_1 / np.asarray(rate_n) - 1))


def relative_completions_one_dominated(n: ArrayLike, alpha: ArrayLike) -> Values:
    """n^{2−α} ln² n / 2 jobs: E[Δ(Y_d)] to leading order for p_n = n^−α, α > 1.

    `multilevel-scaling`, Theorem 4.2 (Theorem 8.1). The rates do not matter.
    """
    return 0.5 * _power(n, alpha) * np.log(n) ** 2


def throughput_borderline(n: ArrayLike, c: ArrayLike, rate_1: ArrayLike = 1.0) -> Values:
    """n μ_1/(1 + c) jobs per unit of time: μ to leading order for p_n = c/(n ln n).

    The case that `multilevel-scaling`, Lemma 8.1, leaves open.
    """
    return throughput_all_busy(n, rate_1) / (1 + np.asarray(c))


def relative_completions_borderline(n: ArrayLike, c: ArrayLike) -> Values:
    """n ln n · c/(2 (1 + c)²) jobs: E[Δ(Y_d)] to leading order for p_n = c/(n ln n).

    Largest at c = 1: n ln n / 8. The case that `multilevel-scaling`, Lemma 8.2, leaves open.
    """
    n, c = np.asarray(n, dtype=float), np.asarray(c)
    return n * np.log(n) * c / (2 * (1 + c) ** 2)


def _power(n: ArrayLike, alpha: ArrayLike) -> Values:
    """n^{2−α}."""
    return np.asarray(n, dtype=float) ** (2 - np.asarray(alpha))
