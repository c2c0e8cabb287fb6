"""Data of the run for the explorer: the systems of its figures and tables, and the theorems."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from atlas.gallery.collect import Exhibit, Paper

# The same limits as in explorer/model.js, explorer/dispatch.js and explorer/state.js.
MAX_SERVERS = 100_000_000
MAX_TERMS = 2_000_000
MAX_CLASSES = 32
MIN_PROBABILITY = 1e-30
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Classes of different rates: with more of them, the jobs in service have too many states.
MAX_RATES = 8
# A system: servers and rows of need, rate and probability. `mix` is "worst" if the page is to find
# the worst mix, and `need` if it is to find the need of the second class.
System = dict[str, Any]

# The reason why the page cannot hold a system, by a key of its parameters.
OBSTACLES = {
    "trace": "its jobs are those of a log, which tables of its classes lead to",
    "classes": "a published table of more classes than the page can hold",
    "large": "systems of one kind, of many numbers of servers",
    "jobs-present": "a picture of one state, which has no rates",
    "heterogeneous": "servers of different speeds, and jobs that need one of them each",
    "limited-processor-sharing": "jobs that share the servers equally: none waits for several",
    "threshold-parallelism": "elastic jobs, which run on as many servers as are free",
    "assigned": "parallel processing: a job is served by any of its servers that have time for it",
}
OBSTACLES |= dict.fromkeys(("random", "network", "networks", "capacities"), OBSTACLES["assigned"])
NOT_EXPONENTIAL = "durations that are not exponential; what the page computes holds for those only"

# The places in the papers of the claims that the views use, for runs without the paper.
CLAIMS = {
    "two-class-stability/theorem-4-2-law": "Theorem 4.2",
    "two-class-stability/theorem-4-2-throughput": "Theorem 4.2",
    "two-class-stability/theorem-8-1": "Theorem 8.1",
    "two-class-stability/three-classes": "Section 10",
    "two-class-stability/fig6b-worst-mix": "Section 9.1",
    "two-class-stability/fig8a-dips": "Section 9.3",
    "two-class-stability/not-monotone-in-servers": "Section 9.3",
    "multilevel-scaling/heavy-traffic": "Eq. (2)",
    "multilevel-scaling/peak-is-not-balanced": "Section 4",
    "finite-skip/lemma-7-1": "Lemma 7.1",
}


def find_links(papers: Sequence[Paper]) -> dict[str, dict[str, str]]:
    """For each of `CLAIMS`, its label and, if the ledger has it, its address there."""
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

    Each appears once per paper, with its `group` (the paper), a `label` that says where it is from,
    and the ids of its products under `of`.
    """
    presets = []
    for paper in papers:
        found: dict[str, tuple[System, list[Exhibit]]] = {}
        for product, name, system in _all_systems(paper):
            if not find_obstacle(system):
                text = name or _describe(system)
                key = f"{text} {json.dumps(system)}"
                _, products = found.setdefault(key, (system | {"text": text}, []))
                products.append(product)
        for system, products in found.values():
            label = f"{_join_labels([_label(one) for one in products])}: {system.pop('text')}"
            of = list(dict.fromkeys(one.id for one in products))
            presets.append({"group": paper.id, "label": label, "of": of, **system})
    return presets


def find_absent(papers: Sequence[Paper]) -> list[dict[str, Any]]:
    """The figures and tables of each paper without a preset, and the reason: `group` (the paper),
    `why`, and the `labels` of those that share the reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for paper in papers:
        systems = [(product.id, system) for product, _, system in _all_systems(paper)]
        for product in (*paper.figures, *paper.tables):
            found = [find_obstacle(system) for id, system in systems if id == product.id]
            if not found:
                blocks = (s.get("parameters", {}) for s in product.spec.get("series", {}).values())
                found = [_find_block_obstacle(block) for block in blocks]
            for why in dict.fromkeys(found) if all(found) else ():
                labels = reasons.setdefault((paper.id, why), [])
                labels.append(_label(product))
    return [
        {"group": group, "why": why, "labels": list(dict.fromkeys(labels))}
        for (group, why), labels in reasons.items()
    ]


def find_obstacle(system: System) -> str:
    """The reason why the page cannot hold a system, or an empty string."""
    n, classes = system["servers"], system["classes"]
    shares = [p for _, _, p in classes]
    if n > MAX_SERVERS:
        return f"more than {MAX_SERVERS:,} servers"
    if n > MAX_TERMS and len(classes) > 1 and [need for need, _, _ in classes] != [1, n]:
        return f"more than {MAX_TERMS:,} servers, other than for one class or needs 1 and n"
    if len(classes) > (MAX_CLASSES if len({rate for _, rate, _ in classes}) == 1 else MAX_RATES):
        return f"{len(classes)} classes: the jobs in service have too many states for a page"
    if min(shares) < MIN_PROBABILITY or not math.isclose(math.fsum(shares), 1, abs_tol=1e-9):
        return f"shares below {MIN_PROBABILITY:g}, or no shares of a whole"
    return ""


def _find_block_obstacle(parameters: Mapping[str, Any]) -> str:
    """The reason why a block of parameters has no system that the page can hold."""
    names = [*parameters, *(parameters.get("system") or {})]
    known = [OBSTACLES[name] for name in names if name in OBSTACLES]
    if not known and "multiserver-jobs" in names:
        return NOT_EXPONENTIAL
    return known[0] if known else "no system of jobs with needs and rates"


def _all_systems(paper: Paper) -> Iterator[tuple[Exhibit, str, System]]:
    """Each system of a paper's figures and tables: the product, a name if any, the system."""
    products = (*paper.figures, *paper.tables)
    sizes = _find_sizes(products)
    for product in products:
        for series in product.spec.get("series", {}).values():
            for name, system in _parse_block(series.get("parameters", {})):
                yield product, name, system
        for system in _workloads_of(product, sizes):
            yield product, "", system


def _label(product: Exhibit) -> str:
    figure = product.source.get("figure")
    return f"Fig. {figure}" if figure and product.spec["faithful"] else product.title


def _join_labels(numbers: Iterable[str]) -> str:
    """The figures of a system or, if there are none, its first other product."""
    distinct = list(dict.fromkeys(numbers))
    figures = [number.removeprefix("Fig. ") for number in distinct if number.startswith("Fig. ")]
    return f"Fig. {', '.join(figures)}" if figures else distinct[0]


def _describe(system: System) -> str:
    """The needs, the servers and whatever else distinguishes a system."""
    needs, rates, shares = zip(*system["classes"], strict=True)
    text = f"needs {'-'.join(map(str, needs))} of {system['servers']}"
    if len(set(rates)) > 1:
        text += f", {_format_rates(rates)}"
    if system.get("mix"):
        return f"{text}, worst mix"
    return f"{text}, shares {', '.join(f'{100 * share:.3g}' for share in shares)} %"


def _workloads_of(product: Exhibit, sizes: Iterable[int]) -> Iterator[System]:
    """The jobs of a log, if a table lists their classes, on each number of servers in `sizes`."""
    columns = ["need", "mean_duration", "share_of_jobs"]
    for table in product.tables:
        if set(columns) <= set(table.data):
            needs, durations, shares = (table.data[column].tolist() for column in columns)
            rates = [1 / duration for duration in durations]
            for servers in (n for n in sizes if n >= max(needs)):
                yield _system(servers, needs, rates, shares)


def _find_sizes(products: Iterable[Exhibit]) -> list[int]:
    """The numbers of servers in the run's studies of logs."""
    found: set[int] = set()
    for product in products:
        for series in product.spec.get("series", {}).values():
            if str(series.get("study", "")).startswith("workload-"):
                servers = series["parameters"].get("servers", ())
                found.update([servers] if isinstance(servers, int) else servers)
    return sorted(found)


def _parse_block(parameters: Mapping[str, Any]) -> Iterator[tuple[str, System]]:
    """The systems of a block of parameters, with a name if they have one."""
    match parameters:
        case {"systems": {**systems}}:
            for name, block in systems.items():
                for _, system in _parse_block(block):
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
        case {"servers": int(n), "needs": [n1, n2]}:
            # The mix and the rates are axes of the figure, or have no effect.
            text = f"needs {n1}-{n2} of {n}, any rates and shares"
            yield text, _system(n, (n1, n2), (1.0, 1.0), (0.5, 0.5))
        case {"servers": int(n), "need_1": int(n1), "rates": rates} if n > n1:
            text = f"need {n1} and the worst other of {n}, {_format_rates(rates)}, worst mix"
            worst = {"mix": "worst", "need": "worst"}
            yield text, _system(n, (n1, n), rates, (0.5, 0.5)) | worst
        case {"servers": int() | [*_], "shares": [half, whole], "rates": [*rates]} | {
            "sizes": [*_],
            "shares": [half, whole],
            "rates": [*rates],
        }:
            sizes = parameters.get("sizes", parameters.get("servers"))
            power = parameters.get("rate_1_exponent", 0)
            for n in [sizes] if isinstance(sizes, int) else sizes:
                if n > 1:
                    yield _scaled(n, (half, whole), rates, power)
        case {"servers": [low, high], "exponent": float(alpha), "rates": [rate_1, rate_n]}:
            decades = (10**power for power in range(1, 16))
            for n in [n for n in decades if low <= n <= high] or [max(low, 2)]:
                p_n = n**-alpha
                words = f"α = {alpha:g}, {_format_rates((rate_1, rate_n))}"
                text = f"needs 1 and n, n = {_format_number(n)}, {words}"
                yield text, _system(n, (1, n), (rate_1, rate_n), (1 - p_n, p_n))


def _scaled(
    n: int, shares: Sequence[float], rates: Sequence[float], exponent: float
) -> tuple[str, System]:
    """Needs 1, n/2 and n, with `shares` of n^−α as probabilities of the large ones, at α = 1: the
    page has a control for α."""
    half, whole = (share / n for share in shares)
    rows = [
        ("1", 1, rates[0] * n**exponent, 1 - half - whole),
        ("n/2", n // 2, rates[1], half),
        ("n", n, rates[2], whole),
    ]
    names, *columns = zip(*(row for row in rows if row[-1] > 0), strict=True)
    needs = " and ".join(", ".join(names).rsplit(", ", 1))
    text = f"needs {needs}, n = {_format_number(n)}, any α (here 1), {_format_rates(columns[1])}"
    return text, _system(n, *columns)


def _format_number(n: float) -> str:
    """A number of servers or a rate, large ones as a power of ten."""
    power = round(math.log10(n))
    return f"10{str(power).translate(SUPERSCRIPTS)}" if n == 10**power and power > 3 else f"{n:g}"


def _format_rates(rates: Sequence[float]) -> str:
    distinct = len(set(rates)) > 1
    return f"rates {', '.join(map(_format_number, rates))}" if distinct else "one rate"


def _system(
    servers: int, needs: Iterable[int], rates: Iterable[float], probabilities: Iterable[float]
) -> System:
    rows = zip(needs, rates, probabilities, strict=True)
    classes = [[int(need), float(rate), float(p)] for need, rate, p in rows]
    return {"servers": int(servers), "classes": sorted(classes)}
