"""Specs: all that a job reads, as JSON, under a name that holds the digest of the text.

The plan writes them and the jobs read them. Order counts, as series, columns and rows follow it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

LENGTH = 16


def canonical(value: Any) -> str:
    """JSON on one line: equal values in equal order give equal texts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def digest(*parts: str) -> str:
    """A short SHA-256 over the parts, in order."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(hashlib.sha256(part.encode()).digest())
    return hashed.hexdigest()[:LENGTH]


def read_spec(file: Path) -> dict[str, Any]:
    """The spec in a file, with its digest as `fingerprint`.

    Raises `ValueError` if the content does not match the digest in the name, `FileNotFoundError` if
    there is no such file.
    """
    if not file.exists():
        raise FileNotFoundError(f"{file}: a run writes it before its jobs, not with --no-hooks")
    text = file.read_text(encoding="utf-8")
    fingerprint = digest(text)
    if fingerprint != file.stem.rpartition(".")[2]:
        raise ValueError(f"{file}: not as it was written; run again, and it is written anew")
    return {**json.loads(text), "fingerprint": fingerprint}
