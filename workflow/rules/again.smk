# Why a thing is made once more than names and times tell Snakemake: a file without content, whose
# name says of which. It was damaged or lost since, or it bears a fixed name and was made from
# something else than config and code now say.


rule again:
    output:
        touch("results/again/{thing}.{time}"),
    wildcard_constraints:
        thing="(series|made)/.+",
        time="[0-9]+",
    localrule: True
