"""The table of methods, from the library's registry of policies."""

from __future__ import annotations

from itertools import groupby

import multiserver as ms

COLUMNS = ("policy", "question", "method", "range", "cost", "source")


def write_methods() -> str:
    """A Markdown section for each model, with the methods under each policy; then the policies."""
    parts = []
    for model, rows in groupby(ms.known().rows(), key=lambda row: row["model"]):
        parts += [f"## {model.replace('-', ' ').capitalize()}", "", *_table(list(rows)), ""]
    parts += ["## The policies", ""]
    for name in ms.policies.names():
        parts += [f"**{name}**", f": {ms.policy(name).definition}", ""]
    return "\n".join(parts)


def write_exact() -> str:
    """One Markdown table: for every model and policy the method of exact means, or none."""
    lines = ["| model | policy | E[T] by | for | cost |", "|---|---|---|---|---|"]
    rows = [row for row in ms.known().rows() if row["question"] == "exact"]
    for policy in sorted(map(ms.policy, ms.policies.names()), key=lambda p: (p.models, p.name)):
        for model in policy.models:
            mine = [r for r in rows if (r["model"], r["policy"]) == (model, policy.name)]
            if not mine or "exact" in policy.beyond:
                reason = policy.beyond.get("exact", "")
                mine.append(
                    {"method": "none", "range": f"others: {reason}" if mine else reason, "cost": ""}
                )
            for row in mine:
                cells = model, policy.name, row["method"], row["range"], row["cost"]
                lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _table(rows: list[dict[str, str]]) -> list[str]:
    """A policy and a question are written only in the first row of their block."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    above: tuple[str, ...] = ()
    for row in rows:
        head = (row["policy"], row["question"])
        cells = ["" if head[: k + 1] == above[: k + 1] else head[k] for k in range(2)]
        lines.append("| " + " | ".join([*cells, *(row[key] for key in COLUMNS[2:])]) + " |")
        above = head
    return lines
