"""Keys of the random streams: what a series is, as a number."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from declared.block import Block

# How long and from which seed a series is simulated does not say what it is.
EFFORT = {"effort", "jobs", "seed"}


def stream_key(parameters: Block | Mapping[str, Any], **drawn_as: str) -> int:
    """A 32-bit key that depends on all parameters of a series but its effort.

    `drawn_as` has the name under which the streams of a parameter are drawn, where config calls it
    otherwise: a better name is no reason for other numbers.
    """
    if isinstance(parameters, Block):
        parameters = parameters.plain()
    content = {
        drawn_as.get(key, key): value for key, value in parameters.items() if key not in EFFORT
    }
    text = json.dumps(content, sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
