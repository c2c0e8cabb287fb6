"""What a drawing requires: its options, and the series that it draws, by name and column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Annotated, Any, ClassVar

from pydantic import Field

from atlas.fields.block import Block, require
from atlas.fields.vocabulary import Labels

SIMULATED = "-simulated"
BOUNDS = "-bounds"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Series of one name, or of all names that match a pattern in which * stands for any text.

    They must have `columns`, and be computed by a study that has `parameters`: names between
    spaces. At least one must be there if they are `required`, and at most `most` may be. A series
    `beside` another has the name of the other with an ending; it is not drawn without the other.
    """

    name: str
    columns: str
    parameters: str = ""
    required: bool = True
    most: int = 1000
    beside: bool = False

    def fits(self, name: str) -> bool:
        """Whether a series of this name matches."""
        return fnmatchcase(name, self.name)

    @property
    def described(self) -> str:
        """The series in words."""
        name = "any name" if self.name == "*" else self.name
        return f"{name} ({', '.join(self.columns.split())})"


def simulated(columns: str) -> Wanted:
    """Simulated points beside a curve, under the name of the curve and `-simulated`."""
    return Wanted(f"*{SIMULATED}", columns, required=False, beside=True)


class OptionsBlock(Block):
    """The options of a drawing, and the series that it draws: the first name that fits counts."""

    SERIES: ClassVar[tuple[Wanted, ...]] = ()

    def wanted(self) -> tuple[Wanted, ...]:
        """The series, which may depend on the options."""
        return self.SERIES

    def check(self, series: Mapping[str, Any]) -> None:
        """Raise a misfit if the series, parameters by name, do not fit the options."""


class SettingsBlock(OptionsBlock):
    """Options of a drawing whose series may have names of their own."""

    settings: Annotated[Labels, Field(description="what each series is called")] = {}

    def check(self, series: Mapping[str, Any]) -> None:
        require_labels(self.settings, series, "settings")


def require_class(parameters: Any, name: str, *at: str | int) -> None:
    """Raise a misfit unless the system of a series has a class of this name. The classes of a trace
    or a table are not known before it is read, and any name passes."""
    described = getattr(parameters, "system", None) or getattr(parameters, "network", parameters)
    count = described.classes
    if name == "all" or not isinstance(count, int):
        return
    known = int(name.removeprefix("class-")) <= count
    require(known, repr(name), f"class-1 to class-{count}" if count > 1 else "class-1", *at)


def require_classes(series: Mapping[str, Any], panels: Iterable[str]) -> None:
    """Raise a misfit unless the systems of all series have the classes of the panels."""
    for name in panels:
        for parameters in series.values():
            require_class(parameters, name, "panels", name)


def require_labels(labels: Mapping[str, str], names: Iterable[str], at: str = "labels") -> None:
    """Raise a misfit if a label looks misspelt. Figures may share labels that not all of them use,
    so an unused label is a fault only if its name is close to that of a series without a label."""
    drawn = {name.removesuffix(SIMULATED) for name in names}
    bare = drawn - labels.keys()
    for name in labels.keys() - drawn:
        close = get_close_matches(name, bare, n=1)
        require(not close, "a label for nothing", f"perhaps {close and close[0]}", at, name)
