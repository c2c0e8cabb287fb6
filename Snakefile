# The table of contents: what there is to build, from config to checked figures.

import os
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.10")


configfile: "config/config.yaml"


ROOT = Path(workflow.current_basedir)
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "src")]

from plan import ConfigError, Plan, expose

try:
    plan = Plan.load(config, ROOT, workflow.configfiles)
except ConfigError as error:
    raise WorkflowError(str(error))
plan.write_specs()
expose(ROOT, plan.compiled)

SCRIPTS = os.path.relpath(ROOT / "scripts")
AGREED = f"results/agreed/{plan.fingerprint}.txt"


wildcard_constraints:
    study="[a-z0-9-]+",
    digest="[0-9a-f]+",


rule all:
    default_target: True
    input:
        [product.targets for product in plan.complete()],
        AGREED,
        plan.gallery.mark,
    message:
        "all papers are made and agree"


for paper in plan.papers:

    rule:
        name:
            paper
        input:
            [product.targets for product in plan.complete(paper)],
        message:
            f"all of {paper} is made"


include: "workflow/rules/compute.smk"
include: "workflow/rules/make.smk"
include: "workflow/rules/agree.smk"
include: "workflow/rules/archive.smk"
include: "workflow/rules/benchmark.smk"
include: "workflow/rules/preview.smk"
include: "workflow/rules/publish.smk"


onsuccess:
    if Path(AGREED).is_file():
        print(Path(AGREED).read_text(encoding="utf-8"), end="")
