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

    def end_headers(self) -> None:
        """What one page has loaded is loaded anew by the next."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

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


@contextmanager
def window(browser, width: int) -> Iterator:
    """A page of this width."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_while_pages_come(browser, slow_line, width):
    with window(browser, width) as page:
        for name in PAGES:
            page.goto(f"{slow_line}/{name}")
            assert page.evaluate(MEASURE_SHIFTS) == 0, name


def test_what_moves_would_be_noticed(browser, tmp_path):
    filler = f"<!--{'.' * 10 * PIECE}-->"
    page = f"<!DOCTYPE html><p>Moved</p>{filler}<script>document.body.prepend('First')</script>"
    (tmp_path / "page.html").write_text(page)
    with serve(tmp_path) as address, window(browser, 390) as page:
        page.goto(f"{address}/page.html")
        assert page.evaluate(MEASURE_SHIFTS) > 0
