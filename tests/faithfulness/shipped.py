"""The shipped model as averment uses it, where this checkout has it."""

from __future__ import annotations

import pytest

from averment.errors import ModelFileError
from averment.faithfulness.cache import CachedJudge
from averment.models.nli import open_shipped_nli
from averment.ports import FaithfulnessScorer
from averment.wiring.scores import scorer_of


@pytest.fixture(scope="session")
def shipped_scorer() -> FaithfulnessScorer:
    pytest.importorskip("onnxruntime", reason="the extra [local] is not installed")
    pytest.importorskip("tokenizers", reason="the extra [local] is not installed")
    try:
        nli = open_shipped_nli()
    except ModelFileError as error:
        pytest.skip(f"no shipped faithfulness model: {error}")
    return scorer_of(nli, CachedJudge(nli))
