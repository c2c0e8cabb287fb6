# The JSON Schemas of config for editors. Git tracks these files; they are written only on request.


rule schemas:
    log:
        "results/logs/schemas.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        path=str(ROOT / "src"),
    message:
        "describe config in JSON Schemas"
    shell:
        "PYTHONPATH={params.path:q} python -m atlas.config.schemas 2>&1 | tee {log:q}"
