# The small pictures on the project's front page, which are the only pictures that git tracks.


rule previews:
    input:
        expand("figures/preview/{figure}.png", figure=plan.previews),
    localrule: True


rule preview:
    input:
        "figures/{paper}/{id}.png",
    output:
        "figures/preview/{paper}/{id}.png",
    log:
        "results/logs/preview/{paper}/{id}.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
    message:
        "preview {wildcards.paper}/{wildcards.id}"
    shell:
        "python {params.scripts:q} preview {input:q} --output {output:q} 2>&1 | tee {log:q}"
