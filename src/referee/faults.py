"""Faults in a file of results: all are counted, and at most `SHOWN` of each kind are listed."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from atlas.io.untrusted import Unreadable, describe, printable

SHOWN = 20


@dataclass(frozen=True)
class Fault:
    """A fault on a line, and its kind; a hint for `word` is looked for among `known`."""

    line: int
    kind: str
    found: str
    expected: str
    word: str = ""
    known: tuple[str, ...] = ()

    def describe(self, file: Path) -> str:
        """The fault as a message."""
        close = difflib.get_close_matches(self.word[:80], self.known, n=1)
        hint = f"did you mean '{close[0]}'?" if close else ""
        return describe(file, self.line, self.found, self.expected, hint)


def require_none(file: Path, faults: Sequence[Fault]) -> None:
    """Raise `Unreadable`, with the first faults of each kind, if there are any."""
    if not faults:
        return
    count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''} in {printable(str(file))}"
    parts, kinds = [f"{count}; nothing was scored"], Counter()
    for fault in faults:
        kinds[fault.kind] += 1
        if kinds[fault.kind] <= SHOWN:
            parts.append(fault.describe(file))
    parts += [f"{n - SHOWN} more: {kind}" for kind, n in kinds.items() if n > SHOWN]
    raise Unreadable("\n\n".join(parts))
