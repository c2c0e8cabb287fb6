# How fast the mathematics is, route against route in one run.


rule benchmarks:
    output:
        "results/benchmarks.csv",
    log:
        "results/logs/benchmarks.log",
    conda:
        "../envs/atlas.yaml"
    params:
        script=f"{SCRIPTS}/benchmark.py",
        code=plan.code("benchmark"),
    message:
        "benchmark the mathematics"
    shell:
        "python {params.script:q} --output {output:q} 2>&1 | tee {log:q}"
