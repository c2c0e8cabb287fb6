"""Whether the theory knows what a study of a finite-skip system asks for."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from declared.block import misfit, require
from models.feasibility import require_front, require_levels, require_solvable
from models.finite_skip import Model, read_model
from models.finite_skip_systems import FiniteSkipBlock
from models.sizes import read_sizes
from multiserver.open.elastic import ElasticInelastic
from multiserver.policies import names, policy


class ModelBlock(FiniteSkipBlock):
    """A finite-skip system under a policy, as the library has them."""

    @model_validator(mode="after")
    def _exists(self) -> Self:
        try:
            _ = self.model
        except ValueError as error:
            raise misfit(str(error), "a model that can exist", "system") from None
        return self

    @property
    def model(self) -> Model:
        """What the library knows of it."""
        return read_model(self.plain())


class CoveredBlock(ModelBlock):
    """A finite-skip system under a policy, of which bounds are known."""

    @model_validator(mode="after")
    def _is_covered(self) -> Self:
        found = f"{self.policy} in this system, of which the theorem says nothing"
        kind = self.system.kind
        covered = ", ".join(name for name in names(kind) if policy(name).of(kind, "bounds"))
        expected = f"for {kind}, one of {covered}, and sizes that are bounded or have phases"
        require(self.model.bounded, found, expected)
        return self


class SolvedBlock(ModelBlock):
    """A finite-skip system under a policy, of which E[T] is known exactly."""

    @model_validator(mode="after")
    def _is_solved(self) -> Self:
        jobs = self.system.multiserver_jobs
        if jobs and self.policy == "fcfs" and all(size.exponential for size in jobs.durations):
            require_solvable(jobs.servers, jobs.needs)
        found = f"{self.policy} in this system, of which no exact solution is known"
        expected = "another policy or sizes with phases, or the study simulated-policy"
        require(self.model.solvable, found, expected)
        return self


def require_reach(block: SolvedBlock, load: float) -> None:
    """Raise a misfit unless the exact solution is within reach up to this load."""
    if not (block.system.multiserver_jobs and block.policy == "fcfs"):
        require_front(block.model.queue)
    parallel = block.system.threshold_parallelism
    if parallel and block.policy in ("inelastic-first", "elastic-first"):
        sizes = read_sizes([size.plain() for size in parallel.sizes])
        small, large = sorted(range(2), key=lambda c: parallel.thresholds[c])
        rates, p = (sizes[small].rate, sizes[large].rate), parallel.probabilities[small]
        first = block.policy.removesuffix("-first")
        require_levels(ElasticInelastic(parallel.servers, *rates, p, first), load)
