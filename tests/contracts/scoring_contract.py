"""What every `ports.ScoringModel` that reads its prompt keeps to; a backend inherits the class.

    class TestMyModel(ScoringModelContract):
        @pytest.fixture
        def model(self):
            return MyModel()

A fake is scored by `counted`, which expects a text to count on.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from averment.models.canary import Described, probe
from averment.ports import ScoringModel
from averment.types import Capability, Prompt, Token

COUNTING = Prompt("One, two, three, four,")
_NUMBERS = "One two three four five six seven eight".split()


def counted(pieces: list[str]) -> list[float | None]:
    """What a model says that likes to count: the first piece is unknown."""
    words = [piece.strip().rstrip(",") for piece in pieces]
    follows = list(pairwise(_NUMBERS))
    later = [-0.1 if pair in follows else -6.0 for pair in pairwise(words)]
    # Real log-probabilities differ from place to place.
    return [None, *(logprob - 0.01 * at for at, logprob in enumerate(later))]


def total(tokens: list[Token]) -> float:
    assert all(token.logprob is not None for token in tokens)
    return sum(token.logprob or 0.0 for token in tokens)


class ScoringModelContract:
    def test_nothing_to_score_gives_no_scores(self, model: ScoringModel) -> None:
        assert model.score([]) == []

    def test_an_empty_continuation_has_no_tokens(self, model: ScoringModel) -> None:
        assert model.score([(COUNTING, "")]) == [[]]

    @pytest.mark.parametrize(
        "text",
        [" five, six", " Żółw 🦄.", "\n a", "  "],
        ids=["words", "letters", "line", "blanks"],
    )
    def test_tokens_join_to_the_continuation(self, model: ScoringModel, text: str) -> None:
        (scored,) = model.score([(COUNTING, text)])

        assert "".join(token.text for token in scored) == text

    def test_logprobs_are_logarithms_of_probabilities(self, model: ScoringModel) -> None:
        (scored,) = model.score([(COUNTING, " five, six")])

        assert all(-math.inf < (token.logprob or 0.0) < 0.0 for token in scored)

    def test_likely_text_scores_above_unlikely_text(self, model: ScoringModel) -> None:
        likely, unlikely = model.score([(COUNTING, " five, six"), (COUNTING, " six, five")])

        assert total(likely) > total(unlikely) + 3

    def test_what_stands_before_counts(self, model: ScoringModel) -> None:
        after, elsewhere = model.score(
            [(COUNTING, " five"), (Prompt("Three, four, six,"), " five")]
        )

        assert total(after) > total(elsewhere) + 1

    def test_an_answer_that_is_begun_stands_before_too(self, model: ScoringModel) -> None:
        pairs = [(COUNTING, " five"), (Prompt("One, two,", " three, four,"), " five")]

        whole, begun = model.score(pairs)

        assert total(whole) == pytest.approx(total(begun), abs=0.05)

    def test_a_text_after_nothing_has_no_first_logprob(self, model: ScoringModel) -> None:
        (scored,) = model.score([(Prompt(""), "One, two, three")])

        assert scored[0].logprob is None
        assert all(token.logprob is not None for token in scored[1:])

    def test_the_canary_lets_it_score(self, model: Described) -> None:
        assert Capability.SCORING in probe(model).capabilities
