# Write the reference systems, with the values of a run, to files that git tracks. Only on request:
# another machine may find other last digits.

if plan.reference is not None:

    rule refer:
        input:
            build.targets(*plan.reference.series.values()),
        log:
            "results/logs/refer.log",
        localrule: True
        conda:
            "../envs/atlas.yaml"
        params:
            scripts=SCRIPTS,
            spec=plan.reference.spec_file,
            folder=os.path.relpath(ROOT / "reference"),
        message:
            "refer: write the reference systems"
        shell:
            "python {params.scripts:q} refer {params.spec:q} --output {params.folder:q}"
            " 2>&1 | tee {log:q}"
