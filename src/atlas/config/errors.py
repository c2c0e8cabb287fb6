"""Describe the faults of a config so that a person can mend them."""

from __future__ import annotations

import difflib
import linecache
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path as Folder
from typing import Any

Path = tuple[str | int, ...]

# Words of earlier or other configs: the names here of what they mean.
RENAMED = {
    "load": {"fraction_of_limit": "λ/λ*", "highest_load": "where a curve ends"},
    "fraction_of_limit": {"highest_fraction_of_limit": "where a curve ends"},
    "loads": {
        "fractions_of_limit": "λ/λ*",
        "arrival_rates": "λ_i",
        "fractions_of_boundary": "the fraction of the boundary of the worst mix",
    },
    "options": {"policy": "a policy with its options, {name: …, options: …},"},
    "fraction": {"fraction-of-limit": "λ/λ*", "load": "ρ = λ E[S]/n"},
    "fractions": {"loads": "ρ = λ E[S]/n"},
    "mean_durations": {"rates": "1/duration, class by class,"},
    "durations": {"rates": "1/duration of exponentials (policies-by-load takes others)"},
    "rates": {"durations": "the list of {exponential: RATE}, class by class,"},
    "csv": {"plain": "a table between commas"},
    "compatible": {"servers": "in a network or cluster, the list of the servers of each class"},
    "speeds": {"capacities": "the list of speeds"},
    "station": {"queues": "the list of stations"},
    "stations": {"queues": "the list of stations", "network": "a network of stations"},
}
# How alike a misspelling is at least: at 0.6, `durations` was taken for `replications`.
CLOSE = 0.75


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: the key it is about, what was found there and what was expected."""

    path: Path
    found: str
    expected: str
    hint: str = ""


class ConfigError(Exception):
    """A config that cannot be run; no job has started. `faults` are descriptions of its faults,
    each with the file and the line that it is on."""

    def __init__(self, faults: Mapping[str, tuple[str, int]]) -> None:
        super().__init__(_tell(faults, "no job was started"))
        self.faults = faults


class FaultCollector:
    """The faults of several files, so that one run tells them all."""

    def __init__(self) -> None:
        self.faults: dict[str, tuple[str, int]] = {}

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Keep the faults of a `ConfigError` that ends the block, and go on after it."""
        try:
            yield
        except ConfigError as error:
            self.faults |= error.faults

    def raise_all(self) -> None:
        """Raise `ConfigError` if there are faults."""
        if self.faults:
            raise ConfigError(self.faults)


def no_file(path: Path, file: str) -> Fault:
    """The fault of a file that is not there, with the folder in which a relative path starts."""
    return Fault((*path, "file"), repr(file), f"a file that is there{in_this_folder()}")


def in_this_folder() -> str:
    """The folder in which a relative path starts, as the end of what is expected."""
    return f", in {Folder.cwd()} unless its path is absolute"


def raise_for(faults: Sequence[Fault], file: str, lines: Mapping[Path, int | str]) -> None:
    """Raise `ConfigError` if there are faults."""
    if faults:
        raise ConfigError(_describe(faults, file, lines))


def list_faults(
    faults: Sequence[Fault], file: str, lines: Mapping[Path, int | str], outcome: str
) -> str:
    """The faults of a file, with the line of each and in their order, and their outcome. A text in
    `lines` is the whole place, with the file."""
    return _tell(_describe(faults, file, lines), outcome)


def _tell(faults: Mapping[str, tuple[str, int]], outcome: str) -> str:
    """The number of faults, their files and outcome, and then each fault, in the order of files and
    lines."""
    told = sorted(faults, key=faults.__getitem__)
    files = ", ".join(dict.fromkeys(faults[one][0] for one in told))
    plural = "s" if len(told) > 1 else ""
    return "\n\n".join([f"{len(told)} fault{plural} in {files}; {outcome}", *told])


def _describe(
    faults: Iterable[Fault], file: str, lines: Mapping[Path, int | str]
) -> dict[str, tuple[str, int]]:
    """The descriptions of faults, each with the file and the line that it is on."""
    blocks: dict[tuple[Any, ...], list[str]] = {}
    places: dict[tuple[Any, ...], tuple[str, int]] = {}
    again: dict[tuple[Any, ...], list[int]] = {}
    for held, line, fault in sorted(_placed(faults, file, lines), key=lambda one: one[:2]):
        # What is merged into several series brings its mistake to all of them.
        shared = line and fault.path[2:3] == ("series",)
        mistake = (held, fault.path[4:] if shared else fault.path, fault.found, fault.expected)
        if mistake in blocks:
            again.setdefault(mistake, []).append(line)
            continue
        place = f"{held}:{line}" if line else held
        where = ".".join(map(str, fault.path)) or "the whole file"
        block = [f"{place}: {where}", f"    found     {fault.found}"]
        block.append(f"    expected  {fault.expected}")
        if hint := fault.hint or _hint_at_nothing(fault, held, line):
            block.append(f"    {hint}")
        blocks[mistake], places[mistake] = block, (held, line)
    for mistake, others in again.items():
        numbers = ", ".join(map(str, dict.fromkeys(others)))
        blocks[mistake].append(f"    again     on line {numbers}")
    return {"\n".join(block): places[mistake] for mistake, block in blocks.items()}


def _placed(
    faults: Iterable[Fault], file: str, lines: Mapping[Path, int | str]
) -> Iterator[tuple[str, int, Fault]]:
    """The file and the line of each fault; line 0 if it is about no line."""
    for fault in faults:
        prefixes = (fault.path[:k] for k in range(len(fault.path), -1, -1))
        place = next((lines[prefix] for prefix in prefixes if prefix in lines), 0)
        if isinstance(place, str):
            held, _, line = place.rpartition(":")
            yield (held, int(line), fault) if line.isdigit() else (place, 0, fault)
        else:
            yield file, place, fault


def _hint_at_nothing(fault: Fault, file: str, line: int) -> str:
    """A hint if a missing value may be a text that YAML took for a comment, or part of the key."""
    linecache.checkcache(file)
    written = linecache.getline(file, line) if fault.found == "nothing" else ""
    if "\u00a0" in written:
        return "write a plain space for the no-break space, which YAML takes for a letter"
    if "#" not in written:
        return ""
    return "a text that begins with # must be in quotes: YAML takes it for a comment"


def suggest(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that replaced `word` or is `closest` to it, or an empty text."""
    known = list(known)
    for new, meaning in RENAMED.get(word, {}).items():
        if new in known:
            return f"{meaning} is called '{new}'"
    close = closest(word, known)
    return f"did you mean '{close}'?" if close else ""


def closest(word: str, known: Iterable[str]) -> str:
    """The known word of which `word` is likely a misspelling or the beginning, or an empty text."""
    known = list(known)
    close = difflib.get_close_matches(word, known, 1, CLOSE)
    close = close or difflib.get_close_matches(word.lower(), known, 1, CLOSE)
    close = close or [name for name in known if len(word) > 2 and name.startswith(word.lower())]
    return close[0] if close else ""


def show(value: object) -> str:
    """A value for a message, shortened."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
