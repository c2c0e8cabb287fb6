# One job for each series: the study on its parameters, cached under the digest of both.


rule compute:
    output:
        data="results/series/{study}/{digest}.csv",
        sums="results/series/{study}/{digest}.sha256",
    log:
        "results/logs/compute/{study}/{digest}.log",
    conda:
        "../envs/atlas.yaml"
    threads: 1
    resources:
        runtime=lambda wildcards: minutes(plan.find(**wildcards).parameters),
        mem_mb=4000,
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.find(**wildcards).spec_file,
        used_by=lambda wildcards: plan.find(**wildcards).used_by,
    message:
        "compute {wildcards.study} for {params.used_by}"
    shell:
        "python {params.scripts:q} compute {params.spec:q} --output {output.data:q}"
        " 2>&1 | tee {log:q}"
