"""Which pairs are asked, in which form, and where the results go."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answers_by_hand import ENTAILS, OPEN, samples

from averment.types import Token
from averment.uq import pairs
from averment.uq.records import Alternative, ClaimSpan, Nli, Record, Sample
from averment.uq.registry import estimator


class Asked:
    """Judges texts as equal or not, and compares their lengths; keeps what it was asked."""

    def __init__(self) -> None:
        self.batches: list[list[tuple[str, str]]] = []

    def judge(self, asked: Sequence[tuple[str, str]]) -> list[Nli]:
        self.batches.append(list(asked))
        return [ENTAILS if a == b else OPEN for a, b in asked]

    def compare(self, asked: Sequence[tuple[str, str]]) -> list[float]:
        self.batches.append(list(asked))
        return [min(len(a), len(b)) / max(len(a), len(b)) for a, b in asked]


@pytest.mark.parametrize(("with_question", "start"), [(True, "Where? "), (False, "")])
def test_samples_are_judged_after_the_question_unless_told_not_to(
    with_question: bool, start: str
) -> None:
    model = Asked()
    record = Record("Where?", "a", samples=samples("Oslo", "Rome"))

    judged = pairs.judge_samples(record, model.judge, model="m", with_question=with_question)

    assert model.batches == [[(f"{start}Oslo", f"{start}Rome"), (f"{start}Rome", f"{start}Oslo")]]
    assert judged.sample_nli == ((ENTAILS, OPEN), (OPEN, ENTAILS))
    assert judged.nli_model == "m"


def test_equal_pairs_are_asked_once() -> None:
    model = Asked()
    record = Record("", "a", samples=samples("Oslo", "Oslo", "Rome"))

    judged = pairs.judge_samples(record, model.judge, model="m", with_question=False)

    assert model.batches == [[("Oslo", "Oslo"), ("Oslo", "Rome"), ("Rome", "Oslo")]]
    assert estimator("number_of_semantic_sets").score(judged) == 2


def test_samples_are_the_premises_of_answer_and_claim() -> None:
    model = Asked()
    record = Record("q", "Oslo", samples=samples("Oslo", "Rome"))

    answer = pairs.judge_answer(record, model.judge, model="m")
    claim = pairs.judge_claim(record, ClaimSpan((), "Rome"), model.judge)

    assert model.batches == [
        [("Oslo", "Oslo"), ("Rome", "Oslo")],
        [("Oslo", "Rome"), ("Rome", "Rome")],
    ]
    assert (answer.nli, claim.nli) == ((ENTAILS, OPEN), (OPEN, ENTAILS))


def test_alternatives_are_judged_bare_and_in_both_directions() -> None:
    model = Asked()
    alternatives = (Alternative(" Rome.", -1.0), Alternative("Oslo ", -1.5))
    record = Record("q", "a", tokens=(Token(" Oslo", -1.0),), alternatives=(alternatives,))

    judged = pairs.judge_alternatives(record, model.judge, model="m")

    assert model.batches == [[("Oslo", "Rome"), ("Rome", "Oslo"), ("Oslo", "Oslo")]]
    (rome, oslo) = judged.alternatives[0]
    assert (rome.forward, rome.backward) == (OPEN, OPEN)
    assert (oslo.forward, oslo.backward) == (ENTAILS, ENTAILS)


def test_relevance_compares_the_text_with_itself_less_a_token() -> None:
    model = Asked()
    drawn = (Sample("Rome", tokens=(Token("Rome", -1.0),)), Sample("Oslo!"))
    record = Record("q", "ab", tokens=(Token("a", -1.0), Token("b", -1.0)), samples=drawn)

    compared = pairs.compare_texts(record, model.compare, model="MiniLM")

    assert [("q ab", "q b"), ("q ab", "q a")] in model.batches
    assert [("q Rome", "q ")] in model.batches
    assert [("Rome", "Oslo!"), ("Oslo!", "Rome")] in model.batches
    assert compared.similarity_without_token == (0.75, 0.75)
    assert compared.samples[0].similarity_without_token == (2 / 6,)
    assert compared.sample_similarity == ((1.0, 0.8), (0.8, 1.0))
    assert estimator("token_sar").label(compared) == "token_sar(similarity=MiniLM)"


def test_a_judge_that_answers_too_little_is_an_error() -> None:
    record = Record("q", "a", samples=samples("Oslo", "Rome"))

    with pytest.raises(ValueError, match="shorter"):
        pairs.judge_samples(record, lambda asked: [ENTAILS], model="m")


def test_nothing_to_ask_is_not_asked() -> None:
    model = Asked()

    pairs.compare_texts(Record("q", "a"), model.compare, model="m")

    assert model.batches == []
