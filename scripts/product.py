"""What the scripts that make products share: their arguments, their series and their sidecars."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from atomic import write_text
from tidy import read_table

PACKAGES = ("multiserver-atlas", "numpy", "scipy", "pandas", "matplotlib")

Spec = dict[str, Any]
Make = Callable[[Spec, dict[str, pd.DataFrame], Path], Iterable[Path]]


def run(description: str | None, make: Make) -> None:
    """Make a product: `SPEC --mark FILE`.

    `make(spec, series, folder)` writes the files and returns them; the sidecar follows. Marks that
    the product had before go, so that a return to one of them counts as a change too.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("spec", type=Path, help="the resolved spec (JSON)")
    parser.add_argument("--mark", type=Path, required=True, help="left when all is made")
    arguments = parser.parse_args()
    started = time.perf_counter()
    spec = json.loads(arguments.spec.read_text(encoding="utf-8"))
    # Of a workflow that takes this one as a module, `prefix` is part of the mark's name.
    root = arguments.mark.parents[3]
    for one in spec["series"].values():
        one["file"] = str(root / one["file"])
    series = {name: read_table(Path(s["file"]))[0] for name, s in spec["series"].items()}
    folder = root / "figures" / spec["paper"]
    files = list(make(spec, series, folder))
    sidecar = describe(spec, files, time.perf_counter() - started)
    text = json.dumps(sidecar, indent=1, ensure_ascii=False) + "\n"
    write_text(folder / f"{spec['id']}.json", text)
    for mark in arguments.mark.parent.glob(f"{spec['id']}.*"):
        mark.unlink()
    write_text(arguments.mark, "")


def describe(spec: Spec, files: list[Path], seconds: float) -> dict[str, Any]:
    """The sidecar: what was made, from what, by what, where and when."""
    return {
        **identify(spec),
        "caption": spec.get("caption"),
        "source": spec.get("source"),
        "bibliography": spec["bibliography"],
        "outputs": {file.name: _sha256(file) for file in files},
        "software": {package: version(package) for package in PACKAGES},
        "environment": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
        },
        "revision": _revision(),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "licence": "MIT",
    }


def identify(spec: Spec) -> dict[str, Any]:
    """What a product is and what it was made from: the part that a figure carries in itself.

    It holds nothing of the machine or the moment, so that equal figures are equal files.
    """
    return {
        "paper": spec["paper"],
        "id": spec["id"],
        "title": spec.get("title"),
        "series": {
            name: {key: s[key] for key in ("study", "parameters", "digest")}
            for name, s in spec["series"].items()
        },
        "fingerprint": spec["fingerprint"],
        "code": spec["code"],
    }


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _revision() -> str | None:
    """The git revision of the project, with a plus if the tree differs from it."""
    here = Path(__file__).parent
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
