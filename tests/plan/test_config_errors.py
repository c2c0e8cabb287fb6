"""Every mistake in config is caught before a job starts, and said with file, key, found and
expected."""

from __future__ import annotations

import pytest

from plan import ConfigError, Plan

PAPER = "config/papers/two-class-stability.yaml"
PAPERS = {"papers": ["two-class-stability"]}
REGION = "region-a: &region-a {servers: 200, needs: [1, 100], rates: [2.0, 1.0]}"
EXAMPLE = "servers: 30, needs: [3, 10], rates: [2.0, 1.0], probabilities: [0.5, 0.5]}"
PRINTED = "curve: {servers: 30, needs: [3, 10], probability_2: 0.5}"

READINGS = """\
    readings:
      - reading: >-
          n1 divides n2: servers wasted in the slow extreme of the 1-7-30 system,
          which are to be none
        quantity: wastage/at-ratio
        given: {servers: 30, needs: [1, 7], probability_2: 0.5, at: 1e-12}
"""
MISTAKES = {
    "unknown key": (
        "study: wastage-by-need, servers: 200",
        "study: wastage-by-need, servrs: 200",
        ["figures.worst-need.series.worst.servrs", "unknown key", "'servers'?"],
    ),
    "missing key": (
        "study: wastage-by-need, servers: 200, ",
        "study: wastage-by-need, ",
        ["figures.worst-need.series.worst", "no key 'servers'", "the number of servers n"],
    ),
    "wrong type": (
        "study: wastage-by-need, servers: 200",
        "study: wastage-by-need, servers: many",
        ["figures.worst-need.series.worst.servers", "'many'", "a whole number"],
    ),
    "boolean for a number": (
        "study: wastage-by-need, servers: 200",
        "study: wastage-by-need, servers: true",
        ["figures.worst-need.series.worst.servers", "True", "a whole number"],
    ),
    "out of range": (
        "study: wastage-by-need, servers: 200",
        "study: wastage-by-need, servers: 0",
        ["figures.worst-need.series.worst.servers", "found     0", "at least 1"],
    ),
    "probabilities": (
        "&example {" + EXAMPLE,
        "&example {" + EXAMPLE.replace("[0.5, 0.5]", "[0.5, 0.6]"),
        ["tables.states-3-10-30.series.states", "a sum of 1.1", "sum to 1"],
    ),
    "need above servers": (
        REGION,
        REGION.replace("servers: 200", "servers: 50"),
        ["figures.fig6a.series.region", "need 100 exceeds the 50 servers"],
    ),
    "needs not increasing": (
        REGION,
        REGION.replace("[1, 100]", "[100, 1]"),
        ["figures.fig6a.series.region.needs", "[100, 1]", "entries that increase"],
    ),
    "rates of another length": (
        REGION,
        REGION.replace("[2.0, 1.0]", "[2.0, 1.0, 3.0]"),
        ["figures.fig6a.series.region.rates", "at most 2 entries"],
    ),
    "infinite rate": (
        REGION,
        REGION.replace("[2.0, 1.0]", "[2.0, .inf]"),
        ["figures.fig6a.series.region", "inf", "a finite number"],
    ),
    "unknown parameter of the paper's figure": (
        PRINTED,
        PRINTED.replace("servers", "servrs"),
        ["fig8b.source.parameters.curve.servrs", "unknown key", "'servers'?"],
    ),
    "text for a parameter of the paper's figure": (
        PRINTED,
        PRINTED.replace("30,", "thirty,"),
        ["fig8b.source.parameters.curve.servers", "'thirty'", "a whole number"],
    ),
    "missing parameter of the paper's figure": (
        PRINTED,
        PRINTED.replace("servers: 30, ", ""),
        ["fig8b.source.parameters.curve", "no key 'servers'"],
    ),
    "unknown series of the paper's figure": (
        PRINTED,
        PRINTED.replace("curve", "curv"),
        ["fig8b.source.parameters.curv", "no such series", "'curve'?"],
    ),
    "resolution among the parameters of the paper's figure": (
        PRINTED,
        PRINTED.replace("}", ", points: 7}"),
        ["fig8b.source.parameters.curve.points", "a parameter of the system only"],
    ),
    "mistake in what the paper's series share": (
        PRINTED,
        PRINTED.replace("curve", "all").replace("servers", "servrs"),
        ["fig8b.source.parameters.all.servrs", "unknown key", "'servers'?"],
    ),
    "unknown study": (
        "study: wastage-by-need,",
        "study: wastage-by-ned,",
        ["figures.worst-need.series.worst.study", "'wastage-by-ned'", "'wastage-by-need'?"],
    ),
    "unknown drawing": (
        "drawing: {kind: wastage-plane}",
        "drawing: {kind: wastage-plan}",
        ["figures.wastage-plane.drawing.kind", "'wastage-plan'", "'wastage-plane'?"],
    ),
    "duplicate id": (
        "  fig6b:\n    title",
        "  fig6a:\n    title",
        ['duplicate key "fig6a"', "each key once"],
    ),
    "id of a figure and a table": (
        "  peak-wastage:\n    title",
        "  fig6a:\n    title",
        ["tables.fig6a", "the id of a figure too"],
    ),
    "malformed id": (
        "  worst-need:\n    title",
        "  Worst_need:\n    title",
        ["figures", "'Worst_need'", "lower-case letters"],
    ),
    "duplicate claim": (
        "- id: fig3-red-demand",
        "- id: fig3-blue-demand",
        ["claims.4.id", "'fig3-blue-demand'", "used only once"],
    ),
    "old key of a claim": (
        "rates: [8.6, 4.3]\n      probabilities: [0.6, 0.4]\n      fraction_of_limit: 0.999999",
        "rates: [8.6, 4.3]\n      probabilities: [0.6, 0.4]\n      load: 0.999999",
        ["given.load", "unknown key", "λ/λ* is called 'fraction_of_limit'"],
    ),
    "unknown quantity": (
        "quantity: wastage/worst-need",
        "quantity: wastage/worst-ned",
        ["quantity", "'wastage/worst-ned'", "'wastage/worst-need'?"],
    ),
    "claim beside no figure": (
        "figures: [worst-need, fig6b]",
        "figures: [worst-need, fig6c]",
        ["figures.1", "'fig6c'", "'fig6"],
    ),
    "claim about nothing": (
        "of: fig8b/curve\n    given: {column",
        "of: fig8b/curv\n    given: {column",
        ["'fig8b/curv'", "'fig8b/curve'?"],
    ),
    "unknown key of a claim": (
        '    reason: >-\n      "when n2 divides n" is meant',
        '    quoted: >-\n      "when n2 divides n" is meant',
        ["quoted", "unknown key", "did you mean 'quote'?"],
    ),
    "erratum without a reason": (
        '    reason: >-\n      "when n2 divides n" is meant, as in the heading of the section:'
        " n2 > n1 never\n      divides n1\n",
        "",
        ["claims", "no key 'reason'"],
    ),
    "unknown verdict": (
        "    stated: 200\n    within: exact\n    certainty: inferred\n    verdict: depends",
        "    stated: 200\n    within: exact\n    certainty: inferred\n    verdict: agree",
        ["verdict", "'agree'", "'agrees'?"],
    ),
    "misspelt parameter of a claim": (
        'given: {column: p2}\n    stated: "6.4 %"',
        'given: {columm: p2}\n    stated: "6.4 %"',
        ["given.columm", "unknown key", "'column'?", "no key 'column'"],
    ),
    "unknown word": (
        'stated: "500"\n    within: around',
        'stated: "500"\n    within: arround',
        ["within", "'arround'", "'around'?"],
    ),
    "number whose digits do not count": (
        'stated: "500"\n    within: around',
        "stated: 500\n    within: around",
        ["stated", "500 is not text", "as printed, in quotes"],
    ),
    "erratum on a chosen parameter": (
        f"certainty: stated\n    verdict: erratum\n{READINGS}",
        f"certainty: chosen\n    verdict: erratum\n{READINGS}",
        ["certainty", "'chosen'", "stated parameters", "'depends'"],
    ),
    "erratum of which no reading was tried": (
        READINGS,
        "",
        ["no key 'readings'", "every reading that was tried"],
    ),
    "text that is no template": (
        "title: Wasted servers over mix and rate ratio",
        "title: 'Wasted servers over {{ al.servers }}'",
        ["figures.wastage-plane.title", "'al' is undefined", "'all'?"],
    ),
    "other name than the file": (
        "paper: two-class-stability",
        "paper: two-class-instability",
        ["'two-class-instability'", "'two-class-stability', the name of the file"],
    ),
    "not YAML": ("figures:\n  fig1:", "figures: [\n  fig1:", ["two-class-stability.yaml:", "YAML"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_paper_is_said_with_file_key_found_and_expected(project, name):
    old, new, fragments = MISTAKES[name]
    project.edit(PAPER, old, new)
    with pytest.raises(ConfigError) as caught:
        Plan.load(PAPERS, project.root)
    message = str(caught.value)
    for fragment in (PAPER, "found", "expected", "no job was started", *fragments):
        assert fragment in message


@pytest.mark.parametrize(
    ("config", "fragments"),
    [
        ({"formts": ["pdf"]}, ["formts", "an unknown key", "did you mean 'formats'?"]),
        ({"formats": ["pdf", "jpg"]}, ["formats.1", "'jpg'", "one of pdf, svg, png"]),
        ({"formats": []}, ["formats", "at least 1 entries"]),
        ({"widths": {"single": -1}}, ["widths.single", "-1", "at least 0.5"]),
        ({"papers": ["two-class-stabilty"]}, ["papers.0", "did you mean 'two-class-stability'?"]),
        ({"style": "config/atlas.style"}, ["style", "'config/atlas.style'", "style file"]),
        (
            {"papers": "all", "previews": ["two-class-stability/fig6"]},
            ["previews.0", "did you mean 'two-class"],
        ),
    ],
)
def test_a_mistake_in_the_run_wide_config_is_said(project, config, fragments):
    with pytest.raises(ConfigError) as caught:
        Plan.load(config, project.root)
    for fragment in ("config/config.yaml", *fragments):
        assert fragment in str(caught.value)


def test_all_faults_of_a_file_are_said_at_once(project):
    project.edit(
        PAPER, "study: wastage-by-need, servers: 200", "study: wastage-by-need, servers: 0"
    )
    project.edit(PAPER, REGION, REGION.replace("[1, 100]", "[100, 1]"))
    with pytest.raises(ConfigError, match=r"fig6a(.|\n)*worst-need"):
        Plan.load(PAPERS, project.root)


def test_a_fault_names_the_line_on_which_its_key_stands(project):
    project.edit(
        PAPER, "study: wastage-by-need, servers: 200", "study: wastage-by-need, servers: 0"
    )
    lines = (project.root / PAPER).read_text(encoding="utf-8").splitlines()
    number = next(i for i, line in enumerate(lines, start=1) if "servers: 0," in line)
    with pytest.raises(ConfigError, match=f"{PAPER}:{number}: figures"):
        Plan.load(PAPERS, project.root)


def test_a_run_with_a_mistake_starts_no_job(project):
    project.edit(
        PAPER, "study: wastage-by-need, servers: 200", "study: wastage-by-need, servers: 0"
    )
    done = project.run("all")
    assert done.returncode != 0
    assert "figures.worst-need.series.worst.servers" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.root / "results").exists()
