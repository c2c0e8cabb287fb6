"""Pages of the gallery, opened in a browser from file:// as a reader opens them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser import watched

SHOW_PICTURES = """() => Promise.all([...document.querySelectorAll("img[src]")].map((image) => {
  image.loading = "eager";
  return image.decode();
}))"""
MEASURE_SHIFTS = """() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const e of list.getEntries()) sum += e.value; })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(sum), 300);
})"""


@contextmanager
def reading(browser, folder: Path, name: str = "", script: str = "", **options) -> Iterator:
    """An open page: nothing may go wrong on it, and it may ask for nothing outside the folder.

    `script` runs before any of the page's own. Without a name the page is empty.
    """
    with watched(browser, folder.parent, **options) as (page, faults):
        page.on("requestfailed", lambda request: faults.append(f"failed: {request.url}"))
        page.add_init_script(script)
        if name:
            page.goto(f"{folder.as_uri()}/{name}")
        yield page


def turn_over(page, folder: Path, names: Iterable[str]) -> Iterator[str]:
    """Go from one page of the folder to the next, once all pictures of the one have come."""
    for name in names:
        page.goto(f"{folder.as_uri()}/{name}")
        yield name
        page.evaluate(SHOW_PICTURES)
