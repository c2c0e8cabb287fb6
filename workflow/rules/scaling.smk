# How a build scales with the number of cores. No inputs: it starts no build.


rule scaling:
    log:
        "results/logs/scaling.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        path=str(ROOT / "src"),
        script=os.path.relpath(ROOT / "benchmarks/scaling.py"),
        targets=[str(OUTPUT_PREFIX / name) for name in (plan.agreement.file, plan.gallery.mark)],
        folder=str(OUTPUT_PREFIX / "results"),
    message:
        "schedule the jobs of the last build on more cores"
    shell:
        "PYTHONPATH={params.path:q} python {params.script:q} {params.targets:q}"
        " --folder {params.folder:q} 2>&1 | tee {log:q}"
