# The z-scores of a paper's simulated points against their exact values.


rule standardise:
    input:
        lambda wildcards: build.inputs(plan.product(f"{wildcards.paper}/z-scores")),
    output:
        "figures/{paper}/z-scores.tex",
        "figures/{paper}/z-scores.txt",
        "figures/{paper}/z-scores.json",
        report("figures/{paper}/z-scores.csv", category="{paper}", labels={"product": "z-scores"}),
    log:
        "results/logs/standardise/{paper}/z-scores.log",
    wildcard_constraints:
        paper=plan.pattern("standardise"),
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.product(f"{wildcards.paper}/z-scores").spec_file,
        mark=lambda wildcards: OUTPUT_PREFIX / plan.product(f"{wildcards.paper}/z-scores").mark,
    message:
        "standardise {wildcards.paper}/z-scores"
    shell:
        "python {params.scripts:q} standardise {params.spec:q} --mark {params.mark:q}"
        " 2>&1 | tee {log:q}"
