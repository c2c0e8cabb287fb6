"""Throughput and relative completions of the saturated system with server needs 1, n/2 and n.

n = 2h servers, FCFS; a job needs 1, h or n of them with probability p_1, p_h, p_n and completes at
rate μ_1, μ_h, μ_n. `multilevel-scaling` (Sections 10.3, 10.4) has no exact E[Δ(Y_d)] for these
needs. The saturated states form four layers; a is the number of one-server jobs in service:

    L_a  no other job in service, an n-server job blocked, 0 < a < n;      L_0 = N: it is in service
    U_a  no other job in service, an h-server job blocked, h < a < n;      U_h = S: it is in service
    H_a  beside one h-server job, an h-server job blocked, 0 < a < h;      H_0: it is in service
    M_a  beside one h-server job, an n-server job blocked, 0 ≤ a < h;      U_n = A: no job blocked

The next job is drawn in instantaneous states: D_a beside one h-server job (a < h; D_h = S), E_a
beside none (a < n; E_n = A). Let r be the completion rate of a state, X the throughput,
w = 1 − X/r, and f_a = a μ_1/(a μ_1 + μ_h), f'_a = 1 − f_a. Relative completions, denoted by their
states, solve

    L_a = w + L_{a−1},   M_a = w + f_a M_{a−1} + f'_a L_a,   D_a = p_1 D_{a+1} + p_h H_a + p_n M_a,
    U_a = w + U_{a−1},   H_a = w + f_a H_{a−1} + f'_a D_a,   E_a = p_1 E_{a+1} + p_h B_a + p_n L_a,
    N = w + E_0,         S = w + f_h D_{h−1} + f'_h E_h,     A = w + E_{n−1},                    (1)

with B_a = D_a for a < h, U_a from h on. Sums give L and U; M_a = L_a + 1 − (X/μ_h) f_1 … f_a, since
w of M_a exceeds f_a times w of L_a by f'_a; E is a recurrence. H and D climb and fall, and may stay
very long near a = p_1 μ_h/((p_h + p_n) μ_1). Let k be that level, at most h − 1. Given H_k and D_k,
levels are eliminated towards k, from below for (V, W, F, G, P, Q) = (H, D, f_a, f'_a, p_1, p_h),
from above for (D, H, p_1, p_h, f_a, f'_a). V_j = F_j V_i + G_j W_j + …, W_i = P_i W_j + Q_i V_i + …
give

    V_j = e_j W_j + v_j,    v_j = F_j (v_i + e_i u_i/s_i) + …,      e_j = G_j + F_j e_i P_i/s_i,
    s_i W_i = P_i W_j + u_i,        u_i = Q_i v_i + …,        s_i = P_i + m_i + Q_i (1 − e_i),   (2)
    1 − e_j = l_j + F_j (m_i + (P_i + Q_i) (1 − e_i))/s_i,

for level j after i, with l = 1 − F − G, m = 1 − P − Q. Flows (visits to a state per unit of time)
solve the transposed equations, (2) included, starting from each of the *corners* N, S, A, H_k, D_k;
five equations between these remain. No step needs a subtraction.

Let z be the flow through a state, Σ z = 1 over the four layers, so that 1/X = Σ z/r. For a state y
and the next state Y, Δ(y) − w = E[Δ(Y) | y]. Squaring this and taking means over z, the
distribution of both y and Y, gives 2 E[w Δ] = E[w²] + E[Var(Δ(Y) | y)]. Δ has mean 0 in time, so
that E[Δ/r] = 0 and E[w Δ] = E[Δ]:

    E[Δ(Y_d)] = (Σ z w² + Σ z Var)/2,                                                            (3)

where Var is due to which job completes (in H, M, S) and to the draw (in D, E). Squares do not
cancel, and w = X Σ_y z_y (1/r_y − 1/r) is as tiny as it should be in a state that takes up nearly
all time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from multiserver.checks import SUM_TOLERANCE, require_room

RATIO_LIMIT = 1e15
# With this many servers the means take 10 s and 2 GB.
MOST_SERVERS = 10_000_000

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class OneHalfAllMeans:
    """Stationary means: `throughput` X in jobs per unit of time, `wastage` E[N_idle] in servers,
    `utilisation` 1 − E[N_idle]/n, `relative_completions` E[Δ(Y_d)] in jobs."""

    throughput: float
    wastage: float
    utilisation: float
    relative_completions: float


def one_half_all(
    servers: int, probabilities: Triple, rates: Triple = (1.0,) * 3
) -> OneHalfAllMeans:
    """The saturated system of n = `servers` servers, in O(n) time and memory.

    `probabilities` are (p_1, p_h, p_n), any of them possibly 0, and `rates` (μ_1, μ_h, μ_n) per
    unit of time. The smaller probabilities may be far below the spacing of floats around 1, and
    p_1 > 1/2 is replaced by 1 − p_h − p_n. Relative error of every field below 1e-12 for n up to
    1e4, 1e-10 for n up to 1e6, as measured for probabilities down to 1e-12 and rates a factor 1e4
    apart. Raises ValueError unless n is even and positive, probabilities and rates are three, the
    former a distribution, the latter positive, and `TooLargeError` beyond `MOST_SERVERS`.
    """
    checked = _checked(servers, probabilities, rates)
    from multiserver.compiling import announced
    from multiserver.saturated.half_size_layers import Layers

    with announced():
        layers = Layers(*checked)
        flows = z, *_ = layers.flows()
        sojourn = z * layers.tau
        nu = 1 / float(sojourn.sum())
        return OneHalfAllMeans(
            throughput=nu * float(rates[0]),
            wastage=nu * float(sojourn @ layers.idle),
            utilisation=nu * float(sojourn @ (servers - layers.idle)) / servers,
            relative_completions=layers.squares(flows, nu) / 2,
        )


def _checked(servers: int, probabilities: Triple, rates: Triple) -> tuple[int, Triple, Triple]:
    if not isinstance(servers, Integral) or servers < 2 or servers % 2:
        raise ValueError(f"servers must be an even positive integer, found {servers!r}")
    require_room("servers", servers, MOST_SERVERS)
    for name, found in (("probabilities", probabilities), ("rates", rates)):
        if np.shape(found) != (3,) or not all(isinstance(x, Real) and x == x for x in found):
            raise ValueError(f"{name} must be three numbers, found {found!r}")
    p_1, p_h, p_n = map(float, probabilities)
    if not (min(p_1, p_h, p_n) >= 0 and abs(math.fsum(probabilities) - 1) <= SUM_TOLERANCE):
        raise ValueError(f"probabilities must be ≥ 0 and sum to 1, found {probabilities!r}")
    if not (min(rates) > 0 and max(rates) / min(rates) <= RATIO_LIMIT):
        raise ValueError(f"rates must be positive, within a factor 1e15, found {rates!r}")
    if p_1 > 0.5:
        p_1 = math.fsum([1, -p_h, -p_n])
    return int(servers), (p_1, p_h, p_n), tuple(map(float, rates))
