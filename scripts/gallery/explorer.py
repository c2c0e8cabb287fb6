"""What the explorer knows of the run: the systems of its figures and tables, and the theorems."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gallery.collect import Exhibit, Paper

# As in explorer/model.js and explorer/state.js.
MOST_SERVERS = 100_000
MOST_CLASSES = 8
SMALLEST_PROBABILITY = 1e-30
# A system: servers and rows of need, rate and probability; `mix` is "worst" if that is to be found.
System = dict[str, Any]

# Where the claims stand that the views rest on, for runs that lack the paper.
CLAIMS = {
    "two-class-stability/theorem-4-2-law": "Theorem 4.2",
    "two-class-stability/theorem-4-2-throughput": "Theorem 4.2",
    "two-class-stability/theorem-8-1": "Theorem 8.1",
    "two-class-stability/three-classes": "Section 10",
    "two-class-stability/fig6b-worst-mix": "Section 9.1",
    "two-class-stability/fig8a-dips": "Section 9.3",
    "two-class-stability/not-monotone-in-servers": "Section 9.3",
    "multilevel-scaling/heavy-traffic": "Eq. (2)",
    "multilevel-scaling/peak-is-not-balanced": "Theorem 4.1",
    "finite-skip/lemma-7-1": "Lemma 7.1",
}


def find_links(papers: Sequence[Paper]) -> dict[str, dict[str, str]]:
    """For each of `CLAIMS`, what to call it and, if the ledger has it, its address there."""
    known = {f"{claim.paper}/{claim.id}" for paper in papers for claim in paper.claims}
    links = {}
    for claim, where in CLAIMS.items():
        paper, _, id = claim.partition("/")
        links[claim] = {"where": f"{where}, {paper}"}
        if claim in known:
            links[claim]["href"] = f"ledger.html#{paper}.{id}"
    return links


def find_presets(papers: Sequence[Paper]) -> list[dict[str, Any]]:
    """The systems of multiserver jobs in the series of all figures and tables.

    Each once a paper, with its `group`, the paper, and a `label` that says where it is from.
    """
    presets = []
    for paper in papers:
        found: dict[str, tuple[System, list[str]]] = {}
        products = (*paper.figures, *paper.tables)
        sizes = _sizes(products)
        for product in products:
            for name, system in (*_systems_of(product), *_workloads_of(product, sizes)):
                if _fits(system):
                    text = name or _describe(system)
                    _, numbers = found.setdefault(json.dumps(system), (system | {"text": text}, []))
                    numbers.append(_number(product))
        for system, numbers in found.values():
            label = f"{_join(numbers)}: {system.pop('text')}"
            presets.append({"group": paper.id, "label": label, **system})
    return presets


def _number(product: Exhibit) -> str:
    figure = product.source.get("figure")
    return f"Fig. {figure}" if figure and product.spec["faithful"] else product.title


def _join(numbers: Iterable[str]) -> str:
    """The figures that a system is of, or else the first other product."""
    distinct = list(dict.fromkeys(numbers))
    figures = [number.removeprefix("Fig. ") for number in distinct if number.startswith("Fig. ")]
    return f"Fig. {', '.join(figures)}" if figures else distinct[0]


def _describe(system: System) -> str:
    """The needs, the servers and what else tells a system apart."""
    needs, rates, shares = zip(*system["classes"], strict=True)
    text = f"needs {'-'.join(map(str, needs))} of {system['servers']}"
    if len(set(rates)) > 1:
        text += f", rates {', '.join(f'{rate:g}' for rate in rates)}"
    if system.get("mix"):
        return f"{text}, worst mix"
    return f"{text}, shares {', '.join(f'{100 * share:.3g}' for share in shares)} %"


def _systems_of(product: Exhibit) -> Iterator[tuple[str, System]]:
    """The systems of a product, with a name if they have one."""
    for series in product.spec.get("series", {}).values():
        yield from _read(series.get("parameters", {}))


def _workloads_of(product: Exhibit, sizes: Iterable[int]) -> Iterator[tuple[str, System]]:
    """The jobs of a log, if a table lists their classes, on each of some numbers of servers."""
    columns = ["need", "mean_duration", "share_of_jobs"]
    for table in product.tables:
        if set(columns) <= set(table.data):
            needs, durations, shares = (table.data[column].tolist() for column in columns)
            rates = [1 / duration for duration in durations]
            for servers in (n for n in sizes if n >= max(needs)):
                yield "", _system(servers, needs, rates, shares)


def _sizes(products: Iterable[Exhibit]) -> list[int]:
    """The numbers of servers that a run asks about for the jobs of its logs."""
    found: set[int] = set()
    for product in products:
        for series in product.spec.get("series", {}).values():
            if str(series.get("study", "")).startswith("workload-"):
                servers = series["parameters"].get("servers", ())
                found.update([servers] if isinstance(servers, int) else servers)
    return sorted(found)


def _read(parameters: Mapping[str, Any]) -> Iterator[tuple[str, System]]:
    """The systems of a block of parameters, with a name if they have one."""
    match parameters:
        case {"systems": {**systems}}:
            for name, block in systems.items():
                for _, system in _read(block):
                    yield str(name), system
        case {"system": {"multiserver-jobs": {**block}}}:
            durations = block.get("durations", ())
            if all(isinstance(d, Mapping) and set(d) == {"exponential"} for d in durations):
                rates = [duration["exponential"] for duration in durations]
                yield "", _system(block["servers"], block["needs"], rates, block["probabilities"])
        case {"servers": int(n), "needs": [*needs], "rates": rates, "probabilities": probabilities}:
            yield "", _system(n, needs, rates, probabilities)
        case {"servers": int(n), "needs": [n1, n2], "probability_2": float(p2)}:
            yield "", _system(n, (n1, n2), parameters.get("rates", (1.0, 1.0)), (1 - p2, p2))
        case {"servers": int(n), "needs": [n1, n2], "rates": rates}:
            yield "", _system(n, (n1, n2), rates, (0.5, 0.5)) | {"mix": "worst"}
        case {"servers": int(n), "needs": [n1, n2], "rate_ratio": _}:
            yield "", _system(n, (n1, n2), (1.0, 1.0), (0.5, 0.5)) | {"mix": "worst"}
        case {"servers": int(n), "shares": [half, whole], "rates": [*rates]} if n > 1:
            yield "", _scaled(n, (half, whole), rates, parameters.get("rate_1_exponent", 0))
        case {"servers": [low, high], "exponent": float(alpha), "rates": [rate_1, rate_n]}:
            n = min(max(low, 1000), high)
            p_n = n**-alpha
            yield "", _system(n, (1, n), (rate_1, rate_n), (1 - p_n, p_n))


def _scaled(n: int, shares: Sequence[float], rates: Sequence[float], exponent: float) -> System:
    """Needs 1, n/2 and n with probabilities of the large ones in the `shares` of n^−1."""
    half, whole = (share / n for share in shares)
    rows = [
        (1, rates[0] * n**exponent, 1 - half - whole),
        (n // 2, rates[1], half),
        (n, rates[2], whole),
    ]
    return _system(n, *zip(*(row for row in rows if row[2] > 0), strict=True))


def _system(
    servers: int, needs: Iterable[int], rates: Iterable[float], probabilities: Iterable[float]
) -> System:
    rows = zip(needs, rates, probabilities, strict=True)
    classes = [[int(need), float(rate), float(p)] for need, rate, p in rows]
    return {"servers": int(servers), "classes": sorted(classes)}


def _fits(system: System) -> bool:
    """Whether the page can take a system."""
    shares = [p for _, _, p in system["classes"]]
    return (
        system["servers"] <= MOST_SERVERS
        and len(shares) <= MOST_CLASSES
        and min(shares) >= SMALLEST_PROBABILITY
        and math.isclose(math.fsum(shares), 1, abs_tol=1e-9)
    )
