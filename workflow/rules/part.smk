# The points of a series that takes hours are split over jobs; each job computes some of them.


rule part:
    output:
        temp("results/parts/{study}/{digest}/{part}.csv"),
    log:
        "results/logs/compute/{study}/{digest}/{part}.log",
    wildcard_constraints:
        part="[0-9]+-of-[0-9]+",
    localrule: IS_REMOTE_JOB
    conda:
        "../envs/atlas.yaml"
    threads: 1
    resources:
        runtime=lambda wildcards, attempt: attempt
        * plan.find(wildcards.study, wildcards.digest).minutes,
        mem_mb=lambda wildcards, attempt: attempt * MEGABYTES,
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.find(wildcards.study, wildcards.digest).spec_file,
        # Functions that take `output`, as in `compute`: a series may get other users, or be renamed.
        used_by=lambda wildcards, output: plan.find(wildcards.study, wildcards.digest).used_by,
        place=lambda wildcards, output: plan.find(wildcards.study, wildcards.digest).place,
    message:
        "compute {wildcards.part} of {wildcards.study} for {params.used_by}"
    shell:
        "python {params.scripts:q} compute {params.spec:q} --part {wildcards.part} --output {output:q}"
        " --place {params.place:q} 2>&1 | tee {log:q}"
