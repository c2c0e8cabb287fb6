"""Texts of files as numbers and as moments."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

WHOLE = re.compile(r"[+-]?[0-9]+")
# Dates written as one number, to the day or to the hour: 20240531, 2024053123.
FIRST_YEAR, LAST_YEAR = 1900, 2199
HOURLY = 10**9


def read_number(text: str | bytes) -> float:
    """A number in a file. Raises `ValueError` also for other forms that Python accepts: 1_000, or
    digits of other scripts."""
    written = text if isinstance(text, str) else text.decode("ascii")
    if "_" in written or not written.isascii():
        raise ValueError(f"no number: {written[:80]!r}")
    return float(written)


def read_whole(text: str | bytes) -> int:
    """A whole number in a file, without a point or an exponent. Raises `ValueError`."""
    written = (text if isinstance(text, str) else text.decode("ascii")).strip()
    if not WHOLE.fullmatch(written):
        raise ValueError(f"no whole number: {written[:80]!r}")
    return int(written)


class Moments:
    """The moments of one file in seconds. A date and time (2024-05-31T23:59:59) is counted from
    1970 on, in UTC if it has no offset; a file in which some dates have one and some have none is
    of no known time."""

    def __init__(self) -> None:
        self._offsets: set[bool] = set()

    def read(self, text: str | bytes) -> float:
        """A number, or a date and time. Raises `ValueError` if it is neither."""
        try:
            return read_number(text)
        except ValueError:
            written = text if isinstance(text, str) else text.decode("ascii")
            moment = datetime.fromisoformat(written.strip())
            self._offsets.add(moment.tzinfo is not None)
            return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()

    def require_one_clock(self, file: str) -> None:
        """Raise `ValueError` if only some of the dates read so far have an offset."""
        if len(self._offsets) > 1:
            raise ValueError(
                f"some dates of {file} end in an offset from UTC, such as +02:00, and others have"
                " none: write all in one way"
            )


def read_moment(text: str | bytes) -> float:
    """One moment, as `Moments` reads it."""
    return Moments().read(text)


def are_dates(numbers: NDArray[np.float64]) -> bool:
    """Whether all numbers, of which there is one, could be dates to the day (20240531) or to the
    hour (2024053123). Among seconds, hardly one in thirty is such a number."""
    whole = numbers == np.floor(numbers)
    if not len(numbers) or not whole.all() or not (np.abs(numbers) < 1e11).all():
        return False
    hourly = numbers >= HOURLY
    days, hours = np.where(hourly, numbers // 100, numbers), np.where(hourly, numbers % 100, 0)
    years, months, dates = days // 10_000, days // 100 % 100, days % 100
    ranges = (
        (years, FIRST_YEAR, LAST_YEAR),
        (months, 1, 12),
        (dates, 1, 31),
        (hours, 0, 23),
    )
    return all(((low <= x) & (x <= high)).all() for x, low, high in ranges)
