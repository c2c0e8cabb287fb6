"""Compare a plan with the files in a folder: what to make, and what a run does before its jobs.

The name of a series holds the digest of its spec. Products have fixed names, and a mark beside them
names the spec that they were made from. The outputs of a job are compared with the sums that the
job left: their content counts, not their time. If a thing was made from another spec, or files are
damaged or lost, the thing gets a missing file as an additional input. The rule `again` makes that
file, which is then newer than the thing, so that Snakemake makes the thing again.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import count
from pathlib import Path

from atlas.io.sums import find_changes
from atlas.plan.job_logs import find_message
from atlas.plan.locks import is_run_going_on, require_free, require_replaceable
from atlas.plan.products import BuildTarget, Product
from atlas.plan.resolve import Plan

AGAIN = "results/again"
GALLERY = Path("figures/gallery")
# A network file system's clock may be a little ahead of ours.
CLOCK_SKEW = 2.0
# A ledger puts this before a claim that is not as expected (`scripts/judge.py`).
UNSOUND = "!! "


class Build:
    """What `plan` asks for, compared with the files below `folder`."""

    def __init__(self, plan: Plan, folder: Path = Path()) -> None:
        self.plan, self.folder = plan, folder
        self._wanted: dict[str, BuildTarget] = {}

    @cached_property
    def damage(self) -> Mapping[str, list[str]]:
        """The files that are not as they were made, by the sums file of their thing. Empty while
        another run is going on, as this process may be part of it."""
        if is_run_going_on():
            return {}
        plan, found = self.plan, {}
        for one in (*plan.made, plan.gallery):
            if changes := find_changes(self.folder / one.sums, one.files, self.folder):
                found[one.sums] = changes
        # A ledger with a claim that is not as expected is never up to date: each run fails again.
        for one in plan.complete():
            if self._list_unsound(one):
                found.setdefault(one.sums, [])
        # Snakemake does not check that intermediate files are still there.
        agreed, there = plan.agreement.sums, (self.folder / plan.agreement.sums).exists()
        if there and any(p.sums in found or not self._stands(p) for p in plan.complete()):
            found.setdefault(agreed, [])
        return found

    def require_free(self) -> None:
        """Raise `OSError` that names what stands where something is, or will be, written."""
        things = (*self.plan.made, self.plan.gallery)
        names = (n for one in things for n in (one.sums, one.log, *(one.files or ())))
        require_free(self.folder / name for name in names)

    def targets(self, *things: BuildTarget) -> list[str]:
        """The files of some things that must be there and undamaged."""
        return [name for one in things for name in (*one.targets, *self.again(one))]

    def ingredients(self, thing: BuildTarget) -> list[str]:
        """What a thing is made from. Snakemake calls this for each thing that it may make."""
        self._wanted[thing.sums] = thing
        return self.targets(*thing.made_from)

    def inputs(self, thing: BuildTarget) -> list[str]:
        """What a thing is made from, and the file that asks for it to be made again, if any."""
        return [*self.ingredients(thing), *self.again(thing)]

    @property
    def gallery_inputs(self) -> list[str]:
        """The inputs of the gallery: the files of this run, and the marks of other papers."""
        others = [other for other in self.plan.others if not other.fault]
        return [*self.targets(*self.plan.complete()), *(m for one in others for m in one.marks)]

    def again(self, thing: BuildTarget) -> list[str]:
        """The missing file that asks for a thing to be made again, if it must be."""
        if thing.sums not in self.damage and not self._has_changed(thing):
            return []
        names = (f"{thing.sums.replace('results', AGAIN, 1)}.{k}" for k in count(1))
        return [next(name for name in names if not (self.folder / name).exists())]

    def find_jobs(self) -> list[BuildTarget]:
        """The wanted things that are still to be made, directly or because an input is."""
        return [thing for thing in self._wanted.values() if self._is_affected(thing)]

    def report_missing(self) -> Iterator[str]:
        """Say which wanted products are not made and which of their series were tried and failed,
        and then the last messages of the jobs that failed."""
        failed: dict[str, str] = {}
        untried = 0
        products = (one for one in self._wanted.values() if isinstance(one, Product))
        for product in products:
            if self._stands(product):
                continue
            lost = [s for s in product.series.values() if not (self.folder / s.sums).exists()]
            lost = [s for s in lost if any(self.folder.glob(s.log))]
            if not lost and not any(self.folder.glob(product.log)):
                untried += 1
                continue
            logs = [f"{one.study} was not computed ({self.folder / one.log})" for one in lost]
            why = "; ".join(dict.fromkeys(logs)) or f"see {self.folder / product.log}"
            yield f"{product.paper}/{product.id} is not made: {why}"
            failed |= {one.log: find_message(self.folder, one.log) for one in lost or [product]}
        yield from filter(None, failed.values())
        if untried:
            yield f"{untried} more are not made yet; the same command goes on"

    def find_unsound(self) -> list[str]:
        """The claims of the wanted papers that are not as their files expect."""
        return [line for one in self._wanted.values() for line in self._list_unsound(one)]

    def report_damage(self) -> Iterator[str]:
        """Say what is damaged, and which papers the gallery lacks."""
        for changes in self.damage.values():
            yield from (f"{change}; made again" for change in changes)
        for other in self.plan.others:
            if other.fault:
                yield f"gallery: without {other.paper}, as {other.fault}"

    def prepare(self) -> Iterator[str]:
        """Write the specs that the jobs of a run read, and say what else was done.

        Raises `OSError` if these cannot be written or former outputs cannot be replaced, and
        `ConfigError` if figures are to be drawn in a style in which none can be drawn.
        """
        plan, jobs = self.plan, self.find_jobs()
        if plan.gallery.sums in self._wanted and plan.agreement.sums not in self._wanted:
            whole = plan.complete()
            lacking = sum(self._is_affected(one) for one in whole)
            if lacking:
                yield (
                    f"the gallery shows all of {', '.join(plan.papers)}: {lacking} of {len(whole)}"
                    " figures, tables and ledgers are still to be made, and are made first"
                )
        if any(one.stage == "draw" for one in jobs):
            plan.require_drawable()
        # Snakemake removes the log of a job too before the job starts.
        files = [name for one in jobs for name in (*(one.files or ()), one.log)]
        pages = (self.folder / GALLERY).rglob("*") if self._is_to_make(plan.gallery) else ()
        again = (self.folder / AGAIN).rglob("*")
        require_replaceable([*(self.folder / n for n in (*files, AGAIN)), *pages, *again])
        shutil.rmtree(self.folder / AGAIN, ignore_errors=True)
        # A folder may stand where sums are to be written.
        for sums in filter(Path.is_dir, (self.folder / name for name in self.damage)):
            sums.rename(sums.with_name(f"{sums.name}.aside"))
        plan.write_specs()
        yield from self._reset_future_times()

    def _reset_future_times(self) -> Iterator[str]:
        """Set file times that lie in the future to now, and say so. Snakemake would take them for
        changes until the clock has caught up."""
        latest = time.time() + CLOCK_SKEW
        for file in (self.folder / n for one in self.plan.made for n in (one.sums, *one.files)):
            if file.exists() and file.stat().st_mtime > latest:
                os.utime(file)
                yield f"{file}: had a time in the future, which is now set to now"

    def _list_unsound(self, thing: BuildTarget) -> list[str]:
        """The claims that a ledger, if it is there, marks as not as expected."""
        if not isinstance(thing, Product) or thing.stage != "judge":
            return []
        file = self.folder / f"figures/{thing.paper}/{thing.id}.txt"
        lines = file.read_text("utf-8", "replace").splitlines() if file.is_file() else []
        rows = (line.split() for line in lines if line.startswith(UNSOUND))
        return [f"{row[-1]}: {' '.join(row[1:-1])} ({file})" for row in rows]

    def _stands(self, product: Product) -> bool:
        return all((self.folder / name).is_file() for name in (*product.files, product.mark))

    def _has_changed(self, thing: BuildTarget) -> bool:
        """Whether the files under the names of a product were made from another spec."""
        return (
            isinstance(thing, Product)
            and not (self.folder / thing.mark).exists()
            and any((self.folder / name).exists() for name in thing.files)
        )

    def _is_affected(self, thing: BuildTarget) -> bool:
        return self._is_to_make(thing) or any(map(self._is_affected, thing.made_from))

    def _is_to_make(self, thing: BuildTarget) -> bool:
        return thing.sums in self.damage or not (self.folder / thing.sums).exists()
