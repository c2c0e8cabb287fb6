"""Build a project from scratch without Snakemake: every stage once, in order, in one process.

`python reference.py PROJECT`, in the folder to build in.
"""

import importlib
import sys
from pathlib import Path


def main(root: Path) -> None:
    sys.path[:1] = [str(root), str(root / "src")]
    from atlas.config.read import read_yaml
    from atlas.plan.resolve import Plan

    plan = Plan.load(read_yaml(root / "config/config.yaml", "config.yaml")[0], root)
    plan.write_specs()
    for series in plan.series.values():
        run("compute", series.spec_file, "--output", series.file)
    for product in plan.complete():
        run(product.stage, product.spec_file, "--mark", product.mark)
    run("agree", plan.agreement.spec_file, "--output", plan.agreement.file)
    run("publish", plan.gallery.spec_file, "--mark", plan.gallery.mark)


def run(stage: str, *arguments: str) -> None:
    module = importlib.import_module(f"scripts.{stage}")
    sys.argv = [stage, *arguments]
    make = {"judge": "judge", "typeset": "typeset", "standardise": "standardise"}
    make |= {"draw": "draw", "tabulate": "tabulate"}
    if stage in make:
        importlib.import_module("atlas.io.product").run(None, getattr(module, make[stage]))
    else:
        module.main()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
