# One archive of the whole run. Its name holds the digest of everything that determines it, so the
# age of its inputs is ignored (`ancient`): a file that was tampered with is newer, and must not
# cause the archive to be made anew.


rule archive:
    input:
        ancient(build.targets(*plan.complete(), *plan.needed().values())),
        ancient(plan.agreement.file),
    output:
        plan.archive.file,
    log:
        "results/logs/archive.log",
    localrule: True
    conda:
        "../envs/atlas.yaml"
    params:
        scripts=SCRIPTS,
        spec=plan.archive.spec_file,
        root=os.path.relpath(ROOT),
        folder=str(OUTPUT_PREFIX),
    message:
        "archive {output}"
    shell:
        "python {params.scripts:q} archive {params.spec:q} --root {params.root:q}"
        " --folder {params.folder:q} --output {output:q} 2>&1 | tee {log:q}"
