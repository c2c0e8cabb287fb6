# What there is to ask for: everything, or a paper.


rule all:
    default_target: True
    input:
        [product.targets for product in plan.complete()],
        [series.targets for series in plan.needed().values()],
        plan.agreement.file,
        plan.agreement.sums,
        plan.gallery.mark,
    localrule: True
    message:
        "all papers are made and agree"


for paper in plan.papers:

    rule:
        name:
            paper
        input:
            [product.targets for product in plan.complete(paper)],
            [series.targets for series in plan.needed(paper).values()],
        localrule: True
        message:
            f"all of {paper} is made"
