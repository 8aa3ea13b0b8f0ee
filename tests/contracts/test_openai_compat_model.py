"""Models on servers keep the contract in both interfaces, with and without log-probabilities.

Those that repeat a text with its log-probabilities keep that of scoring models, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from averment.models.openai_compat import OpenAICompatible, open_openai_compatible
from contracts.model_contract import LanguageModelContract, copied
from contracts.model_server import ModelServer
from contracts.scoring_contract import ScoringModelContract, counted

_SERVERS: dict[str, dict[str, Any]] = {
    "completions": {},
    "chat": {"has_completions": False},
    "chat that starts again": {"has_completions": False, "restarts": True},
    "without log-probabilities": {"logprobs": False},
    "without streams and usage": {"streams": False, "counts": False},
}


class TestOpenAICompatible(LanguageModelContract):
    @pytest.fixture(params=_SERVERS.values(), ids=_SERVERS.keys())
    def model(self, request: pytest.FixtureRequest) -> Iterator[OpenAICompatible]:
        with (
            ModelServer(copied, **request.param) as server,
            open_openai_compatible(server.url, "tiny", max_retries=0, offline=True) as model,
        ):
            yield model


class TestScoringByAServer(ScoringModelContract):
    @pytest.fixture
    def model(self) -> Iterator[OpenAICompatible]:
        with (
            ModelServer(copied, echo=counted) as server,
            open_openai_compatible(server.url, "tiny", max_retries=0, offline=True) as model,
        ):
            yield model
