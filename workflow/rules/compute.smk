# One job for each series: the study on its parameters, cached under the digest of both.


rule compute:
    output:
        "results/series/{study}/{digest}.csv",
    log:
        "results/logs/compute/{study}/{digest}.log",
    conda:
        "../envs/atlas.yaml"
    params:
        script=f"{SCRIPTS}/compute.py",
        spec=lambda wildcards: plan.find(**wildcards).spec_file,
        used_by=lambda wildcards: plan.find(**wildcards).used_by,
    message:
        "compute {wildcards.study} for {params.used_by}"
    shell:
        "python {params.script:q} {params.spec:q} --output {output:q} 2>&1 | tee {log:q}"
