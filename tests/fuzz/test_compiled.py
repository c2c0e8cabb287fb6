"""However compiled code is damaged, the same command computes the same numbers again.

Each round damages random files of a cache, indexes as well as compiled code, and runs a program of
two modules twice. It prints what it printed when it was first compiled, and the second run finds
all of it compiled.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.scripts.test_compiled import run

CODE = """\
from numba import njit

@njit(cache=True)
def twice(x):
    return 2 * x

@njit(cache=True)
def thrice(x):
    return 3 * x

print(twice(21), twice(0.1), thrice(7))
print(sum(f.stats.cache_misses.total() for f in (twice, thrice)))
"""
SAID = "42 0.2 21\n"
KINDS = ("delete", "cut", "empty", "alter", "exchange", "append")
SEED = 62


def damage(files: list[Path], rng: random.Random) -> str:
    """Damage one of the files; says how."""
    file, content = (chosen := rng.choice(files)), chosen.read_bytes()
    kind = rng.choice(KINDS)
    if kind == "delete":
        file.unlink()
    elif kind == "cut":
        file.write_bytes(content[: rng.randrange(len(content))])
    elif kind == "empty":
        file.write_bytes(b"")
    elif kind == "alter":
        at, turned = rng.randrange(len(content)), 1 << rng.randrange(8)
        file.write_bytes(content[:at] + bytes([content[at] ^ turned]) + content[at + 1 :])
    elif kind == "exchange":
        file.write_bytes(rng.choice(files).read_bytes() if len(files) > 1 else b"")
    else:
        file.write_bytes(content + rng.randbytes(rng.randint(1, 99)))
    return f"{file.suffix} {kind}"


def fuzz(folder: Path, rounds: int, seed: int) -> Counter[str]:
    """Damages by file and kind, of so many rounds, each of which was mended."""
    rng, counts, cache = random.Random(seed), Counter(), folder / "cache"
    assert run(folder, cache, CODE).stdout == f"{SAID}3\n"
    for _ in range(rounds):
        files = sorted(cache.rglob("*.nb[ci]"))
        done = [damage([f for f in files if f.exists()], rng) for _ in range(rng.randint(1, 2))]
        for misses in (None, 0):
            ended = run(folder, cache, CODE)
            assert ended.returncode == 0, (done, ended.stderr)
            assert ended.stdout.startswith(SAID), (done, ended.stdout)
            assert misses is None or ended.stdout == f"{SAID}{misses}\n", (done, ended.stdout)
        counts.update(done)
    return counts


@pytest.mark.verification
def test_damage_is_mended_in_many_rounds(tmp_path, capsys):
    counts = fuzz(tmp_path, 40, SEED)
    with capsys.disabled():
        print(*(f"\n{n:4} {kind}" for kind, n in sorted(counts.items())))
    assert counts.total() >= 40
