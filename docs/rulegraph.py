"""The rules of `snakemake all` as a picture: arrows lead to the rules that use a rule's output.

The arrows are in `rulegraph.csv`, which a test compares with `snakemake --rulegraph`.
"""

from __future__ import annotations

import csv
from graphlib import TopologicalSorter
from pathlib import Path

from pictures import Canvas

BOX, GAP, ROW = 96, 14, 78


def rulegraph() -> Canvas:
    """Rules in rows, each below those whose outputs it uses."""
    with Path(__file__).with_name("rulegraph.csv").open(encoding="utf-8") as file:
        arrows = [(row["from"], row["to"]) for row in csv.DictReader(file)]
    rows = find_rows(arrows)
    width = max(map(len, rows)) * (BOX + GAP) + GAP
    picture = Canvas(width, len(rows) * ROW, "The rules of a whole run")
    places = {
        rule: ((width - len(row) * (BOX + GAP) + GAP) / 2 + k * (BOX + GAP), i * ROW + 10)
        for i, row in enumerate(rows)
        for k, rule in enumerate(row)
    }
    for source, target in arrows:
        (x, y), (to_x, to_y) = places[source], places[target]
        if to_y - y == ROW:  # only arrows between adjacent rows: `all` uses every output
            picture.arrow(x + BOX / 2, y + 30, to_x + BOX / 2, to_y - 2)
    for rule, (x, y) in places.items():
        picture.add("rect", x=x, y=y, width=BOX, height=30, rx=6, class_="server")
        picture.label(x + BOX / 2, y + 20, rule, anchor="middle")
    return picture


def find_rows(arrows: list[tuple[str, str]]) -> list[list[str]]:
    """The rules by the length of the longest path to them."""
    before: dict[str, set[str]] = {}
    for source, target in arrows:
        before.setdefault(target, set()).add(source)
    depth: dict[str, int] = {}
    for rule in TopologicalSorter(before).static_order():
        depth[rule] = max((depth[one] + 1 for one in before.get(rule, ())), default=0)
    return [sorted(r for r, d in depth.items() if d == i) for i in range(max(depth.values()) + 1)]
