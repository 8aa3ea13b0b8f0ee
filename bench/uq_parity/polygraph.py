"""lm-polygraph, module by module: its packages want models and servers, its formulas do not."""

from __future__ import annotations

import importlib
import math
import sys
import types
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np


def prepare_package() -> Path:
    """Stand in for the packages, so that importing a module of theirs does not run `__init__`."""
    (folder,) = util.find_spec("lm_polygraph").submodule_search_locations
    for name in ("", ".estimators", ".estimators.claim", ".stat_calculators", ".utils"):
        package = types.ModuleType(f"lm_polygraph{name}")
        package.__path__ = [str(Path(folder, *name.split(".")))]
        sys.modules[package.__name__] = package
    # Only named in annotations of what is run here.
    stand_in("lm_polygraph.utils.model", Model=object, WhiteboxModel=object)
    stand_in("lm_polygraph.utils.openai_chat", OpenAIChat=object)
    stand_in("lm_polygraph.utils.deberta", Deberta=object)
    stand_in("lm_polygraph.utils.common", polygraph_module_init=lambda function: function)
    return Path(folder)


def stand_in(name: str, **attributes: object) -> None:
    """A module with nothing but these attributes."""
    module = types.ModuleType(name)
    vars(module).update(attributes)
    sys.modules[name] = module


def theirs(module: str, name: str, *arguments: object, **options: object) -> Any:
    """A new object of a class of theirs."""
    made = getattr(importlib.import_module(f"lm_polygraph.{module}"), name)
    return made(*arguments, **options)


def claims_of(token_lists: list[list[int]]) -> list[Any]:
    """Claims in their form."""
    claim = importlib.import_module("lm_polygraph.stat_calculators.extract_claims").Claim
    return [claim(f"claim {at}", "", list(tokens)) for at, tokens in enumerate(token_lists)]


def plain(value: Any) -> Any:
    """A number that JSON can hold; what is not finite becomes its name."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, (str, bool)) or value is None:
        return value
    return float(value) if math.isfinite(value) else str(float(value))
