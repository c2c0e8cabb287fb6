"""Results along operating points: one question at each of an array of loads.

Each point is computed as if alone, so the same seed gives the same bits. Points simulated with one
seed share random numbers, so their errors are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic

from numpy.typing import NDArray

from multiserver.checks import as_float, members
from multiserver.notebook import draw
from multiserver.results import QUANTITIES, Result, V, enough_for_intervals
from multiserver.tables import Table
from multiserver.values import shown, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Points = Sequence[float] | NDArray[Any]
SYMBOLS = {"load": "ρ", "arrival_rate": "λ", "fraction_of_limit": "λ/λ*"}


@dataclass(frozen=True, slots=True)
class Curve(Table, Generic[V]):
    """Results of one queue along `points`; `by` says whether they are load, arrival_rate or
    fraction_of_limit. A sequence of results; `print`, `rows`, `to_frame` and `plot` show it.

    >>> import multiserver as ms
    >>> system = ms.System(servers=2, classes=[ms.JobClass(duration=ms.Exponential(rate=1.0))])
    >>> curve = system.under(ms.FCFS).exact(load=[0.5, 0.8])
    >>> [round(result.mean_response_time, 6) for result in curve]
    [1.333333, 2.777778]
    """

    by: str
    points: tuple[float, ...]
    results: tuple[Result[V], ...]

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> Result[V]:
        return self.results[index]

    def __iter__(self) -> Iterator[Result[V]]:
        return iter(self.results)

    def rows(self) -> list[dict[str, Any]]:
        """The rows of all results, each with its operating point."""
        pairs = zip(self.points, self.results, strict=True)
        return [{self.by: point} | row for point, result in pairs for row in result.rows()]

    def title(self) -> str:
        """The queue, and the method at the first point."""
        return self.results[0].title().splitlines()[0]

    def cells(self) -> list[list[str]]:
        """The table as text: a line for each point, a column for each mean over all classes."""
        names = [q for q in QUANTITIES if any(q in found.means for found in self.results)]
        rows = [[SYMBOLS[self.by], *(QUANTITIES[name] for name in names)]]
        for point, found in zip(self.points, self.results, strict=True):
            rows.append([f"{point:.6g}", *(shown(found.means.get(name)) for name in names)])
        return rows

    def notes(self) -> list[str]:
        """The reasons why values have no interval, and how many jobs a point would be enough."""
        reasons = dict.fromkeys(why for found in self.results for why in found.reasons())
        return [*reasons, *enough_for_intervals(self.results)]

    def plot(self, quantity: str = "mean_response_time", *, ax: Axes | None = None) -> Axes:
        """Draw one mean along the points on `ax`, or on new axes, and return the axes: a line if
        exact, points with their intervals if simulated, a band if bounded.

        Raises `ValueError` unless `quantity` is one of `mean_jobs`, … and the method computes it.
        """
        if not isinstance(quantity, str) or quantity not in QUANTITIES:
            known = ", ".join(QUANTITIES)
            raise ValueError(f"quantity must be one of {known}, found {quantity!r}")
        first = self.results[0]
        ends = [spread(getattr(found, quantity)) for found in self.results]
        values = [dict(zip(("value", "lower", "upper"), one, strict=True)) for one in ends]
        ax = draw(ax, self.points, values, f"{first.policy}, {first.kind}")
        ax.set_xlabel(SYMBOLS[self.by])
        ax.set_ylabel(QUANTITIES[quantity])
        ax.legend()
        return ax


def along_points(question: Callable[..., Result[Any]]) -> Callable[..., Any]:
    """Make a question also accept an array of operating points, for which it returns a `Curve`."""

    @wraps(question)
    def along(queue: Any, **arguments: Any) -> Any:
        arrays = [name for name in SYMBOLS if _is_array(arguments.get(name))]
        if not arrays:
            return question(queue, **arguments)
        points = _points(arrays, arguments)
        found = [question(queue, **(arguments | {arrays[0]: point})) for point in points]
        return Curve(arrays[0], tuple(map(as_float, points)), tuple(found))

    return along


def _is_array(points: object) -> bool:
    """Whether they are a list or an array, as a column of a table is, be it of lists of different
    lengths."""
    like = isinstance(points, Sequence) or hasattr(points, "__array__")
    return like and members(points) is not None


def _points(arrays: Sequence[str], arguments: Mapping[str, Any]) -> tuple[Any, ...]:
    """The one array of operating points, each still as it was given."""
    lists = {name: members(arguments[name]) for name in arrays}
    points = lists[arrays[0]]
    if len(arrays) > 1 or not points or any(_is_array(point) for point in points):
        found = " and ".join(f"{name} = {arguments[name]!r}" for name in arrays)
        raise ValueError(
            "one of load, arrival_rate and fraction_of_limit may be a list of numbers, at least"
            f" one of them; found {found}"
        )
    return points
