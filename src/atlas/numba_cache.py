"""A cache for numba that copies of the project with equal sources share.

Numba stores compiled code under the path of its source, so it would compile everything again in a
copy of the project. The cache folder used here already has the digest of all compiled sources in
its name (`plan.environment.expose`); within it, the place of a source in the package is enough to
name it. A checksum is appended to each file; numba does not read it. A file that does not match its
checksum, as a full disk or a crash may leave it, is deleted and compiled again: numba would fail on
it each time, or run it.
"""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any

from numba.core.caching import IndexDataCacheFile, UserProvidedCacheLocator

SUM = hashlib.sha256().digest_size


class ByPackage(UserProvidedCacheLocator):
    """Names the cache folder of a function after the last two folders of its source."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        return "_".join(Path(py_file).resolve().parent.parts[-2:])

    def ensure_cache_path(self) -> None:
        folder = Path(self.get_cache_path())
        try:
            super().ensure_cache_path()
        except OSError as error:  # numba would say only that there is no folder
            raise RuntimeError(
                f"{folder}: {error.strerror}; the variable NUMBA_CACHE_DIR says where compiled code"
                " is kept"
            ) from None
        discard_damaged(folder)


@cache
def discard_damaged(folder: Path) -> None:
    """Remove the index and code files of a folder that are not as they were written."""
    for file in folder.glob("*.nb[ci]"):
        if not is_whole(file):
            file.unlink(missing_ok=True)


def is_whole(file: Path) -> bool:
    """Whether a file ends with the checksum of its name and of the content before it."""
    try:
        content = file.read_bytes()
    except OSError:
        return False
    return len(content) > SUM and _sum(file.name, content[:-SUM]) == content[-SUM:]


def _sum(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + content).digest()


_write = IndexDataCacheFile._open_for_write


@contextmanager
def _write_with_sum(self: Any, filepath: str) -> Iterator[IO[bytes]]:
    """Append the checksum. Numba writes one or two pickles, and does not read what follows them."""
    with _write(self, filepath) as file, io.BytesIO() as content:
        yield content
        file.write(content.getvalue() + _sum(Path(filepath).name, content.getvalue()))


IndexDataCacheFile._open_for_write = _write_with_sum
