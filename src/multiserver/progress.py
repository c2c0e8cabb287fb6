"""Log messages of searches that take long."""

from __future__ import annotations

import logging
from time import monotonic

LOGGER = logging.getLogger("multiserver")
# Seconds between messages.
INTERVAL = 10.0


class Search:
    """Logs what a search has found, at most once in `INTERVAL` seconds."""

    def __init__(self) -> None:
        self.last = monotonic()

    def tell(self, message: str, *found: object) -> None:
        """Log a message, if it is time."""
        if monotonic() - self.last >= INTERVAL:
            self.last = monotonic()
            LOGGER.warning(message, *found)
