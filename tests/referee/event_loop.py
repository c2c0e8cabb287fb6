"""A tiny simulator of rigid jobs, written from `reference/README.md` alone.

It reads the published description of a system and uses no library: one loop over arrivals and
completions, in plain Python. `policy` may differ from the system's, and `slower` stretches all
durations: mistakes that the referee must recognise.
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

QUANTILE = {20: 2.093024054}


@dataclass(eq=False)
class Job:
    """A job: its class, its need, and what is left of its duration."""

    kind: int
    need: int
    left: float


Policy = Callable[[list[Job], int], list[Job]]


def fcfs(jobs: list[Job], servers: int) -> list[Job]:
    """In order of arrival, until the first that does not fit."""
    served = []
    for job in jobs:
        if job.need > servers:
            break
        servers -= job.need
        served.append(job)
    return served


def heaviest(ties: str) -> Policy:
    """MaxWeight over packings of jobs that are present."""

    def policy(jobs: list[Job], servers: int) -> list[Job]:
        needs = sorted({job.need for job in jobs}, reverse=ties == "larger")
        queues = [[job for job in jobs if job.need == v] for v in needs]
        best, top = (), None
        for packing in itertools.product(
            *(range(min(len(q), servers // v) + 1) for q, v in zip(queues, needs, strict=True))
        ):
            if sum(u * v for u, v in zip(packing, needs, strict=True)) <= servers:
                weight = sum(u * len(q) for u, q in zip(packing, queues, strict=True))
                if top is None or (weight, packing) > top:
                    best, top = packing, (weight, packing)
        return [job for u, queue in zip(best, queues, strict=True) for job in queue[:u]]

    return policy


def quickswap(small: int, large: int, threshold: int, always: bool) -> Policy:
    """Nobody is interrupted. Small jobs come in by a door, which shuts when at most `threshold` of
    them are in service and keep a large one out, `always` or if one waits, until none does."""
    serving: list[Job] = []
    door = {"shut": False}

    def policy(jobs: list[Job], servers: int) -> list[Job]:
        serving[:] = [job for job in serving if job in jobs]
        waiting = [job for job in jobs if job not in serving]

        def count(need: int) -> int:
            return sum(job.need == need for job in serving)

        def start(need: int) -> None:
            for job in [job for job in waiting if job.need == need]:
                if sum(other.need for other in serving) + need <= servers:
                    serving.append(job)
                    waiting.remove(job)

        def in_the_way() -> bool:
            wanted = always or any(job.need == large for job in waiting)
            return wanted and count(small) > 0 and (count(large) + 1) * large <= servers

        start(large)
        if not (door["shut"] and in_the_way()):
            start(small)
            door["shut"] = count(small) <= threshold and in_the_way()
        return list(serving)

    return policy


POLICIES: dict[str, Callable[[dict], Policy]] = {
    "fcfs": lambda options: fcfs,
    "max-weight": lambda options: heaviest(options["ties"]),
}


def duration(law: dict, rng: random.Random) -> float:
    """A draw of an exponential duration."""
    assert law["distribution"] == "exponential"
    return rng.expovariate(law["parameters"]["rate"])


def run(system: dict, policy: Policy, jobs: int, rng: random.Random, slower: float) -> float:
    """E[T] = E[N]/λ, N averaged while `jobs` jobs come, after a fifth of them."""
    servers, rate, kinds = round(system["capacity"]), system["arrival_rate"], system["classes"]
    chances = [kind["probability"] for kind in kinds]
    present: list[Job] = []
    area = since = now = 0.0
    for number in range(jobs + jobs // 5):
        if number == jobs // 5:
            area, since = 0.0, now
        gap = rng.expovariate(rate)
        while True:
            served = policy(present, servers)
            step = min([gap, *(job.left for job in served)])
            area, now, gap = area + step * len(present), now + step, gap - step
            for job in served:
                job.left -= step
            if not gap:
                break
            present = [job for job in present if job.left > 0]
        present = [job for job in present if job.left > 0]
        (c,) = rng.choices(range(len(kinds)), chances)
        drawn = slower * duration(kinds[c]["duration"], rng)
        present.append(Job(c, kinds[c]["need"], drawn))
    return area / (now - since) / rate


def run_fcfs(system: dict, jobs: int, rng: random.Random, slower: float) -> float:
    """The same under FCFS, faster, for long runs."""
    return sum(wait + drawn for _, wait, drawn in in_order(system, jobs, rng, slower)) / jobs


def in_order(
    system: dict, jobs: int, rng: random.Random, slower: float = 1.0
) -> Iterator[tuple[int, float, float]]:
    """The class, the wait and the duration of every job under FCFS, by the moments at which servers
    fall idle."""
    servers, rate, kinds = round(system["capacity"]), system["arrival_rate"], system["classes"]
    chances = list(itertools.accumulate(kind["probability"] for kind in kinds))
    free, idle, now, start = [], servers, 0.0, 0.0
    begin = jobs // 5
    for number in range(begin + jobs):
        now += rng.expovariate(rate)
        (c,) = rng.choices(range(len(kinds)), cum_weights=chances)
        need = kinds[c]["need"]
        start = max(start, now)
        while free and free[0][0] <= start:
            idle += heapq.heappop(free)[1]
        while idle < need:
            start, given = heapq.heappop(free)
            idle += given
        drawn = slower * duration(kinds[c]["duration"], rng)
        idle -= need
        heapq.heappush(free, (start + drawn, need))
        if number >= begin:
            yield c, start - now, drawn


def newest_first(system: dict, jobs: int, rng: random.Random) -> Iterator[tuple[int, float, float]]:
    """The same of one class if the newest job that waits starts first: E[W] is that of FCFS."""
    (kind,) = system["classes"]
    places, rate = round(system["capacity"]) // kind["need"], system["arrival_rate"]
    busy: list[float] = []
    waiting: list[float] = []
    begin, started, arrival = jobs // 5, 0, rng.expovariate(rate)
    while started < begin + jobs:
        if busy and busy[0] <= arrival:
            now = heapq.heappop(busy)
        else:
            now = arrival
            waiting.append(now)
            arrival = now + rng.expovariate(rate)
        if waiting and len(busy) < places:
            drawn = duration(kind["duration"], rng)
            heapq.heappush(busy, now + drawn)
            wait = now - waiting.pop()
            started += 1
            if started > begin:
                yield 0, wait, drawn


def measure(
    system: dict, jobs: int, seed: int, *, policy: Policy | None = None, slower: float = 1.0
) -> tuple[float, float]:
    """E[T] and the half-width of its 95 % interval, from 20 independent runs of `jobs` jobs."""
    played = policy or POLICIES[system["policy"]["name"]](system["policy"]["options"])
    runs = []
    for r in range(20):
        rng = random.Random(f"{system['id']} {seed} {r}")
        if played is fcfs:
            runs.append(run_fcfs(system, jobs, rng, slower))
        else:
            runs.append(run(system, played, jobs, rng, slower))
    mean = sum(runs) / 20
    variance = sum((x - mean) ** 2 for x in runs) / 19
    return mean, QUANTILE[20] * math.sqrt(variance / 20)
