# The gallery: static pages over all products. The mark's name holds the fingerprint of everything
# that the pages show and of the templates.


rule gallery:
    input:
        [product.targets for product in plan.complete()],
        [series.file for product in plan.complete() for series in product.series.values()],
    output:
        directory("figures/gallery"),
        mark=plan.gallery.mark,
    log:
        "results/logs/publish.log",
    conda:
        "../envs/atlas.yaml"
    params:
        script=f"{SCRIPTS}/publish.py",
        spec=plan.gallery.spec_file,
    message:
        "publish the gallery"
    shell:
        "python {params.script:q} {params.spec:q} --mark {output.mark:q} 2>&1 | tee {log:q}"
