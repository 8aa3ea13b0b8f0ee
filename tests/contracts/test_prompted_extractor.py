from __future__ import annotations

import pytest

from averment.claims.prompted import PromptedExtractor
from averment.ports import ClaimExtractor
from contracts.extractor_contract import FACT, QUESTION, ExtractorContract, FilingModel


class TestPromptedExtractor(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> ClaimExtractor:
        facts = [
            ["Kumbasaram", "was directed by", "Haneef"],
            ["Kumbasaram", "was directed in", "2017"],
            ["Kumbasaram", "was written by", "Somebody Else"],
        ]
        return PromptedExtractor(
            FilingModel({FACT: facts, QUESTION: ["Kumbasaram", "Haneef", "Arjun Nair"]})
        )
