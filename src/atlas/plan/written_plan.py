"""The plan, as far as a job on another machine needs it: the series that it was asked for.

Whoever sent the job has planned, and written the specs. They are read and nothing else is, so that
a job starts in no time. What a job finds in a queue that it left hours ago may have changed since:
results are cached under the digest of the code that makes them, which must be the code that does.
"""

from __future__ import annotations

from pathlib import Path

from atlas.io.specs import read_spec
from atlas.plan.environment import software
from atlas.plan.fingerprint import CodeDigests
from atlas.plan.products import Series, list_modules, name_spec


class WrittenPlan:
    """What was planned elsewhere of the project at `root`."""

    def __init__(self, root: Path) -> None:
        self._digests = CodeDigests.below(root)

    def find(self, study: str, digest: str) -> Series:
        """The series of a study with a digest.

        Raises `ValueError` if it was planned for other code or packages than there are.
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
        """The digest of these modules of ours and of all that they import."""
        return self._digests.digest(*modules)

    def inputs(self, series: Series) -> list[str]:
        """Nothing: what is damaged is the business of who sent the job."""
        return []
