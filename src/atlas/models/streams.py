"""Keys of the random streams: a series as a number.

The keys are recorded in tests/plan/stream_keys.csv, so that a better name in config does not change
simulated numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from atlas.fields.block import Block
from atlas.fields.markers import Stream, marked


def stream_key(parameters: Block | Mapping[str, Any], **others: Any) -> int:
    """A 32-bit key that depends on `others` and on all parameters of a series except those that
    control its sampling; or the key that the series itself gives."""
    if not isinstance(parameters, Block):
        return _hash({**parameters, **others})
    for name in marked(type(parameters), Stream):
        if (given := getattr(parameters, name)) is not None:
            return given
    return _hash({**parameters.stream_key_form(), **others})


def _hash(content: Mapping[str, Any]) -> int:
    text = json.dumps(content, sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
