"""Linear recurrences: `lfilter` of scipy.signal, the import of which takes longer than most of what
is computed with it, and so waits until it is called."""

from __future__ import annotations

from typing import Any


def lfilter(b: Any, a: Any, x: Any, zi: Any = None) -> Any:
    """y with Σ_i a_i y[k − i] = Σ_i b_i x[k − i], along the last axis (`scipy.signal.lfilter`); if
    the state `zi` before x is given, with the state after it."""
    from scipy import signal

    return signal.lfilter(b, a, x, zi=zi)
