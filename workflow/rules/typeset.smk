# The recomputed values of a paper's claims, as LaTeX to cite in a text.


rule typeset:
    input:
        lambda wildcards: build.inputs(plan.product(f"{wildcards.paper}/values")),
    output:
        "figures/{paper}/values.json",
        report("figures/{paper}/values.tex", category="{paper}", labels={"product": "values"}),
    log:
        "results/logs/typeset/{paper}/values.log",
    wildcard_constraints:
        paper=plan.pattern("typeset"),
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.product(f"{wildcards.paper}/values").spec_file,
        mark=lambda wildcards: OUTPUT_PREFIX / plan.product(f"{wildcards.paper}/values").mark,
        # A function that takes `output`: a changed value does not make Snakemake rerun the job.
        place=lambda wildcards, output: plan.product(f"{wildcards.paper}/values").place,
    message:
        "typeset {wildcards.paper}/values"
    shell:
        "python {params.scripts:q} typeset {params.spec:q} --mark {params.mark:q}"
        " --place {params.place:q} 2>&1 | tee {log:q}"
