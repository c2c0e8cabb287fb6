"""Jobs that end at one time, though the last bit of the clock may say otherwise.

Jobs of constant durations end together if they start together. All of them must leave before a
policy looks at the others. Between two of them it might give the servers of a job that is done to
another, and the first would stay in the system until it has servers again. Backfilling would refuse
a job that ends just when servers are reserved for another.
"""

from __future__ import annotations

from numba import njit

from multiserver.simulation.draws import BIMODAL, DETERMINISTIC

# The part of the clock by which rounding may separate jobs that end at one time.
SIMULTANEOUS = 2.0**-44


@njit(cache=True)
def may_end_together(kinds):
    """Whether durations, of these kinds (`draws`), may be equal."""
    equal = 0
    for kind in kinds:
        equal += kind in (DETERMINISTIC, BIMODAL)
    return equal > 0
