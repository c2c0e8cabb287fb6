"""What a run says about its jobs, shorter and more helpful than Snakemake alone.

Snakemake reports through Python's `logging`. A filter on its logger shortens reasons that name many
files, and suggests targets for one that no rule makes.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from atlas.config.errors import suggest

LOGGER = "snakemake.logging"
# So many files of a reason are named.
MAX_NAMED = 3
UNKNOWN = re.compile(r"No rule to produce (\S+)")


class LogShortener(logging.Filter):
    """Lets everything pass, in fewer words; `names` gives the names of all targets."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self._names = names

    def filter(self, record: logging.LogRecord) -> bool:
        reason = getattr(record, "reason", None)
        if isinstance(reason, str):
            record.reason = shorten(reason)
        if isinstance(record.msg, str) and (unknown := UNKNOWN.search(record.msg)):
            record.msg = f"{record.msg.rstrip()}\n{propose(unknown[1], self._names())}".rstrip()
        return True


def install_log_filter(names: Callable[[], Iterable[str]]) -> None:
    """Install the filter on Snakemake's logger, in place of one from an earlier reading of the
    Snakefile."""
    logger = logging.getLogger(LOGGER)
    for one in [one for one in logger.filters if isinstance(one, LogShortener)]:
        logger.removeFilter(one)
    logger.addFilter(LogShortener(names))


def shorten(reason: str) -> str:
    """A reason that names the first few files of each kind, and says how many more there are."""
    parts = []
    for part in reason.split("; "):
        head, colon, files = part.partition(": ")
        listed = files.split(", ")
        if len(listed) > MAX_NAMED:
            listed = [*sorted(listed)[:MAX_NAMED], f"and {len(listed) - MAX_NAMED} more"]
        parts.append(f"{head}{colon}{', '.join(listed)}")
    return "; ".join(parts)


def propose(target: str, names: Iterable[str]) -> str:
    """A hint at the targets that may be meant, or nothing: those that end in this one, which may be
    the id of a figure alone, else the most similar. A config file is no target."""
    names = list(names)
    if (file := Path(target)).suffix in (".yaml", ".yml"):
        return f"did you mean {file.stem if file.stem in names else f'--configfile {target}'}?"
    ends = [name for name in names if name.endswith((f"_{target}", f"/{target}"))]
    if ends:
        return f"did you mean {' or '.join(repr(name) for name in ends[:MAX_NAMED])}?"
    return suggest(target, names)


def find_message(folder: Path, log: str) -> str:
    """The last message of a job, from its log or the logs of its parts: a refusal, or the last line
    of a traceback; empty if there is none."""
    for file in sorted(folder.glob(log)):
        text = file.read_text("utf-8", "replace").rstrip()
        if "Traceback (most recent call last)" in text:
            return text.splitlines()[-1]
        if text:
            return text.split("\n\n")[-1]
    return ""
