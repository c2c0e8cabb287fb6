"""Checks that theory covers what a study of a finite-skip system needs."""

from __future__ import annotations

from atlas.fields.block import refusing, require, requirement
from atlas.models.described_systems import FiniteSkipBlock
from atlas.models.feasibility import require_front, require_levels, require_solvable
from atlas.models.finite_skip import Model
from multiserver.policies import names, policy
from multiserver.policies.conditions import FINITE_REMAINDER
from multiserver.policies.elastic import two_thresholds


class ModelBlock(FiniteSkipBlock):
    """A finite-skip system under a policy that the library has."""

    @requirement
    def _exists(self) -> None:
        with refusing("a model that can exist", "system"):
            _ = self.model

    @property
    def model(self) -> Model:
        """The library's results for it."""
        return Model(self.queue)


class CoveredBlock(ModelBlock):
    """A finite-skip system under a policy for which bounds are known."""

    @requirement
    def _is_covered(self) -> None:
        found = f"{self.policy.label} in this system, of which the theorem says nothing"
        system = self.model.queue.system
        covered = [one for one in names(system.model) if policy(one).of(system.model, "bounds")]
        expected = f"for {system.model}, one of {', '.join(covered)}"
        if self.policy.name in covered:
            [method] = policy(self.policy.name).of(system.model, "bounds")
            phases = "sizes that are bounded or have phases"
            expected = method.unmet_conditions(system).replace(FINITE_REMAINDER.text, phases)
        require(self.model.bounded, found, expected)


class SolvedBlock(ModelBlock):
    """A finite-skip system under a policy for which E[T] is known exactly."""

    @requirement
    def _is_solved(self) -> None:
        jobs = self.system.multiserver_jobs
        if (
            jobs
            and self.policy.name == "fcfs"
            and all(X.exponential for X in jobs.durations or jobs.sizes)
        ):
            require_solvable(jobs.servers, jobs.needs)
        found = f"{self.policy.label} in this system, of which no exact solution is known"
        expected = "another policy or sizes with phases, or the study simulated-policy"
        require(self.model.solvable, found, expected)


def require_reach(block: SolvedBlock, load: float) -> None:
    """Raise a misfit unless the exact solution is within reach up to this load."""
    if not (block.system.multiserver_jobs and block.policy.name == "fcfs"):
        require_front(block.model.queue)
    parallel = block.system.threshold_parallelism
    # With one threshold, both policies are FCFS.
    if parallel and block.policy.name != "fcfs" and len(set(parallel.thresholds)) > 1:
        first = block.policy.name.removesuffix("-first")
        require_levels(two_thresholds(first, block.system.read()), load)
