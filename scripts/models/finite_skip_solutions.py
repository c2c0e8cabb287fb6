"""Whether the theory knows what a study of a finite-skip system asks for."""

from __future__ import annotations

from declared.block import misfit, require
from models.feasibility import require_front, require_levels, require_solvable
from models.finite_skip import Model, read_model
from models.finite_skip_systems import FiniteSkipBlock

COVERED = "a policy that the theorem covers: fastest-server-first, equal-shares, fcfs of"
COVERED += " threshold-parallelism, server-filling, server-filling-divisible"


def read_known(block: FiniteSkipBlock) -> Model:
    """The model of a block, or a misfit if there is none."""
    try:
        return read_model(block.plain())
    except ValueError as error:
        raise misfit(str(error), "a model that can exist", "system") from None


def require_theorem(block: FiniteSkipBlock) -> None:
    """Raise a misfit unless bounds are known of the policy and the sizes."""
    constants = read_known(block).constants()
    found = f"{block.policy} in this system, of which the theorem says nothing"
    require(constants is not None, found, f"{COVERED}, and sizes that are bounded or have phases")


def require_solution(block: FiniteSkipBlock, load: float) -> None:
    """Raise a misfit unless E[T] is known exactly, and within reach up to this load."""
    jobs = block.system.multiserver_jobs
    if jobs and block.policy == "fcfs" and all(size.exponential for size in jobs.durations):
        require_solvable(jobs.servers, jobs.needs)
    model = read_known(block)
    found = f"{block.policy} in this system, of which no exact solution is known"
    known = model.front is not None or model.solver is not None
    require(known, found, "another policy or sizes with phases, or the study simulated-policy")
    if model.front is not None:
        require_front(model.front(), block.policy)
    if model.fits is not None:
        require_levels(lambda: model.fits(load), block.policy)
