"""Archive a run: outputs, sidecars, data, config, code and lock file in one Workflow Run Crate.

The same files make the same archive, byte for byte (with the same zlib). The archive's name holds
the digest of all that determines it. Nothing is packed if a file differs from its sidecar.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from atlas.io.atomic import replace
from atlas.io.specs import read_spec
from atlas.io.sums import sha256, write_manifest
from atlas.provenance import crate, manifest
from atlas.provenance.crate import Listed

NEEDED = (crate.WORKFLOW, "requirements.lock")
INPUTS = ("config/", "requirements.lock")
# The earliest date in the zip format.
DATE = (1980, 1, 1, 0, 0, 0)

Spec = Mapping[str, Any]


def main() -> None:
    """`SPEC --root FOLDER --folder FOLDER --output FILE`: sources in root, outputs in folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="what to pack (JSON)")
    parser.add_argument("--root", type=Path, required=True, help="the folder of the Snakefile")
    parser.add_argument("--folder", type=Path, default=Path(), help="the folder of figures")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    spec = read_spec(arguments.spec)
    faults = find_faults(spec, arguments.root, arguments.folder)
    if faults:
        sys.exit("\n".join(["these files are not fit to be archived:", *faults]))
    pack(spec, arguments.root, arguments.folder, arguments.output)
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")


def find_faults(spec: Spec, root: Path, folder: Path) -> list[str]:
    """Files that are missing, that differ from sidecar or spec, or that the spec lacks."""
    faults = [f"  {name}: not among the sources" for name in NEEDED if name not in spec["sources"]]
    if not spec["products"]:
        faults.append("  no figure, table or ledger is complete: there is nothing to archive")
    expected = {root / name: digest for name, digest in spec["sources"].items()}
    for product in spec["products"]:
        sidecar = _read_sidecar(folder, product)
        if sidecar is None:
            faults.append(f"  {product['files'][-1]}: no sidecar")
        elif sidecar["fingerprint"] != product["fingerprint"]:
            found, wanted = sidecar["fingerprint"], product["fingerprint"]
            faults.append(f"  {product['files'][-1]}: made from {found}, expected {wanted}")
        else:
            digests = sidecar["outputs"]
            expected |= {
                folder / name: digests.get(Path(name).name) for name in product["files"][:-1]
            }
    for file in {folder / name for name in _list_outputs(spec)} | expected.keys():
        if not file.is_file():
            faults.append(f"  {file}: missing")
        elif file in expected and sha256(file.read_bytes()) != expected[file]:
            faults.append(f"  {file}: changed since it was made or since the run began")
    return sorted(set(faults))


def pack(spec: Spec, root: Path, folder: Path, target: Path) -> None:
    """Write the archive."""
    outputs = _list_outputs(spec)
    sources = {name: (root / name).read_bytes for name in spec["sources"]}
    contents = sources | {name: (folder / name).read_bytes for name in outputs}
    contents |= {name: text.encode for name, text in spec["texts"].items()}
    contents["references.bib"] = spec["bibliography"].encode
    listed = {n: Listed(len(content := read()), sha256(content)) for n, read in contents.items()}
    sums = {name: entry.sha256 for name, entry in listed.items()}
    # The manifest holds the sum of the metadata, so the metadata cannot hold the sum of the
    # manifest. They hold its size, which is the present size plus one line.
    line = write_manifest({crate.NAME: sha256(b"")})
    listed[manifest.NAME] = Listed(len((write_manifest(sums) + line).encode()))
    metadata = crate.describe(
        spec["project"],
        spec["run"],
        spec["command"],
        listed,
        [*spec["texts"], *(name for name in sources if name.startswith(INPUTS))],
        outputs,
        {p["files"][-1]: (_read_sidecar(folder, p), p["series"]) for p in spec["products"]},
    )
    contents[crate.NAME] = metadata.encode
    sums[crate.NAME] = sha256(metadata.encode())
    contents[manifest.NAME] = write_manifest(sums).encode
    with replace(target) as draft, zipfile.ZipFile(draft, "w") as archive:
        for name, read in sorted(contents.items()):
            member = zipfile.ZipInfo(name, DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3  # Unix, whatever the machine
            member.external_attr = 0o644 << 16
            archive.writestr(member, read())


def _list_outputs(spec: Spec) -> list[str]:
    """The files of all products, the data they were made from, and the summary of `agree`."""
    return sorted({spec["agreed"]}.union(*(p["files"] + p["series"] for p in spec["products"])))


def _read_sidecar(folder: Path, product: Mapping[str, Any]) -> dict[str, Any] | None:
    file = folder / product["files"][-1]
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


if __name__ == "__main__":
    main()
