from __future__ import annotations

from pathlib import Path

import pytest

from averment.faithfulness.lexical import LexicalAlignment
from averment.faithfulness.scorer import ChunkedScorer, scorer_for_window
from averment.models.nli import open_nli
from averment.ports import FaithfulnessScorer
from contracts.faithfulness_contract import FaithfulnessContract
from models.tiny_nli import write_tiny_nli


class TestLexicalAlignment(FaithfulnessContract):
    @pytest.fixture
    def scorer(self) -> FaithfulnessScorer:
        return LexicalAlignment()


class TestChunkedLexicalAlignment(FaithfulnessContract):
    @pytest.fixture
    def scorer(self) -> FaithfulnessScorer:
        return ChunkedScorer(LexicalAlignment())


class TestChunkedOnnxNli(FaithfulnessContract):
    @pytest.fixture
    def scorer(self, tmp_path: Path) -> FaithfulnessScorer:
        nli = open_nli(write_tiny_nli(tmp_path))
        return scorer_for_window(nli, window_tokens=nli.window_tokens, n_tokens=nli.n_tokens)
