# Time the library: different algorithms for the same quantity, in one run.


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
        path=str(ROOT / "src"),
        script=os.path.relpath(ROOT / "benchmarks/benchmark.py"),
        code=plan.code("benchmark"),
    message:
        "benchmark the mathematics"
    shell:
        "PYTHONPATH={params.path:q} python {params.script:q} --output {output:q} 2>&1 | tee {log:q}"
