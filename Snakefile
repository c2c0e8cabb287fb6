# Entry point: all targets, from config to checked figures.

import gc
import os
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.10")
# Garbage collection would take a quarter of the planning time and find nothing to free.
gc.disable()


ROOT = Path(workflow.current_basedir)
sys.path[:0] = [str(ROOT / "src")]

from prefork import client, server
from atlas.plan.environment import cancel_timers, expose
from atlas.plan.resources import MEGABYTES

# A function that takes `output`: else Snakemake would run all jobs again where only the path to this
# project has changed.
SCRIPTS = lambda wildcards, output: os.path.relpath(ROOT / "scripts")
# Snakemake takes the rules of a module, but not its `onstart` handler.
IS_MODULE = Path(workflow.basedir) not in (ROOT, ROOT / "workflow")
# In a job of this workflow on another machine, the series are planned already.
IS_REMOTE_JOB = not workflow.is_main_process and not IS_MODULE


wildcard_constraints:
    study="[a-z0-9-]+",
    digest="[0-9a-f]+",


include: "workflow/rules/again.smk"


# A workflow that uses this one as a module may put a prefix before the names of all outputs.
OUTPUT_PREFIX = Path(rules.again.output[0].partition("results/")[0])

if IS_REMOTE_JOB:
    from atlas.plan.written_plan import WrittenPlan

    plan = WrittenPlan(ROOT)
    build = plan
    # The process that forks warm jobs serves the submitting machine only.
    os.environ[client.NAME] = ""
else:
    from atlas.config.errors import ConfigError
    from atlas.config.run_config import files_within
    from atlas.plan.build import Build
    from atlas.plan.job_logs import install_log_filter
    from atlas.plan.locks import hold_driver, require_plain, require_writable
    from atlas.plan.resolve import Plan

    configfile: str(ROOT / "config/config.yaml")

    try:
        if workflow.is_main_process:
            require_plain(ROOT)
            require_writable()
        files = workflow.configfiles
        files = files_within(config, files) if IS_MODULE else files
        plan = Plan.load(config, ROOT, files, OUTPUT_PREFIX)
        build = Build(plan, OUTPUT_PREFIX)
        build.require_free()
        for line in build.report_damage() if workflow.is_main_process else ():
            print(line, file=sys.stderr)
        if IS_MODULE:
            plan.write_specs()
        else:
            install_log_filter(plan.names)
    except (ConfigError, OSError) as error:
        raise WorkflowError(str(error))


expose(ROOT)
gc.freeze()
gc.enable()


include: "workflow/rules/compute.smk"
include: "workflow/rules/part.smk"
include: "workflow/rules/benchmark.smk"


if not IS_REMOTE_JOB:

    rule all:
        default_target: True
        input:
            build.targets(*plan.complete(), *plan.needed().values()),
            build.targets(plan.agreement, plan.gallery),
        localrule: True
        message:
            "all that the config asks for is made and agrees"

    for paper in plan.papers:

        rule:
            name:
                paper
            input:
                build.targets(*plan.complete(paper), *plan.needed(paper).values()),
            localrule: True
            message:
                f"all of {paper} is made"

    for product in plan.products:

        rule:
            name:
                f"{product.paper}_{product.id}"
            input:
                build.targets(product),
            localrule: True
            message:
                f"all of {product.paper}/{product.id} is made"

    include: "workflow/rules/combine.smk"
    include: "workflow/rules/draw.smk"
    include: "workflow/rules/tabulate.smk"
    include: "workflow/rules/judge.smk"
    include: "workflow/rules/typeset.smk"
    include: "workflow/rules/standardise.smk"
    include: "workflow/rules/agree.smk"
    include: "workflow/rules/archive.smk"
    include: "workflow/rules/verify.smk"
    include: "workflow/rules/scaling.smk"
    include: "workflow/rules/docs.smk"
    include: "workflow/rules/clean.smk"
    include: "workflow/rules/preview.smk"
    include: "workflow/rules/publish.smk"
    include: "workflow/rules/refer.smk"
    include: "workflow/rules/schemas.smk"


onstart:
    try:
        hold_driver()
        for line in build.prepare():
            print(line, file=sys.stderr)
    except (ConfigError, OSError) as error:
        raise WorkflowError(str(error))
    here = build.find_jobs()
    server.start(len(here), [one.spec_file for one in here if one.stage == "draw"])


onsuccess:
    cancel_timers()
    agreed = OUTPUT_PREFIX / plan.agreement.file
    if agreed.is_file():
        print(agreed.read_text(encoding="utf-8"), end="")
    # The target of a single paper does not include `agree`, so its claims are checked here.
    if unsound := () if IS_REMOTE_JOB else [*build.find_unsound()]:
        claims = "\n".join(unsound)
        raise WorkflowError(f"{len(unsound)} of the claims are not as expected:\n{claims}")


onerror:
    cancel_timers()
    for line in build.report_missing():
        print(line, file=sys.stderr)
