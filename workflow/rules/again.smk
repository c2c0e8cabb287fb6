# An empty file that makes Snakemake build a thing again when names and times give no reason to. The
# thing was damaged or lost, or it has a fixed name and was made from other config or code than
# there are now. The file's name says which thing it is for.


rule again:
    output:
        touch("results/again/{thing}.{time}"),
    wildcard_constraints:
        thing="(series|made)/.+",
        time="[0-9]+",
    localrule: True
