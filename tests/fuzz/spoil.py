"""Files of strangers: sound ones, spoilt by lot from a seeded generator, byte by byte, word by word
or as files that are none."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

# What a stranger writes where a number, a name or a text stood.
WORDS = (
    *("nan", "inf", "-inf", "1e308", "1e-320", "-1", "0", "9" * 400, "0x1f", "1_000", "²", ""),
    *("Größe", "Очередь", "行列", "\x1b[2J", "\r", "\u202e", "\u2028", "\ud800", "\x00", '"', "'"),
    *("../../etc/passwd", "/dev/zero", "{{ 7 * 7 }}", "<script>", "%s%n", "null", "[]", "{}"),
    *(", , ,", 300 * "[", "=1+1", "true", "-0.0", "\ufeff", "\\input{x}", "1e400", "a" * 9000),
)


def spoil(file: Path, rng: random.Random) -> str:
    """Spoil a file, or put what is none in its place; says how."""
    kind = rng.choice(sorted(KINDS))
    KINDS[kind](file, rng)
    return kind


def _bytes(
    change: Callable[[bytes, random.Random], bytes],
) -> Callable[[Path, random.Random], None]:
    def spoilt(file: Path, rng: random.Random) -> None:
        file.write_bytes(change(file.read_bytes(), rng))

    return spoilt


def _flip(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def _double(content: bytes, rng: random.Random) -> bytes:
    low, high = sorted(rng.sample(range(len(content) + 1), 2))
    return content[:high] + content[low:high] * rng.choice((1, 1, 50)) + content[high:]


def _drop(content: bytes, rng: random.Random) -> bytes:
    low, high = sorted(rng.sample(range(len(content) + 1), 2))
    return content[:low] + content[high:]


def _insert(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.randbytes(rng.randint(1, 40)) + content[at:]


def _word(content: bytes, rng: random.Random) -> bytes:
    """Another word between two separators."""
    separators = b'\n,;:"{}<> ()'
    places = [i for i, byte in enumerate(content) if byte in separators] or [0]
    at = rng.randrange(len(places))
    end = places[at + 1] if at + 1 < len(places) else len(content)
    word = rng.choice(WORDS).encode("utf-8", "surrogatepass")
    return content[: places[at] + 1] + word + content[end:]


def _lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


def _recode(content: bytes, rng: random.Random) -> bytes:
    code = rng.choice(("utf-16", "utf-32", "latin-1", "utf-8-sig"))
    return content.decode("utf-8", "replace").encode(code, "replace")


def _link(file: Path, _rng: random.Random) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def _loop(file: Path, _rng: random.Random) -> None:
    file.unlink()
    file.symlink_to(file)


def _pipe(file: Path, _rng: random.Random) -> None:
    file.unlink()
    os.mkfifo(file)


def _folder(file: Path, _rng: random.Random) -> None:
    file.unlink()
    file.mkdir()


def _lose(file: Path, _rng: random.Random) -> None:
    file.unlink()


def _copy(file: Path, rng: random.Random) -> None:
    """A file of another kind."""
    others = [f for f in sorted(file.parent.iterdir()) if f.is_file() and f != file]
    shutil.copy(rng.choice(others) if others else __file__, file)


KINDS: dict[str, Callable[[Path, random.Random], None]] = {
    "a bit": _bytes(_flip),
    "cut": _bytes(_cut),
    "doubled": _bytes(_double),
    "dropped": _bytes(_drop),
    "inserted": _bytes(_insert),
    "a word": _bytes(_word),
    "two words": _bytes(lambda content, rng: _word(_word(content, rng), rng)),
    "lines": _bytes(_lines),
    "encoding": _bytes(_recode),
    "empty": _bytes(lambda _content, _rng: b""),
    "endless": _link,
    "loop": _loop,
    "pipe": _pipe,
    "folder": _folder,
    "lost": _lose,
    "other": _copy,
}
