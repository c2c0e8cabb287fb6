"""Write files whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replace(target: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of `target` once all has gone well."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # The suffix stays last: writers choose the format by it.
    draft = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    try:
        yield draft
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> None:
    """Write `text` to `target`, whole or not at all."""
    with replace(target) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")
