"""From parameters to data: one module for each study, each a pure function `compute`.

`compute(parameters)` returns a tidy DataFrame whose columns are the keys of the module's `UNITS`.
Studies that take long accept `progress`, which wraps an iterable to say how far it has come.
"""
