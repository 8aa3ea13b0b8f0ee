"""Who judges faithfulness end to end: the lexical tier always, the shipped model where it is.

A model that is there and does not open is a failed test, not a skipped one.
"""

from __future__ import annotations

import importlib.util

import pytest

_IS_THERE = all(map(importlib.util.find_spec, ("onnxruntime", "tokenizers")))
_SHIPPED = pytest.mark.skipif(not _IS_THERE, reason="the extra [local] is not installed")

EACH_JUDGE = pytest.mark.parametrize(
    "faithfulness", ["lexical", pytest.param("minilm", marks=_SHIPPED)]
)
"""The setting of that name."""
