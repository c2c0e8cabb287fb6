"""Systems as config describes them, a row a class; `tests.rigid_jobs` has them in Python."""

from __future__ import annotations

from numbers import Real
from typing import Any


def rigid_block(servers: int, *rows: tuple) -> dict[str, Any]:
    """Classes of (need, duration, probability); a number is the rate of an exponential duration."""
    return {"multiserver-jobs": _columns(servers, ("needs", "durations"), rows)}


def elastic_block(servers: int, *rows: tuple) -> dict[str, Any]:
    """Classes of (threshold, size, probability)."""
    return {"threshold-parallelism": _columns(servers, ("thresholds", "sizes"), rows)}


def _columns(servers: int, names: tuple[str, str], rows: tuple[tuple, ...]) -> dict[str, Any]:
    servers_used, laws, probabilities = map(list, zip(*rows, strict=True))
    laws = [{"exponential": law} if isinstance(law, Real) else law for law in laws]
    columns = dict(zip(names, (servers_used, laws), strict=True))
    return {"servers": servers, **columns, "probabilities": probabilities}
