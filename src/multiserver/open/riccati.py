"""The Riccati equation of a fluid queue, by alternating-directional doubling.

In a Markov chain a fluid rises in m phases and falls, at the same speed, in n others. Its rates are
those of A (m, m), B (m, n), D (n, n) and C (n, m): the matrix [[D, −C], [−B, A]], whose rows sum to
0, is a singular M-matrix. Then Ψ (m, n), the distribution of the phase in which the fluid first
returns to the level where it began to rise, is the least non-negative solution of

    Ψ C Ψ − Ψ D − A Ψ + B = 0.

Doubling follows the fluid for 1, 2, 4, … exponential periods of the rates α ≥ max A_ii and
β ≥ max D_jj. It converges quadratically, but linearly at the boundary of stability.

If steps are interpolated (`multiserver.fronts.interpolated`), rates may be negative and doubling
may lose all digits. The matrix sign function does not: [I; Ψ] spans the invariant subspace of
[[D, −C], [B, −A]] for all eigenvalues in the right half plane and for 0, which is moved there
first, as its eigenvector is known to be 1.

References: W.-G. Wang, W.-C. Wang and R.-C. Li, Alternating-directional doubling algorithm for
M-matrix algebraic Riccati equations, SIAM J. Matrix Anal. Appl. 33 (2012); N. J. Higham, Functions
of Matrices (2008), Chapter 5.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

CONVERGED = 1e-16
MOST_DOUBLINGS = 80
# Doubling has failed if the rows of Ψ miss 1 by more.
LEAST_PRECISE = 1e-9
# Newton's iteration for the sign is scaled until it moves by less than this; then it converges
# quadratically.
NEAR, MOST_ITERATIONS, LAST_ITERATIONS = 1e-2, 60, 3


def return_distribution(A: Matrix, B: Matrix, C: Matrix, D: Matrix) -> Matrix:
    """Ψ (m, n), its rows normalised, of a fluid that returns with probability 1.

    Raises `ArithmeticError` if doubling loses the digits, as it may where rates are far apart.
    """
    m, n = B.shape
    alpha, beta = A.diagonal().max(), D.diagonal().max()
    both = alpha + beta
    A_beta, D_alpha = A + beta * np.eye(m), D + alpha * np.eye(n)
    of_A, of_D = np.linalg.inv(A_beta), np.linalg.inv(D_alpha)
    inverse = np.linalg.inv(D_alpha - C @ of_A @ B)
    # By Woodbury's identity the large inverse, of A_β − B D_α⁻¹ C, needs no further factor.
    H = both * of_A @ B @ inverse
    E = np.eye(n) - both * inverse
    F = of_A + of_A @ B @ inverse @ C @ of_A
    G = both * of_D @ C @ F
    F = np.eye(m) - both * F
    for _ in range(MOST_DOUBLINGS):
        # (I − H G)⁻¹ = I + H (I − G H)⁻¹ G: only n x n equations are solved.
        solved = np.linalg.solve(np.eye(n) - G @ H, np.hstack([E, G]))
        ahead, back = solved[:, :n], solved[:, n:]
        through = F @ H
        growth = through @ ahead
        H = H + growth
        if growth.max() <= CONVERGED:
            break
        step = back @ F
        G = G + E @ step
        E = E @ ahead
        F = F @ F + through @ step
        # Only products of E and F matter: one grows as the other shrinks, and neither may overflow.
        balance = math.sqrt(abs(E).max() / abs(F).max())
        E, F = E / balance, F * balance
    if not abs(H.sum(axis=1) - 1).max() < LEAST_PRECISE:
        raise ArithmeticError("doubling lost the digits")
    H = np.maximum(H, 0.0)
    return H / H.sum(axis=1, keepdims=True)


def return_distribution_by_sign(A: Matrix, B: Matrix, C: Matrix, D: Matrix) -> Matrix:
    """The same for matrices whose entries may have any signs.

    Raises `ArithmeticError` if the iteration does not converge.
    """
    n = len(D)
    matrix = np.block([[D, -C], [B, -A]])
    matrix[:, :n] += abs(D).sum(axis=1).max() / (2 * n)
    for _ in range(MOST_ITERATIONS):
        inverse = np.linalg.inv(matrix)
        scale = math.sqrt(np.linalg.norm(inverse) / np.linalg.norm(matrix))
        after = (scale * matrix + inverse / scale) / 2
        change = abs(after - matrix).max() / abs(after).max()
        matrix = after
        if change < NEAR:
            break
    else:
        raise ArithmeticError("the iteration for the sign of a matrix did not converge")
    for _ in range(LAST_ITERATIONS):
        matrix = (matrix + np.linalg.inv(matrix)) / 2
    upper = matrix[:n, :n] + np.eye(n)
    distribution = np.linalg.solve(upper.T, matrix[n:, :n].T).T
    return distribution / distribution.sum(axis=1, keepdims=True)
