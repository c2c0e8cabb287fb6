"""From config to jobs: what is to be made, and what determines it.

This is the only place where config becomes parameters (`atlas.config` reads it). The Snakefile asks
a `Plan` what to build, or on another machine a `WrittenPlan`. The scripts that run as jobs get the
resolved specs and never see the config.
"""
