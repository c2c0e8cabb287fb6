"""The smallest number of servers that is enough, where the largest numbers may not be known.

Steps of doubling width from the first number may go far beyond the answer, to systems that are too
large for an exact method. What is refused there says nothing about smaller numbers: it counts as
enough while the search is above the answer, and is raised only if it is the answer itself.
"""

from __future__ import annotations

from collections.abc import Callable

from multiserver.errors import NotKnownError


def bisect(meets: Callable[[int], bool], first: int) -> int:
    """The smallest n ≥ `first` for which `meets(n)`, which must hold for all larger ones too;
    `meets(n − 1)` has been evaluated as well, unless n = `first`. Raises the `NotKnownError` of
    `meets(n)` if that is refused for an n below which no number meets.

    >>> bisect(lambda n: n >= 11, 4)
    11
    """
    refused: dict[int, NotKnownError] = {}

    def may_meet(n: int) -> bool:
        try:
            return meets(n)
        except NotKnownError as error:
            refused[n] = error
            return True

    below, step = first - 1, 1
    while not may_meet(below + step):
        below, step = below + step, 2 * step
    enough = below + step
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if may_meet(middle) else (middle, enough)
    if enough in refused:
        raise refused[enough]
    return enough
