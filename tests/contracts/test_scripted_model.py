"""The scripted model keeps the contract."""

from __future__ import annotations

import pytest

from averment.models.scripted import ScriptedModel
from contracts.model_contract import LanguageModelContract, copied


class TestScriptedModel(LanguageModelContract):
    @pytest.fixture
    def model(self) -> ScriptedModel:
        return ScriptedModel(lambda prompt: copied(prompt.text + prompt.answer))
