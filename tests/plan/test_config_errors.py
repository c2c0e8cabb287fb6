"""Every mistake in config is caught before a job starts, and reported with file, line, key, found
and expected; a misspelling, with the most likely correction."""

from __future__ import annotations

import re
import shutil
from datetime import date
from pathlib import Path

import pytest
import snakemake.cli
from tests.conftest import ROOT, copy_project

from atlas.__main__ import main
from atlas.config.errors import ConfigError
from atlas.config.paper_schema import Paper
from atlas.config.read import read_yaml
from atlas.config.run_config import choose
from atlas.config.validate import check
from atlas.plan.resolve import Plan

pytestmark = pytest.mark.usefixtures("unedited")

PAPER = "config/papers/two-class-stability.yaml"
PAPERS = {"papers": ["two-class-stability"]}
WORST = "study: wastage-by-need, servers: 200"
REGION = "region-a: &region-a {servers: 200, needs: [1, 100], rates: [2.0, 1.0]}"
EXAMPLE = "&example {servers: 30, needs: [3, 10], rates: [2.0, 1.0], probabilities: [0.5, 0.5]}"
PRINTED = "curve: {servers: 30, needs: [3, 10], probability_2: 0.5}"
LIMIT = "probabilities: [0.6, 0.4]\n      fraction_of_limit: 0.999999"
OVER = "title: Wasted servers over mix and rate ratio"
COLUMN = 'given: {column: p2}\n    stated: "6.4 %"'
MONOTONE = "of: fig8b/curve\n    given: {column"
AROUND = 'stated: "500"\n    within: around'
REPEATS = "repeats: worst-need"
MEANT = "    reason: >-\n      a misprint: “when n2 divides n” is meant"
REASON = f"{MEANT}, as in the heading of the section: n2 > n1 never\n      divides n1\n"
VERDICT = "stated: 200\n    within: exact\n    certainty: inferred\n    verdict: depends"
ARXIV = 'arxiv: "2010.00631"'
READINGS = """\
    readings:
      - reading: >-
          n1 divides n2: servers wasted in the slow extreme of the 1-7-30 system,
          which are to be none
        quantity: wastage/at-ratio
        given: {servers: 30, needs: [1, 7], probability_2: 0.5, at: 1e-12}
"""
ERRATUM = f"certainty: stated\n    verdict: erratum\n{READINGS}"
# Of the paper, the figures, tables and claims in which there are mistakes, and what these are of.
KEPT = {
    *("fig1", "fig3", "fig6a", "fig6b", "fig7a", "fig7b", "fig8b", "wastage-plane", "worst-need"),
    *("peak-wastage", "states-3-10-30", "fig1-peak", "fig3-blue-demand", "fig3-red-demand"),
    *("limiting-wastage", "fig6a-peak-jobs", "two-extremes", "fig8b-monotone"),
}
BLOCK = re.compile(r"^  (?:- id: )?([\w-]+):?\n(?:(?:    .*)?\n)*", re.M)
SHORT = BLOCK.sub(lambda m: m[0] * (m[1] in KEPT), (ROOT / PAPER).read_text("utf-8"))
IDS = re.findall(r"^  - id: (.+)$", SHORT, re.M)
GIVEN = "claims.limiting-wastage.given"
FEW, SERIES, PARAMETERS = "figures.worst-need.series.worst", "series.region", "source.parameters"
# In what text, what becomes what; the key that is named, with the id of a claim in place of its
# number, and what is suggested or quoted.
MISTAKES = [
    (WORST, "servers", "servrs", f"{FEW}.servrs", "'servers'?"),
    (f"{WORST}, ", ", servers: 200", "", FEW, "no key 'servers'"),
    (WORST, "200", "many", f"{FEW}.servers", "a whole number"),
    (WORST, "200", "true", f"{FEW}.servers", "True"),
    (WORST, "200", "0", f"{FEW}.servers", "at least 1"),
    (EXAMPLE, "0.5, 0.5", "0.5, 0.6", "tables.states-3-10-30.series.states.probabilities", "1.1"),
    (REGION, "200", "50", f"figures.fig6a.{SERIES}.needs", "exceeds the 50 servers"),
    (REGION, "[1, 100]", "[100, 1]", f"figures.fig6a.{SERIES}.needs", "[100, 1]"),
    (REGION, "1.0]", "1.0, 3.0]", f"figures.fig6a.{SERIES}.rates", "[2.0, 1.0, 3.0]"),
    (PRINTED, "servers", "servrs", f"figures.fig8b.{PARAMETERS}.curve.servrs", "'servers'?"),
    (PRINTED, "30,", "thirty,", f"figures.fig8b.{PARAMETERS}.curve.servers", "'thirty'"),
    (PRINTED, "servers: 30, ", "", f"figures.fig8b.{PARAMETERS}.curve", "'servers'"),
    (PRINTED, "curve", "curv", f"figures.fig8b.{PARAMETERS}.curv", "'curve'?"),
    (PRINTED, "}", ", points: 7}", f"figures.fig8b.{PARAMETERS}.curve.points", "7"),
    (PRINTED, "curve: {servers", "all: {servrs", f"figures.fig8b.{PARAMETERS}.all.servrs", "'"),
    (WORST, "need,", "ned,", f"{FEW}.study", "'wastage-by-need'?"),
    ("  fig6b:\n    title", "6b", "6a", "the whole file", '"fig6a"'),
    ("  peak-wastage:\n    title", "peak-wastage", "fig6a", "tables.fig6a", "a figure too"),
    ("  worst-need:\n    title", "worst-", "Worst_", "figures.Worst_need", "'Worst_need'"),
    ("- id: fig3-red-demand", "red", "blue", "claims.fig3-red-demand.id", "'fig3-blue-demand'"),
    (LIMIT, "fraction_of_limit", "load", f"{GIVEN}.load", "called 'fraction_of_limit'"),
    ("quantity: wastage/worst-need", "need", "ned", "claims.worst-need.quantity", "worst-need'?"),
    (
        "quantity: wastage/worst-need",
        "-need",
        "_need",
        "claims.worst-need.quantity",
        "with - for _",
    ),
    ("figures: [worst-need, fig6b]", "fig6b", "fig6c", "claims.worst-need.figures.1", "'fig6b'?"),
    (MONOTONE, "curve", "curv", "claims.fig8b-monotone.of", "'fig8b/curve'?"),
    (MEANT, "reason", "quoted", "claims.two-extremes.quoted", "'quote'?"),
    (REASON, REASON, "", "claims.two-extremes", "no key 'reason'"),
    (VERDICT, "depends", "agree", "claims.worst-need.verdict", "'agrees'?"),
    (COLUMN, "column", "columm", "claims.fig6a-peak-jobs.given.columm", "'column'?"),
    (COLUMN, "p2}", "p1}", "claims.fig6a-peak-jobs.given.column", "a column of numbers of"),
    (COLUMN, "p2}", "p2, where: {p: 1}}", "claims.fig6a-peak-jobs.given.where.p", "an unknown"),
    (AROUND, "around", "arround", "claims.fig1-peak.within", "'around'?"),
    (AROUND, '"500"', "500", "claims.fig1-peak.stated", "in quotes"),
    (AROUND, '"500"', "many", "claims.fig1-peak.stated", "no number"),
    (AROUND, '"500"', "[]", "claims.fig1-peak.stated", "no number"),
    (AROUND, '"500"', "", "claims.fig1-peak.stated", "what is stated"),
    (ERRATUM, "stated\n", "chosen\n", "claims.two-extremes.certainty", "'chosen'"),
    (READINGS, READINGS, "", "claims.two-extremes", "no 'readings'"),
    (
        MEANT,
        "reason:",
        f"{REPEATS}\n    reason:",
        "claims.two-extremes.repeats",
        "repeats no other",
    ),
    (ARXIV, '"2010', '"arXiv:2010', "bibliography.arxiv", "the number in arXiv alone"),
    (ARXIV, '"2010.00631"', "2010.00630", "bibliography.arxiv", "with all of its zeros"),
    (ARXIV, ARXIV, "doi: https://doi.org/10.1000/182", "bibliography.doi", "the DOI alone"),
    (OVER, "over mix", "'{{ al.servers }}' #", "figures.wastage-plane.title", "'al'"),
    ("paper: two-class-stability", "stab", "instab", "paper", "the name of the file"),
    ("figures:\n  fig1:", "\n  fig1:", " [\n  fig1:", "the whole file", "YAML"),
]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The project with this paper alone."""
    made = copy_project(tmp_path_factory.mktemp("mistaken") / "atlas")
    for other in (made.root / "config/papers").glob("*.yaml"):
        if other != made.root / PAPER:
            other.unlink()
    (made.root / "config/reference.yaml").unlink()
    return made


@pytest.fixture
def project(copied):
    """One copy for all mistakes, each of which is taken back."""
    (copied.root / PAPER).write_text(SHORT, "utf-8")
    return copied


@pytest.mark.parametrize(("text", "old", "new", "key", "word"), MISTAKES)
def test_a_mistake_in_a_paper_is_said_with_line_key_found_and_expected(
    project, text, old, new, key, word
):
    project.edit(PAPER, text, text.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        Plan.load(PAPERS, project.root)
    if key.startswith("claims."):
        _, id, *rest = key.split(".")
        key = ".".join(["claims", str(IDS.index(id)), *rest])
    head, *blocks = str(caught.value).split("\n\n")
    assert "no job was started" in head
    places = [re.fullmatch(rf"{PAPER}:\d+: (.+)", block.split("\n")[0])[1] for block in blocks]
    fault = blocks[places.index(key)]
    assert re.search(r"\n    found     .+\n    expected  .", fault) and word in fault


@pytest.mark.parametrize(
    ("config", "key", "word"),
    [
        ({"formts": ["pdf"]}, "formts", "'formats'?"),
        ({"formats": ["pdf", "jpg"]}, "formats.1", "'jpg'"),
        ({"widths": {"single": -1}}, "widths.single", "-1"),
        ({"papers": ["two-class-stabilty"]}, "papers.0", "'two-class-stability'?"),
        ({"style": "config/atlas.style"}, "style", "'config/atlas.style'"),
        ({"papers": "all", "previews": ["two-class-stability/fig6"]}, "previews.0", "'two-class"),
    ],
)
def test_a_mistake_in_the_run_wide_config_is_said(project, config, key, word):
    with pytest.raises(ConfigError) as caught:
        Plan.load(config, project.root)
    assert re.search(rf"^--config: {re.escape(key)}$", str(caught.value), re.M)
    assert word in str(caught.value)


def test_a_width_on_the_command_line_is_a_number_though_snakemake_leaves_it_as_text(project):
    given = {**PAPERS, "widths": {"single": "5"}}
    assert choose(given, project.root).run["widths"]["single"] == 5


def test_the_page_on_reruns_shows_a_mistake_as_it_is_said(project):
    page = (ROOT / "docs/reruns.md").read_text("utf-8")
    shutil.copy(ROOT / PAPER, project.root / PAPER)
    project.edit(PAPER, WORST, WORST.replace("servers", "servrs"))
    with pytest.raises(ConfigError) as caught:
        Plan.load(PAPERS, project.root)
    assert f"```\n{caught.value}\n```" in page


def test_a_paper_of_a_name_alone_makes_nothing():
    """It was planned, and an empty gallery published, without a word."""
    _, [fault] = check(Paper, {"paper": "mine"}, ())
    assert (fault.found, fault.expected) == ("nothing to make", "one of figures, tables, claims")
    assert check(Paper, {"paper": "mine", "figures": {}}, ())[1] == []


def test_what_only_a_file_of_a_paper_has_is_no_choice_of_the_command_line(project, monkeypatch):
    """Beside a paper's file, figures of the command line were dropped without a word."""
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(snakemake.cli, "main", lambda arguments: None)
    Path("mine.yaml").write_text("paper: mine\nfigures: {}\n", "utf-8")
    own = ["--configfile", "mine.yaml", "--config", "seed=3"]
    main(own)
    with pytest.raises(SystemExit, match="--config: figures\n    found     a key of a paper\n"):
        main([*own, "figures={}"])


def test_a_misspelt_choice_is_told_before_all_papers_are_planned(monkeypatch):
    monkeypatch.setattr(snakemake.cli, "main", lambda arguments: pytest.fail("it was planned"))
    with pytest.raises(SystemExit, match=r"--config: efort\n(.|\n)*did you mean 'effort'\?"):
        main(["-n", "--config", "seed=3", "efort=quick"])


def test_plain_snakemake_refuses_it_too(project):
    own = project.root / "own.yaml"
    own.write_text("paper: mine\nfigures: {}\nshared: {day: 2024-05-31, word: no, many: 1e5}\n")
    read = {"paper": "mine", "figures": {}, "papers": "all"}
    read["shared"] = {"day": date(2024, 5, 31), "word": False, "many": "1e5"}
    assert choose(read, project.root, [own]).given == (own,)
    with pytest.raises(ConfigError, match="--config: figures\n    found     a key of a paper\n"):
        choose(read | {"figures": {"one": {}}}, project.root, [own])


def test_a_run_with_a_mistake_starts_no_job(project):
    project.edit(PAPER, WORST, WORST.replace("200", "0"))
    done = project.run("all")
    assert done.returncode != 0
    assert f"{FEW}.servers" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.root / "results").exists()


def test_a_config_file_that_is_no_yaml_is_named_before_snakemake_reads_it(project, monkeypatch):
    monkeypatch.chdir(project.root)
    Path("broken.yaml").write_text("paper: mine\nfigures:\n\tfig1: {}\n", "utf-8")
    with pytest.raises(SystemExit, match=r"no job was started\n\nbroken\.yaml:3: the whole file"):
        main(["--dry-run", "--configfile", "broken.yaml"])


def test_a_config_file_that_is_not_there_is_told_with_the_folder(tmp_path):
    here = f"No such file.*a file that can be read, in {re.escape(str(Path.cwd()))} unless"
    with pytest.raises(ConfigError, match=f"(?s){here}"):
        read_yaml(tmp_path / "gone.yaml", "gone.yaml")
