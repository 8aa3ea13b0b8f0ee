"""The shipped model as averment uses it; the extra [local] runs it.

A model that does not open is a failed test, not a skipped one.
"""

from __future__ import annotations

import pytest

from averment.faithfulness.cache import CachedJudge
from averment.models.nli import open_shipped_nli
from averment.ports import FaithfulnessScorer
from averment.wiring.scores import scorer_of


@pytest.fixture(scope="session")
def shipped_scorer() -> FaithfulnessScorer:
    pytest.importorskip("onnxruntime", reason="the extra [local] is not installed")
    pytest.importorskip("tokenizers", reason="the extra [local] is not installed")
    nli = open_shipped_nli()
    return scorer_of(nli, CachedJudge(nli))
