# What editors know of config, as files that git tracks: written when they are asked for only.


rule schemas:
    log:
        "results/logs/schemas.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        path=os.pathsep.join(str(ROOT / part) for part in ("scripts", "src")),
    message:
        "describe config in JSON Schemas"
    shell:
        "PYTHONPATH={params.path:q} python -m plan.describe 2>&1 | tee {log:q}"
