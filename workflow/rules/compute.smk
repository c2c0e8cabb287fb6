# One job for each series: it runs the study on its parameters, and the result is cached under the
# digest of both. On a cluster small series are grouped. A job that was killed may be tried again
# with more time and memory.


rule compute:
    input:
        lambda wildcards: build.inputs(plan.find(**wildcards)),
    output:
        data="results/series/{study}/{digest}.csv",
        sums="results/series/{study}/{digest}.sha256",
    log:
        "results/logs/compute/{study}/{digest}.log",
    # The executor is known only when Snakemake asks for a job's group.
    group:
        None
        if IS_REMOTE_JOB
        else lambda wildcards: None if workflow.local_exec else plan.find(**wildcards).group
    # A remote job runs this in its own process, not in a job step with another Snakemake.
    localrule: IS_REMOTE_JOB
    conda:
        "../envs/atlas.yaml"
    threads: 1
    resources:
        runtime=lambda wildcards, attempt: attempt * plan.find(**wildcards).minutes,
        mem_mb=lambda wildcards, attempt: attempt * MEGABYTES,
        alone=1,
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.find(**wildcards).spec_file,
        # Snakemake does not rerun a job when the value of a parameter function that takes `output`
        # changes: who uses a series, and where config describes it, may change.
        used_by=lambda wildcards, output: plan.find(**wildcards).used_by,
        place=lambda wildcards, output: plan.find(**wildcards).place,
    message:
        "compute {wildcards.study} for {params.used_by}"
    shell:
        "python {params.scripts:q} compute {params.spec:q} --output {output.data:q}"
        " --place {params.place:q} 2>&1 | tee {log:q}"
