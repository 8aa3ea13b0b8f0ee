from __future__ import annotations

from pathlib import Path

import pytest

from averment.faithfulness.cache import CachedJudge
from averment.faithfulness.lexical import LexicalAlignment
from averment.models.judge import JudgeByLanguageModel
from averment.models.nli import open_nli
from averment.models.scripted import ScriptedModel
from averment.ports import PairJudge
from contracts.judge_contract import PairJudgeContract
from models.tiny_nli import write_tiny_nli


class TestLexicalAlignment(PairJudgeContract):
    @pytest.fixture
    def judge(self) -> PairJudge:
        return LexicalAlignment()


class TestOnnxNli(PairJudgeContract):
    @pytest.fixture
    def judge(self, tmp_path: Path) -> PairJudge:
        return open_nli(write_tiny_nli(tmp_path))


class TestCachedJudge(PairJudgeContract):
    @pytest.fixture
    def judge(self, tmp_path: Path) -> PairJudge:
        return CachedJudge(LexicalAlignment(), directory=tmp_path)


class TestJudgeByLanguageModel(PairJudgeContract):
    @pytest.fixture
    def judge(self) -> PairJudge:
        return JudgeByLanguageModel(ScriptedModel([]), name="scripted")
