"""The pipeline, which turns config into figures with the library's mathematics.

`config` reads what users write; `plan` determines what is to be made from it and what each product
depends on. `studies` compute tables for the systems of `models`, and `claims` recompute what a
printed statement says. `drawings` draw the tables. `io` reads and writes files; `gallery` and
`provenance` show what was made, and from what. `traces` reads logs of clusters, and `enumeration`
is the second route to reference systems. The scripts run as jobs; Snakemake decides which.
"""
