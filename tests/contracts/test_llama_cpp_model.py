"""The local runtime keeps the contract, with a real model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.models.llama_cpp import LlamaCpp, open_llama_cpp
from contracts.model_contract import LanguageModelContract
from contracts.scoring_contract import ScoringModelContract

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def model(model_path: Path) -> Iterator[LlamaCpp]:
    with open_llama_cpp(model_path, name="0.5b", n_ctx=512, n_threads=1) as opened:
        yield opened


class TestLlamaCpp(LanguageModelContract):
    pass


class TestScoringByLlamaCpp(ScoringModelContract):
    pass
