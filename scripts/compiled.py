"""Where numba keeps what it compiled, so that equal sources share it wherever they lie.

Numba files compiled code under the path of its source, and compiles everything again in a copy of
the project. The folder it is given here already bears the digest of all that is compiled
(`plan.environment.expose`); within it the place in the package is name enough. What a disk that was
full or a machine that went down left there in part is thrown away, and compiled again: numba would
fail on it each time.
"""

import io
import pickletools
from functools import cache
from pathlib import Path

from numba.core.caching import UserProvidedCacheLocator


class ByPackage(UserProvidedCacheLocator):
    """Names the folder of a function after the last two folders of its source."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        return "_".join(Path(py_file).resolve().parent.parts[-2:])

    def ensure_cache_path(self) -> None:
        folder = Path(self.get_cache_path())
        try:
            super().ensure_cache_path()
        except OSError as error:  # of which numba says no more than that there is no folder
            raise RuntimeError(
                f"{folder}: {error.strerror}; the variable NUMBA_CACHE_DIR says where compiled code"
                " is kept"
            ) from None
        discard_damaged(folder)


@cache
def discard_damaged(folder: Path) -> None:
    """Remove the indexes and the compiled code of a folder that are not whole."""
    for file in folder.glob("*.nb[ci]"):
        if not is_whole(file):
            file.unlink(missing_ok=True)


def is_whole(file: Path) -> bool:
    """Whether a file is one pickle after another, to its end; nothing is unpickled."""
    try:
        content = file.read_bytes()
        stream = io.BytesIO(content)
        while stream.tell() < len(content):
            for _ in pickletools.genops(stream):
                pass
    except (OSError, ValueError):
        return False
    return bool(content)
