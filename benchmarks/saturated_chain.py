"""The saturated chain of three needs, solved by two kinds of elimination."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from scipy import sparse

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary
from multiserver.saturated.chain import SaturatedChain, enumerate_chain
from multiserver.saturated.signed_balance import SignedBalance


def system(n: int) -> MultiserverJobSystem:
    """Needs 1, 3 and 40: 31,257 states on 300 servers, 343,343 on 1,000."""
    return MultiserverJobSystem.of(n, (1, 3, 40), (1.0, 0.5, 0.1), (0.6, 0.3, 0.1))


def by_sparse_factors(n: int) -> float:
    """λ* by sparse LU factors with one likely state left out, and iterative refinement."""
    chain = enumerated(n)
    jumps = sparse.vstack([sum(chain.completions), chain.entries]).tocsr()
    flow = SignedBalance(jumps).flow[: len(chain.idle)]
    return float(flow.sum() / (flow / chain.completion_rate).sum())


@cache
def enumerated(n: int) -> SaturatedChain:
    """The chain; both routes take about a second to enumerate it for n = 1,000."""
    return enumerate_chain(system(n))


def blocks() -> dict[str, dict[str, Callable[[], float]]]:
    """The routes to compare, by block."""
    return {
        f"λ* of needs 1, 3 and 40 at n = {n}": {
            "sparse factors, refined": lambda n=n: by_sparse_factors(n),
            "without a subtraction, E[Δ] too": lambda n=n: stationary.solve(system(n)).throughput,
        }
        for n in (300, 1000)
    }
