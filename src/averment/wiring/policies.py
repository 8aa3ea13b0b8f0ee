"""Policies from their presets, with what the index knows filled in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from importlib import resources
from types import MappingProxyType
from typing import Any, get_type_hints

from averment.errors import UnknownNameError, UsageError
from averment.index.thresholds import LEAST_DOCUMENTS
from averment.policies.dragin import Dragin
from averment.policies.etc_trend import Etc
from averment.policies.expected_cost import ExpectedCost
from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.fixed_length import FixedLength
from averment.policies.fixed_sentence import FixedSentence
from averment.policies.flare import Flare, FlareSimplified
from averment.policies.loop import SentenceLoop
from averment.policies.quco import CountUnit, QuCo
from averment.policies.seakr import Seakr
from averment.settings import Settings
from averment.trace import from_plain
from averment.types import CorpusInfo

_TRIGGERS: Mapping[str, type[Any]] = {
    "none": NoRetrieval,
    "single": SingleRetrieval,
    "fixed": FixedSentence,
    "fixed-length": FixedLength,
    "flare": Flare,
    "flare-simplified": FlareSimplified,
    "dragin": Dragin,
    "etc": Etc,
    "seakr": Seakr,
    "quco": QuCo,
    "expected-cost": ExpectedCost,
}
_REPRODUCTION = "quco-paper"
_PAPER: Mapping[str, Any] = MappingProxyType({"entity_threshold": 1000})
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_OF_THE_LOOP = {field.name for field in fields(SentenceLoop)} - {"trigger"}


def policy_names() -> list[str]:
    """The presets that ship with the package."""
    files = (resources.files("averment") / "presets").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def trigger_names() -> dict[type[Any], str]:
    """The name that presets have for each trigger."""
    return {kind: name for name, kind in _TRIGGERS.items()}


def make_policy(
    name: str, info: CorpusInfo, parameters: Mapping[str, Any] = _NOTHING
) -> SentenceLoop:
    """The policy of a preset, with what the index knows filled in.

    Args:
        name: Of the preset.
        info: Of the index.
        parameters: Of the preset, by name, that are to be otherwise.

    Raises:
        UnknownNameError: No such preset, or it has no such parameter.
        UsageError: A parameter is of another type.
    """
    values = _values(name, parameters)
    trigger = _TRIGGERS[values.pop("trigger")]
    del values["aliases"]
    loop = {field: values.pop(field) for field in _OF_THE_LOOP & values.keys()}
    if issubclass(trigger, QuCo) and not info.tells_documents:
        # Of a corpus of others: the unit that it tells, and what the paper has for it.
        values = {**_PAPER, **values, "entity_unit": CountUnit.OCCURRENCES}
    elif issubclass(trigger, QuCo):
        threshold = info.entity_threshold_documents or LEAST_DOCUMENTS
        values = {"entity_threshold": threshold} | values
    return SentenceLoop(trigger(**values), **loop)


def with_cutoff(
    name: str, settings: Settings, parameters: Mapping[str, Any] = _NOTHING
) -> Mapping[str, Any]:
    """Parameters of a preset with the model's cutoff of the settings, unless they name one.

    Raises:
        UsageError: The preset cannot ask when something was known, or reproduces a paper.
    """
    if settings.model_cutoff is None:
        return parameters
    if not knows_cutoff(name):
        raise UsageError(
            f"The policy {name!r} has no use for a model's cutoff.",
            hint="Use quco, quco-known or expected-cost, or leave --model-cutoff out.",
        )
    return {"model_cutoff": settings.model_cutoff, **parameters}


def knows_cutoff(name: str) -> bool:
    """Whether a preset may look up what the model cannot have learned; a reproduction does not."""
    return name != _REPRODUCTION and issubclass(_TRIGGERS[_values(name, {})["trigger"]], QuCo)


def counts_by_aliases(name: str, parameters: Mapping[str, Any] = _NOTHING) -> bool:
    """Whether the names of a preset may be counted by all their forms."""
    return bool(_values(name, parameters)["aliases"])


def _values(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The trigger of a preset, and every parameter that it or its caller gives."""
    if name not in policy_names():
        raise UnknownNameError("policy", name, policy_names())
    preset = resources.files("averment") / "presets" / f"{name}.toml"
    values = tomllib.loads(preset.read_text(encoding="utf-8"))
    trigger = values.pop("trigger")
    kinds = {**get_type_hints(SentenceLoop), **get_type_hints(_TRIGGERS[trigger]), "aliases": bool}
    known = (
        {"aliases"}
        | _OF_THE_LOOP
        | {field.name for field in fields(_TRIGGERS[trigger]) if field.repr}
    )
    made: dict[str, Any] = {"trigger": trigger, "aliases": True}
    for key, value in {**values, **parameters}.items():
        if key not in known:
            raise UnknownNameError(f"parameter of the policy {name}", key, known)
        try:
            typed = from_plain(kinds[key], value)
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"Parameter {key!r} of the policy {name!r} cannot be used: {error}."
            ) from error
        made[key] = value if kinds[key] is float else typed  # 1000 is told as 1000
    return made
