"""The quantities that claims are about: functions from a claim's parameters to a number, a truth
value or a list. A claim names them as module/function, with hyphens."""
