# Check the outputs against the archive of the run. No inputs: missing outputs are to be reported,
# not made.


rule verify:
    log:
        "results/logs/verify.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        folder=str(OUTPUT_PREFIX),
        archive=str(OUTPUT_PREFIX / plan.archive.file),
    message:
        "verify the outputs against {params.archive}"
    shell:
        "python {params.scripts:q} verify {params.folder:q} --against {params.archive:q}"
        " 2>&1 | tee {log:q}"
