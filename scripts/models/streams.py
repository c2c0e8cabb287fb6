"""Keys of the random streams: what a series is, as a number."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from declared.block import Block
from declared.markers import Sampling, marked


def stream_key(parameters: Block | Mapping[str, Any], **drawn_as: str) -> int:
    """A 32-bit key that depends on all parameters of a series but those that mark its sampling.

    `drawn_as` has the name under which the streams of a parameter are drawn, where config calls it
    otherwise: a better name is no reason for other numbers.
    """
    free: Collection[str] = ()
    if isinstance(parameters, Block):
        free = marked(type(parameters), Sampling)
        parameters = parameters.plain()
    content = {
        drawn_as.get(key, key): value for key, value in parameters.items() if key not in free
    }
    text = json.dumps(content, sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
