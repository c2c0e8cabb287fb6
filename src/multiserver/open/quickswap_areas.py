"""Times and areas of a cycle of Quickswap, given k small jobs and e large ones.

Symbols are those of `multiserver.open.quickswap`. All times except that of the last small jobs are
sums over levels, and from n on each level adds as much as the one before: means are linear there,
and means of squares quadratic. So values are given for k = 0, …, n, followed by their first and
second differences at n, which are found without a subtraction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiserver.open.quickswap_transforms import Rates

Vector = NDArray[np.float64]


class Areas(NamedTuple):
    """Means (n + 3,): the `length` of the rest of the cycle, the areas under `small` and `large`
    jobs in it, and, at the start of the next, m' and m'(m' − 1)/2, `next_start`."""

    length: Vector
    small: Vector
    large: Vector
    next_start: tuple[Vector, Vector]


class _Time(NamedTuple):
    """The means of a time and of its square, given k."""

    mean: Vector
    square: Vector


def areas(rates: Rates) -> tuple[Areas, Areas]:
    """The areas given no large job, and given one."""
    swap, last, served_area = _times(rates)
    up, flow, mu = rates.small_flow, rates.large_flow, rates.large
    gap = mu - flow
    busy_square = 2 * mu / gap**3 - 1 / gap**2
    time = swap.mean + last.mean
    # The last ones take as long for all k ≥ n.
    beside = swap.mean * np.append(last.mean[:-2], 2 * [last.mean[-3]])
    square = swap.square + last.square + 2 * beside
    in_service = np.minimum(np.arange(rates.servers + 1), rates.threshold)
    found = []
    for there in (0, 1):
        one = np.append(np.full(rates.servers + 1, float(there)), [0.0, 0.0])
        # Large jobs when the last small ones have left, and small jobs that wait then.
        number = one + flow * time
        squares = one + (2 * there + 1) * flow * time + flow**2 * square
        waiting = up * (there * last.mean + flow * (last.square + beside))
        begun = number / gap
        begun_square = number * busy_square + squares / gap**2
        small = served_area + np.append(in_service / rates.small, [0.0, 0.0])
        small += up * last.square / 2 + waiting / gap + up * begun_square / 2
        large = there * time + flow * square / 2
        large += squares / (2 * gap) + number * (mu + flow) / (2 * gap**2)
        pairs = up**2 / 2 * (last.square + begun_square) + up * waiting / gap
        found.append(Areas(time + begun, small, large, (up * (last.mean + begun), pairs)))
    return found[0], found[1]


def _times(rates: Rates) -> tuple[_Time, _Time, Vector]:
    """The time until at most ℓ small jobs are present, that until these have left, and the area
    under small jobs in the first."""
    n, up, serving = rates.servers, rates.small_flow, rates.serving
    mean, square, area = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    gap = serving[n] - up
    mean[n], square[n] = 1 / gap, 2 * serving[n] / gap**3
    area[n] = (n - 1) / gap + serving[n] / gap**2
    for i in range(n - 1, rates.threshold, -1):
        out, above = up + serving[i], mean[i + 1]
        mean[i] = (1 + up * above) / serving[i]
        both = 2 / out + 2 * up / out * (above + mean[i])
        square[i] = (both + up * (square[i + 1] + 2 * above * mean[i])) / serving[i]
        area[i] = (i + up * area[i + 1]) / serving[i]
    leave = np.zeros(n + 1)
    leave[1 : rates.threshold + 1] = 1 / serving[1 : rates.threshold + 1]
    swap, last = _sums(mean, square), _sums(leave, 2 * leave**2)
    beyond = mean[n], square[n] + 2 * swap.mean[n] * mean[n]
    return (
        _Time(
            np.append(swap.mean, [beyond[0], 0.0]),
            np.append(swap.square, [beyond[1], 2 * mean[n] ** 2]),
        ),
        _Time(*(np.append(one, [0.0, 0.0]) for one in last)),
        np.append(np.cumsum(area), [n / gap + serving[n] / gap**2, 1 / gap]),
    )


def _sums(means: Vector, squares: Vector) -> _Time:
    """Sums of independent times, one after another."""
    before = np.cumsum(means) - means
    return _Time(np.cumsum(means), np.cumsum(squares + 2 * before * means))
