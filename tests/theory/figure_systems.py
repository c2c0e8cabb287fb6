"""The systems of the figures of `finite-skip`."""

from __future__ import annotations

from multiserver.model import MultiserverJobSystem
from multiserver.sizes import Exponential, Hyperexponential

# Figs 2 and 3, sizes of mean 1.
H2 = Hyperexponential((2.0, 2 / 3), (0.5, 0.5))
SPEEDS = (0.4, 0.3, 0.2, 0.1)
# Fig. 4: servers, thresholds, sizes and probabilities.
FIGURE_4A = 8, (1, 8), (Exponential(2), Exponential(2 / 3)), (0.5, 0.5)
FIGURE_4B = 8, (1, 8), (Exponential(2 / 3), Exponential(2)), (0.5, 0.5)
FIGURE_6 = MultiserverJobSystem.of(4, (1, 2, 4), (5.0, 2.0, 0.5), (1 / 3,) * 3)
FIGURE_7 = MultiserverJobSystem.of(4, (1, 2, 4), (1.0, 8.0, 64.0), (4 / 7, 2 / 7, 1 / 7))
# Needs that divide the servers, but not each other: for the policy of Appendix B.
SIXES = MultiserverJobSystem.of(6, (2, 3), (1.0, 0.3), (0.6, 0.4))
