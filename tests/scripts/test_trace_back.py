"""Every figure file leads back to its making, and `whence` says if it would be drawn the same."""

from __future__ import annotations

import hashlib
import importlib
import json
import shutil
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from PIL import Image
from scripts import draw
from tests.conftest import Project, compute, copy_project, forks

from atlas.config.read import read_yaml
from atlas.io.untrusted import Unreadable
from atlas.plan.resolve import Plan
from atlas.provenance import trace_back
from atlas.provenance.records import ProvenanceRecord, read_records, tell_changed

pytestmark = pytest.mark.slow

PAPER = """
paper: small
bibliography: {title: A Small Paper, authors: [A], year: 2020}
figures:
  fig1:
    title: A state, λ = 3
    caption: A caption.
    source: {figure: "1", section: "1", certainty: stated}
    series:
      state: {study: queue-state, servers: 30, needs: [3, 10], state: [1, 4, 1], waiting: [1, 1, 1]}
    drawing: {kind: queue-state}
"""
KINDS = ("pdf", "svg", "png")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> tuple[Project, Path]:
    """A project of one figure, and the folder that it is drawn to."""
    project = copy_project(tmp_path_factory.mktemp("trace") / "atlas", "all")
    shutil.rmtree(project.root / "config/papers")
    (project.root / "config/papers").mkdir()
    (project.root / "config/reference.yaml").unlink()
    (project.root / "config/papers/small.yaml").write_text(PAPER, encoding="utf-8")
    config = project.root / "config/config.yaml"
    lines = config.read_text("utf-8").splitlines(keepends=True)
    config.write_text("".join(line for line in lines if not line.startswith("previews:")), "utf-8")
    plan = Plan.load(read_yaml(config, "config")[0], project.root)
    [product] = [product for product in plan.products if product.stage == "draw"]
    study = importlib.import_module("atlas.studies.queue_state")
    series = {"state": compute(study, product.series["state"].parameters)}
    folder = tmp_path_factory.mktemp("figures")
    spec = json.loads(json.dumps(product.spec))
    assert {f"fig1.{kind}" for kind in KINDS} <= {f.name for f in draw.draw(spec, series, folder)}
    return project, folder


@pytest.fixture
def project(drawn, tmp_path) -> Project:
    """The project, to change."""
    shutil.copytree(drawn[0].root, tmp_path / "atlas")
    return Project(tmp_path / "atlas")


@pytest.fixture
def record(drawn) -> ProvenanceRecord:
    return read_records(drawn[1] / "fig1.svg")[0]


def run(project: Project, *arguments: str | Path) -> CompletedProcess[str]:
    """Run the script of a project from a folder that is not the project's."""
    words = [str(project.root / "scripts"), "whence", *map(str, arguments)]
    return forks().execute(words, project.root.parent, {})


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_as_the_config_now_stands(drawn, kind):
    project, folder = drawn
    [record] = read_records(folder / f"fig1.{kind}")
    assert (record["paper"], record["id"], record["title"]) == ("small", "fig1", "A state, λ = 3")
    assert record["series"]["state"]["parameters"]["state"] == [1, 4, 1]
    assert trace_back.compare(record, project.root, []) == (trace_back.SAME, [])


def test_the_account_from_another_folder(drawn, record):
    project, folder = drawn
    done = run(project, folder / "fig1.pdf")
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert "fig1: A state, λ = 3" in said
    assert "source       Fig. 1 of A: A Small Paper (2020)" in said
    assert "licence      MIT" in said
    assert "seed         none" in said
    assert "needs: [3, 10]" in said
    assert "python3 run.py small_fig1" in said
    assert f"standing     {trace_back.SAME}" in said
    for digest in (record["fingerprint"], record["code"], record["series"]["state"]["digest"]):
        assert digest in said


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_a_figure_that_was_edited_and_kept_its_record_is_told_by_its_sum(drawn, tmp_path, kind):
    project, folder = drawn
    file = tmp_path / f"fig1.{kind}"
    made = (folder / file.name).read_bytes()
    file.write_bytes(made + b"\n")
    [record] = read_records(file)
    assert not tell_changed(file, record)  # nothing is beside it
    sums = {file.name: hashlib.sha256(made).hexdigest()}
    sidecar = file.with_suffix(".json")
    sidecar.write_text(json.dumps(record | {"outputs": sums}), "utf-8")
    said = run(project, file).stdout
    assert "standing     another file than fig1.json beside it tells of, or changed since" in said
    assert f"its record: {trace_back.SAME}" in said
    file.write_bytes(made)
    assert not tell_changed(file, record)
    file.write_bytes(made + b"\n")
    sidecar.write_text(json.dumps(record | {"outputs": sums, "fingerprint": "0"}), "utf-8")
    assert not tell_changed(file, record)  # of another making


def test_seeds_are_found_at_every_depth(record):
    series = {
        "a": {"study": "s", "digest": "d", "parameters": {"seed": 2020}},
        "b": {"study": "s", "digest": "d", "parameters": {"many": [{"seed": 41}]}},
    }
    account = trace_back.format_account(record | {"series": series}, "", "", [])
    assert "seed         41, 2020" in account


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kept", [0.0, 0.001, 0.5, 0.99])
def test_a_truncated_file_is_refused(drawn, tmp_path, kind, kept):
    whole = (drawn[1] / f"fig1.{kind}").read_bytes()
    cut = tmp_path / f"cut.{kind}"
    cut.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(Unreadable, match="whole"):
        read_records(cut)


@pytest.mark.parametrize("text", [None, "A holiday", '"A holiday"', '{"paper": "small"}'])
def test_a_foreign_file_is_refused(drawn, tmp_path, text):
    foreign = tmp_path / "foreign.png"
    Image.new("RGB", (4, 4)).save(foreign)
    if text is not None:
        metadata = importlib.import_module("PIL.PngImagePlugin").PngInfo()
        metadata.add_text("Description", text)
        Image.new("RGB", (4, 4)).save(foreign, pnginfo=metadata)
    with pytest.raises(Unreadable, match="not of our making, or saved by a program"):
        read_records(foreign)
    if text is None:
        done = run(drawn[0], foreign)
        assert done.returncode == 2
        assert "not of our making" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("servers: 30", "servers: 31", "series state: servers: 30, now 31"),
        ("state: [1, 4, 1]", "state: [1, 1, 2]", "series state: state: [1, 4, 1], now [1, 1, 2]"),
        (
            "A caption",
            "Another",
            "its caption, source, drawing, style, width, formats or packages, or an order, differ",
        ),
        ("λ = 3", "λ", "title: A state, λ = 3, now A state, λ"),
    ],
)
def test_what_the_config_would_now_draw_otherwise(project, record, old, new, difference):
    project.edit("config/papers/small.yaml", old, new)
    found = trace_back.compare(record, project.root, [])
    assert found == (trace_back.CHANGED, [difference])


def test_other_series_are_named(record):
    other = record["series"]["state"] | {"study": "another", "digest": "0"}
    now = {"series": {"more": other}, "fingerprint": "0"}
    _, differences = trace_back.find_differences(record, record | now)
    assert differences == ["series more: new", "series state: gone"]
    now = {"series": {"state": other | {"parameters": {"needs": [3]}}}, "fingerprint": "0"}
    _, differences = trace_back.find_differences(record, record | now)
    assert differences[0] == "series state: study: queue-state, now another"
    assert "series state: needs: [3, 10], now [3]" in differences
    assert "series state: servers: 30, now gone" in differences


@pytest.mark.parametrize(
    ("file", "difference"),
    [
        ("drawings", "the code that draws it has changed"),
        (
            "studies",
            "series state: same parameters; the code that computes it has changed, or a package",
        ),
    ],
)
def test_changed_code(project, record, file, difference):
    code = project.root / f"src/atlas/{file}/queue_state.py"
    code.write_text(code.read_text("utf-8") + "\nMORE = 1\n", encoding="utf-8")
    assert trace_back.compare(record, project.root, []) == (trace_back.CHANGED, [difference])


def test_a_figure_that_is_gone(project, record):
    root = project.root
    gone = (trace_back.GONE, ["small has no fig2"])
    assert trace_back.compare(record | {"id": "fig2"}, root, []) == gone
    hint = "; --configfile FILE, after the name, adds a file of your own"
    gone = (trace_back.GONE, [f"it draws small, not large{hint}"])
    assert trace_back.compare(record | {"paper": "large"}, root, []) == gone
    other = root / "config/papers/other.yaml"
    other.write_text(PAPER.replace("paper: small", "paper: other"), encoding="utf-8")
    assert trace_back.compare(record, root, []) == (trace_back.SAME, [])
    more = root / "more.yaml"
    more.write_text("papers: [other]\n", encoding="utf-8")
    gone = (trace_back.GONE, ["it draws other, not small"])
    assert trace_back.compare(record, root, [more]) == gone


def test_a_config_file_is_merged_in(project, drawn, record):
    more = project.root / "more.yaml"
    more.write_text("widths: {double: 6.0}\n", encoding="utf-8")
    standing, _ = trace_back.compare(record, project.root, [more])
    assert standing == trace_back.CHANGED
    assert trace_back.redraw(record, [more]).endswith(f"small_fig1 --configfile {more}")
    words = ["--configfile", more, drawn[1] / "fig1.svg"]  # the name may follow
    for arguments in (["--json", *words], [*words, "--json"]):
        assert json.loads(run(project, *arguments).stdout)["standing"] == trace_back.CHANGED
    assert run(project, "--configfile", more).returncode == 2


def test_a_figure_of_a_paper_of_ones_own(project, record):
    own = project.root.parent / "own.yaml"
    own.write_text(PAPER.replace("paper: small", "paper: own"), encoding="utf-8")
    config = read_yaml(project.root / "config/config.yaml", "config")[0]
    [product] = [p for p in Plan.load(config, project.root, [own]).products if p.stage == "draw"]
    mine = record | {"paper": "own", "fingerprint": product.fingerprint}
    standing, (difference,) = trace_back.compare(mine, project.root, [])
    assert standing == trace_back.GONE
    assert difference.startswith("it draws small, not own; --configfile FILE")
    assert trace_back.compare(mine, project.root, [own]) == (trace_back.SAME, [])


def test_a_config_that_cannot_be_read(project, record):
    project.edit("config/papers/small.yaml", "servers: 30", "severs: 30")
    standing, [fault] = trace_back.compare(record, project.root, [])
    assert standing == trace_back.UNKNOWN
    assert "did you mean 'servers'?" in fault
