# Every claim as expected and every product up to date, or no green run.


rule agree:
    input:
        [product.mark for product in plan.complete()],
    output:
        AGREED,
    log:
        "results/logs/agree.log",
    conda:
        "../envs/atlas.yaml"
    params:
        script=f"{SCRIPTS}/agree.py",
        spec=plan.spec_file,
    message:
        "agree: judge the whole run"
    shell:
        "python {params.script:q} {params.spec:q} --output {output:q} 2>&1 | tee {log:q}"
