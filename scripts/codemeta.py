"""Write codemeta.json from CITATION.cff and pyproject.toml: `python scripts codemeta`."""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path

import yaml

from atlas.io.atomic import write_text
from atlas.provenance.codemeta import describe

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """`[--output FILE]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "codemeta.json")
    arguments = parser.parse_args()
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    content = describe(citation, about["project"])
    write_text(arguments.output, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
