"""The explorer of a run with some systems, open in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gallery.collect import Claim, Exhibit, Paper
from gallery.render import render

QUIET = ["gpu", "quic", "background-networking", "component-update", "sync"]
FLAGS = ["--no-sandbox", "--no-first-run", *(f"--disable-{name}" for name in QUIET)]
# Whether the page has nothing left to do.
SETTLED = "() => document.body.dataset.busy === 'false'"


def product(id: str, figure: str = "", **series: dict[str, Any]) -> Exhibit:
    """A figure with the parameters of its series."""
    blocks = {name: {"parameters": block} for name, block in series.items()}
    spec = {"series": blocks, "faithful": True, "software": {"multiserver-atlas": "0"}}
    source = {"certainty": "stated"} | ({"figure": figure} if figure else {})
    return Exhibit("alpha", id, "draw", f"Title of {id}", "", source, spec)


def paper(id: str, *figures: Exhibit, claims: tuple[Claim, ...] = ()) -> Paper:
    """A paper of these figures."""
    return Paper(id, {"title": id}, figures, (), claims, (), {})


@pytest.fixture(scope="session")
def page_file(tmp_path_factory) -> Path:
    """The explorer of a run with two systems."""
    jobs = {"servers": 200, "needs": [1, 200], "rates": [2.0, 1.0]}
    small = {"servers": 10, "needs": [1, 10], "rates": [8.6, 4.3], "probabilities": [0.6, 0.4]}
    run = [paper("alpha", product("fig6b", "6(b)", region=jobs), product("red", "3", red=small))]
    file = tmp_path_factory.mktemp("gallery") / "explorer.html"
    file.write_text(render(run)["explorer.html"], "utf-8")
    return file


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """Chromium, or a skip; one at a time, since another module may start its own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium on the path: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def exploring(browser, page_file):
    """Opens the page: nothing may go wrong on it, and it may ask for nothing but itself."""

    @contextmanager
    def opened(hash: str = "", **options: Any) -> Iterator:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        page = context.new_page()
        faults: list[str] = []
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("request", lambda request: faults.extend(_leaves(request.url, page_file)))
        page.goto(f"{page_file.as_uri()}{hash}")
        page.wait_for_function(SETTLED)
        yield page
        context.close()
        assert not faults

    return opened


def _leaves(url: str, file: Path) -> list[str]:
    inside = url.partition("#")[0] == file.as_uri() or url.startswith(("data:", "blob:"))
    return [] if inside else [url]
