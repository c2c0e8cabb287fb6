"""Turn the claims of a paper into the computations that judge them.

A claim is about a sentence. Its cases are the sentence as printed, `readings` of it and further
`evidence`. Each case is a quantity of `src/atlas/claims` under literal parameters, and an interval
that follows from what is stated and the word it is stated with. Cases of one module are computed
together, as are those of modules with one GROUP; with GROUP_BY, each value of that parameter has
its own group.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from atlas.config.errors import Fault, Path, suggest
from atlas.config.faithful import determining
from atlas.config.fit import fit_drawn
from atlas.config.given import check_given
from atlas.config.quantities import Quantity
from atlas.config.tolerances import allow
from atlas.config.validate import check
from atlas.io.specs import canonical, digest

DRAWN = "drawn"
WORD = "a word of config/tolerances.yaml"
RUN_LENGTHS = ("jobs", "jumps")


@dataclass(frozen=True)
class Context:
    """What claims are resolved against: the vocabularies, and the completed figures and tables.

    `blocks` are figures and tables by id, with completed series, except for those that are
    `faulty`: of these only the `studies` of their series are known, by figure/series. `faithful`
    says for each figure/series whether it is drawn with the paper's parameters. `limit` shortens
    runs to the run's effort.
    `find_trace(trace, path, block)` makes a block pending if it lacks its trace.
    """

    quantities: Mapping[str, Quantity]
    words: Mapping[str, Mapping[str, Any]]
    blocks: Mapping[str, Mapping[str, Any]]
    faulty: Collection[str]
    studies: Mapping[str, str]
    faithful: Mapping[str, bool]
    seed: int
    limit: Callable[[int], int]
    find_trace: Callable[[dict, Path, dict], dict]


@dataclass
class Ledger:
    """Claims with all that judges them; rows to compute, by group; the drawn series that are read;
    and the ids of `rows` by quantity and parameters, so that each is computed once."""

    claims: list[dict[str, Any]] = field(default_factory=list)
    groups: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    drawn: list[str] = field(default_factory=list)
    rows: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def resolve(claims: list[dict[str, Any] | None], context: Context) -> Ledger:
    """The ledger of a paper's claims; its `faults` are those of the claims. None stands for a claim
    that is known to have faults."""
    ledger, ids = Ledger(), set()
    errata: dict[str, str] = {}
    sound = [claim for claim in claims if claim is not None]
    slips = [c["id"] for c in sound if c["verdict"] == "erratum" and "repeats" not in c]
    for i, claim in enumerate(claims):
        if claim is None:
            continue
        path = ("claims", i)
        if claim["id"] in ids:
            ledger.faults.append(Fault((*path, "id"), repr(claim["id"]), "an id used only once"))
        ids.add(claim["id"])
        ledger.faults += check_rules(claim, path, context, errata)
        if "repeats" in claim and claim["repeats"] not in slips and len(sound) == len(claims):
            hint = suggest(claim["repeats"], slips)
            found, expected = repr(claim["repeats"]), "the id of an erratum that repeats no other"
            ledger.faults.append(Fault((*path, "repeats"), found, expected, hint))
        cases = [_resolve_case(*parts, claim, context, ledger) for parts in _cases(claim, path)]
        if None in cases:
            continue
        known = context.quantities[cases[0]["quantity"]]
        ledger.claims.append(
            {key: claim[key] for key in claim if key not in ("given", "readings", "evidence")}
            | {"how": known.how, "route": known.route, "confirmed": known.confirmed}
            | {"cases": cases, "differs": _differs(cases, context)}
        )
    return ledger


def check_rules(
    claim: dict[str, Any], path: Path, context: Context, errata: dict[str, str]
) -> Iterator[Fault]:
    """Faults of a claim, but for those of its cases; `errata` are the sentences so far.

    An erratum accuses an author: it rests on stated parameters alone, and every reading was tried.
    """
    verdict = claim["verdict"]
    if verdict == "erratum":
        about = [context.blocks.get(of.partition("/")[0], {}) for of in _of(claim)]
        certainty = [block["source"]["certainty"] for block in about if "source" in block]
        for key, words in (("certainty", [claim["certainty"]]), ("of", certainty)):
            found = next((word for word in words if word not in ("stated", "own")), None)
            if found is not None:
                hint = "a number that rests on other parameters is evidence of 'depends'"
                expected = "stated parameters, which alone can make an erratum"
                yield Fault((*path, key), repr(found), expected, hint)
        if not claim["readings"]:
            yield Fault(path, "no 'readings'", "readings: every reading that was tried")
        sentence = " ".join(claim["quote"].lower().split())
        if sentence in errata:
            found = f"the sentence of {errata[sentence]} again"
            expected = "one erratum a sentence; further numbers are its `evidence`"
            yield Fault((*path, "quote"), found, expected)
        errata[sentence] = claim["id"]
    for key in ("result", "repeats") if verdict != "erratum" else ():
        if key in claim:
            yield Fault((*path, key), repr(claim[key]), "no such key but for an erratum")
    if verdict == "depends" and not (claim["readings"] and "decides" in claim):
        expected = "readings, of which some hold and some do not, and what decides"
        yield Fault(path, "no 'readings' or no 'decides'", expected)
    elif verdict != "depends" and "decides" in claim:
        yield Fault((*path, "decides"), repr(claim["decides"]), "no such key but for 'depends'")
    for k, figure in enumerate(claim.get("figures", ())):
        if figure not in context.blocks and figure not in context.faulty:
            hint = suggest(figure, context.blocks)
            yield Fault((*path, "figures", k), repr(figure), "a figure or table", hint)


def _cases(claim: dict[str, Any], path: Path) -> Iterator[tuple[str, str, dict[str, Any], Path]]:
    """The id, label, block and place of every case: as printed, readings, evidence."""
    main = {"of": None, "accuracy": 0.0, **claim}
    yield claim["id"], "as printed", main, path
    for kind, label in (("readings", "reading"), ("evidence", "what")):
        for k, case in enumerate(claim[kind]):
            given = case.get("given", {})
            if "quantity" not in case:
                given = claim["given"] | given
            id = f"{claim['id']}/{kind}/{k}"
            yield id, case[label], main | case | {"given": given}, (*path, kind, k)


def _resolve_case(
    id: str,
    label: str,
    case: dict[str, Any],
    path: Path,
    claim: dict[str, Any],
    context: Context,
    ledger: Ledger,
) -> dict[str, Any] | None:
    quantity, given, of = case["quantity"], dict(case["given"]), _of(case)
    known = context.quantities.get(quantity)
    if known is None:
        hint = suggest(quantity, context.quantities)
        expected = "a function of src/atlas/claims, as module/function with - for _"
        ledger.faults.append(Fault((*path, "quantity"), repr(quantity), expected, hint))
        return None
    if faults := list(_check_case(case, known, path, context)):
        ledger.faults += faults
        return None
    if any(one.partition("/")[0] in context.faulty for one in of):
        return None
    allowed = allow(case["stated"], context.words[case["within"]], case["accuracy"])
    if "seed" in known.required:
        given.setdefault("seed", context.seed)
        given |= {key: context.limit(given[key]) for key in RUN_LENGTHS if key in given}
    if "trace" in given:
        given["trace"] = context.find_trace(given["trace"], (*path, "given", "trace"), claim)
    row = ledger.rows.setdefault(canonical([quantity, given, known.module == DRAWN and of]), id)
    if known.module == DRAWN:
        ledger.drawn += of
    elif row == id and "pending" not in claim:
        by = digest(canonical(given[known.group_by])) if known.group_by in given else ""
        group = ledger.groups.setdefault(f"{known.group}.{by}".rstrip("."), [])
        group.append({"id": id, "quantity": quantity, "parameters": given})
    keys = ("quantity", "stated", "within", "accuracy")
    rest = {"id": id, "row": row, "label": label, "allowed": allowed, "parameters": given, "of": of}
    return {key: case[key] for key in keys} | rest


def _check_case(
    case: dict[str, Any], known: Quantity, path: Path, context: Context
) -> Iterator[Fault]:
    given, within = case["given"], case["within"]
    yield from check(known.given, given, (*path, "given"))[1]
    if known.module != DRAWN:
        yield from check_given(given, (*path, "given"))
    for of in _of(case):
        figure, _, series = of.partition("/")
        if figure in context.faulty:
            if known.module == DRAWN and of in context.studies:
                yield from fit_drawn(given, context.studies[of], (*path, "given"))
            continue
        if series not in context.blocks.get(figure, {}).get("series", {}):
            names = [f"{f}/{s}" for f, block in context.blocks.items() for s in block["series"]]
            yield Fault((*path, "of"), repr(of), "figure/series", suggest(of, names))
        elif known.module == DRAWN:
            study = context.blocks[figure]["series"][series]["study"]
            yield from fit_drawn(given, study, (*path, "given"))
    if known.module == DRAWN and len(_of(case)) != 1:
        yield Fault(path, f"of {case['of']}", "one series, whose table is read")
    if within not in context.words:
        hint = suggest(within, context.words)
        yield Fault((*path, "within"), repr(within), f"{WORD}: {', '.join(context.words)}", hint)
        return
    try:
        allow(case["stated"], context.words[within], case["accuracy"])
    except ValueError as error:
        ends = context.words[within].get("range")
        what = "two numbers as printed, the smaller one first" if ends else "the number as printed"
        expected = f"{what}, in quotes: '{within}' counts its digits"
        yield Fault((*path, "stated"), str(error), expected)


def _differs(cases: list[dict[str, Any]], context: Context) -> str:
    """The first drawn series of a claim that is no longer the paper's, or an empty text."""
    for case in cases:
        for of in case["of"]:
            figure, _, name = of.partition("/")
            block = context.blocks[figure]
            drawn = determining(block["series"][name])
            same = context.faithful[of]
            if "parameters" not in block["source"]:
                given = case["parameters"]
                same = all(drawn[key] == given[key] for key in drawn.keys() & given.keys())
            if not same:
                return of
    return ""


def _of(case: Mapping[str, Any]) -> list[str]:
    of = case.get("of") or []
    return [of] if isinstance(of, str) else list(of)
