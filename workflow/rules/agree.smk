# Fail unless every claim is as expected and every product is up to date.


rule agree:
    input:
        lambda wildcards: build.ingredients(plan.agreement),
    output:
        *map(touch, build.again(plan.agreement)),
        summary=plan.agreement.file,
        sums=plan.agreement.sums,
    log:
        plan.agreement.log,
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=plan.agreement.spec_file,
    message:
        "agree: judge the whole run"
    shell:
        "python {params.scripts:q} agree {params.spec:q} --output {output.summary:q} 2>&1 | tee {log:q}"
