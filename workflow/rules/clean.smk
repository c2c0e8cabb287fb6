# List or remove the files of former runs that nothing asks for.


rule leftovers:
    log:
        "results/logs/leftovers.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=plan.inventory.spec_file,
        root=str(OUTPUT_PREFIX),
    message:
        "list what nothing asks for"
    shell:
        "python {params.scripts:q} clean {params.spec:q} --root {params.root:q} 2>&1 | tee {log:q}"


rule clean:
    log:
        "results/logs/clean.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=plan.inventory.spec_file,
        root=str(OUTPUT_PREFIX),
    message:
        "remove what nothing asks for"
    shell:
        "python {params.scripts:q} clean {params.spec:q} --root {params.root:q} --remove"
        " 2>&1 | tee {log:q}"
