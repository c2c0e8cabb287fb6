# The site: written pages and the library's docstrings. The name of its mark holds their digest.


rule docs:
    output:
        pages=directory("figures/docs"),
        mark=touch(plan.docs_mark),
    log:
        "results/logs/docs.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        source=os.path.relpath(ROOT / "docs"),
    message:
        "write the documentation"
    shell:
        "python -m sphinx -q -W --keep-going -b html {params.source:q} {output.pages:q}"
        " 2>&1 | tee {log:q}"
