"""A driver that does to a project what happens to projects: edits, damage and interruptions, drawn
by lot from a seed.

After each step the same command is run until it succeeds once more, and every output is compared,
byte for byte, with a build of the same sources from nothing. `python -m tests.faults.driver FIRST
LAST` runs the sequences of these seeds and counts what it did, by class.
"""

from __future__ import annotations

import hashlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.conftest import Project
from tests.faults.tiny import FILE, build_reference, make_tiny, read_outputs

STUDY = "scripts/studies/wastage_by_rate_ratio.py"
DRAWING = "scripts/drawings/queue_tail.py"
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
    "log": "results/logs/**/*.log",
    "Snakemake's record": ".snakemake/metadata/*",
}
DAMAGES = ("delete", "truncate", "empty", "alter", "postpone")
INTERRUPTIONS = ("kill all", "kill Snakemake", "full disk", "raise", "two runs")


class Driver:
    """A project in a folder, and what is done to it."""

    def __init__(self, folder: Path, seed: int, counts: Counter[str] | None = None) -> None:
        self.project, self.folder = Project(folder / "atlas"), folder
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
        self.check(run(self.project.root))

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
        place = self.chance.choice(sorted(PLACES))
        files = sorted(f for f in self.project.root.glob(PLACES[place]) if f.is_file())
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

    def interrupt(self, how: str) -> None:
        root = self.project.root
        if how == "raise":
            self.project.edit(*RAISE)
            failed = run(root)
            assert failed.returncode and "ValueError" in failed.stdout, failed.stdout
            self.project.edit(RAISE[0], RAISE[2], RAISE[1])
        elif how == "full disk":
            limit = int(self.chance.uniform(100, 40_000))
            self.check(run(root, limit), full=True)
        elif how == "two runs":
            first, second = start(root), start(root)
            for one in (first, second):
                self.check(finish(one), beside=True)
        else:
            started = start(root)
            time.sleep(self.chance.uniform(0.5, 9.0))
            if how == "kill all":
                os.killpg(started.pid, signal.SIGKILL)
            else:
                started.kill()
            self.check(finish(started), killed=True)
            wait_for_group(started.pid)
        self.note("interruption", how)

    def check(
        self,
        done: subprocess.CompletedProcess[str],
        full: bool = False,
        beside: bool = False,
        killed: bool = False,
    ) -> None:
        """Nothing wrong is left under exit 0; only what is interrupted may end otherwise."""
        story = "\n".join([*self.done, done.stdout, done.stderr])
        assert full or "Traceback" not in done.stderr + done.stdout, story
        if done.returncode:
            assert full or beside or killed, story
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
            REFERENCES[key] = build_reference(self.project, self.folder / key[:16])
        return REFERENCES[key]

    def note(self, kind: str, *about: str) -> None:
        self.counts[f"{kind}: {about[0]}"] += 1
        self.done.append(f"{kind}: {', '.join(about)}")


REFERENCES: dict[str, dict] = {}


# What run.py does, with the environment that runs this.
COMMAND = (
    "import runpy, sys; from pathlib import Path; names = runpy.run_path('run.py');"
    "names['unlock'].__globals__['PYTHON'] = Path(sys.executable); names['unlock']();"
    "names['hand_over']([sys.executable, '-m', 'snakemake', 'all', '--cores', '2'])"
)


def start(root: Path, limit: int | None = None) -> subprocess.Popen[str]:
    """Start a run, whose files may not be larger than `limit` bytes, in a group of its own."""

    def restrict() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    said = tempfile.TemporaryFile("w+")  # noqa: SIM115 orphans would hold a pipe open
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    started = subprocess.Popen(
        [sys.executable, "-c", COMMAND],
        **{"cwd": root, "env": environment, "stdout": said, "stderr": said, "text": True},
        start_new_session=True,
        preexec_fn=restrict,
    )
    started.said = said
    return started


def finish(started: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for the end of a run."""
    code = started.wait()
    started.said.seek(0)
    return subprocess.CompletedProcess(started.args, code, started.said.read(), "")


def run(root: Path, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
    return finish(start(root, limit))


def wait_for_group(group: int) -> None:
    """Wait for the jobs that a killed run left."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise TimeoutError(f"processes of group {group} go on")


def build_base(folder: Path) -> Path:
    """A project that has been built once, to be copied."""
    project = make_tiny(folder / "atlas")
    shutil.copy2(Path(__file__).parents[2] / "run.py", project.root / "run.py")
    done = run(project.root)
    assert done.returncode == 0, done.stdout
    return folder


def drive(base: Path, folder: Path, seed: int, steps: int, counts: Counter[str]) -> None:
    """Apply the sequence of a seed to a copy of the built project."""
    shutil.copytree(base, folder, symlinks=True)
    driver = Driver(folder, seed, counts)
    for _ in range(steps):
        driver.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        base, counted, failed = build_base(Path(scratch, "base")), Counter(), 0
        for seed in range(int(sys.argv[1]), int(sys.argv[2])):
            began = time.perf_counter()
            try:
                drive(base, Path(scratch, str(seed)), seed, 3, counted)
            except AssertionError as error:
                failed += 1
                print(f"seed {seed}: {error}", flush=True)
            else:
                print(f"seed {seed}: {time.perf_counter() - began:.0f} s", flush=True)
            shutil.rmtree(Path(scratch, str(seed)))
        print("\n".join(f"{count:5} {what}" for what, count in sorted(counted.items())))
        print(f"{failed} sequences failed")
