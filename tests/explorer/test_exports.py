"""The page's exports: config files that the workflow draws, Python that runs, pictures."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from scripts import draw
from tests.conftest import ROOT, compute

from atlas.config.kinds import module
from atlas.plan.resolve import Plan

from .conftest import CONTENT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unedited")]

SYSTEMS = {
    "start": "#servers=200&class=1,2,0.99&class=200,1,0.01",
    "ratios": "#servers=40&class=40,1e-9,1e-7&class=1,20000000,0.9999999",
    "small": "#servers=10&class=1,8.6,0.6&class=10,4.3,0.4",
    "three": "#servers=8&class=1,1,0.9&class=4,0.5,0.07&class=8,0.25,0.03",
    "many": "#servers=500&class=1,1,0.5&class=7,1,0.3&class=90,1,0.15&class=2,1,0.05",
    "equal": "#servers=40&class=3,1,0.5&class=3,7.5,0.5",
    "one": "#servers=30&class=7,2,1",
    "halves": "#servers=10000&class=1,1,0.999&class=5000,1,0.001",
    "largest": "#servers=100000000&class=1,1,0.99999999&class=100000000,1,0.00000001",
}


@pytest.fixture(scope="module")
def exported(browser, page_file) -> dict[str, tuple[str, str, list[float]]]:
    """By system: the YAML, the Python and λ*, E[N_idle] and the utilisation on the page."""
    page = browser.new_page()
    found = {}
    for name, hash in SYSTEMS.items():
        page.goto("about:blank")
        page.goto(f"{page_file.as_uri()}{hash}{CONTENT}")
        # It is told once its view is, before the slowest of the others are.
        page.wait_for_function("() => document.getElementById('yaml').textContent !== ''")
        texts = [page.locator(f"#{id}").inner_text() for id in ("yaml", "python")]
        means = page.evaluate(
            """() => { const m = explorer.context.means;
            return [m.throughput, m.wastage, m.utilisation] }"""
        )
        found[name] = (*texts, means)
    page.close()
    return found


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_plan_takes_the_file(exported, name, tmp_path):
    file = tmp_path / "my-system.yaml"
    file.write_text(exported[name][0], "utf-8")
    products = {product.id for product in Plan.load({}, ROOT, [file]).products}
    wanted = {
        "start": {"stability-region", "wastage-by-rate-ratio"},
        "ratios": {"stability-region", "wastage-by-rate-ratio"},
        "small": {"stability-region", "wastage-by-rate-ratio", "response-time"},
        "three": {"response-time"},
        "many": {"response-times"},
        "equal": {"response-time"},
        "one": {"response-time"},
        "halves": {"stability-region", "wastage-by-rate-ratio"},
        "largest": {"growth"},
    }
    assert wanted[name] <= products


@pytest.mark.parametrize(
    ("servers", "needs", "products"),
    [
        (10**7, (1, 10**7), {"growth"}),
        (10**8, (1, 5 * 10**7), {"response-times"}),
        (10**8, (2, 10**8), {"response-times"}),
    ],
)
def test_the_plan_takes_systems_at_its_limits(page, servers, needs, products, tmp_path):
    """And a file is about the system of the page: growth is studied with needs 1 and n only."""
    classes = [{"need": need, "rate": 1, "probability": 0.5} for need in needs]
    file = tmp_path / "my-system.yaml"
    file.write_text(
        page.evaluate("(s) => exports.yaml(s, false)", {"servers": servers, "classes": classes}),
        "utf-8",
    )
    assert products <= {product.id for product in Plan.load({}, ROOT, [file]).products}


def test_the_file_is_drawn(exported, tmp_path):
    """Of classes of the same need, which no paper has, as the jobs of a run draw it."""
    file = tmp_path / "my-system.yaml"
    file.write_text(exported["equal"][0], "utf-8")
    product = Plan.load({}, ROOT, [file]).product("my-system/response-time")
    tables = {
        name: compute(module("studies", series.study), series.parameters)
        for name, series in product.series.items()
    }
    spec = json.loads(json.dumps(product.spec))
    drawn = {made.name: made.stat().st_size for made in draw.draw(spec, tables, tmp_path)}
    assert drawn["response-time.pdf"] > 1000


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_lines_of_python_print_what_the_page_says(exported, name, capsys):
    _, python, means = exported[name]
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(python, names)
    limit = float(re.search(r"λ\* = ([^, ]+)", capsys.readouterr().out)[1])
    assert limit == pytest.approx(means[0], rel=1e-5)
    # All digits of what it rounds.
    found = names["system"].under(names["ms"].FCFS).stability()
    digits = [found.limit, found.wastage, found.utilisation]
    assert digits == pytest.approx(means, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_snapshot_is_a_picture_with_its_caption(exploring, scheme):
    with exploring(SYSTEMS["small"], color_scheme=scheme, accept_downloads=True) as page:
        for plot in ("region", "bell"):
            sentence = page.locator(f"#view-{plot} .sentence").inner_text()
            with page.expect_download() as download:
                page.locator(f"#view-{plot} .save-svg").click()
            assert download.value.suggested_filename == f"{plot}.svg"
            root = ET.parse(download.value.path()).getroot()
            names = {"svg": "http://www.w3.org/2000/svg"}
            caption = root.find("svg:desc", names).text
            assert caption.startswith("10 servers, needs [1, 10], rates [8.6, 4.3]")
            assert sentence.split(".")[0] in caption
            curves = root.findall(".//svg:path[@class='curve style0']", names)
            assert curves and all(c.get("stroke").startswith("rgb") for c in curves)
            assert "var(" not in ET.tostring(root, encoding="unicode")


def test_files_and_a_view_are_saved_and_the_system_is_shared(exploring):
    with exploring(SYSTEMS["small"]) as page:
        for id, name in (("yaml", "my-system.yaml"), ("python", "my_system.py")):
            with page.expect_download() as download:
                page.locator(f"#save-{id}").click()
            assert download.value.suggested_filename == name
            saved = Path(download.value.path()).read_text("utf-8")
            assert saved.strip() == page.locator(f"#{id}").inner_text().strip()
        with page.expect_download() as found:
            page.locator("#view-mix .save-png").click()
        data = Path(found.value.path()).read_bytes()
        assert found.value.suggested_filename == "mix.png"
        assert data.startswith(b"\x89PNG") and len(data) > 10_000
        page.evaluate("() => { navigator.share = undefined; }")
        page.evaluate("() => { window.copied = ''; }")
        page.evaluate(
            """() => Object.defineProperty(navigator, "clipboard", {
              value: { writeText: async (text) => { window.copied = text; } } })"""
        )
        page.get_by_role("button", name="Share").click()
        page.wait_for_function("() => document.getElementById('share-status').textContent !== ''")
        assert "servers=10&" in page.evaluate("() => window.copied")
