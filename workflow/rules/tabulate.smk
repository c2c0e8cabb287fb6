# A table as data and as LaTeX, with and without its caption.


rule tabulate:
    input:
        lambda wildcards: build.inputs(plan.product(wildcards.table)),
    output:
        "figures/{table}.tex",
        "figures/{table}.table.tex",
        "figures/{table}.json",
        report(
            "figures/{table}.csv",
            caption="../report/caption.rst",
            category=lambda wildcards: plan.product(wildcards.table).paper,
            labels=lambda wildcards: {"product": plan.product(wildcards.table).id},
        ),
    log:
        "results/logs/tabulate/{table}.log",
    wildcard_constraints:
        table=plan.pattern("tabulate"),
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.product(wildcards.table).spec_file,
        mark=lambda wildcards: OUTPUT_PREFIX / plan.product(wildcards.table).mark,
        # A function that takes `output`: a changed value does not make Snakemake rerun the job.
        caption=lambda wildcards, output: plan.product(wildcards.table).caption,
        place=lambda wildcards, output: plan.product(wildcards.table).place,
    message:
        "tabulate {wildcards.table}"
    shell:
        "python {params.scripts:q} tabulate {params.spec:q} --mark {params.mark:q}"
        " --place {params.place:q} 2>&1 | tee {log:q}"
