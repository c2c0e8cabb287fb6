"""Where numba keeps what it compiled, so that equal sources share it wherever they lie.

Numba files compiled code under the path of its source, and compiles everything again in a copy of
the project. The folder it is given here already bears the digest of all that is compiled
(`plan.environment.expose`); within it the place in the package is name enough.
"""

from pathlib import Path

from numba.core.caching import UserProvidedCacheLocator


class ByPackage(UserProvidedCacheLocator):
    """Names the folder of a function after the last two folders of its source."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        return "_".join(Path(py_file).resolve().parent.parts[-2:])
