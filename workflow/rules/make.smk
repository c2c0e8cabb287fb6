# One rule for each product, named <paper>_<product>: a figure is drawn, a table tabulated, claims
# are judged and their values typeset. Besides its files it leaves a mark, whose name holds the
# fingerprint of everything upstream: whatever changes, the mark is missing.

for product in plan.products:

    rule:
        name:
            f"{product.paper}_{product.id}"
        input:
            plan.targets(*product.series.values()),
        output:
            *(name for name in product.files if name != product.shown),
            report(product.shown, category=product.paper, labels={"product": product.id}),
            *map(touch, plan.again(product)),
            mark=product.mark,
        log:
            product.log,
        localrule: True
        conda:
            "../envs/atlas.yaml"
        params:
            scripts=SCRIPTS,
            stage=product.stage,
            spec=product.spec_file,
        message:
            f"{product.stage} {product.paper}/{product.id}"
        shell:
            "python {params.scripts:q} {params.stage} {params.spec:q} --mark {output.mark:q}"
            " 2>&1 | tee {log:q}"
