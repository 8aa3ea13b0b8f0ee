"""What the terminal tells of a sentence that a search interrupts."""

from __future__ import annotations

import pytest

from averment.cli.ask import Narrator
from averment.engine import Edges, Engine
from averment.models.scripted import ScriptedModel
from averment.policies.fixed_length import FixedLength
from averment.policies.loop import SentenceLoop
from averment.types import Question
from doubles import ListIndex, ListRetriever, NameExtractor


def test_a_sentence_that_goes_on_behind_a_search_is_not_told_as_rejected(
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = ScriptedModel({"capital": " Oslo is the capital of Norway. So the answer is Oslo."})
    edges = Edges(ListIndex([]), ListRetriever([]), model, NameExtractor())

    Engine(SentenceLoop(FixedLength(3)), edges).answer(
        Question("q", "Which city is the capital?"), Narrator()
    )

    told = capsys.readouterr().err
    assert "every n tokens: the last 3 tokens" in " ".join(told.split())
    assert "rejected" not in told
