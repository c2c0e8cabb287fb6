"""A finite-skip system under a policy, as config describes it; `models.finite_skip` gives the
results for it."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from atlas.fields.block import Block
from atlas.models.described_systems import FiniteSkipSystem
from atlas.models.policies import PolicyBlock


class FiniteSkipBlock(Block):
    """A finite-skip system under a policy."""

    system: FiniteSkipSystem
    policy: PolicyBlock

    @model_validator(mode="after")
    def _belong(self) -> Self:
        self.policy.require_of(self.system.read(), "policy")
        return self

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.system.classes
