"""Backfilling with reservations, as cluster schedulers use it: EASY and conservative.

Both need to know how long a job may run. A job of duration X requests a time R = (1 + x) X, with
x the option `overestimate`, and leaves after X; policies know of X only that it is at most R.

If all needs are equal, no job overtakes another: where a job fits, so does the oldest waiting job.
Under conservative backfilling reservations are then in order of arrival, and stay so when they are
moved: each begins as soon as running and older jobs free enough servers, which is no earlier than
for the job before it. So both policies are FCFS, and the methods of FCFS apply.
"""

from __future__ import annotations

from functools import partial

from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.job_level import job_level, simulate_by_jobs
from multiserver.policies.one_at_a_time import one_at_a_time
from multiserver.policies.policy import Effort, Means, Method, Policy
from multiserver.system import System


def _methods(conservative: bool, source: str) -> tuple[Method, ...]:
    def simulate(system: System, arrival_rate: float, effort: Effort, overestimate: float) -> Means:
        from multiserver.simulation import backfilling

        options = {"conservative": conservative, "overestimate": overestimate}
        run = partial(backfilling.simulate, **options)
        return simulate_by_jobs(run, system, arrival_rate, effort)

    in_order = methods_of_fcfs("overestimate")
    return (*in_order, *one_at_a_time(), job_level(simulate, source=source))


EasyBackfilling = Policy(
    name="easy-backfilling",
    preemptive=False,
    definition=(
        "At every arrival and completion waiting jobs start in order of arrival while they fit."
        " The first that does not is promised the earliest time at which its servers are idle if"
        " jobs in service end as requested; the servers that are then idle beside it are spare."
        " The others, oldest first, start if they fit now and either end, as requested, by that"
        " time (or at it), or need no more than the spare servers, which they then take."
        " Promises are made anew each time. A job requests (1 + overestimate) times its"
        " duration. Jobs that end at one time all leave before one starts."
    ),
    options={"overestimate": 0.0},
    methods={"multiserver-jobs": _methods(False, "Lifka 1995; Mu'alem and Feitelson 2001")},
)

ConservativeBackfilling = Policy(
    name="conservative-backfilling",
    preemptive=False,
    definition=(
        "Every job reserves its servers when it comes: from the earliest time at which, as"
        " requested, they are free for as long as it requests, beside the jobs in service and"
        " all reservations before. It starts when its reservation begins. When a job ends before"
        " its request, each waiting job, oldest first and once, moves its reservation to the"
        " earliest time that jobs in service and all other reservations leave: none becomes"
        " later. A job requests (1 + overestimate) times its duration. Jobs that end at one time"
        " all leave before a reservation is moved or one starts."
    ),
    options={"overestimate": 0.0},
    methods={"multiserver-jobs": _methods(True, "Mu'alem and Feitelson 2001")},
)
