# How fast the mathematics is, route against route in one run; and how far a build scales.


rule benchmarks:
    output:
        "results/benchmarks.csv",
    log:
        "results/logs/benchmarks.log",
    conda:
        "../envs/atlas.yaml"
    resources:
        runtime=60,
        mem_mb=MEGABYTES,
    params:
        path=os.pathsep.join(str(ROOT / part) for part in ("scripts", "src")),
        script=os.path.relpath(ROOT / "benchmarks/benchmark.py"),
        code=plan.code("benchmark"),
    message:
        "benchmark the mathematics"
    shell:
        "PYTHONPATH={params.path:q} python {params.script:q} --output {output:q} 2>&1 | tee {log:q}"


# No inputs: it is about the run that has made what there is.
rule scaling:
    log:
        "results/logs/scaling.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        path=os.pathsep.join(str(ROOT / part) for part in ("scripts", "src")),
        script=os.path.relpath(ROOT / "benchmarks/scaling.py"),
        targets=[str(FOLDER / name) for name in (plan.agreement.file, plan.gallery.mark)],
        folder=str(FOLDER / "results"),
    message:
        "schedule the jobs of the last build on more cores"
    shell:
        "PYTHONPATH={params.path:q} python {params.script:q} {params.targets:q}"
        " --folder {params.folder:q} 2>&1 | tee {log:q}"
