"""The engines that are here, as parameters of a test."""

from __future__ import annotations

import pytest

from averment.index import compiled
from averment.index.engines import COMPILED, REFERENCE

WITHOUT_CORE = pytest.mark.skipif(
    not compiled.available(), reason="averment was built without a C++ compiler"
)
EACH_ENGINE = [
    pytest.param(REFERENCE, id="reference"),
    pytest.param(COMPILED, id="compiled", marks=WITHOUT_CORE),
]
