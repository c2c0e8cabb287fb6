# The gallery (static pages over all products) and their bibliography. The mark's name holds the
# fingerprint of everything that the pages show and of the templates.


rule gallery:
    input:
        build.gallery_inputs,
        lambda wildcards: build.ingredients(plan.gallery),
    output:
        directory("figures/gallery"),
        "figures/atlas.bib",
        *map(touch, build.again(plan.gallery)),
        mark=plan.gallery.mark,
    log:
        plan.gallery.log,
    localrule: True
    conda:
        "../envs/atlas.yaml"
    threads: 4
    params:
        scripts=SCRIPTS,
        spec=plan.gallery.spec_file,
    message:
        "publish the gallery"
    shell:
        "python {params.scripts:q} publish {params.spec:q} --mark {output.mark:q}"
        " --threads {threads}"
        " 2>&1 | tee {log:q}"
