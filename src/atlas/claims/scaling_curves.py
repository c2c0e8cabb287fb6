"""Section 10 of `multilevel-scaling`: curves over the mix, with a fraction n^−α of large jobs.

The `sizes` of the jobs name the system: `n` has server needs 1 and n, `half` 1 and n/2, and `three`
1, n/2 and n, where the two large needs share n^−α equally; `rates` are μ_1 and the rate of all
large jobs. The boundary of stability at each α is the share of capacity f = λ E[S]/n at λ = μ, the
utilisation of the saturated system; the *worst mix* is the α at which it is lowest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from atlas.claims import Found, by
from atlas.claims.scaling import by_enumeration, share_of_load
from atlas.claims.scaling_system import UNIT, OneOrN, Rates
from atlas.models.mixes import build_mix
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch, stationary, two_class
from multiserver.saturated.chain import enumerate_chain
from multiserver.saturated.peak import find_highest

ROUTE = "closed form"
CONFIRMED = "the enumerated chain (tests/theory/test_one_half_all_one_rate.py)"

GRID = np.linspace(0.0, 4.0, 201)

MeanName = Literal["throughput", "relative-completions", "response-time", "utilisation"]
Sizes = Literal["n", "half", "three"]


def mix(servers: int, sizes: Sizes, rates: Rates, alpha: float) -> MultiserverJobSystem:
    """The system at one α."""
    shares = {"n": (0, 1), "half": (1, 0), "three": (0.5, 0.5)}[sizes]
    pace = {"rates": (rates[0], rates[1], rates[1]), "rate_1_exponent": 0}
    return build_mix({"servers": servers, "shares": shares, **pace}, alpha)


def direction_changes(values: NDArray[np.float64] | list[float]) -> int:
    """The number of turning points of a curve; differences of the order of rounding are ignored."""
    values = np.asarray(values)
    steps = np.diff(values)
    steps = steps[np.abs(steps) > 1e-12 * np.abs(values).max()]
    return int(np.count_nonzero(np.diff(steps > 0)))


def largest_fall(*, servers: int, sizes: Sizes = "n", rates: Rates = UNIT) -> Found:
    """The largest relative fall of the throughput as α rises from 0 to 4."""
    values = np.array([_mean(servers, sizes, rates, "throughput")(alpha) for alpha in GRID])
    falls = 1 - values / np.maximum.accumulate(values)
    return Found(float(falls.max()), f"α = {GRID[falls.argmax()]:.2f}")


def turns(*, mean: MeanName, servers: int, rates: Rates = UNIT) -> int:
    """The number of turning points of `throughput`, `relative-completions`, `response-time` or the
    boundary, `utilisation`, as α rises from 0 to 4: one for a bell curve."""
    value = _mean(servers, "n", rates, mean)
    return direction_changes([value(alpha) for alpha in GRID])


def peaks(
    *, numbers: list[int], mean: MeanName = "relative-completions", rates: list[Rates] | None = None
) -> list[float]:
    """The α at which `mean` is largest, for needs 1 and n and each n of `numbers`."""
    pairs = zip(numbers, rates or [UNIT] * len(numbers), strict=True)
    return [find_highest(_mean(n, "n", pair, mean), GRID) for n, pair in pairs]


def inflections(
    *, numbers: list[int], sizes: Sizes = "n", rates: list[Rates] | None = None
) -> list[float]:
    """The α at which the throughput rises fastest, for each n of `numbers`."""
    pairs = zip(numbers, rates or [UNIT] * len(numbers), strict=True)
    return [_inflection(n, sizes, pair) for n, pair in pairs]


def peak_off_inflection(*, servers: int, rates: Rates = UNIT) -> float:
    """The distance on the α axis between the peak of E[Δ(Y_d)] and the inflection of the
    throughput."""
    return abs(
        peaks(numbers=[servers], rates=[rates])[0]
        - inflections(numbers=[servers], rates=[rates])[0]
    )


def share_of_load_at(*, servers: int, place: Literal["peak", "inflection"]) -> float:
    """The one-server jobs' share of the load at the peak of E[Δ(Y_d)] or at the inflection of the
    throughput: `place` is `peak` or `inflection`; needs 1 and n, rates 1."""
    find = {"peak": peaks, "inflection": inflections}[place]
    return share_of_load(servers=servers, exponent=find(numbers=[servers])[0])


def balanced_share_of_load_exponent(*, servers: int, rates: Rates) -> float:
    """The α at which each size of jobs is half of the load, by bisection on the loads."""
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        share = share_of_load(servers=servers, exponent=middle, rates=rates)
        low, high = (middle, high) if share < 0.5 else (low, middle)
    return low


def relative_completions_over_balanced(
    *, servers: int, mixes: list[dict[str, float]]
) -> list[float]:
    """E[Δ(Y_d)] at p_n = c n^−α ln^β n, over the same at p_n = 1/n, for each of `mixes`."""

    def value(**mix: float) -> float:
        return OneOrN.of(servers, **mix).means.relative_completions

    return [value(**mix) / value(exponent=1.0) for mix in mixes]


def peak_over_theorem(*, servers: int) -> float:
    """The largest E[Δ(Y_d)] over α, over n/2, the leading order at p_n = 1/n."""
    value = _mean(servers, "n", UNIT, "relative-completions")
    return value(peaks(numbers=[servers])[0]) / (servers / 2)


def share_of_one(*, servers: int, exponents: list[float]) -> list[float]:
    """1/(E[Δ(Y_d)] + 1) at p_n = n^−α, the share of the second term in the limit of Eq. (2), for
    each α of `exponents`; needs 1 and n, rates 1."""
    value = _mean(servers, "n", UNIT, "relative-completions")
    return [1 / (value(alpha) + 1) for alpha in exponents]


def worst_share(*, servers: int, sizes: Sizes = "n", rates: Rates = UNIT) -> Found:
    """The share of capacity at the boundary of stability of the worst mix."""
    value = _mean(servers, sizes, rates, "utilisation")
    worst = find_highest(lambda alpha: -value(alpha), GRID)
    return Found(value(worst), f"α = {worst:.3g}")


def boundary_at(*, servers: int, sizes: Sizes, exponent: float, rates: Rates = UNIT) -> float:
    """The share of capacity at the boundary of stability at one α."""
    return _mean(servers, sizes, rates, "utilisation")(exponent)


@by(
    route="sum of the printed probabilities",
    confirmed="numbers worked out by hand (tests/claims/test_scaling_curves.py)",
)
def total_probability(*, servers: int, exponents: list[float], power: float = 1.0) -> float:
    """The smallest p_5 + p_10 = n^(k α) over `exponents` α, if each is n^(k α)/2, k = `power`."""
    return min(servers ** (power * alpha) for alpha in exponents)


def asymmetry(*, servers: int, rates: Rates, centre: float) -> float:
    """The largest difference of E[Δ(Y_d)] at `centre` ± x, 0 ≤ x ≤ `centre`, over its peak."""
    value = _mean(servers, "n", rates, "relative-completions")
    x = np.linspace(0.0, centre, 101)
    left, right = (np.array([value(alpha) for alpha in centre + sign * x]) for sign in (-1, 1))
    return float(np.abs(left - right).max() / max(left.max(), right.max()))


def relative_completions_per_server(*, servers: int, exponent: float) -> float:
    """E[Δ(Y_d)]/n at one α."""
    return _mean(servers, "n", UNIT, "relative-completions")(exponent) / servers


@by_enumeration
def most_idle(*, servers: int, sizes: Sizes) -> int:
    """The most servers idle in any saturated state."""
    return int(enumerate_chain(mix(servers, sizes, UNIT, 1.0)).idle.max())


def closed_form_gap(*, servers: int, sizes: Sizes, exponent: float) -> float:
    """The relative gap between the closed form of the throughput at one α and the enumerated
    chain."""
    chain = stationary.solve(mix(servers, sizes, UNIT, exponent))
    return _mean(servers, sizes, UNIT, "throughput")(exponent) / chain.throughput - 1


def completions_gap(*, sizes: Sizes, cases: Sequence[Mapping[str, float]]) -> Found:
    """The largest relative gap between E[Δ(Y_d)] by a recursion with O(n) terms and by the
    enumerated chain, over `cases` of `servers`, `exponent` and rates of the `small` and the `large`
    jobs."""
    found = []
    for case in cases:
        system = mix(case["servers"], sizes, (case["small"], case["large"]), case["exponent"])
        chain = stationary.solve(system).mean_relative_completions
        gap = abs(dispatch.solve(system).relative_completions / chain - 1)
        found.append(Found(gap, f"n = {case['servers']}"))
    return max(found, key=lambda gap: gap.value)


def product_form_gap(*, servers: int, exponent: float) -> float:
    """The relative gap between the closed form of the throughput at needs 1 and n/2 and the product
    form of two classes."""
    product = two_class.distribution(mix(servers, "half", UNIT, exponent)).throughput
    return _mean(servers, "half", UNIT, "throughput")(exponent) / product - 1


def _inflection(servers: int, sizes: Sizes, rates: Rates) -> float:
    value, step = _mean(servers, sizes, rates, "throughput"), 1e-3
    return find_highest(lambda alpha: value(alpha + step) - value(alpha - step), GRID[1:])


def _mean(servers: int, sizes: Sizes, rates: Rates, mean: MeanName) -> Callable[[float], float]:
    """A mean of the saturated system against α. `response-time` is lim E[T](1 − ρ), which is
    (E[Δ(Y_d)] + 1)/μ by Little's law and Eq. (2)."""

    def value(alpha: float) -> float:
        relative = mean in ("relative-completions", "response-time")
        means = dispatch.solve(mix(servers, sizes, rates, alpha), relative)
        if mean == "response-time":
            return float(means.relative_completions + 1) / means.throughput
        return float(getattr(means, mean.replace("-", "_")))

    return value
