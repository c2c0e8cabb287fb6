"""Linear recurrences: `lfilter` of scipy.signal, imported when called, as the import takes longer
than most computations with it."""

from __future__ import annotations

from typing import Any


def lfilter(b: Any, a: Any, x: Any, zi: Any = None) -> Any:
    """y with Σ_i a_i y[k − i] = Σ_i b_i x[k − i], along the last axis (`scipy.signal.lfilter`).
    Given the state `zi` before x, also returns the state after it."""
    from scipy import signal

    return signal.lfilter(b, a, x, zi=zi)
