"""Policies from their presets, with what the index knows filled in."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from averment.errors import UnknownNameError
from averment.index.thresholds import LEAST_DOCUMENTS
from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.loop import SentenceLoop, Trigger
from averment.policies.quco import Aggregation, CountUnit, QuCo, QueryForm
from averment.types import CorpusInfo


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
    preset = resources.files("averment") / "presets" / f"{name}.toml"
    values = tomllib.loads(preset.read_text(encoding="utf-8"))
    return SentenceLoop(_trigger(values, info))


def _trigger(values: dict[str, Any], info: CorpusInfo) -> Trigger:
    match values.pop("trigger"):
        case "none":
            return NoRetrieval()
        case "single":
            return SingleRetrieval()
        case "quco":
            threshold = info.entity_threshold_documents or LEAST_DOCUMENTS
            values["entity_unit"] = CountUnit(values["entity_unit"])
            values["aggregation"] = Aggregation(values["aggregation"])
            values["query_form"] = QueryForm(values.get("query_form", QueryForm.HEAD_RELATION))
            return QuCo(**{"entity_threshold": threshold, **values})
        case other:
            raise AssertionError(f"a preset names the trigger {other!r}")
