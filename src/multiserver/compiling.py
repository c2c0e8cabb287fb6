"""A word to who waits: simulators and elimination are compiled when they are first used.

That takes 2 to 20 seconds on a machine that has not done it before; later runs find the compiled
code on disk. It is said once, through the logger `multiserver`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

LOGGER = logging.getLogger("multiserver")
MESSAGE = "compiling, once on this machine: this takes 2 to 20 seconds"

_said = False


@contextmanager
def announced() -> Iterator[None]:
    """Say it if anything is compiled within."""
    from numba.core import event

    class Announcer(event.Listener):
        def on_start(self, event: event.Event) -> None:
            global _said
            if not _said:
                LOGGER.warning(MESSAGE)
            _said = True

        def on_end(self, event: event.Event) -> None:
            pass

    with event.install_listener("numba:compile", Announcer()):
        yield
