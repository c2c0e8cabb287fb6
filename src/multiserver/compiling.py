"""Log messages while simulators and elimination are compiled, which happens on their first use.

The first compilation on a machine takes 2 to 20 seconds an engine; later runs load the compiled
code from disk. The logger `multiserver` reports which engine is compiled, every few seconds how
many of its functions are done, and at the end how long it took.

The numpy functions that compiled code calls are compiled with it. Assigning an array to a slice, or
numpy's sort, maximum or append, adds half a second to two seconds to each engine that uses one; the
engines use loops instead. A counter that begins as the literal 0 has a type of its own at first,
for which all functions that get it are compiled once more; counters begin as `np.int64(0)`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

LOGGER = logging.getLogger("multiserver")
# Seconds between progress messages.
PROGRESS_INTERVAL = 3.0


class Progress:
    """Counts what has been compiled since it was created, and logs the progress."""

    def __init__(self) -> None:
        self.engine, self.functions = "", 0
        self.since = self.last = monotonic()

    def start(self, engine: str) -> None:
        """A compilation starts, perhaps inside another."""
        if not self.engine:
            self.engine, self.since, self.last = engine, monotonic(), monotonic()
            LOGGER.warning("compiling %s, once on this machine: 2 to 20 seconds", engine)

    def end(self) -> None:
        """A compilation ends."""
        self.functions += 1
        if monotonic() - self.last > PROGRESS_INTERVAL:
            self.last = monotonic()
            passed = self.last - self.since
            LOGGER.warning(
                "compiling %s: %d functions in %.0f s", self.engine, self.functions, passed
            )

    def close(self) -> None:
        """Log the total time, if anything was compiled."""
        if self.engine:
            passed = monotonic() - self.since
            LOGGER.warning(
                "compiled %s: %d functions in %.1f s", self.engine, self.functions, passed
            )


_open: list[Progress] = []


@contextmanager
def announced() -> Iterator[None]:
    """Log compilations within this context; nested contexts log them once."""
    if _open:
        yield
        return
    from numba.core import event

    class Announcer(event.Listener):
        def on_start(self, event: event.Event) -> None:
            progress.start(event.data["dispatcher"].py_func.__module__)

        def on_end(self, event: event.Event) -> None:
            progress.end()

    progress = Progress()
    _open.append(progress)
    try:
        with event.install_listener("numba:compile", Announcer()):
            yield
    finally:
        _open.remove(progress)
        progress.close()
