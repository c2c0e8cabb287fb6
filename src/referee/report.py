"""The referee's report as text, LaTeX and a badge, to be published with the results."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from html import escape as escape_xml

from atlas.io.latex import escape
from atlas.io.mathematics import formulate
from atlas.io.tabulars import table
from referee.assess import (
    ALARM,
    AS_DEFINED,
    Assessment,
    Definition,
    counts,
    distance,
    fits,
    representatives,
    verdict,
)
from referee.read import Json, Result, named

# Colours of badges, dark enough for white letters.
SOUND, UNSOUND, UNTESTED = "#2f6f3e", "#a03328", "#5c5c66"
# Of the values that fit no definition, so many are listed.
LISTED = 20
LABEL = "multiserver reference"


def tell(name: str, assessment: Assessment, index: Json) -> str:
    """The report as plain text."""
    lines = [
        f"{name}: {verdict(assessment)}",
        "",
        f"{summary(assessment)}, against {index['cite']}",
        f"(version {index['version']}, fingerprint {index['fingerprint']})",
        "",
        *_bias(assessment),
        *_coverage(assessment),
        "",
        "Definitions, by policy and quantity (values that fit as defined, of all):",
        *(f"  {line}" for line in _definitions(assessment)),
        *_far_off(assessment),
        *_systems(assessment),
        "",
        "A simulator without fault, run independently on each system, fails each of the three tests"
        f" with probability {ALARM:g} at most,",
        f"and one of them with {3 * ALARM:g} at most. Intervals are taken to be of 95 %; a bias or"
        " coverage counts one value a system.",
    ]
    return "\n".join(lines) + "\n"


def summary(assessment: Assessment) -> str:
    """The numbers of values and systems compared, and of values within reach of the reference."""
    count = counts(assessment)
    return (
        f"{_many(count['values'], 'value')} of {_many(count['systems'], 'system')},"
        f" {count['fitting']} within reach of the reference"
    )


def _bias(assessment: Assessment) -> Iterator[str]:
    if (bias := assessment.bias) is None:
        yield f"bias         not tested: {_why_not(assessment)}"
        return
    yield (
        f"bias         {bias.relative:+.3%} ± {1.96 * bias.standard_error:.3%}"
        f" over {_many(bias.systems, 'system')} (p = {bias.p:.2g});"
        f" {bias.in_half_widths:+.2f} half-widths on average"
    )
    if assessment.biased:
        rest = "explains" if bias.explains else "does not explain"
        yield f"             a common factor of {1 + bias.relative:.5g} {rest} all of them"


def _why_not(assessment: Assessment) -> str:
    """Why there is nothing to test for bias or coverage."""
    if not assessment.tested:
        return "no value has a half_width"
    if assessment.swapped:
        return "the values that would count are of another definition"
    return "the reference value is 0"


def _coverage(assessment: Assessment) -> Iterator[str]:
    if (coverage := assessment.coverage) is None:
        yield f"coverage     not tested: {_why_not(assessment)}"
        return
    yield (
        f"coverage     {coverage.inside} of {coverage.of} intervals hold the reference value;"
        f" as few by chance with probability {coverage.p_few:.2g}"
    )
    if coverage.p_many < ALARM:
        yield f"             as many with {coverage.p_many:.2g}: wider than they need be"


def _definitions(assessment: Assessment) -> Iterator[str]:
    for group in assessment.groups:
        head = f"{group.policy}, {group.quantity}: {group.fitting} of {len(group.results)}"
        if group.as_defined:
            yield head
        elif group.alternatives:
            yield f"{head}; all fit: {' or '.join(group.alternatives)}"
        else:
            yield f"{head}; no other definition of the reference fits all"


def _far_off(assessment: Assessment) -> Iterator[str]:
    """The values out of reach that no definition explains, the relatively farthest first."""
    off = [
        r
        for group in assessment.unexplained
        for r in group.results
        if not fits(r, Definition(AS_DEFINED, r.reference), assessment.reach)
    ]
    if not off:
        return
    off.sort(key=lambda r: (-abs(_relative(r)), r.line))
    yield ""
    yield "Values that fit no definition, the relatively farthest first:"
    for r in off[:LISTED]:
        yield (
            f"  {r.system}, {named(r.key)}: {r.value:.6g}, reference {r.reference:.9g}"
            f" ({_relative(r):+.2%})"
        )
    if len(off) > LISTED:
        yield f"  and {len(off) - LISTED} more"


def _relative(result: Result) -> float:
    """The relative error of a result; infinite if the reference value is 0."""
    if not result.reference:
        return math.copysign(math.inf, result.value)
    return (result.value - result.reference) / abs(result.reference)


def _systems(assessment: Assessment) -> Iterator[str]:
    shown = representatives(assessment.results)
    if not shown:
        return
    wide = max(len(r.system) for r in shown)
    yield ""
    yield f"{'system':{wide}}  {'value':>11}  {'half-width':>10}  {'reference':>14}  {'errors':>7}"
    for r in shown:
        yield (
            f"{r.system:{wide}}  {r.value:11.6g}  {r.half_width:10.2g}  {r.reference:14.9g}"
            f"  {_signed(r):+7.2f}"
        )
    yield "(errors: signed, in standard errors; E[T] of all jobs, or the first value of a system)"


def _signed(result: Result) -> float:
    sign = 1 if result.value >= result.reference else -1
    return sign * min(distance(result, Definition("", result.reference)), 99.99)


def _named(file: str) -> str:
    """The name of a file as LaTeX, or a general term if LaTeX lacks its letters."""
    try:
        return escape(file)
    except ValueError:
        return "The results"


def _judged(assessment: Assessment) -> str:
    """The verdict as LaTeX, with the signs of mathematics."""
    signed = re.sub(r"(?<= )-(?=[0-9])", "−", verdict(assessment))
    return escape(signed).replace(r"\%", r"\,\%")


def typeset(name: str, assessment: Assessment, index: Json) -> str:
    """The report as a LaTeX table; it cites `reference/reference.bib`."""
    rows = [
        [
            escape(r.system),
            formulate(f"{r.value:.6g}"),
            formulate(f"{r.half_width:.2g}"),
            formulate(f"{r.reference:.9g}"),
            f"${_signed(r):+.2f}$",
        ]
        for r in representatives(assessment.results)
    ]
    sentences = [
        f"{_named(name)} against \\cite{{{index['cite']}}}: {_judged(assessment)}.",
        f"{escape(summary(assessment))}.",
    ]
    if assessment.bias is not None:
        bias = assessment.bias
        sentences.append(
            rf"Bias ${100 * bias.relative:+.3f}\pm{196 * bias.standard_error:.3f}\,\%$,"
            f" ${bias.in_half_widths:+.2f}$ half-widths on average."
        )
    if assessment.coverage is not None:
        cover = assessment.coverage
        sentences.append(
            f"{cover.inside} of {cover.of} intervals of 95\\,\\% hold the reference value"
            f" (as few by chance: {cover.p_few:.2g})."
        )
    headings = ["System", "Value", r"$\pm$", "Reference", "Errors"]
    caption = rf"\caption{{{' '.join(sentences)}}}"
    return table(headings, rows, caption=caption)


def draw_badge(assessment: Assessment) -> str:
    """A badge as SVG: the number of systems and the verdict."""
    count = counts(assessment)
    systems = _many(count["systems"], "system")
    if assessment.sound:
        text, colour = f"{systems} agree{'s' * (count['systems'] == 1)}", SOUND
    elif not assessment.alarm:
        text, colour = f"{systems}, no intervals", UNTESTED
    else:
        text, colour = f"{count['fitting']} of {count['values']} values agree", UNSOUND
    left, right = _width(LABEL), _width(text)
    title = escape_xml(f"{LABEL}: {text} ({verdict(assessment)})")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20"'
            f' role="img" aria-label="{title}">',
            f"<title>{title}</title>",
            f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath>',
            f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#33333d"/>',
            f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>',
            '<g fill="#fff" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11"'
            ' text-anchor="middle">',
            f'<text x="{left / 2:g}" y="14" textLength="{left - 12}">{LABEL}</text>',
            f'<text x="{left + right / 2:g}" y="14" textLength="{right - 12}">'
            f"{escape_xml(text)}</text></g>",
            "</svg>",
            "",
        ]
    )


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"


def _width(text: str) -> int:
    """The estimated width of 11-pixel text; `textLength` corrects it."""
    return 12 + round(6 * len(text))
