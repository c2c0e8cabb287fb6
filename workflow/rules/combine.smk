# Combine the parts of a series that was split.


rule combine:
    input:
        lambda wildcards: build.inputs(plan.find(**wildcards)),
        parts=lambda wildcards: plan.find(**wildcards).parts,
    output:
        data="results/series/{study}/{digest}.csv",
        sums="results/series/{study}/{digest}.sha256",
    log:
        "results/logs/combine/{study}/{digest}.log",
    wildcard_constraints:
        digest=plan.split,
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        used_by=lambda wildcards, output: plan.find(**wildcards).used_by,
    message:
        "combine the parts of {wildcards.study} for {params.used_by}"
    shell:
        "python {params.scripts:q} combine {input.parts:q} --output {output.data:q} 2>&1 | tee {log:q}"


ruleorder: combine > compute
