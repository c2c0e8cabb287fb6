"""Complete a figure or table from what its studies and drawing declare, and check that they fit.

A study declares `Parameters`, and in `UNITS` the columns that it returns. A drawing declares
`Options`, which say what series it needs, and with which columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import PydanticCustomError

from atlas.config.errors import Fault, Path, show, suggest
from atlas.config.faithful import check_stated, determining, is_faithful
from atlas.config.kinds import choose_kind, kinds, module
from atlas.config.series import complete_series
from atlas.config.validate import check
from atlas.fields.block import Block
from atlas.fields.columns import Kind, Words, is_kind, kind_of, seconds_to
from atlas.fields.markers import Axis, marked
from atlas.fields.required_series import BOUNDS, SIMULATED, OptionsBlock, Wanted
from atlas.models.policies import PolicyBlock


def complete(stage: str, block: dict[str, Any], path: Path) -> tuple[dict[str, Any], list[Fault]]:
    """A figure (`draw`) or table (`tabulate`), completed, and its faults.

    Parameters that the run supplies are None. `faithful` says for each series whether it is the
    paper's.
    """
    series, parameters, faults = {}, {}, []
    for name, given in block["series"].items():
        series[name], parameters[name], found = complete_series(given, (*path, "series", name))
        faults += found
    stated = block["source"].get("parameters")
    if stated is not None and not faults:
        faults = list(check_stated(stated, block["series"], (*path, "source", "parameters")))
    completed = block | {"series": series}
    if not faults:
        given = block["series"].items()
        completed["faithful"] = {name: is_faithful(name, one, stated) for name, one in given}
    if stage == "tabulate":
        if not faults:
            faults = list(_fit_table(block, path))
        return completed, faults
    options, found = _complete_drawing(block["drawing"], (*path, "drawing"))
    if options is not None:
        completed["drawing"] = {"kind": block["drawing"]["kind"]} | options.plain()
        if not faults:
            found = _fit_drawing(options, series, parameters, path)
    return completed, faults + found


def _complete_drawing(given: dict, path: Path) -> tuple[OptionsBlock | None, list[Fault]]:
    kind, faults = choose_kind("drawings", "kind", given, path)
    if faults:
        return None, faults
    own = {key: value for key, value in given.items() if key != "kind"}
    return check(module("drawings", kind).Options, own, path)


def _fit_drawing(
    options: OptionsBlock, series: Mapping[str, dict], parameters: Mapping[str, Block], path: Path
) -> list[Fault]:
    wanted = options.wanted()
    chosen = {name: next((want for want in wanted if want.fits(name)), None) for name in series}
    faults = list(_fit_names(wanted, chosen, (*path, "series")))
    for name, want in chosen.items():
        if want is not None:
            faults += _fit_columns(want, series[name]["study"], wanted, (*path, "series", name))
    if not faults:
        faults += _fit_pairs(series, (*path, "series"))
    if not faults:
        try:
            options.check(parameters)
        except PydanticCustomError as error:
            context = error.context
            place = (*path, "drawing", *context["at"])
            faults = [Fault(place, context["found"], context["expected"])]
    return faults


def _fit_names(
    wanted: Sequence[Wanted], chosen: Mapping[str, Wanted | None], path: Path
) -> Iterator[Fault]:
    """Faults of series that are missing, not drawn or too many; `chosen` are the first that fit."""
    expected = "; ".join(want.described for want in wanted)
    exact = [want.name for want in wanted if "*" not in want.name]
    for name, want in chosen.items():
        if want is None:
            hint = suggest(name, exact)
            yield Fault((*path, name), "a series that is not drawn", expected, hint)
        elif want.beside and name.removesuffix(want.name[1:]) not in chosen:
            bare = name.removesuffix(want.name[1:])
            hint = suggest(bare, [n for n in chosen if n != name])
            yield Fault((*path, name), f"no series '{bare}' beside it", expected, hint)
    for want in wanted:
        found = [name for name, one in chosen.items() if one is want]
        if want.required and not found:
            fitting = ", ".join(_fitting(want)[:5])
            what = f"a series named {want.name}" if "*" in want.name else want.name
            text = f"{what}, with columns {', '.join(want.columns.split())} (study {fitting})"
            yield Fault(path, f"no series '{want.name}' among {', '.join(chosen)}", text)
        if len(found) > want.most:
            yield Fault(path, f"{len(found)} series", f"at most {want.most}")


def _fit_columns(want: Wanted, study: str, wanted: Sequence[Wanted], path: Path) -> Iterator[Fault]:
    """Faults of a study that lacks a column or parameter that the drawing needs, which may be drawn
    under another of the `wanted` names."""
    declared = module("studies", study)
    columns = [c for c in want.columns.split() if c not in declared.UNITS]
    keys = [k for k in want.parameters.split() if k not in declared.Parameters.model_fields]
    if columns or keys:
        lacks = [f"column {c}" for c in columns] + [f"parameter {k}" for k in keys]
        fitting = ", ".join(_fitting(want)) or "none"
        found = f"{study}, which has no {' and no '.join(lacks)}"
        expected = f"a study with {', '.join(want.columns.split())}: {fitting}"
        other = (w.name[1:] for w in wanted if w.beside and study in _fitting(w))
        ending = next(other, "")
        hint = f"beside a curve, its name is that of the curve and {ending}" if ending else ""
        yield Fault((*path, "study"), found, expected, hint)


def _fit_pairs(series: Mapping[str, dict], path: Path) -> Iterator[Fault]:
    """Faults of points or bounds that are of another system than the curve whose name they have."""
    for name, one in series.items():
        bare = name.removesuffix(SIMULATED).removesuffix(BOUNDS)
        if bare == name or bare not in series:
            continue
        other = series[bare]
        own = _chosen(one) | _chosen(other)
        there = determining(other)
        for key, value in determining(one).items():
            if key in there.keys() - own and _plain(key, value) != _plain(key, there[key]):
                expected = f"{show(there[key])}, as of '{bare}', with which it is drawn"
                yield Fault((*path, name, key), show(value), expected)


def _plain(key: str, value: Any) -> Any:
    """The value of a parameter; a policy without options that are the usual ones."""
    return PolicyBlock.model_validate(value).label if key == "policy" else value


def _chosen(series: Mapping[str, Any]) -> set[str]:
    """The parameters of a series that say what is computed of its system, and where."""
    axes = marked(module("studies", series["study"]).Parameters, Axis)
    # Beside needs they are those of the classes, else of the quantiles.
    return {*axes, "methods", *({"probabilities"} if "needs" not in series else ())}


def _fitting(want: Wanted) -> list[str]:
    """The studies that have the columns and parameters that the drawing needs."""
    return [
        study
        for study in kinds("studies")
        if set(want.columns.split()) <= module("studies", study).UNITS.keys()
        and set(want.parameters.split()) <= module("studies", study).Parameters.model_fields.keys()
    ]


def _fit_table(block: dict[str, Any], path: Path) -> Iterator[Fault]:
    """Faults of series with other columns than the first, and of columns that a table prints or
    selects rows by: unknown ones, and values or formats of the wrong kind."""
    study, *others = (given["study"] for given in block["series"].values())
    declared = module("studies", study).UNITS
    for name, other in zip([*block["series"]][1:], others, strict=True):
        if declared != module("studies", other).UNITS:
            alike = [k for k in kinds("studies") if declared == module("studies", k).UNITS]
            expected = f"a study with the columns of the first series: {', '.join(alike)}"
            yield Fault((*path, "series", name, "study"), show(other), expected)
    units = ({"series": Words("name")} if others else {}) | declared
    for key in ("columns", "rows"):
        for column in block[key]:
            at = (*path, key, column)
            if column not in units:
                expected = f"a column of {study}: {', '.join(units)}"
                yield Fault(at, "an unknown column", expected, suggest(column, units))
                continue
            kind = kind_of(units[column])
            if key == "rows":
                yield from _fit_rows(block["rows"][column], kind, block["series"], at)
            else:
                yield from _fit_column(block["columns"][column], units[column], at)


def _fit_column(column: Mapping[str, Any], unit: str, path: Path) -> Iterator[Fault]:
    """Faults of a format for what is no number, and of a unit of time for what has no seconds."""
    style, time, kind = column["format"], column.get("unit"), kind_of(unit)
    if style and kind != "number":
        found = f"{style!r} for a column of {kind}s"
        yield Fault((*path, "format"), found, "no format: these are no numbers")
    if time and seconds_to(time, unit) is None:
        found = f"{time!r} for a column in [{unit}]"
        yield Fault((*path, "unit"), found, "no unit: these are no times or rates")


def fit_drawn(given: Mapping[str, Any], study: str, path: Path) -> Iterator[Fault]:
    """Faults of the columns that a claim reads from the drawn table of a study, and of the values
    by which it selects a row."""
    units = module("studies", study).UNITS
    numbers = [name for name, unit in units.items() if kind_of(unit) == "number"]
    for key in ("column", "against"):
        if key in given and given[key] not in numbers:
            expected = f"a column of numbers of {study}: {', '.join(numbers)}"
            hint = suggest(str(given[key]), numbers)
            yield Fault((*path, key), show(given[key]), expected, hint)
    where = given.get("where", {})
    if not isinstance(where, Mapping):
        yield Fault((*path, "where"), show(where), "columns, each with the value of the row")
        return
    for column, value in where.items():
        at = (*path, "where", column)
        if column not in units:
            expected = f"a column of {study}: {', '.join(units)}"
            yield Fault(at, "an unknown column", expected, suggest(column, units))
        elif not is_kind(value, kind := kind_of(units[column])):
            yield Fault(at, show(value), f"a {kind}, as in the column")


def _fit_rows(
    values: Iterable[Any], kind: Kind, series: Iterable[str], path: Path
) -> Iterator[Fault]:
    """Faults of the values by which rows are selected: they must be of the kind of the column."""
    known = sorted(series)
    for i, value in enumerate(values):
        if not is_kind(value, kind):
            yield Fault((*path, i), show(value), f"a {kind}, as in the column")
        elif path[-1] == "series" and value not in known:
            expected = f"one of {', '.join(known)}"
            yield Fault((*path, i), show(value), expected, suggest(value, known))
