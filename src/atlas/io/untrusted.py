"""How `score`, `whence` and `verify` read and print untrusted files, and their exit codes.

The exit code is `FINE`, `AMISS` if a file is not as it should be, or `UNREADABLE` if a file or an
argument cannot be read. Any other failure, such as a full disk, ends with 1, as in Python.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TextIO

FINE, UNREADABLE, AMISS = 0, 2, 3
LONGEST = 2000


class Unreadable(ValueError):
    """A file or argument that cannot be read; the message is safe to print."""


def end(command: Callable[[], int]) -> NoReturn:
    """Run a command and exit with its code, or with `UNREADABLE` if it raises `Unreadable`."""
    try:
        sys.exit(command())
    except Unreadable as error:
        say(str(error), sys.stderr)
        sys.exit(UNREADABLE)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FINE)


def say(text: str, stream: TextIO | None = None) -> None:
    """Print lines, by default to standard output, with escapes for letters it cannot encode."""
    stream = stream or sys.stdout
    code = stream.encoding or "utf-8"
    print(text.encode(code, "backslashreplace").decode(code), file=stream, flush=True)


def read_bytes(file: Path, most: int) -> bytes:
    """The content of a file. Raises `Unreadable` unless it is a regular file of at most `most`
    bytes: a pipe may keep its reader waiting, and a device may never end."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                refuse(file, "no plain file", "a file")
            content = stream.read(most + 1)
    except (OSError, ValueError) as error:  # a name may hold a zero byte
        refuse(file, getattr(error, "strerror", None) or str(error), "a file that can be read")
    if len(content) > most:
        refuse(file, f"more than {most} bytes", "a smaller file")
    return content


def refuse(file: Path, found: str, expected: str, line: int = 0) -> NoReturn:
    """Raise `Unreadable` about a file, or a line of it."""
    raise Unreadable(describe(file, line, found, expected))


def describe(file: Path, line: int, found: str, expected: str, hint: str = "") -> str:
    """A fault as a message for people."""
    lines = [f"{printable(str(file))}{f':{line}' if line else ''}"]
    lines += [f"    found     {printable(found)}", f"    expected  {printable(expected)}"]
    return "\n".join([*lines, f"    {printable(hint)}"] if hint else lines)


def printable(text: str) -> str:
    """`text` on one line, its first `LONGEST` letters, without characters that move the cursor or
    change the writing direction, and without runs of spaces, which could move words to a new line
    of a terminal. Printable letters of any script are kept; other characters are escaped."""
    spaced = (" " if unicodedata.category(c) == "Zs" else c for c in text[: LONGEST + 1])
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in spaced)
    cut = f"… ({len(text)} characters)" if len(text) > LONGEST else ""
    return re.sub(" {2,}", " ", shown[:LONGEST]) + cut
