"""The inputs that determine the products of one paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atlas.plan.fingerprint import CodeDigests

TOLERANCES = Path(__file__).parents[3] / "config/tolerances.yaml"


@dataclass(frozen=True)
class Source:
    """A file of `config/papers`, and the choices and code that its products depend on."""

    file: Path
    root: Path
    digests: CodeDigests
    look: Mapping[str, Any]
    run_defaults: Mapping[str, Any]
    traces: Mapping[str, Any]
