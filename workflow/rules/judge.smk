# The ledger of a paper: every claim as stated, as recomputed, and the verdict.


rule judge:
    input:
        lambda wildcards: build.inputs(plan.product(f"{wildcards.paper}/ledger")),
    output:
        "figures/{paper}/ledger.tex",
        "figures/{paper}/ledger.short.tex",
        "figures/{paper}/ledger.txt",
        "figures/{paper}/ledger.json",
        report("figures/{paper}/ledger.csv", category="{paper}", labels={"product": "ledger"}),
    log:
        "results/logs/judge/{paper}/ledger.log",
    wildcard_constraints:
        paper=plan.pattern("judge"),
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.product(f"{wildcards.paper}/ledger").spec_file,
        mark=lambda wildcards: OUTPUT_PREFIX / plan.product(f"{wildcards.paper}/ledger").mark,
        # A function that takes `output`: a changed value does not make Snakemake rerun the job.
        place=lambda wildcards, output: plan.product(f"{wildcards.paper}/ledger").place,
    message:
        "judge {wildcards.paper}/ledger"
    shell:
        "python {params.scripts:q} judge {params.spec:q} --mark {params.mark:q}"
        " --place {params.place:q} 2>&1 | tee {log:q}"
