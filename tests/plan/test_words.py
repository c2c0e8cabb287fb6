"""Titles, captions and credits follow what is drawn, and hostile text is refused or stays plain."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
import pytest

from atlas.config.captions import COUNTS, fill_texts, number, render
from atlas.config.faithful import determining, is_faithful, resolution
from atlas.config.read import read_yaml
from atlas.config.series import complete_series
from atlas.io.cite import caption, credit, describe
from atlas.plan.class_tables import Tables

ROOT = Path(__file__).parents[2]
PAPERS = {file.stem: read_yaml(file, file.name)[0] for file in (ROOT / "config/papers").glob("*")}
BLOCKS = [
    pytest.param(block, id=f"{paper}-{id}")
    for paper, document in PAPERS.items()
    for kind in ("figures", "tables")
    for id, block in document.get(kind, {}).items()
]

# Numbers that no parameter changes, and why.
STRUCTURAL = {
    r"(Figs?\.?|Eq\.|Corollary|Theorem|Section|Algorithm) \(?\d[\w.()]*( or \d)?": "places",
    r"95 %": "the level of all intervals",
    r"M/G/1": "the name of a model",
    r"E\[S²\]": "a moment",
    r"[Cc]lass(es)? \d( and \d)?|\(class \d, then \d\)|of classes \d and \d": "names of classes",
    r"(class-|d-|m-|fig|permanent-)\d\w*(-\w+)*": "names of series",
    r"pool \d|two pools|[Tt]wo pools": "names of queues",
    r"\bfirst\b|one-server|one priority": "words that count nothing",
    r"[np][12]\b|x[12]\b|μ_1|x = \(x1, x2\)|p2/p1|n1-n2-n": "symbols",
    r"E\[N\]\(1 - ρ\)|\+ 1 of|1/ln n|1 \+ ln ln n|ln n / 8|1/\(n ln n\)|n/2": "formulas",
    r"tends? to [01]\b": "limits",
    r"\+ 1\)/|\b1 - (ρ|λ/λ\*)|O\(1\)|n\^[23]": "formulas",
    r"needs\s+1 and\b": "one-server jobs and others",
    r"class tables of Google.* CC BY": "where a file says that it is from",
    r"powers of two|two classes that stand for all|the nearer of the two": "what it is about",
    r"needs 1 and n\b|E\[Δ\(Y_d\)\]": "the model of one-server and n-server jobs",
    r"2000 completions|six decades|error 0|four standard errors|is 0 for": "constants of a study",
    r"[Tt]wo systems|two job classes|(of|the) two classes|[Ss]ix policies": "what it is about",
    r"[Tt]hree (classes|formulations)|all three": "what it is about",
    r"the one before|both ends|jobs of one": "words",
}
LENGTHS = {"speeds", "waiting", "capacities", "arrivals"}
DIGITS = re.compile(r"\d|\b(" + "|".join(COUNTS[2:]) + r")\b", re.IGNORECASE)


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def strip(text):
    for pattern in STRUCTURAL:
        text = re.sub(pattern, "", text)
    return text


def change(value, key="", inside=""):
    """Every number another one, and every list longer whose length is in a text."""
    if isinstance(value, dict):
        return {k: change(x, k, key) for k, x in value.items()}
    if isinstance(value, list):
        longer = [change(x) for x in value]
        return [*longer, change(longer[-1])] if key in LENGTHS or inside == "classes" else longer
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return value + 7919 if isinstance(value, int) else value * 1.61803 + 0.0271


def leaves(value, path=()):
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from leaves(item, (*path, key))
    else:
        yield path


def completed(block):
    series = Tables(ROOT).fill(block["series"], ())
    return {name: complete_series(given, ())[0] for name, given in series.items()}


@pytest.mark.parametrize("block", BLOCKS)
def test_no_number_stands_in_a_text_but_those_that_nothing_changes(block):
    drawn = {key: block[key] for key in ("title", "caption") if key in block}
    labels = block.get("drawing", {})
    drawn |= {key: labels[key] for key in ("panels", "labels", "settings") if key in labels}
    for text in texts(drawn):
        literal = re.sub(r"\{\{.*?\}\}", " ", text, flags=re.DOTALL)
        found = DIGITS.search(strip(literal))
        assert found is None, f"{found[0]!r} in {strip(literal)!r}"


@pytest.mark.parametrize("block", BLOCKS)
def test_a_change_of_all_parameters_leaves_no_number_standing(block):
    before, after = ({**block, "series": None} for _ in range(2))
    series = completed(block)
    assert fill_texts(before, series, (), faithful=True) == []
    assert fill_texts(after, change(series), (), faithful=False) == []
    for key in ("title", "caption"):
        numbers = [
            set(re.findall(r"\d+(?:\.\d+)?", strip(b.get(key, "")))) for b in (before, after)
        ]
        if "power" not in block.get("drawing", {}):
            assert not numbers[0] & numbers[1] - {"1"}, key


@pytest.mark.parametrize(
    "block", [b for b in BLOCKS if "parameters" in b.values[0].get("source", {})]
)
def test_any_change_of_the_system_takes_the_figure_from_the_paper(block):
    stated = block["source"]["parameters"]
    for name, given in block["series"].items():
        assert is_faithful(name, given, stated)
        finer = given | change(
            {key: given[key] for key in resolution(given["study"]) & given.keys()}
        )
        assert is_faithful(name, finer, stated)
        for path in leaves(determining(given)):
            changed = change({key: given[key] for key in path[:1]})
            assert not is_faithful(name, {**given, **changed}, stated) or not isinstance(
                _at(given, path), int | float
            )


def _at(value, path):
    for key in path:
        value = value[key]
    return value


def test_every_figure_of_a_paper_says_once_and_literally_what_the_paper_draws():
    for paper, document in PAPERS.items():
        for id, block in document.get("figures", {}).items():
            if "figure" in block.get("source", {}):
                assert "parameters" in block["source"], (paper, id)
    for file in (ROOT / "config/papers").glob("*.yaml"):
        inside = False
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("      parameters:"):
                inside = True
            elif not line.startswith("        "):
                inside = False
            assert not (inside and re.search(r"(?<!\w)\*[a-z]", line)), line


def test_a_credit_is_after_the_figure_only_if_it_is_the_papers():
    spec = {"paper": "p", "id": "f", "source": {"figure": "7(a)"}, "bibliography": {}}
    after, manner = (credit(spec | {"faithful": faithful}) for faithful in (True, False))
    assert after.startswith(r"Drawn after~\cite[Fig.~7(a)]{p} by Multiserver Atlas~\cite{")
    assert manner.startswith(r"Drawn in the manner of~\cite[Fig.~7(a)]{p} by Multiserver Atlas")
    assert after.endswith(r"entry~\cite{multiserver-atlas:p:f}.")
    assert credit(spec | {"bibliography": None}).startswith("Drawn by Multiserver Atlas")


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("n = {{ curve.servers }}", "n = 30"),
        ("needs {{ curve.needs }}", "needs 3 and 10"),
        ("{{ curve | system }}", "3-10-30"),
        ("{{ all.servers }} servers", "30 or 40 servers"),
        ("{{ other.needs }}", "1, 2 and 4"),
        ("{{ curve.probability_2 | percent }}", "6.4 %"),
        ("{{ 'as printed' if faithful else 'changed' }}", "changed"),
        ("plain $x_{1}$ text, 7 * 7", "plain $x_{1}$ text, 7 * 7"),
    ],
)
def test_templates_read_the_parameters(template, text):
    series = {
        "curve": {"servers": 30, "needs": [3, 10], "probability_2": 0.064},
        "other": {"servers": 40, "needs": [1, 2, 4]},
    }
    assert render(template, series, faithful=False) == text


@pytest.mark.parametrize(
    "text",
    [
        "{{ 7 * 7 }}",
        "{{ 'a' * 10000000000 }}",
        "{{ curve.__class__.__mro__ }}",
        "{{ curve['__class__'] }}",
        "{{ curve.keys() }}",
        "{{ ().__class__ }}",
        "{% for i in range(9) %}x{% endfor %}",
        "{{ cycler }}",
        "{{ lipsum() }}",
        "{{ curve.nonsense }}",
        "{{ curve | attr('keys') }}",
        "{% include '/etc/passwd' %}",
        "{{ unclosed",
    ],
)
def test_a_hostile_text_is_refused_with_its_place(text):
    with pytest.raises(jinja2.TemplateError):
        render(text, {"curve": {"servers": 30}}, faithful=True)
    block = {"title": text, "caption": ""}
    (fault,) = fill_texts(block, {"curve": {"servers": 30}}, ("figures", "f"), faithful=True)
    assert fault.path == ("figures", "f", "title")
    assert "curve" in fault.expected


def test_a_text_that_names_a_whole_series_is_refused():
    (fault,) = fill_texts({"title": "{{ curve }}"}, {"curve": {"servers": 30}}, (), faithful=True)
    assert fault.found == "several values, of servers, where a text names one"


def test_a_series_whose_name_means_something_else_in_texts_is_refused():
    series = {"curve": {"servers": 30}, "drawing": {"servers": 40}}
    (fault,) = fill_texts({"title": "T"}, series, ("figures", "f"), faithful=True)
    assert fault.path == ("figures", "f", "series", "drawing") and "all" in fault.expected


def test_headings_and_notes_are_templates_too():
    block = {"title": "T", "source": {"note": "of {{ all.load }}"}}
    block["columns"] = {"x": {"heading": "$x$ on {{ all.servers }}", "format": ".3f"}}
    series = {"curve": {"servers": 30, "load": 0.5}}
    assert fill_texts(block, series, (), faithful=True) == []
    assert block["columns"]["x"] == {"heading": "$x$ on 30", "format": ".3f"}
    assert block["source"]["note"] == "of 0.5"
    block["columns"] = {"x": {"heading": "{{ all.serves }}"}}
    (fault,) = fill_texts(block, series, ("tables", "t"), faithful=True)
    assert fault.path == ("tables", "t", "columns", "x", "heading")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2 / 3, "2/3"),
        (0.5, "0.5"),
        (16.2, "16.2"),
        (1_000_000, "1e6"),
        (10.0, "10"),
        (1 / 137.1, "0.00729395"),
        ([1, 2.5], "1 and 2.5"),
    ],
)
def test_numbers_as_in_running_text(value, text):
    assert number(value) == text


def test_a_title_that_asks_is_not_followed_by_a_full_stop():
    assert describe("Do two classes do?", "Nearly\n all.") == "Do two classes do? Nearly all."
    assert describe("Two classes", "") == "Two classes."
    spec = {"paper": "p", "id": "f", "bibliography": None, "caption": ""}
    assert "(FCFS). Drawn by" in caption(spec | {"title": "Two classes (FCFS)"})
    assert "classes? Drawn by" in caption(spec | {"title": "Two classes?"})
