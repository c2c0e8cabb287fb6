"""Tables of the known methods, from the registry of policies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from multiserver.network import Network
from multiserver.policies.capacity import CAPACITY
from multiserver.policies.policy import Method, Policy
from multiserver.system import System
from multiserver.tables import Table, wrapped

COLUMNS = ("question", "method", "range", "source", "cost")


@dataclass(frozen=True, slots=True)
class Known(Table):
    """A table of methods by question and cost; printed, it fits the terminal."""

    heading: str
    table: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, system: System | Network, policy: Policy, highest: float) -> Known:
        """The methods for one queue, and whether each applies; no policy is stable for
        λ ≥ `highest`."""
        methods = (*policy.of(system.model), *CAPACITY[system.model])
        rows = [
            {**_row(method), "applies": applies}
            for method in methods
            if (applies := not method.unmet_conditions(system)) or not method.fcfs_if
        ]
        heading = f"{system.model} under {policy!r}: {policy.definition}"
        if not math.isnan(highest):
            heading += f"\nNo policy is stable from λ = {highest:.6g} on, a load of"
            heading += f" {system.load(highest):.6g}."
        answered = {row["question"] for row in rows if row["applies"]}
        for question, reason in policy.beyond.items():
            if question not in answered:
                heading += f"\nNothing here is {question}: {reason}."
        return cls(heading, tuple(rows))

    def rows(self) -> list[dict[str, Any]]:
        """Plain dictionaries, one for each method."""
        return [dict(row) for row in self.table]

    def title(self) -> str:
        """The queue, the definition of its policy, and the λ that no policy exceeds."""
        return self.heading

    def cells(self) -> list[list[str]]:
        """The table as text: a line for each method."""
        columns = list(self.table[0])
        return [columns, *([_cell(row[name]) for name in columns] for row in self.table)]

    def __str__(self) -> str:
        width = get_terminal_size().columns
        heading = "\n".join(
            fill(line, width, break_on_hyphens=False) for line in self.heading.splitlines()
        )
        # If rows must be listed, the columns before `method` become headings.
        leading = self.cells()[0].index("method")
        return f"{heading}\n{wrapped(self.cells(), leading, width)}"


def known() -> Known:
    """The methods for every model under every policy.

    >>> import multiserver as ms
    >>> {row["policy"] for row in ms.known().rows() if row["question"] == "bounds"} == {
    ...     "server-filling", "server-filling-divisible", "fcfs", "equal-shares",
    ...     "fastest-server-first", "elastic-first", "inelastic-first"}
    True
    """
    from multiserver.policies import REGISTRY

    rows = [
        {"model": model, "policy": policy.name, **row}
        for policy in REGISTRY.values()
        for model in policy.models
        for row in _rows(policy, model)
    ]
    rows += [
        {"model": model, "policy": "any", **_row(method)}
        for model, methods in CAPACITY.items()
        for method in methods
    ]
    rows.sort(key=lambda row: row["model"])
    return Known("What is known", tuple(rows))


def _rows(policy: Policy, model: str) -> Iterator[dict[str, str]]:
    """A row for each method, and one a question for all that a policy has as FCFS."""
    as_fcfs: set[str] = set()
    for method in policy.of(model):
        if not method.fcfs_if:
            yield _row(method)
        elif method.question not in as_fcfs:
            as_fcfs.add(method.question)
            source = "`multiserver.policies.equal_needs`"
            values = method.question, "the methods of fcfs", method.fcfs_if, source, "as for fcfs"
            yield dict(zip(COLUMNS, values, strict=True))


def _row(method: Method) -> dict[str, str]:
    values = method.question, method.name, method.range, method.source, method.cost
    return dict(zip(COLUMNS, values, strict=True))


def _cell(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
