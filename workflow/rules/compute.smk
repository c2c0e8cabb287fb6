# One job for each series: the study on its parameters, cached under the digest of both. On a cluster
# small ones travel in groups. A job that was killed may be tried again with more time and memory.


rule compute:
    input:
        lambda wildcards: plan.again(plan.find(**wildcards)),
    output:
        data="results/series/{study}/{digest}.csv",
        sums="results/series/{study}/{digest}.sha256",
    log:
        "results/logs/compute/{study}/{digest}.log",
    group:
        None
        if SENT
        else lambda wildcards: (
            None if workflow.local_exec else travels_with(plan.find(**wildcards).parameters)
        )
    # Where it was sent to, by the process that was: no step of a job, with a Snakemake of its own.
    localrule: SENT
    conda:
        "../envs/atlas.yaml"
    threads: 1
    resources:
        runtime=lambda wildcards, attempt: attempt * minutes(plan.find(**wildcards).parameters),
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


# Of a series that was damaged since, for which this file is missing.
rule again:
    output:
        touch("results/again/series/{study}/{digest}.sha256.{time}"),
    localrule: True
    message:
        "make {wildcards.study}/{wildcards.digest} again"


# The points of a series that takes hours are split over jobs: each computes some of them.
rule part:
    output:
        temp("results/parts/{study}/{digest}/{part}.csv"),
    log:
        "results/logs/compute/{study}/{digest}/{part}.log",
    wildcard_constraints:
        part="[0-9]+-of-[0-9]+",
    localrule: SENT
    conda:
        "../envs/atlas.yaml"
    threads: 1
    resources:
        runtime=lambda wildcards, attempt: attempt
        * minutes(plan.find(wildcards.study, wildcards.digest).parameters),
        mem_mb=lambda wildcards, attempt: attempt * MEGABYTES,
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.find(wildcards.study, wildcards.digest).spec_file,
        used_by=lambda wildcards: plan.find(wildcards.study, wildcards.digest).used_by,
        place=lambda wildcards: plan.find(wildcards.study, wildcards.digest).place,
    message:
        "compute {wildcards.part} of {wildcards.study} for {params.used_by}"
    shell:
        "python {params.scripts:q} compute {params.spec:q} --part {wildcards.part} --output {output:q}"
        " --place {params.place:q} 2>&1 | tee {log:q}"


if not SENT and any(series.parts for series in plan.series.values()):

    rule combine:
        input:
            lambda wildcards: plan.again(plan.find(**wildcards)),
            parts=lambda wildcards: plan.find(**wildcards).parts,
        output:
            data="results/series/{study}/{digest}.csv",
            sums="results/series/{study}/{digest}.sha256",
        log:
            "results/logs/combine/{study}/{digest}.log",
        wildcard_constraints:
            digest="|".join(series.digest for series in plan.series.values() if series.parts),
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
