"""Pages that load piece by piece, as over a slow connection: nothing moves once it is painted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.gallery.opened import MEASURE_SHIFTS

from .test_pages import PAGES

pytestmark = pytest.mark.slow

PIECE, WAIT = 4_000, 0.02  # bytes and seconds: more than a frame, so that all between is painted


class InPieces(SimpleHTTPRequestHandler):
    """Files of a folder; pages in pieces."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        """Nothing."""

    def copyfile(self, source, outputfile) -> None:
        while piece := source.read(PIECE):
            outputfile.write(piece)
            outputfile.flush()
            time.sleep(WAIT if self.path.endswith(".html") else 0)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address of a server of a folder that sends pages in pieces."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(InPieces, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def slow_line(gallery) -> Iterator[str]:
    with serve(gallery.parent) as address:
        yield f"{address}/{gallery.name}"


def measure_shifts(browser, address: str, width: int) -> float:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(address)
    shifts = page.evaluate(MEASURE_SHIFTS)
    context.close()
    return shifts


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_moves_while_a_page_comes(browser, slow_line, name, width):
    assert measure_shifts(browser, f"{slow_line}/{name}", width) == 0


def test_what_moves_would_be_noticed(browser, tmp_path):
    filler = f"<!--{'.' * 10 * PIECE}-->"
    page = f"<!DOCTYPE html><p>Moved</p>{filler}<script>document.body.prepend('First')</script>"
    (tmp_path / "page.html").write_text(page)
    with serve(tmp_path) as address:
        assert measure_shifts(browser, f"{address}/page.html", 390) > 0
