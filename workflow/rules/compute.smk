# One job for each series: the study on its parameters, cached under the digest of both. On a cluster
# small ones travel in groups. A job that was killed may be tried again with more time and memory.


rule compute:
    input:
        lambda wildcards: build.inputs(plan.find(**wildcards)),
    output:
        data="results/series/{study}/{digest}.csv",
        sums="results/series/{study}/{digest}.sha256",
    log:
        "results/logs/compute/{study}/{digest}.log",
    # Which executor there is, Snakemake knows when it asks for the group of a job, and no sooner.
    group:
        None
        if SENT
        else lambda wildcards: None if workflow.local_exec else plan.find(**wildcards).group
    # Where it was sent to, by the process that was: no step of a job, with a Snakemake of its own.
    localrule: SENT
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
        # Of functions that take the output too, Snakemake asks for no change: who wants a series,
        # and where, may change.
        used_by=lambda wildcards, output: plan.find(**wildcards).used_by,
        place=lambda wildcards, output: plan.find(**wildcards).place,
    message:
        "compute {wildcards.study} for {params.used_by}"
    shell:
        "python {params.scripts:q} compute {params.spec:q} --output {output.data:q}"
        " --place {params.place:q} 2>&1 | tee {log:q}"
