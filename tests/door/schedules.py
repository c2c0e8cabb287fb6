"""Start times of jobs under nonpreemptive policies, from the definitions of the policies alone.

No code is shared with the engines.
"""

from __future__ import annotations

from fractions import Fraction

# Ticks in a unit of time: any float is a whole number of them.
TICKS = 2**1100


def exactly(time):
    """A time in ticks: integers are as exact as fractions, and are added and compared faster."""
    ticks = Fraction(time) * TICKS
    assert ticks.denominator == 1
    return ticks.numerator


class Schedule:
    """What is said of jobs (arrival, need, duration, request), in exact numbers."""

    def __init__(self, servers, jobs):
        self.servers = servers
        self.came = [exactly(came) for came, *_ in jobs]
        self.need = [need for _, need, *_ in jobs]
        self.duration = [exactly(duration) for _, _, duration, _ in jobs]
        self.request = [exactly(request) for *_, request in jobs]
        self.start, self.running, self.waiting, self.promised = {}, set(), [], {}

    def end(self, i):
        return self.start[i] + self.duration[i]

    def bound(self, i):
        return self.start[i] + self.request[i]

    def begin(self, i, now):
        self.waiting.remove(i)
        self.running.add(i)
        self.start[i] = now
        assert sum(self.need[j] for j in self.running) <= self.servers

    def idle(self):
        return self.servers - sum(self.need[j] for j in self.running)

    def run(self):
        """The time at which each job leaves."""
        moments, seen, at = set(self.came), set(), {}
        for i, came in enumerate(self.came):
            at.setdefault(came, []).append(i)
        while moments - seen:
            now = min(moments - seen)
            seen.add(now)
            gone = {i for i in self.running if self.end(i) == now}
            self.running -= gone
            if gone or now in self.promised.values():
                self.decide(now, any(self.bound(i) > now for i in gone))
            for i in at.get(now, ()):
                self.waiting.append(i)
                self.arrived(i, now)
            moments |= {self.end(i) for i in self.running}
            moments |= {self.promised[i] for i in self.waiting if i in self.promised}
        return [(self.end(i) - self.came[i]) / TICKS for i in range(len(self.came))]


class FirstFit(Schedule):
    def arrived(self, i, now):
        self.decide(now, False)

    def decide(self, now, early):
        for i in list(self.waiting):
            if self.need[i] <= self.idle():
                self.begin(i, now)


class InOrder(FirstFit):
    def decide(self, now, early):
        while self.waiting and self.need[self.waiting[0]] <= self.idle():
            self.begin(self.waiting[0], now)


class Easy(Schedule):
    def arrived(self, i, now):
        self.decide(now, False)

    def decide(self, now, early):
        while self.waiting and self.need[self.waiting[0]] <= self.idle():
            self.begin(self.waiting[0], now)
        if not self.waiting:
            return
        head, *others = self.waiting

        def idle_at(t):
            return self.servers - sum(self.need[j] for j in before if self.bound(j) > t)

        before = set(self.running)
        shadow = min(t for t in map(self.bound, before) if idle_at(t) >= self.need[head])
        spare = idle_at(shadow) - self.need[head]
        for i in others:
            if self.need[i] > self.idle():
                continue
            if now + self.request[i] <= shadow:
                self.begin(i, now)
            elif self.need[i] <= spare:
                spare -= self.need[i]
                self.begin(i, now)


class Conservative(Schedule):
    def held(self, t, i, now):
        """The servers that others than i hold or have reserved at time t ≥ now."""
        running = sum(self.need[j] for j in self.running if t < self.bound(j))
        return running + sum(
            self.need[j]
            for j in self.waiting
            if j != i and j in self.promised
            if self.promised[j] <= t < self.promised[j] + self.request[j]
        )

    def promise(self, i, now):
        others = [j for j in self.waiting if j != i and j in self.promised]
        begins = [self.promised[j] for j in others]
        ends = [self.promised[j] + self.request[j] for j in others]
        ends += [self.bound(j) for j in self.running]
        for t in sorted({now, *(e for e in ends if e > now)}):
            within = [t, *(b for b in begins if t < b < t + self.request[i])]
            if all(self.held(u, i, now) + self.need[i] <= self.servers for u in within):
                assert self.promised.get(i, t) >= t
                self.promised[i] = t
                return

    def arrived(self, i, now):
        self.promise(i, now)
        self.keep(now)

    def decide(self, now, early):
        if early:
            for i in list(self.waiting):
                self.promise(i, now)
        self.keep(now)

    def keep(self, now):
        for i in [i for i in self.waiting if self.promised[i] == now]:
            self.begin(i, now)


SCHEDULES = {
    "fcfs": InOrder,
    "first-fit": FirstFit,
    "easy-backfilling": Easy,
    "conservative-backfilling": Conservative,
}
