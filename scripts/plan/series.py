"""Complete a series by what its study declares."""

from __future__ import annotations

from declared.block import Block
from plan.errors import Fault, Path
from plan.kinds import choose_kind, module
from plan.validate import check

# What the run gives to every study that takes it, unless a series has its own.
FROM_THE_RUN = {"seed": 0, "effort": "paper"}


def complete_series(given: dict, path: Path) -> tuple[dict, Block | None, list[Fault]]:
    """A series, completed, its parameters if they are in order, and its faults."""
    study, faults = choose_kind("studies", "study", given, path)
    if faults:
        return given, None, faults
    model = module("studies", study).Parameters
    own = {key: value for key, value in given.items() if key != "study"}
    lent = {k: v for k, v in FROM_THE_RUN.items() if k in model.model_fields and k not in own}
    parameters, faults = check(model, lent | own, path)
    if faults:
        return given, None, faults
    return {"study": study} | parameters.plain() | dict.fromkeys(lent), parameters, []
