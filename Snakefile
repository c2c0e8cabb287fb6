# The table of contents: what there is to build, from config to checked figures.

import os
import re
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.10")


ROOT = Path(workflow.current_basedir)
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "src")]

import forks
import warm
from plan import MEGABYTES, expose, minutes, travels_with

# Of a workflow that takes this one as a module, `prefix` is part of the names of what is made.
FOLDER = Path(workflow.modifier.path_modifier.prefix or "")
SCRIPTS = os.path.relpath(ROOT / "scripts")

# Of modules Snakemake takes rules, but nothing that is to be done before a run.
MODULE = Path(workflow.main_snakefile) not in (ROOT / "Snakefile", ROOT / "workflow/Snakefile")
# A job of another machine, which computes series of this workflow itself, finds them planned.
SENT = (
    workflow.remote_exec
    and re.search(" --allowed-rules (compute|part) --", " ".join(sys.argv))
    and not MODULE
)
if SENT:
    from plan import Asked

    plan = Asked(ROOT)
    expose(ROOT)
    # Whoever sent it forks for its own machine.
    if os.environ.get(warm.NAME):
        del os.environ[warm.NAME]
    if not workflow.deployment_settings.deployment_method:
        forks.start(sum(word.startswith("compute:") for word in sys.argv))
else:
    from plan import ConfigError, Plan, hold_driver, require_writable, tell_unmade

    try:
        if workflow.is_main_process:
            require_writable()
        plan = Plan.load(config, ROOT, workflow.configfiles, FOLDER)
        for line in plan.tell() if workflow.is_main_process else ():
            print(line, file=sys.stderr)
        if MODULE:
            plan.write_specs()
        expose(ROOT)
    except (ConfigError, OSError) as error:
        raise WorkflowError(str(error))


wildcard_constraints:
    study="[a-z0-9-]+",
    digest="[0-9a-f]+",


include: "workflow/rules/compute.smk"


if not SENT:

    rule all:
        default_target: True
        input:
            plan.targets(*plan.complete(), *plan.needed().values()),
            plan.targets(plan.agreement, plan.gallery),
        localrule: True
        message:
            "all papers are made and agree"

    for paper in plan.papers:

        rule:
            name:
                paper
            input:
                plan.targets(*plan.complete(paper), *plan.needed(paper).values()),
            localrule: True
            message:
                f"all of {paper} is made"

    include: "workflow/rules/make.smk"
    include: "workflow/rules/agree.smk"
    include: "workflow/rules/archive.smk"
    include: "workflow/rules/benchmark.smk"
    include: "workflow/rules/docs.smk"
    include: "workflow/rules/clean.smk"
    include: "workflow/rules/preview.smk"
    include: "workflow/rules/publish.smk"
    include: "workflow/rules/refer.smk"
    include: "workflow/rules/schemas.smk"


onstart:
    try:
        if workflow.is_main_process:
            hold_driver()
        for line in plan.prepare():
            print(line, file=sys.stderr)
    except OSError as error:
        raise WorkflowError(str(error))
    if workflow.local_exec:
        # Here no scheduler is to be spared: each job that ended would leave a clock behind that asks
        # once a second what can start, until the run ends.
        workflow.scheduler.job_rate_limiter = None
    # Jobs of other environments start by themselves, and so do those of other machines.
    if not workflow.deployment_settings.deployment_method:
        here = (
            workflow.dag.needrun_jobs()
            if workflow.local_exec
            else workflow.dag.local_needrun_jobs
        )
        told = [job.params for job in here]
        drawn = [params.spec for params in told if params.get("stage") == "draw"]
        forks.start(len(told), drawn)


onsuccess:
    agreed = FOLDER / plan.agreement.file
    if agreed.is_file():
        print(agreed.read_text(encoding="utf-8"), end="")


onerror:
    asked = {job.rule.name for job in workflow.dag.jobs}
    products = [p for p in plan.products if f"{p.paper}_{p.id}" in asked]
    for line in tell_unmade(products, FOLDER):
        print(line, file=sys.stderr)
