"""A word to who waits: simulators and elimination are compiled when they are first used.

On a machine that has not done it before that takes 2 to 20 seconds an engine; later runs find the
compiled code on disk. Through the logger `multiserver` it is said which engine is compiled, every
few seconds how many of its functions are done, and at the end how long it took.

What compiled code uses of numpy is compiled with it. An array assigned to a slice, or numpy's sort,
maximum or append, adds half a second to two seconds to each engine that has one: there are loops in
their place.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

LOGGER = logging.getLogger("multiserver")
# Seconds between words about progress.
OFTEN = 3.0


class Progress:
    """What has been compiled since it was made, said as it goes on."""

    def __init__(self) -> None:
        self.engine, self.functions, self.depth = "", 0, 0
        self.since = self.last = monotonic()

    def start(self, engine: str) -> None:
        """A function is compiled, perhaps for one that is being compiled."""
        if not self.engine:
            self.engine, self.since, self.last = engine, monotonic(), monotonic()
            LOGGER.warning("compiling %s, once on this machine: 2 to 20 seconds", engine)
        self.depth += 1

    def end(self) -> None:
        """One of those that were started is done."""
        self.depth -= 1
        self.functions += 1
        if monotonic() - self.last > OFTEN:
            self.last = monotonic()
            passed = self.last - self.since
            LOGGER.warning(
                "compiling %s: %d functions in %.0f s", self.engine, self.functions, passed
            )

    def close(self) -> None:
        """Say how long it took, if anything was compiled."""
        if self.engine:
            passed = monotonic() - self.since
            LOGGER.warning(
                "compiled %s: %d functions in %.1f s", self.engine, self.functions, passed
            )


_open: list[Progress] = []


@contextmanager
def announced() -> Iterator[None]:
    """Say it if anything is compiled within; once if such contexts are nested."""
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
