"""JSON laid out for people."""

from __future__ import annotations

import json
from typing import Any


def lay_out(value: Any, margin: str = "\n") -> str:
    """JSON in which a value that contains no lists or objects is on one line."""
    inner = margin + " "
    if isinstance(value, dict) and any(isinstance(item, dict | list) for item in value.values()):
        items = (f"{_text(key)}: {lay_out(item, inner)}" for key, item in value.items())
        return f"{{{inner}{f',{inner}'.join(items)}{margin}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return f"[{inner}{f',{inner}'.join(lay_out(item, inner) for item in value)}{margin}]"
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
