"""What the plan found out before: kept in a file under a digest of all that had a say in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from output.atomic import write_text
from output.specs import digest


def recall(file: Path, under: str) -> dict[str, Any]:
    """What was kept under this digest; nothing if there is no such file, or it is not whole."""
    try:
        head, _, text = file.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return {}
    text = text.removesuffix("\n")
    return json.loads(text) if head == f"{under} {digest(text)}" else {}


def keep(file: Path, under: str, found: dict[str, Any]) -> None:
    """Keep it."""
    text = json.dumps(found, ensure_ascii=False)
    write_text(file, f"{under} {digest(text)}\n{text}\n")
