"""Comparison of results with the reference: definitions, bias and coverage.

There are three tests, each of which a correct simulator fails with probability `ALARM`:

- *definitions*: does every value lie within reach of the reference value? Its distance in standard
  errors must be at most the value that one of m normal variables exceeds in absolute value with
  probability `ALARM`. If some values of a policy and quantity are farther away, the report names
  the definitions that all of them fit.
- *bias*: values are assumed to be (1 + b) times the reference; b is where the weighted sum of their
  distances from that is 0, and is tested against 0. If no numbers of replications are given, this
  is weighted least squares.
- *coverage*: the number of 95 % intervals that contain the reference value is tested for being too
  small, by the binomial distribution.

Values of one system come from the same runs. For bias and coverage one value per system counts:
E[T] of all jobs, or otherwise the first given. A half-width is taken as 1.96 standard errors or, if
the number of replications is given, as the multiple of Student's distribution. Without that number
a few replications are judged by a normal distribution, beyond which they lie too often: alarms are
then more likely than `ALARM`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from scipy.optimize import brentq
from scipy.special import ndtri, stdtr
from scipy.stats import binom, norm, t

from referee.definitions import Definition, name_of, other_definitions
from referee.read import Reference, Result

ALARM = 1e-3
CONFIDENCE = 0.95
NORMAL = float(norm.isf((1 - CONFIDENCE) / 2))
# A distance so far out in a normal distribution that its probability underflows.
FAR = 37.0
# Without an interval there is no test; a value fits if its relative difference is at most this.
NEAR = 0.01
MAIN = ("mean_response_time", "all", None)
AS_DEFINED = "as defined"


@dataclass(frozen=True)
class Group:
    """The values of one policy and quantity: the number that fit as defined, and the other
    definitions that all of them fit."""

    policy: str
    quantity: str
    results: tuple[Result, ...]
    fitting: int
    alternatives: tuple[str, ...]

    @property
    def as_defined(self) -> bool:
        return self.fitting == len(self.results)


@dataclass(frozen=True)
class Bias:
    """The common relative error b, its standard error and p-value, the mean error in units of the
    half-widths, and the number of systems."""

    relative: float
    standard_error: float
    p: float
    in_half_widths: float
    systems: int
    explains: bool


@dataclass(frozen=True)
class Coverage:
    """The number of intervals that contain the reference value, the number of intervals, and the
    probabilities of at most and at least that many if each does so with probability 95 %."""

    inside: int
    of: int
    p_few: float
    p_many: float


@dataclass(frozen=True)
class Assessment:
    """The whole assessment; `bias` and `coverage` are None if there are no intervals."""

    results: tuple[Result, ...]
    groups: tuple[Group, ...]
    bias: Bias | None
    coverage: Coverage | None
    reach: float

    @property
    def swapped(self) -> tuple[Group, ...]:
        """The groups that fit another definition."""
        return tuple(g for g in self.groups if not g.as_defined and g.alternatives)

    @property
    def unexplained(self) -> tuple[Group, ...]:
        """The groups that fit no definition."""
        return tuple(g for g in self.groups if not g.as_defined and not g.alternatives)

    @property
    def biased(self) -> bool:
        return self.bias is not None and self.bias.p < ALARM

    @property
    def narrow(self) -> bool:
        return self.coverage is not None and self.coverage.p_few < ALARM

    @property
    def alarm(self) -> bool:
        """Whether any test fails."""
        return bool(self.swapped or self.unexplained or self.biased or self.narrow)

    @property
    def tested(self) -> bool:
        """Whether there are intervals; without them values can only be compared."""
        return any(result.half_width is not None for result in self.results)

    @property
    def sound(self) -> bool:
        """Whether there were tests and none raised an alarm."""
        return self.tested and not self.alarm


def assess(results: Sequence[Result], reference: Reference) -> Assessment:
    """The assessment of the results."""

    def names(result: Result) -> tuple[str, str]:
        return name_of(reference.systems[result.system]), result.key[0]

    reach = float(norm.isf(ALARM / (2 * max(1, sum(r.half_width is not None for r in results)))))
    ordered = sorted(results, key=lambda r: (*names(r), r.line))
    groups = tuple(
        _group(policy, quantity, tuple(part), reference, reach)
        for (policy, quantity), part in groupby(ordered, names)
    )
    others = {r.line for g in groups if not g.as_defined and g.alternatives for r in g.results}
    tested = [r for r in representatives(results) if r.line not in others]
    off = [r for g in groups if not g.as_defined and not g.alternatives for r in g.results]
    return Assessment(tuple(results), groups, measure(tested, off, reach), cover(tested), reach)


def representatives(results: Iterable[Result]) -> list[Result]:
    """One result with an interval for each system: E[T] of all jobs, or the first."""
    found: dict[str, Result] = {}
    for result in results:
        first = result.system not in found or result.key == MAIN
        if result.half_width is not None and first:
            found[result.system] = result
    return list(found.values())


def error_of(result: Result) -> float:
    """The combined standard error of a result and its reference value."""
    quantile = NORMAL
    if result.replications is not None:
        quantile = float(t.isf((1 - CONFIDENCE) / 2, result.replications - 1))
    return math.hypot(result.half_width / quantile, result.reference_half_width / NORMAL)


def distance(result: Result, definition: Definition) -> float:
    """The distance of a result from a value, on the scale of a standard normal variable; without
    an interval, in units of `NEAR`."""
    off = abs(result.value - definition.value)
    if result.half_width is None:
        spread = max(NEAR * abs(definition.value), definition.half_width)
        return off / spread if spread else (0.0 if not off else math.inf)
    own = error_of(result)
    return as_normal(off / math.hypot(own, definition.half_width / NORMAL), result.replications)


def as_normal(errors: float, replications: int | None) -> float:
    """A positive distance in standard errors on the scale of a standard normal variable: with the
    same tail probability as under Student's distribution, which it has if the number of
    replications is known."""
    if replications is None:
        return errors
    return min(-float(ndtri(stdtr(replications - 1, -errors))), FAR)


def fits(result: Result, definition: Definition, reach: float) -> bool:
    """Whether a result is compatible with this definition."""
    return distance(result, definition) <= (1.0 if result.half_width is None else reach)


def _group(
    policy: str, quantity: str, results: tuple[Result, ...], reference: Reference, reach: float
) -> Group:
    """The group, with the definitions that exist for all results that do not fit as defined, and
    that fit all results for which they exist."""
    defined = [Definition(AS_DEFINED, r.reference) for r in results]
    fit = [fits(r, d, reach) for r, d in zip(results, defined, strict=True)]
    if all(fit):
        return Group(policy, quantity, results, len(results), ())
    total: dict[str, float] = {}
    wrong: set[str] = set()
    having: dict[str, set[int]] = {}
    for i, result in enumerate(results):
        for other in other_definitions(result, reference):
            far = distance(result, other)
            having.setdefault(other.name, set()).add(i)
            total[other.name] = total.get(other.name, 0.0) + far**2
            if not fits(result, other, reach):
                wrong.add(other.name)
    misfits = {i for i, ok in enumerate(fit) if not ok}
    alternatives = [name for name, rows in having.items() if misfits <= rows and name not in wrong]
    alternatives.sort(key=lambda name: (-len(having[name]), total[name]))
    return Group(policy, quantity, results, sum(fit), tuple(alternatives))


def measure(results: Sequence[Result], off: Sequence[Result], reach: float) -> Bias | None:
    """The common relative error; None without results. It explains them if they and the values
    `off`, which fit no definition, are within reach of the reference once it is scaled.

    The weight of a distance is the reciprocal of its standard error. From ν + 1 replications this
    is estimated by s, and by √((ν s² + e²)/(ν + 1)) if the error is e: that is independent of e/s
    (D. Basu, Sankhya 15, 1955), so that chance cannot give great weight to great distances.
    """
    usable = [r for r in results if r.reference]
    if not usable:
        return None
    errors = [r.value / r.reference - 1 for r in usable]
    own = [error_of(r) / abs(r.reference) for r in usable]

    def distance_at(relative: float) -> float:
        """The weighted sum, which is standard normal if this is the common relative error."""
        total, squares = [], []
        for r, e, s in zip(usable, (e - relative for e in errors), own, strict=True):
            runs = r.replications
            weight = 1 / (s if runs is None else math.hypot(math.sqrt(runs - 1) * s, e) / runs**0.5)
            total.append(weight * math.copysign(as_normal(abs(e) / s, runs), e))
            squares.append(weight)
        return math.fsum(total) / math.hypot(*squares)

    # Beyond these the distance of every value is more than `NORMAL`, in spite of rounding.
    spread = max(float(t.isf((1 - CONFIDENCE) / 2, (r.replications or 2) - 1)) for r in usable)
    spread = max(1.001 * spread * max(own), 1e-12 * max(map(abs, errors)))
    ends = min(errors) - spread, max(errors) + spread
    low, relative, high = (
        float(
            brentq(lambda b, at=at: distance_at(b) - at, *ends, xtol=1e-9 * min(own), maxiter=999)
        )
        for at in (NORMAL, 0.0, -NORMAL)
    )
    scaled = (
        (r, Definition("", r.reference * (1 + relative), r.reference_half_width))
        for r in (*usable, *off)
    )
    return Bias(
        relative,
        # By the end of the interval towards 0, which is beyond it only if p is small.
        (relative - low if relative > 0 else high - relative) / NORMAL,
        2 * float(norm.sf(abs(distance_at(0.0)))),
        math.fsum((r.value - r.reference) / r.half_width for r in usable) / len(usable),
        len(usable),
        all(fits(r, definition, reach) for r, definition in scaled),
    )


def cover(results: Sequence[Result]) -> Coverage | None:
    """The number of intervals that contain the reference value; None without results."""
    if not results:
        return None
    widths = (math.hypot(r.half_width, r.reference_half_width) for r in results)
    inside = sum(abs(r.value - r.reference) <= h for r, h in zip(results, widths, strict=True))
    count = len(results)
    few = float(binom.cdf(inside, count, CONFIDENCE))
    return Coverage(inside, count, few, float(binom.sf(inside - 1, count, CONFIDENCE)))


def verdict(assessment: Assessment) -> str:
    """The verdict in a few words."""
    if not assessment.tested and not assessment.alarm:
        return "near the reference; no intervals, nothing tested"
    parts = []
    if assessment.swapped:
        names = dict.fromkeys(group.alternatives[0] for group in assessment.swapped)
        parts.append("another definition: " + "; ".join(names))
    if assessment.biased:
        parts.append(f"biased by {assessment.bias.relative:+.2%}")
    if assessment.narrow:
        parts.append(
            f"{assessment.coverage.inside} of {assessment.coverage.of} intervals hold the value"
        )
    if assessment.unexplained and not (assessment.biased and assessment.bias.explains):
        parts.append("no definition of the reference fits all values")
    return "; ".join(parts) or "agrees with the reference"


def counts(assessment: Assessment) -> Mapping[str, int]:
    """The numbers of systems, of values and of values that fit as defined."""
    systems = len({r.system for r in assessment.results})
    fitting = sum(group.fitting for group in assessment.groups)
    return {"systems": systems, "values": len(assessment.results), "fitting": fitting}
