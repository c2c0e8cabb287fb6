"""The referee's verdicts on simulators by others, from the results in benchmarks/scored."""

from __future__ import annotations

from pathlib import Path

from referee.assess import Definition, assess, counts, distance, representatives, verdict
from referee.read import Reference, read_results

ROOT = Path(__file__).resolve().parents[1]


def write_verdicts() -> str:
    """Two Markdown tables: one of the simulators, one of the systems."""
    reference = Reference.load(ROOT / "reference")
    found = {
        file.stem: assess(read_results(file, reference), reference)
        for file in sorted((ROOT / "benchmarks/scored").glob("*.csv"))
    }
    lines = [
        "| | systems | values | within reach | bias | p | coverage | p | the referee says |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, one in found.items():
        count, bias, cover = counts(one), one.bias, one.coverage
        cells = [
            *(name, count["systems"], count["values"], count["fitting"]),
            *(f"{bias.relative:+.2%} ± {1.96 * bias.standard_error:.2%}", f"{bias.p:.2g}"),
            *(f"{cover.inside} of {cover.of}", f"{cover.p_few:.2g}", verdict(one)),
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "E[T] of all jobs, and how many standard errors each is off:", ""]
    lines.append("| system | exact | " + " | ".join(f"{n} | ± | errors" for n in found) + " |")
    lines.append("|---" * (2 + 3 * len(found)) + "|")
    rows = {
        name: {r.system: r for r in representatives(one.results)} for name, one in found.items()
    }
    for system in dict.fromkeys(s for results in rows.values() for s in results):
        (exact, *_) = (results[system].reference for results in rows.values() if system in results)
        cells = [f"`{system}`", f"{exact:.6g}"]
        for results in rows.values():
            r = results.get(system)
            if r is None:
                cells += ["", "", ""]
                continue
            off = distance(r, Definition("", r.reference))
            sign = "+" if r.value >= r.reference else "−"
            cells += [f"{r.value:.5g}", f"{r.half_width:.2g}", f"{sign}{off:.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
