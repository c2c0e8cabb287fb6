"""Config files of own systems are checked against the declarations of studies and drawings."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import pytest
import snakemake.cli
from tests.conftest import ROOT
from tests.faults.readonly import held

from atlas.__main__ import arrange, place_cache
from atlas.config.errors import ConfigError
from atlas.plan.resolve import Plan

pytestmark = pytest.mark.usefixtures("unedited")

EXAMPLE = ROOT / "config/examples/three-classes.yaml"
# A paper that is planned at once.
SMALL = {"papers": ["product-form-saturated"]}
SYSTEM = "servers: 16, needs: [1, 4, 16], rates: [1.0, 0.5, 0.25], probabilities: [0.9, 0.07, 0.03]"
CLUSTER = "cluster: {study: response-time, <<: *cluster, points: 40}"
SIMULATED = "cluster-simulated: {study: simulated-response-time"
LARGE = "servers: 48, needs: [1, 3, 7, 24], rates: [1, 1, 1, 1]"
LARGE += ", probabilities: [0.7, 0.2, 0.07, 0.03]"

# Nine lists, each of nine times the one before.
BOMB = "a0: &a0 [1, 1]\n"
for i in range(9):
    BOMB += f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]\n"


def plan(folder: Path, *edits: tuple[str, str], **config) -> Plan:
    """The plan of the example with edits, each of which occurs."""
    text = EXAMPLE.read_text("utf-8")
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    (folder / "mine.yaml").write_text(text, "utf-8")
    return Plan.load(config, folder, [folder / "mine.yaml"])


MISTAKES = {
    "a number for a list": ((SYSTEM, SYSTEM.replace("[1, 4, 16]", "5")), ["needs", "a list"]),
    "a key of what has none": (
        ("kind: response-time-by-class}", "kind: response-time-by-class, ceiling: 20}"),
        ["drawing.ceiling", "no such key"],
    ),
    "no title": (
        ("    title: Mean", "    titel: Mean"),
        ["titel", "did you mean 'title'?"],
    ),
    "no needs": ((SYSTEM, SYSTEM.replace("[1, 4, 16]", "[]")), ["needs", "at least 1 entry"]),
    "NaN among numbers": (
        ("[0.2, 0.4,", "[.nan, 0.4,"),
        ["fractions_of_limit.0", "a finite number"],
    ),
    "text among numbers": (
        ("[0.2, 0.4,", "[low, 0.4,"),
        ["fractions_of_limit.0", "'low'", "a number"],
    ),
    "too many jobs": (("jobs: 1000000", "jobs: 1e30"), ["jobs", "at most 1e+12"]),
    "a decimal comma": (("ceiling: 20", "ceiling: 2,5"), ["the key 5", "point: 2.5, not 2,5"]),
    "reserved figure": (("  queue-tail:\n", "  ledger:\n"), ["figures.ledger", "another id than"]),
    "unknown column": (
        ("      fraction_of_limit: {he", "      faction_of_limit: {he"),
        ["columns.faction_of_limit", "'fraction_of_limit'?"],
    ),
    "format": (("format: .3f", "format: nonsense"), ["format", "'nonsense'", "such as .3f"]),
    "a choice of the run": (
        ("paper: three", "sed: 8\npaper: three"),
        ["mine.yaml:8: sed", "effort, seed", "did you mean 'seed'?"],
    ),
    "an old key of many": (
        ("*cluster, fractions_of_limit: *fractions", "*cluster, loads: *fractions"),
        ["cluster-simulated.loads", "λ/λ* is called 'fractions_of_limit'"],
    ),
    "an old column": (
        ("      fraction_of_limit: {he", "      load: {he"),
        ["columns.load", "an unknown column", "λ/λ* is called 'fraction_of_limit'"],
    ),
    "a truth value among rows": (
        ("    columns:\n", "    rows: {fraction_of_limit: [0.5, true]}\n    columns:\n"),
        ["rows.fraction_of_limit.1", "True", "a number, as in the column"],
    ),
    "a number format of truth values": (
        ("    columns:\n", "    columns:\n      inside: {heading: inside, format: .3f}\n"),
        ["columns.inside.format", "'.3f'", "no format"],
    ),
    "a unit of time of what has none": (
        ("    columns:\n", "    columns:\n      inside: {heading: inside, unit: h}\n"),
        ["columns.inside.unit", "'h' for a column in [whether", "no unit"],
    ),
    "a series of other columns": (
        ("    columns:\n", "      one: {study: response-time, <<: *cluster}\n    columns:\n"),
        ["series.one.study", "'response-time'", "the columns of the first series: simu"],
    ),
    "a row of no series": (
        (
            "    columns:\n",
            "      pionts: {study: response-time, <<: *cluster}\n"
            "    rows: {series: [pointss]}\n    columns:\n",
        ),
        ["rows.series.0", "'pointss'", "one of pionts, points"],
    ),
    "a series that lacks": (
        ("      classes: {study", "      clases: {study"),
        ["no series 'classes'", "response-time-by-class", "a series that is not drawn"],
    ),
    "points beside nothing": (
        (SIMULATED, SIMULATED.replace("cluster-", "clutser-")),
        ["no series 'clutser' beside it", "did you mean 'cluster'?"],
    ),
    "points under a name of their own": (
        (SIMULATED, SIMULATED.replace("cluster-simulated", "points")),
        ["which has no column load", "its name is that of the curve and -simulated"],
    ),
    "points of another system than the curve": (
        (SIMULATED + ", <<: *cluster", SIMULATED + ", <<: *cluster, rates: [1.0, 0.5, 2.5]"),
        ["cluster-simulated.rates", "[1.0, 0.5, 2.5]", "[1.0, 0.5, 0.25], as of 'cluster'"],
    ),
    "points at another load than the curve": (
        (
            "      busy: {study",
            "      half-simulated: {study: simulated-queue-tail, <<: *cluster,"
            " fraction_of_limit: 0.8, levels: [1], jobs: 10000}\n      busy: {study",
        ),
        ["half-simulated.fraction_of_limit", "found     0.8", "0.5, as of 'half'"],
    ),
    "a study that does not fit": (
        ("half: {study: queue-tail, <<: *cluster, fraction_of_limit: 0.5}", "half: " + CLUSTER[9:]),
        ["response-time, which has no column jobs", "with jobs, tail, decay_rate: queue-tail"],
    ),
    "a setting of no series": (
        ("settings: {cluster: my", "settings: {clustre: my"),
        ["settings.clustre", "perhaps cluster"],
    ),
    "a control character": (
        ("title: How long the queue gets", 'title: "\\x07"'),
        ["queue-tail.title", "text without control characters"],
    ),
    "a tag": (("title: How long", "title: !!python/name:os.system How long"), ["the tag"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said_with_line_key_found_and_expected(folder, name):
    edit, fragments = MISTAKES[name]
    with pytest.raises(ConfigError) as caught:
        plan(folder, edit)
    for fragment in ("mine.yaml:", "found", "expected", "no job was started", *fragments):
        assert fragment in str(caught.value)


@pytest.mark.parametrize(
    "name", ["compute", "all", "gallery", "preview", "index", "explorer", "two-class-stability"]
)
def test_a_paper_may_not_have_the_name_of_a_rule_a_page_or_another_paper(folder, name):
    with pytest.raises(ConfigError, match=r"mine.yaml:[0-9]+: paper\n.*'\n *expected  a name that"):
        plan(folder, ("paper: three-classes", f"paper: {name}"))


def test_a_paper_may_not_have_the_name_of_the_reference_systems(folder):
    text = EXAMPLE.read_text("utf-8").replace("paper: three-classes", "paper: reference")
    (folder / "config/papers/reference.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"reference.yaml:[0-9]+: paper\n.*\n.*no other paper"):
        Plan.load({}, folder)


def test_a_fault_behind_a_merge_points_to_the_merge(folder):
    with pytest.raises(ConfigError) as caught:
        plan(folder, (SYSTEM, SYSTEM.replace("servers: 16", "servers: 15")))
    lines = (folder / "mine.yaml").read_text("utf-8").splitlines()
    number = next(i for i, line in enumerate(lines, 1) if "cluster: {study: response-time" in line)
    assert f"mine.yaml:{number}: figures.response-time.series.cluster" in str(caught.value)
    assert "<<: *cluster" in lines[number - 1]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "an empty file"),
        ("paper: x\nfigures: [\n", 3, "YAML"),
        ("paper: x\nfigures: *none\n", 2, "no anchor above"),
        (BOMB, 7, "unfolds"),
        ("paper: &p [*p]\n", 1, "no anchor above"),
        ("paper: x\nfigures: null\n", 2, "nothing"),
        ("effrt: quick\n", 1, "did you mean 'effort'?"),
        ("figurs: {}\n", 1, "did you mean 'figures'?"),
        ("tables: {}\n", 1, "paper: NAME beside tables"),
    ],
)
def test_what_is_no_config_is_said_in_the_same_form(folder, text, line, said):
    (folder / "mine.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"1 fault in mine.yaml(.|\n)*expected") as caught:
        Plan.load(SMALL, folder, [folder / "mine.yaml"])
    assert f"\nmine.yaml:{line}: " in str(caught.value) and said in str(caught.value)


def test_one_value_in_place_of_a_list_is_told_how_to_be_one(folder):
    with pytest.raises(ConfigError, match=r"one of all or a list(.|\n)*mean \[finite-skip\]\?"):
        Plan.load({"papers": "finite-skip"}, folder)


def test_faults_of_the_run_wide_config_have_their_line(folder):
    file = folder / "config/config.yaml"
    file.write_text(file.read_text("utf-8").replace("seed: 2020", "seed: -1"), "utf-8")
    number = next(i for i, line in enumerate(file.read_text().splitlines(), 1) if "seed:" in line)
    with pytest.raises(ConfigError, match=f"config/config.yaml:{number}: seed"):
        Plan.load(SMALL, folder)


def test_a_number_means_the_same_in_every_file(folder):
    file = folder / "config/config.yaml"
    file.write_text(file.read_text("utf-8").replace("effort: paper ", "effort: 1e6 "), "utf-8")
    assert Plan.load({"papers": ["finite-skip"]}, folder)._choice.run["effort"] == 10**6
    # Snakemake reads YAML 1.1, in which this is text, and hands it over besides.
    own = plan(folder, ("effort: 1000000", "effort: 2e5"), effort="2e5")
    assert own._choice.run["effort"] == 200_000
    assert (
        plan(folder, ("effort: 1000000", "effort: 2e5"), effort=3000)._choice.run["effort"] == 3000
    )


def test_what_cannot_be_solved_is_said_and_simulated(folder):
    with pytest.raises(ConfigError, match=r"matrices of 8.3e\+07 numbers(.|\n)*simulate it"):
        plan(folder, (SYSTEM, LARGE))
    curve = "    series:\n      " + CLUSTER + "\n"
    points = EXAMPLE.read_text("utf-8")
    points = points[: points.index("figures:")] + points[points.index("tables:") :]
    (folder / "mine.yaml").write_text(points.replace(SYSTEM, LARGE), "utf-8")
    assert curve in EXAMPLE.read_text("utf-8")
    ids = [product.id for product in Plan.load({}, folder, [folder / "mine.yaml"]).products]
    assert ids == ["response-times", "z-scores"]


@pytest.mark.parametrize(
    ("option", "values", "files", "choices"),
    [
        ("--configfile", ["mine.yaml"], ["mine.yaml"], []),
        ("--config", ["effort=quick", "seed=1"], [], ["effort=quick", "seed=1"]),
    ],
)
def test_targets_after_a_config_file_or_a_choice_are_targets(option, values, files, choices):
    target, rest = "three-classes_classes", ["-n", "all"]
    arranged = [target, option, *values, *rest]
    assert arrange([option, *values, target, *rest]) == (arranged, files, choices)
    assert arrange(["--config=seed=1", "--set-threads", "draw=2"])[2] == ["seed=1"]


def test_caches_are_in_the_working_folder_only_if_the_home_is_read_only(tmp_path, monkeypatch):
    """Snakemake makes its own before it reads the Snakefile, and ends in a traceback if it cannot;
    matplotlib warns."""
    monkeypatch.chdir(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("MPLCONFIGDIR", "")
    monkeypatch.delenv("MPLCONFIGDIR")
    place_cache()
    assert os.environ["XDG_CACHE_HOME"] == "" and "MPLCONFIGDIR" not in os.environ
    with held(home):
        place_cache()
    assert os.environ["XDG_CACHE_HOME"] == str(tmp_path / ".snakemake/cache")
    assert os.environ["MPLCONFIGDIR"] == str(tmp_path / ".snakemake/cache/matplotlib")


@pytest.mark.filterwarnings("ignore:'atlas.__main__' found in sys.modules")
def test_an_interrupt_while_snakemake_starts_shows_no_traceback(monkeypatch):
    def interrupt(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(snakemake.cli, "main", interrupt)
    monkeypatch.setattr(sys, "argv", ["atlas", "-n"])
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match="130"):
        runpy.run_module("atlas", run_name="__main__")
