# A figure in every format that config asks for, what LaTeX needs to show and to cite it, and a
# sidecar that says how it was made. The job also leaves a mark, whose name holds the fingerprint of
# everything upstream. If that mark is missing, the plan asks for the figure to be drawn again.


rule draw:
    input:
        lambda wildcards: build.inputs(plan.product(wildcards.figure)),
    output:
        *(f"figures/{{figure}}.{kind}" for kind in plan.formats[1:]),
        "figures/{figure}.figure.tex",
        "figures/{figure}.frame.tex",
        "figures/{figure}.json",
        report(
            f"figures/{{figure}}.{plan.formats[0]}",
            caption="../report/caption.rst",
            category=lambda wildcards: plan.product(wildcards.figure).paper,
            labels=lambda wildcards: {"product": plan.product(wildcards.figure).id},
        ),
    log:
        "results/logs/draw/{figure}.log",
    wildcard_constraints:
        figure=plan.pattern("draw"),
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=lambda wildcards: plan.product(wildcards.figure).spec_file,
        mark=lambda wildcards: OUTPUT_PREFIX / plan.product(wildcards.figure).mark,
        # A function that takes `output`: a changed value does not make Snakemake rerun the job.
        caption=lambda wildcards, output: plan.product(wildcards.figure).caption,
    message:
        "draw {wildcards.figure}"
    shell:
        "python {params.scripts:q} draw {params.spec:q} --mark {params.mark:q}"
        " 2>&1 | tee {log:q}"
