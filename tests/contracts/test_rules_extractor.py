from __future__ import annotations

import pytest

from averment.claims.rules import RulesExtractor
from averment.ports import ClaimExtractor
from contracts.extractor_contract import ExtractorContract


class TestRulesExtractor(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> ClaimExtractor:
        return RulesExtractor()
