"""Cached results of planning: a file whose first line holds the digest of their inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from atlas.io.atomic import write_text
from atlas.io.specs import digest


def load(file: Path, key: str) -> dict[str, Any]:
    """What was stored under this digest; empty if there is no such file or it is incomplete."""
    try:
        head, _, text = file.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return {}
    text = text.removesuffix("\n")
    return json.loads(text) if head == f"{key} {digest(text)}" else {}


def store(file: Path, key: str, content: dict[str, Any]) -> None:
    """Store the content in place of what was stored before."""
    text = json.dumps(content, ensure_ascii=False)
    write_text(file, f"{key} {digest(text)}\n{text}\n")
