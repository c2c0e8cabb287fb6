"""Policies as config names them: `max-weight`, or {name: max-weight, options: {ties: smaller}}.

Any policy of the library may be named, with its own options (`multiserver.policies`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, model_serializer, model_validator

from atlas.fields.block import DIFFERENT, Block, require
from atlas.fields.vocabulary import Text
from multiserver.policies import names, policy
from multiserver.policies.policy import Policy as Rule
from multiserver.system import System

NAME = "a policy of the library that is defined for the system, by its name"


class PolicyBlock(Block):
    """A policy of the library by its name, or by its name and options."""

    name: Annotated[Text, Field(description=NAME)]
    options: Annotated[
        dict[Text, Any], Field(description="the options of the policy that are not the usual ones")
    ] = {}

    @model_validator(mode="before")
    @classmethod
    def _of_name(cls, policy: Any) -> Any:
        block = {"name": policy} if isinstance(policy, str) else policy
        if isinstance(block, Mapping) and block.get("name") in names():
            for option in sorted(block.keys() & _options_of(block["name"])):
                require(False, "an option beside the name", f"options: {{{option}: …}}", option)
        return block

    @model_serializer
    def _as_written(self) -> str | dict[str, Any]:
        return {"name": self.name, "options": self.options} if self.options else self.name

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: GetJsonSchemaHandler) -> Any:
        schema = handler.resolve_ref_schema(handler(core))
        return schema | {"type": ["string", "object"]}

    def __repr__(self) -> str:
        return repr(self.label)

    def stream_key_form(self) -> Any:
        """The policy as it enters the stream key: as config writes it."""
        return self.plain()

    @property
    def label(self) -> str:
        """Its name, with the options that differ from the defaults; all options if the name is
        unknown."""
        usual = policy(self.name).options if self.name in names() else {}
        options = (f"{k}={v}" for k, v in self.options.items() if v != usual.get(k))
        return f"{self.name}({', '.join(options)})".replace("()", "")

    def require_options(self, *at: str | int) -> None:
        """Raise a misfit, at the option, unless the policy has it and accepts its value."""
        rule = policy(self.name)
        for option, value in self.options.items():
            where = (*at, "options", option)
            known = ", ".join(rule.options)
            expected = f"one of {known}" if known else f"no options: {self.name} has none"
            require(option in rule.options, repr(option), expected, *where)
            require(rule.allows(option, value), repr(value), rule.expected(option), *where)

    def require_of(self, system: System, *at: str | int) -> None:
        """Raise a misfit unless the policy, with its options, is defined for the system."""
        model, known = system.model, names(system.model)
        at_name = (*at, "name") if self.options else at
        expected = f"for {model}, one of {', '.join(known)}"
        require(self.name in known, repr(self.name), expected, *at_name)
        self.require_options(*at)
        rule = policy(self.name)(**self.options)
        if pair := rule.misfit(system):
            option, expected = pair
            at_option = (*at, "options", option) if option in self.options else at_name
            require(False, repr(rule.options[option]), expected, *at_option)
        unmet = rule.lacks(system)
        require(not unmet, f"{self.name} in this system", unmet, *at_name)


def _options_of(name: str) -> set[str]:
    """The options of a policy; within a block, `policy` is the value that it is read from."""
    return {*policy(name).options}


Policies = Annotated[
    list[PolicyBlock],
    Field(min_length=1, max_length=20, description="the policies, none twice"),
    DIFFERENT,
]


def require_policies_of(system: System, policies: list[PolicyBlock]) -> None:
    """Raise a misfit unless all `policies` of a study are defined for the system."""
    for i, one in enumerate(policies):
        one.require_of(system, "policies", i)


def read_policy(block: str | Mapping[str, Any]) -> Rule:
    """The policy of this name. Raises `ValueError` unless there is one with these options."""
    if isinstance(block, str):
        return policy(block)
    return policy(block["name"])(**block.get("options") or {})
