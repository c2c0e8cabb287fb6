"""From parameters to data: one module per study, each with a pure function `compute`.

`compute(parameters)` returns a tidy DataFrame whose columns are the keys of the module's `UNITS`.
Long studies accept `progress`, which wraps an iterable and reports how far the loop has come.
"""
