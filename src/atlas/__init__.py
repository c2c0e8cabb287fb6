"""The pipeline: what turns config into figures of the library's mathematics.

`config` reads what users write, `plan` says what is to be made of it and what determines it;
`studies` compute tables, with the systems of `models`, and `claims` what a printed statement says;
`drawings` draw them; `io` reads and writes files, `gallery` and `provenance` tell what was made and
of what; `traces` are logs of clusters, and `enumeration` is the second route to reference systems.
The scripts run as jobs; Snakemake decides which.
"""
