"""Mathematics of multiserver queues.

Exact results where they are known, each beside the independent route that checks it. The nouns
live in `multiserver.model`; what decides stability lives in `multiserver.saturated`.
"""

from multiserver.model import JobClass, MultiserverJobSystem

__all__ = ["JobClass", "MultiserverJobSystem"]
