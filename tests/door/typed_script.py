"""A typed user script that follows the first page of the documentation."""

import numpy as np

import multiserver as ms

system = ms.System(
    servers=16,
    classes=[
        ms.JobClass(need=1, duration=ms.Exponential(rate=1.0), probability=0.90),
        ms.JobClass(need=16, duration=ms.Exponential(rate=0.25), probability=0.10),
    ],
)
queue = system.under(ms.FCFS)

exact = queue.exact(load=0.3)
minutes: float = exact.mean_response_time / 60 + sum(c.mean_response_time for c in exact.by_class)

simulated = queue.simulate(load=0.3, jobs=1e4, seed=1)
half_width: float = simulated.mean_response_time.half_width
scaled: ms.Estimate = 2 * simulated.mean_response_time - 1
said: str = f"{simulated.mean_jobs:.3f} and {float(simulated.mean_jobs)}"

filling = system.under(ms.ServerFilling).bounds(load=0.3)
lower: float = filling.mean_response_time.lower

curve = queue.exact(load=np.linspace(0.1, 0.4, 3))
times: list[float] = [result.mean_response_time for result in curve]
loads = queue.simulate(load=[0.1, 0.2], jobs=10_000, seed=1)
errors: list[float] = [result.mean_jobs.standard_error for result in loads]


def told(result: ms.Result) -> list[str]:
    """A result of any kind."""
    return list(result.means)


ring = ms.Network(
    [ms.Station(rates=(1.0, 1.0), compatible=({0}, {0, 1}))], [0.3, 0.6], [[0, 0], [0.5, 0]]
)
jobs: float = ring.under(ms.FCFS).exact().mean_jobs
pooled = ms.System([1.0, 2.0], [ms.JobClass(compatible={0, 1}, duration=ms.Exponential(rate=1.0))])

print(minutes, half_width, scaled, said, lower, times, errors, told(exact), told(simulated), jobs)
