"""The constants of four work-conserving finite-skip models (`finite-skip`, Sections 4 to 7).

Every model is normalised to a total capacity of 1; S is the size of a job in capacity times time
and rem_max its largest expected remaining size when the scheduler does not know sizes. The printed
constants are, for n the largest number of jobs at the front,

===================================  =  ===============  =========  =========
model                                n  w_nonfull        w_nonbusy  r_min
===================================  =  ===============  =========  =========
any                                  n  (n − 1) rem_max  w_nonfull  b_min/n
heterogeneous M/G/k, any assignment  k  (k − 1) rem_max  w_nonfull  min v
same, preemptive fastest first       k  (k − 1) rem_max  w_nonfull  1/k
limited processor sharing            k  (k − 1) rem_max  0          1/k
threshold parallelism, FCFS          k  (k − 1) rem_max  w_nonfull  1/k
ServerFilling, exponential setting   k  (k − 1) rem_max  w_nonfull  1/k
ServerFilling, divisible setting     c  (c − 1) rem_max  w_nonfull  1/Σ_v k/v
===================================  =  ===============  =========  =========

with c = Σ_v (k/v − 1) + 1. In the exponential setting the needs divide k and each other, in the
divisible setting they divide k. (Section 4.4 prints v_k for min v, though Section 4.2 orders the
speeds upwards. The brackets that Appendix B.2 prints in c enclose the summand.)

Threshold parallelism and ServerFilling also have *refined* constants: Sections 6.4 and 7.4 say that
the bounds can be improved if classes are told apart. Let rem_c be the largest expected remaining
size of class c. A front that is not full holds jobs whose thresholds (needs) sum to at most k − 1,
so that

    w_nonfull ≤ max { Σ_c u_c rem_c : Σ_c u_c v_c ≤ k − 1 },

or, if needs only divide k, fewer than k/v jobs of each need v, w_nonfull ≤ Σ_v (k/v − 1) rem_v. A
full front has at most ⌈k/min v⌉ jobs: r_min ≥ 1/⌈k/min v⌉.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from multiserver.checks import SUM_TOLERANCE, require_divisors, require_integer
from multiserver.sizes import Size
from multiserver.wcfs.bounds import Constants

# Servers that are filled one by one to find the most work of a front that is not full.
MOST_ROOM = 100_000


def generic(front_size: int, size: Size, least_service: float) -> Constants:
    """Any model with at most n = `front_size` jobs at the front that serves them at a total rate of
    `least_service` = b_min in (0, 1] or more while there are any (Sections 2.2 and 3)."""
    work = (require_integer("front_size", front_size) - 1) * _remaining(size)
    return Constants(size.mean, size.second_moment, work, work, least_service / front_size)


def heterogeneous(speeds: Sequence[float], size: Size, *, fastest_first: bool) -> Constants:
    """Servers of speeds v (k,) that sum to 1, FCFS (Section 4.4).

    `fastest_first` if jobs move to faster servers as these become free (r_min = 1/k); otherwise
    for any assignment that leaves no job waiting beside an idle server (r_min = min v).
    """
    k = len(speeds)
    if k == 0 or not min(speeds) > 0 or abs(math.fsum(speeds) - 1) > SUM_TOLERANCE:
        raise ValueError(f"speeds must be positive and sum to 1, found {tuple(speeds)!r}")
    work = (k - 1) * _remaining(size)
    ratio = 1 / k if fastest_first else min(speeds)
    return Constants(size.mean, size.second_moment, work, work, ratio)


def limited_processor_sharing(limit: int, size: Size) -> Constants:
    """The k = `limit` oldest jobs share the server equally (Section 5.4)."""
    work = (require_integer("limit", limit) - 1) * _remaining(size)
    return Constants(size.mean, size.second_moment, work, 0.0, 1 / limit)


def zhang_zwart(limit: int, size: Size, arrival_rate: float) -> float:
    """E[T] ≈ (E[S] (1 − ρ^k) + E[S²]/(2 E[S]) ρ^k)/(1 − ρ): limited processor sharing.

    Zhang and Zwart's approximation (`finite-skip`, Section 5.3.1), k = `limit`; exact for k = 1
    and in the limit k → ∞. Raises `ValueError` unless 0 < ρ < 1 and E[S²] < ∞.
    """
    load = arrival_rate * size.mean
    if not 0 < load < 1 or not size.second_moment < math.inf:
        raise ValueError(f"needs 0 < ρ < 1 and a finite E[S²], found ρ = {load!r} and {size!r}")
    full = load ** require_integer("limit", limit)
    residual = size.second_moment / (2 * size.mean)
    return (size.mean * (1 - full) + residual * full) / (1 - load)


def threshold_parallelism(
    servers: int,
    thresholds: Sequence[int],
    sizes: Sequence[Size],
    probabilities: Sequence[float],
    *,
    refined: bool = False,
) -> Constants:
    """k = `servers` servers under FCFS; a job of class c can use up to v_c of them (Section 6.4).

    `sizes` are system sizes: alone on one server, a job of size s takes time k s. Printed
    constants, or the refined ones of this module.
    """
    k = _classes(servers, thresholds, sizes, probabilities)
    remaining = [_remaining(size) for size in sizes]
    moments = _moments(sizes, probabilities)
    if not refined:
        work = (k - 1) * max(remaining)
        return Constants(*moments, work, work, 1 / k)
    work = _heaviest(k - 1, thresholds, remaining)
    return Constants(*moments, work, work, 1 / math.ceil(k / min(thresholds)))


def server_filling(
    servers: int,
    needs: Sequence[int],
    durations: Sequence[Size],
    probabilities: Sequence[float],
    *,
    refined: bool = False,
) -> Constants:
    """Multiserver jobs under ServerFilling in the exponential setting (Section 7.4).

    A job of class c holds v_c of k = `servers` servers for a time X drawn from `durations[c]`: its
    size is S = v_c X/k. Raises `ValueError` unless of any two needs one divides the other, and
    each divides k.
    """
    k = _classes(servers, needs, durations, probabilities)
    require_divisors(k, needs, each_other=True)
    moments, remaining = _job_sizes(k, needs, durations, probabilities)
    if not refined:
        work = (k - 1) * max(remaining)
        return Constants(*moments, work, work, 1 / k)
    work = _heaviest(k - 1, needs, remaining)
    return Constants(*moments, work, work, min(needs) / k)


def divisible_server_filling(
    servers: int,
    needs: Sequence[int],
    durations: Sequence[Size],
    probabilities: Sequence[float],
    *,
    refined: bool = False,
) -> Constants:
    """Multiserver jobs under ServerFilling in the divisible setting (Appendix B.2).

    As `server_filling`, but needs only have to divide k: raises `ValueError` unless they do.
    """
    k = _classes(servers, needs, durations, probabilities)
    c = divisible_front_size(k, needs)
    moments, remaining = _job_sizes(k, needs, durations, probabilities)
    ratio = 1 / sum(k // v for v in set(needs))
    if not refined:
        work = (c - 1) * max(remaining)
        return Constants(*moments, work, work, ratio)
    rem = {v: max(r for u, r in zip(needs, remaining, strict=True) if u == v) for v in set(needs)}
    work = math.fsum((k // v - 1) * rem[v] for v in rem)
    return Constants(*moments, work, work, ratio)


def divisible_front_size(servers: int, needs: Sequence[int]) -> int:
    """c(k, supp V) = Σ_v (k/v − 1) + 1 over the distinct needs v (Appendix B.2).

    With c jobs present, some need v has k/v of them; c is at most σ(k), the sum of the divisors
    of k. Raises `ValueError` unless every need divides k = `servers`.
    """
    require_divisors(servers, needs)
    return sum(servers // v - 1 for v in set(needs)) + 1


def _heaviest(room: int, weights: Sequence[int], values: Sequence[float]) -> float:
    """max Σ_c u_c values_c over u with Σ_c u_c weights_c ≤ room, by dynamic programming.

    Of w jobs other than those of weight w that are worth most for their weight, some weigh a
    multiple of w together, and as many of the latter are worth as much: fewer than w are needed,
    and with many servers all room beyond theirs is filled at once. If even that leaves more than
    `MOST_ROOM`, the value of room filled without a gap is returned, which is no less. Room is
    counted in units of the greatest common divisor of the weights, of which all fill a multiple.
    """
    unit = math.gcd(*weights)
    room, weights = room // unit, [w // unit for w in weights]
    if room > MOST_ROOM:
        pairs = zip(weights, values, strict=True)
        best_weight, value = max(pairs, key=lambda pair: (pair[1] / pair[0], -pair[0]))
        filled = max(room - (best_weight - 1) * max(weights), 0) // best_weight
        left = room - filled * best_weight
        if left > MOST_ROOM:
            return room * (value / best_weight)
        return filled * value + _heaviest(left, weights, values)
    best = [0.0] * (room + 1)
    for used in range(1, room + 1):
        packed = (best[used - w] + x for w, x in zip(weights, values, strict=True) if w <= used)
        best[used] = max(packed, default=0.0)
    return best[room]


def _moments(sizes: Sequence[Size], probabilities: Sequence[float]) -> tuple[float, float]:
    """E[S] and E[S²] over classes."""
    mean = math.fsum(p * s.mean for s, p in zip(sizes, probabilities, strict=True))
    second = math.fsum(p * s.second_moment for s, p in zip(sizes, probabilities, strict=True))
    return mean, second


def _job_sizes(
    k: int, needs: Sequence[int], durations: Sequence[Size], probabilities: Sequence[float]
) -> tuple[tuple[float, float], list[float]]:
    """(E[S], E[S²]) and rem_c, class by class, of S = V X/k."""
    classes = list(zip(needs, durations, probabilities, strict=True))
    mean = math.fsum(p * v / k * X.mean for v, X, p in classes)
    second = math.fsum(p * (v / k) ** 2 * X.second_moment for v, X, p in classes)
    return (mean, second), [v / k * _remaining(X) for v, X, _ in classes]


def _remaining(size: Size) -> float:
    if not size.largest_remaining < math.inf:
        raise ValueError(f"rem_max must be finite, found infinity for {size!r}")
    return size.largest_remaining


def _classes(
    servers: int, needs: Sequence[int], sizes: Sequence[Size], probabilities: Sequence[float]
) -> int:
    k = require_integer("servers", servers)
    if not len(needs) == len(sizes) == len(probabilities) > 0:
        counts = f"{len(needs)}, {len(sizes)} and {len(probabilities)}"
        raise ValueError(f"servers, sizes and probabilities must be equally many, found {counts}")
    for v in needs:
        if require_integer("servers of a class", v) > k:
            raise ValueError(f"a class can hold at most the {k} servers, found {v}")
    if min(probabilities) <= 0 or abs(math.fsum(probabilities) - 1) > SUM_TOLERANCE:
        raise ValueError(f"probabilities must be positive and sum to 1, found {probabilities!r}")
    return k
