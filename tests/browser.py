"""Chromium for tests: pages must have no errors, and may load nothing but their own files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

WINDOW = {"viewport": {"width": 1280, "height": 900}}
QUIET = ["gpu", "quic", "background-networking", "component-update", "sync"]
FLAGS = ["--no-sandbox", "--no-first-run", *(f"--disable-{name}" for name in QUIET)]


@contextmanager
def chromium() -> Iterator:
    """A running browser, or a skip."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium on the path: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield running
        running.close()


@contextmanager
def watched(browser, within: Path, **options: Any) -> Iterator:
    """A new page and the list of its faults, which must stay empty; it may load only files within
    `within`, a file or a folder. With any of the options of a context it has storage of its own."""
    context = browser.new_context(**WINDOW | options) if options else _shared(browser)
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"console at {page.url}: {message.text}"))
    page.on("pageerror", lambda error: faults.append(f"error at {page.url}: {error}"))
    page.on("request", lambda request: faults.extend(_leaves(request.url, within)))
    yield page, faults
    (context if options else page).close()
    assert not faults, faults


@cache
def _shared(browser) -> Any:
    """A context for all pages without options: it takes longer to make than a page."""
    return browser.new_context(**WINDOW)


def _leaves(url: str, within: Path) -> list[str]:
    parts = urlsplit(url)
    inside = parts.scheme == "file" and Path(unquote(parts.path)).is_relative_to(within)
    return [] if parts.scheme in ("data", "blob") or inside else [url]
