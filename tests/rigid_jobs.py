"""Systems of jobs that each need a number of servers, a row a class."""

from __future__ import annotations

from numbers import Real

import multiserver as ms


def rigid(servers: int, *rows: tuple) -> ms.System:
    """Classes of (need, duration, probability); a number is the rate of an exponential duration."""
    return ms.System(servers, [_job_class(*row) for row in rows])


def one_class(servers: int, duration, need: int = 1) -> ms.System:
    return rigid(servers, (need, duration, 1.0))


def _job_class(need: int, duration, probability: float) -> ms.JobClass:
    if isinstance(duration, Real):
        duration = ms.Exponential(rate=duration)
    return ms.JobClass(need=need, duration=duration, probability=probability)
