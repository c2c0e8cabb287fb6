"""Write files whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replace(target: Path) -> Iterator[Path]:
    """A path to write to, which replaces `target` if all goes well. Drafts left by processes that
    were killed are removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # The suffix stays last: writers choose the format from it.
    draft = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    for left in _find_left(target):
        left.unlink(missing_ok=True)
    try:
        yield draft
        draft.replace(target)
    except OSError as error:  # the error of a full disk names no file
        if error.errno and not error.filename:
            error.filename = str(target)
        raise
    finally:
        draft.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> None:
    """Write `text` to `target`, whole or not at all."""
    with replace(target) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")


def write_texts(stem: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts, by suffix, to files that have a path in common up to there; return the files."""
    files = [stem.with_name(f"{stem.name}{suffix}") for suffix in texts]
    for file, text in zip(files, texts.values(), strict=True):
        write_text(file, text)
    return files


def _find_left(target: Path) -> Iterator[Path]:
    """The drafts of a file, and drafts of drafts, whose processes have ended."""
    mine = rf"\.+{re.escape(target.stem)}((?:\.[0-9]+)+){re.escape(target.suffix)}"
    for file in target.parent.iterdir():
        match = re.fullmatch(mine, file.name)
        if match and not any(_lives(int(number)) for number in match[1].split(".")[1:]):
            yield file


def _lives(process: int) -> bool:
    """Whether a process with this id may be alive; on Windows always true."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True
