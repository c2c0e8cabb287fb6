"""A driver of random edits, damage and interruptions of a project, drawn from a seed.

After each step the same command is run until it succeeds again, and every output is compared, byte
for byte, with a build of the same sources from scratch. `python -m tests.faults.driver FIRST LAST
LOG` runs the sequences of these seeds, writes the outcome of each to LOG as soon as it ends, and
counts the steps by class.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Project
from tests.faults.forks import Forks, Run, wait_for_group
from tests.faults.readonly import held
from tests.faults.tiny import FILE, build_reference, make_tiny, read_outputs

STUDY = "src/atlas/studies/wastage_by_rate_ratio.py"
DRAWING = "src/atlas/drawings/queue_tail.py"
LAW = '            "utilisation": swept.utilisation,\n'
HALF = "      half: {study: queue-tail, <<: *four, fraction_of_limit: 0.5}\n"
BUSY = HALF.replace("half", "busy").replace("0.5}", "0.8}")
# Each is made and, when its turn comes again, taken back.
EDITS = {
    "parameter": (FILE, "servers: 30, needs: [1, 10]", "servers: 31, needs: [1, 10]"),
    "name": (FILE, "      half: {study", "      calm: {study"),
    "order": (FILE, HALF + BUSY, BUSY + HALF),
    "title": (FILE, "How long the queue gets", "How <long> the queue & its tail get"),
    "caption": (FILE, "Of four servers.", "Of four servers, 4 of them."),
    "columns": (
        FILE,
        "      wastage: {heading: wasted, format: .3f}\n",
        "      wastage: {heading: idle, format: .2f}\n",
    ),
    "claim": (FILE, "    stated: 28\n", "    stated: 28.0\n"),
    "style": ("config/atlas.mplstyle", "lines.linewidth: 1.3", "lines.linewidth: 2.3"),
    "formats": ("config/config.yaml", "formats: [pdf, svg]", "formats: [svg, png]"),
    "code of a study": (STUDY, LAW, LAW.replace("swept.util", "1 * swept.util")),
    "code of a drawing": (DRAWING, "Figure(figsize=(width,", "Figure(figsize=(1.1 * width,"),
    "comment": (STUDY, LAW, LAW + "            # A comment.\n"),
}
RAISE = (STUDY, "    ratio = np.geomspace", "    raise ValueError\n    ratio = np.geomspace")
PLACES = {
    "output": "figures/tiny/*",
    "page": "figures/gallery/*.html",
    "copy of data": "figures/gallery/data/*/*",
    "series": "results/series/*/*.csv",
    "sum": "results/series/*/*.sha256",
    "mark": "results/made/tiny/*",
    "gallery's mark": "results/made/gallery.*",
    "spec": "results/specs/*/*.json",
    "agreement": "results/agreed/*",
    "shelf": "results/shelf/*",
    "memory of the plan": "results/plan/*",
    "log": "results/logs/**/*.log",
    "Snakemake's record": ".snakemake/metadata/*",
}
FOLDERS = (".snakemake", "results", "results/*", "results/series/*", "figures/*")
DAMAGES = ("delete", "truncate", "empty", "alter", "postpone")
INTERRUPTIONS = ("kill all", "kill Snakemake", "full disk", "read-only", "raise", "two runs")
# Of a plain `snakemake` beside another, or beside run.py.
INTERRUPTIONS += ("two plain runs", "a plain run beside")
RUN = ("all", "--cores", "2")


class Driver:
    """A project in a folder, and what is done to it."""

    def __init__(
        self, forks: Forks, folder: Path, seed: int, counts: Counter[str] | None = None
    ) -> None:
        self.project, self.folder, self.forks = Project(folder / "atlas"), folder, forks
        self.chance = random.Random(seed)
        self.counts = Counter() if counts is None else counts
        self.done: list[str] = []
        self.edited: set[str] = set()

    def step(self) -> None:
        """Two to four edits and damages, or else an interruption of a run after an edit; then a
        run to the end, and the comparison."""
        if self.chance.random() < 0.4:
            self.edit()
            self.interrupt(self.chance.choice(INTERRUPTIONS))
        else:
            for _ in range(self.chance.randint(2, 4)):
                self.chance.choice((self.edit, self.damage, self.damage))()
        self.check(self.run())

    def edit(self) -> None:
        name = self.chance.choice(sorted(EDITS))
        file, old, new = EDITS[name]
        if name in self.edited:
            old, new = new, old
        text = (self.project.root / file).read_text("utf-8")
        if text.count(old) == 1:  # "order" and "name" are in each other's way
            self.project.edit(file, old, new)
            self.edited ^= {name}
            self.note("edit", name)

    def damage(self) -> None:
        if self.chance.random() < 0.1:
            folders = self.find(self.chance.choice(FOLDERS), Path.is_dir)
            if folders:
                folder = self.chance.choice(folders)
                shutil.rmtree(folder)
                self.note("delete a folder", str(folder.relative_to(self.project.root)))
            return
        place = self.chance.choice(sorted(PLACES))
        files = self.find(PLACES[place], Path.is_file)
        if not files:
            return
        file, how = self.chance.choice(files), self.chance.choice(DAMAGES)
        content = file.read_bytes()
        if how == "delete":
            file.unlink()
        elif how == "truncate":
            file.write_bytes(content[: self.chance.randrange(len(content) or 1)])
        elif how == "empty":
            file.write_bytes(b"")
        elif how == "alter" and content:
            at = self.chance.randrange(len(content))
            file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        elif how == "postpone":
            later = time.time() + 10**6
            os.utime(file, (later, later))
        self.note(how, place, str(file.relative_to(self.project.root)))

    def find(self, pattern: str, kind: Callable[[Path], bool]) -> list[Path]:
        return sorted(found for found in self.project.root.glob(pattern) if kind(found))

    def interrupt(self, how: str) -> None:
        if how == "raise":
            self.project.edit(*RAISE)
            failed = self.run()
            assert failed.returncode and "ValueError" in failed.stdout, failed.stdout
            self.project.edit(RAISE[0], RAISE[2], RAISE[1])
        elif how == "full disk":
            done = self.run(int(self.chance.uniform(100, 40_000)))
            # Snakemake cannot write what it needs itself.
            self.check(self.leave_to_snakemake(done), interrupted=True)
        elif how == "read-only":
            places = [*PLACES.values(), *FOLDERS]
            found = self.find(self.chance.choice(places), Path.exists)
            with held(self.chance.choice(found or [self.project.root / "figures"])) as way:
                self.note("read-only", way)
                self.check(self.run(), interrupted=True)
        elif "run" in how:
            runs = [self.start(plain="plain" in how), self.start(plain="two plain" in how)]
            for one in runs:
                done = one.wait()
                # A plain run that ends removes the folder of locks, in which the other may be
                # about to write.
                if how == "two plain runs":
                    done = self.leave_to_snakemake(done)
                self.check(done, interrupted=True, beside=True)
        else:
            self.kill(everything=how == "kill all")
        self.note("interruption", how)

    def leave_to_snakemake(
        self, done: subprocess.CompletedProcess[str]
    ) -> subprocess.CompletedProcess[str]:
        """The same without the traceback of an error in which no file of ours has a part."""
        ours = f'File "{self.project.root}'
        if ours not in done.stdout:
            done.stdout = done.stdout.replace("Traceback", "")
        return done

    def kill(self, *, everything: bool) -> None:
        """Kill a run, with or without its jobs, a moment after it has begun some of its jobs."""
        started = self.start()
        begun, moment = self.chance.randrange(12), self.chance.uniform(0, 0.8)
        while started.read().count("\nJob ") < begun and not started.has_ended():
            time.sleep(0.05)
        time.sleep(moment)
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if everything else os.kill)(started.pid, signal.SIGKILL)
        self.check(started.wait(), interrupted=True)
        wait_for_group(started.pid)

    def start(self, limit: int | None = None, *, plain: bool = False) -> Run:
        return self.forks.start(self.project.root, [*RUN], limit, plain=plain)

    def run(self, limit: int | None = None) -> subprocess.CompletedProcess[str]:
        return self.start(limit).wait()

    def check(
        self,
        done: subprocess.CompletedProcess[str],
        *,
        interrupted: bool = False,
        beside: bool = False,
    ) -> None:
        """Nothing wrong is left under exit 0; only what is interrupted may end otherwise."""
        story = "\n".join([*self.done, done.stdout])
        assert "Traceback" not in done.stdout, story
        if done.returncode:
            assert interrupted, story
            return
        if beside:
            return  # the other may still be at work
        expected, found = self.reference(), read_outputs(self.project.root)
        wrong = [name for name in expected if found.get(name) != expected[name]]
        assert not wrong, f"{wrong}\n{story}"

    def reference(self) -> dict:
        """The outputs of a build from nothing, made once for equal sources."""
        hashed = hashlib.sha256()
        for part in ("config", "scripts", "src"):
            for file in sorted((self.project.root / part).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    hashed.update(file.read_bytes())
        key = hashed.hexdigest()
        if key not in REFERENCES:
            folder = self.folder / key[:16]
            REFERENCES[key] = build_reference(self.forks, self.project, folder)
        return REFERENCES[key]

    def note(self, kind: str, *about: str) -> None:
        self.counts[f"{kind}: {about[0]}" if about else kind] += 1
        self.done.append(f"{kind}: {', '.join(about)}")


REFERENCES: dict[str, dict] = {}


def drive(
    forks: Forks, base: Path, folder: Path, seed: int, steps: int, counts: Counter[str]
) -> None:
    """Apply the sequence of a seed to a copy of the built project."""
    shutil.copytree(base, folder / "atlas", symlinks=True)
    driver = Driver(forks, folder, seed, counts)
    for _ in range(steps):
        driver.step()


def main(first: int, last: int, log: Path) -> None:
    """Run the sequences of the seeds from `first` to before `last`, of one to three steps."""
    with tempfile.TemporaryDirectory() as scratch, Forks() as forks, log.open("w") as told:
        base, counted, failed = make_tiny(Path(scratch, "base")), Counter(), 0
        assert forks.start(base.root, [*RUN]).wait().returncode == 0
        for seed in range(first, last):
            began, counts, folder = time.perf_counter(), Counter(), Path(scratch, str(seed))
            try:
                drive(forks, base.root, folder, seed, 1 + seed % 3, counts)
                outcome = "passed"
            except Exception as error:
                failed += 1
                outcome = f"FAILED {type(error).__name__}: {error}"
            done = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
            seconds = time.perf_counter() - began
            print(f"seed {seed} ({seconds:.0f} s; {done}): {outcome}", file=told, flush=True)
            counted += counts
            shutil.rmtree(folder)
        for what, count in sorted(counted.items()):
            print(f"{count:5} {what}", file=told)
        print(f"{last - first} sequences, {failed} failed", file=told)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
