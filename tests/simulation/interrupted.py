"""The sizes of the paper, and the number of standard errors that fails a test."""

from __future__ import annotations

from multiserver.sizes import Hyperexponential

# Two-sided probability of a false alarm: 1.2e-8 each, 1.1e-6 over the ninety comparisons.
FALSE_ALARM = 5.7
PAPER_SIZE = Hyperexponential((1 / 5, 5), (1 / 6, 5 / 6))
