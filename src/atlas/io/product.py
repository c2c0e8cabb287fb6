"""The code that the scripts for products share: their arguments, series and sidecars."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic_core import PydanticCustomError

from atlas.io.atomic import write_text
from atlas.io.credit import HEAD, LICENCE
from atlas.io.specs import read_spec
from atlas.io.sums import leave_sums, read_manifest, require_whole, sha256, write_manifest
from atlas.io.tidy import read_table
from multiserver import __version__

PACKAGES = ("numpy", "scipy", "pandas", "matplotlib")

Spec = dict[str, Any]
Make = Callable[[Spec, dict[str, pd.DataFrame], Path], Iterable[Path]]


def run(description: str | None, make: Make) -> None:
    """Make a product: `SPEC --mark FILE [--place FILE KEY ...]`.

    `make(spec, series, folder)` writes the files and returns them. Then the sidecar is written, and
    the mark with the sums of all. Former marks of the product are removed, so that a return to an
    earlier spec counts as a change too.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("spec", type=Path, help="the resolved spec (JSON)")
    parser.add_argument("--mark", type=Path, required=True, help="written when all else is")
    parser.add_argument("--place", nargs="*", help="where config describes it: a file, and keys")
    arguments = parser.parse_args()
    started = time.perf_counter()
    spec = read_spec(arguments.spec)
    # In a workflow that uses this one as a module, the mark's name begins with the `prefix`.
    root = arguments.mark.parents[3]
    require_whole([Path(one["file"]) for one in spec["series"].values()], root)
    for one in spec["series"].values():
        one["file"] = str(root / one["file"])
    series = {name: read_table(Path(s["file"]))[0] for name, s in spec["series"].items()}
    folder = root / "figures" / spec["paper"]
    try:
        files = list(make(spec, series, folder))
    except PydanticCustomError as error:
        # Imported by name, as in `compute`: the text of a message does not change results.
        refusal = importlib.import_module("atlas.config.refusal")
        place = arguments.place or [str(arguments.spec)]
        sys.exit(refusal.describe_refusal(error, place, "this product is not made"))
    sidecar = folder / f"{spec['id']}.json"
    record = describe(spec, files, time.perf_counter() - started)
    write_text(sidecar, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    replace_marks(arguments.mark, [*files, sidecar], root)


def replace_marks(mark: Path, files: list[Path], root: Path) -> None:
    """Write the mark of the product, with the sums of its files. The sums of other files that
    former marks list are kept for `clean`, which may remove these files."""
    paper, id = mark.parent.name, mark.name.partition(".")[0]
    former = root / "results/former" / paper / f"{id}.sha256"
    sums: dict[str, str] = {}
    for old in (former, *filter(Path.is_file, mark.parent.glob(f"{id}.*"))):
        with contextlib.suppress(OSError, ValueError):
            sums |= read_manifest(old.read_text(encoding="utf-8"))
        if old != former:
            old.unlink()
    now = {file.relative_to(root).as_posix() for file in files}
    gone = {name: sum for name, sum in sums.items() if name not in now and (root / name).is_file()}
    if gone:
        write_text(former, write_manifest(gone))
    else:
        former.unlink(missing_ok=True)
    leave_sums(mark, files, root)


def describe(spec: Spec, files: list[Path], seconds: float) -> dict[str, Any]:
    """The sidecar: what was made, from what, by what, where and when."""
    return {
        **identify(spec),
        "SPDX-License-Identifier": LICENCE,
        "caption": spec.get("caption"),
        "source": spec.get("source"),
        "outputs": {file.name: sha256(file.read_bytes()) for file in files},
        # Under the names that copies have in the gallery.
        "data": {
            f"{spec['id']}.{name}.csv": sha256(Path(one["file"]).read_bytes())
            for name, one in spec["series"].items()
        },
        "software": {"multiserver-atlas": __version__, **{p: version(p) for p in PACKAGES}},
        "environment": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
        },
        "revision": _revision(),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
    }


def identify(spec: Spec) -> dict[str, Any]:
    """What a product is and what it was made from: the part that the file of a figure holds too.

    It does not depend on the machine or the time, so that equal figures are equal files.
    """
    source = spec.get("source") or {}
    return {
        "paper": spec["paper"],
        "id": spec["id"],
        "stage": spec.get("stage"),
        "title": spec.get("title"),
        "source": {key: source[key] for key in ("figure", "section") if key in source},
        "bibliography": spec["bibliography"],
        "licence": LICENCE,
        "series": {
            name: {key: s[key] for key in ("study", "parameters", "digest")}
            for name, s in spec["series"].items()
        },
        "fingerprint": spec["fingerprint"],
        "code": spec["code"],
    }


def comment(spec: Spec) -> str:
    """The same as a LaTeX comment, without the parameters of claims, which hold all their text."""
    record = identify(spec)
    for series in record["series"].values():
        if series["study"] == "claims":
            del series["parameters"]
    return f"{HEAD}{json.dumps(record)}\n"


def _revision() -> str | None:
    """The git revision of the project, with a plus if the tree differs from it."""
    here = Path(__file__).parent
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
