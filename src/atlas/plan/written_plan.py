"""The plan as far as a job on another machine needs it: the series that it computes.

The process that submitted the job has planned and has written the specs. Only these are read, so
that a job starts at once. A job may have waited in the queue for hours, and code or packages may
have changed since. Results are cached under the digest of the code that made them, so the code that
runs must be the code of the plan.
"""

from __future__ import annotations

from pathlib import Path

from atlas.io.specs import read_spec
from atlas.plan.environment import software
from atlas.plan.fingerprint import CodeDigests
from atlas.plan.products import Series, list_modules, name_spec


class WrittenPlan:
    """The plan of the project at `root`, as another process wrote it."""

    def __init__(self, root: Path) -> None:
        self._digests = CodeDigests.below(root)

    def find(self, study: str, digest: str) -> Series:
        """The series of a study with a digest.

        Raises `ValueError` if it was planned for other code or packages than those found here.
        """
        spec = read_spec(Path(name_spec(study, digest)))
        modules = list_modules(study, spec["parameters"])
        here = {"code": self._digests.digest(*modules), "software": software("compute")}
        for what, found in here.items():
            if found != spec[what]:
                raise ValueError(
                    f"{study} {digest}: planned with {what} {spec[what]}, which is {found} here;"
                    " run again, and it is planned anew"
                )
        return Series(study, spec["parameters"], modules, used_by=f"series {digest}", **here)

    def code(self, *modules: str) -> str:
        """The digest of these modules and of all our modules that they import."""
        return self._digests.digest(*modules)

    def inputs(self, series: Series) -> list[str]:
        """Nothing: the process that submitted the job deals with damaged files."""
        return []
