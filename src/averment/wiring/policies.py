"""Policies from their presets, with what the index knows filled in."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib import resources
from typing import Any

from averment.errors import UnknownNameError
from averment.index.thresholds import LEAST_DOCUMENTS
from averment.policies.dragin import Dragin
from averment.policies.etc_trend import Etc
from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.fixed_length import FixedLength
from averment.policies.fixed_sentence import FixedSentence
from averment.policies.flare import Flare, FlareSimplified
from averment.policies.loop import SentenceLoop, Trigger
from averment.policies.quco import Aggregation, CountUnit, QuCo, QueryForm
from averment.policies.seakr import Seakr
from averment.types import CorpusInfo

_BASELINES: Mapping[str, Callable[..., Trigger]] = {
    "none": NoRetrieval,
    "single": SingleRetrieval,
    "fixed": FixedSentence,
    "fixed-length": FixedLength,
    "flare": Flare,
    "flare-simplified": FlareSimplified,
    "dragin": Dragin,
    "etc": Etc,
    "seakr": Seakr,
}
_OF_THE_LOOP = {field.name for field in fields(SentenceLoop)} - {"trigger"}


def policy_names() -> list[str]:
    """The presets that ship with the package."""
    files = (resources.files("averment") / "presets").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def make_policy(name: str, info: CorpusInfo) -> SentenceLoop:
    """The policy of a preset, with what the index knows filled in.

    Raises:
        UnknownNameError: No such preset.
    """
    if name not in policy_names():
        raise UnknownNameError("policy", name, policy_names())
    values = _preset(name)
    loop = {key: values.pop(key) for key in _OF_THE_LOOP & values.keys()}
    return SentenceLoop(_trigger(values, info), **loop)


def counts_by_aliases(name: str) -> bool:
    """Whether the names of a preset may be counted by all their forms."""
    return bool(_preset(name).get("aliases", True))


def _preset(name: str) -> dict[str, Any]:
    preset = resources.files("averment") / "presets" / f"{name}.toml"
    return tomllib.loads(preset.read_text(encoding="utf-8"))


def _trigger(values: dict[str, Any], info: CorpusInfo) -> Trigger:
    values.pop("aliases", None)
    named = values.pop("trigger")
    if named in _BASELINES:
        return _BASELINES[named](**values)
    if named != "quco":
        raise AssertionError(f"a preset names the trigger {named!r}")
    threshold = info.entity_threshold_documents or LEAST_DOCUMENTS
    values["entity_unit"] = CountUnit(values["entity_unit"])
    values["aggregation"] = Aggregation(values["aggregation"])
    values["query_form"] = QueryForm(values.get("query_form", QueryForm.HEAD_RELATION))
    return QuCo(**{"entity_threshold": threshold, **values})
