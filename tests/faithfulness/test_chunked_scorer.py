from __future__ import annotations

import math
from functools import partial

import pytest

from averment.errors import CapabilityError, MalformedReply
from averment.faithfulness.chunks import balanced_chunks, packed_chunks
from averment.faithfulness.scorer import ChunkedScorer, scorer_for_window
from averment.types import Faithfulness
from averment.uq.records import Nli
from faithfulness.judges import GivenJudge, OverlapJudge

FERRY = "The ferry leaves at noon. Dogs travel free of charge. Cars pay forty crowns."
MILL = "The mill stands on a hill. It ground rye until the war."
FOUR_WORDS = partial(packed_chunks, budget=6)


def score(claim: str, *passages: str, **settings: object) -> Faithfulness:
    scorer = ChunkedScorer(OverlapJudge(), **settings)  # type: ignore[arg-type]
    [found] = scorer.score([(claim, passages)])
    return found


def test_the_best_chunk_counts_and_is_shown() -> None:
    found = score("Free of charge dogs travel.", MILL, FERRY, split=FOUR_WORDS)

    assert found.score == pytest.approx(0.9 * 0.9)
    assert found.passage == 1
    assert FERRY[found.start : found.end] == "Dogs travel free of charge."


def test_the_span_is_narrower_than_the_chunk() -> None:
    found = score("Forty crowns cars pay.", FERRY)

    assert FERRY[found.start : found.end] == "Cars pay forty crowns."


def test_what_a_passage_says_word_for_word_is_supported_and_nobody_is_asked() -> None:
    judge = OverlapJudge()
    claim = "dogs  travel free of charge! Bananas grow."

    [found] = ChunkedScorer(judge).score([(claim, [MILL, FERRY])])

    assert found.score == pytest.approx(1 / 2)
    assert (found.passage, FERRY[found.start : found.end]) == (1, "Dogs travel free of charge.")
    assert {hypothesis for _, hypothesis in judge.calls[0]} == {"Bananas grow."}


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Dogs travel free.", "It is a rumour that dogs travel free."),
        ("It is cold.", "Is it cold? It is cold in May."),
        ("The ferry sails at 5.", "The ferry sails at -5."),
        ("Tickets cost 15 crowns.", "Tickets cost 1.5 crowns."),
        ("Dogs travel free", "Dogs travel free?"),
    ],
)
def test_words_within_another_sentence_are_not_word_for_word(claim: str, passage: str) -> None:
    judge = OverlapJudge()

    [found] = ChunkedScorer(judge).score([(claim, [passage])])

    assert judge.calls
    assert found.score < 1


def test_a_span_that_shares_no_word_is_the_whole_chunk() -> None:
    found = score("Xylophones.", FERRY)

    assert (found.start, found.end) == (0, len(FERRY))


def test_sentences_of_a_claim_are_averaged_or_the_weakest_counts() -> None:
    claim = "Free of charge dogs travel. Bananas grow."

    assert score(claim, FERRY).score == pytest.approx(0.9 * 0.9 / 2)
    assert score(claim, FERRY, pooling="min").score == 0.0


def test_the_ratio_leaves_neutral_out() -> None:
    found = score("Dogs travel far.", FERRY, head="entailment_ratio")

    assert found.score == pytest.approx(0.9)


def test_the_chunk_that_contradicts_louder_than_any_supports_is_shown() -> None:
    found = score("Dogs do not travel free of charge.", FERRY, MILL)

    assert found.contradiction is not None
    assert found.contradiction > found.score
    assert FERRY[found.start : found.end] == "Dogs travel free of charge."


def test_a_judge_of_two_classes_tells_no_contradiction() -> None:
    [found] = ChunkedScorer(GivenJudge(Nli(0.7, 0.3, 0.0))).score([("A claim.", [FERRY])])

    assert found == Faithfulness(0.7, None, 0, 0, len(FERRY))


def test_the_ratio_is_refused_for_a_judge_of_two_classes() -> None:
    scorer = ChunkedScorer(GivenJudge(Nli(0.7, 0.3, 0.0)), head="entailment_ratio")

    with pytest.raises(CapabilityError, match="three classes"):
        scorer.score([("A claim.", [FERRY])])


@pytest.mark.parametrize(
    ("claim", "passages", "reason"),
    [
        ("", [FERRY], "empty_claim"),
        ("…", [FERRY], "empty_claim"),
        ("", [], "empty_claim"),
        ("The moon is made of cheese.", [], "no_evidence"),
        ("The moon is made of cheese.", ["", " ", "…"], "no_evidence"),
    ],
)
def test_where_there_is_nothing_to_judge_the_score_is_0_with_a_reason(
    claim: str, passages: list[str], reason: str
) -> None:
    judge = OverlapJudge()

    found = ChunkedScorer(judge).score([(claim, passages)])

    assert found == [Faithfulness(0.0, reason=reason)]
    assert judge.calls == []


def test_pairs_of_all_claims_are_judged_once_in_one_batch() -> None:
    judge = OverlapJudge()
    claims = ["Dogs travel free.", "Cars pay. Dogs travel free.", "Dogs travel free."]

    ChunkedScorer(judge).score([(claim, [FERRY, MILL, FERRY]) for claim in claims])

    [pairs] = judge.calls
    assert sorted(pairs) == sorted(
        (passage, sentence)
        for passage in (FERRY, MILL)
        for sentence in ("Dogs travel free.", "Cars pay.")
    )


def test_an_endless_claim_is_judged_in_pieces() -> None:
    judge = OverlapJudge()

    ChunkedScorer(judge, claim_budget=10).score([("word " * 35, [FERRY])])

    assert max(len(hypothesis.split()) for _, hypothesis in judge.calls[0]) <= 10


@pytest.mark.parametrize(
    "judgement",
    [Nli(math.nan, 0.5, 0.5), Nli(0.5, 0.1, 0.1), Nli(1.5, -0.5, 0.0), Nli(math.inf, 0.0, 0.0)],
    ids=["nan", "sum", "range", "infinite"],
)
def test_what_is_no_distribution_is_refused(judgement: Nli) -> None:
    with pytest.raises(MalformedReply, match="given"):
        ChunkedScorer(GivenJudge(judgement)).score([("A claim.", [FERRY])])


def test_of_a_context_of_100_000_words_the_nearest_chunks_are_judged() -> None:
    filler = " ".join(f"Item {at} of the list is an entry of no interest." for at in range(10_000))
    judge = OverlapJudge()

    [found] = ChunkedScorer(judge, most_chunks=4).score([("Dogs travel free.", [filler, FERRY])])

    assert len(judge.calls[0]) == 4
    assert found.passage == 1
    assert found.score == pytest.approx(0.9 * 0.9)


def test_which_chunks_are_judged_does_not_depend_on_the_order_of_passages() -> None:
    passages = [f"Item {at} of the list." for at in range(20)]
    one, other = OverlapJudge(), OverlapJudge()

    ChunkedScorer(one, most_chunks=3).score([("Item of interest.", passages)])
    ChunkedScorer(other, most_chunks=3).score([("Item of interest.", passages[::-1])])

    assert sorted(one.calls[0]) == sorted(other.calls[0])


def test_alignscores_rule_can_be_asked_for() -> None:
    judge = OverlapJudge()

    ChunkedScorer(judge, split=balanced_chunks).score([("Dogs travel.", ["A dog ran.  It ran."])])

    assert judge.calls == [[("A dog ran. It ran.", "Dogs travel.")]]


def test_a_window_of_tokens_holds_every_pair() -> None:
    judge = OverlapJudge()
    scorer = scorer_for_window(judge, window_tokens=60, n_tokens=len)

    scorer.score([("Dogs travel free of charge and cars pay forty crowns.", [FERRY, MILL])])

    assert max(len(premise) + len(claim) for premise, claim in judge.calls[0]) <= 60


def test_the_name_tells_what_is_not_the_default() -> None:
    plain = ChunkedScorer(OverlapJudge())
    other = ChunkedScorer(OverlapJudge(), head="entailment_ratio", pooling="min")

    assert plain.name == "overlap"
    assert other.name == "overlap, entailment ratio, minimum of sentences"


@pytest.mark.parametrize("setting", [{"most_chunks": 0}, {"claim_budget": 0}], ids=lambda s: str(s))
def test_settings_out_of_range_are_refused(setting: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        ChunkedScorer(OverlapJudge(), **setting)  # type: ignore[arg-type]


def test_an_answer_is_judged_together_with_its_question() -> None:
    judge = OverlapJudge()

    ChunkedScorer(judge).score([("Who wrote it? Sigrid Undset.", ["Sigrid Undset wrote it."])])

    assert judge.calls == [[("Sigrid Undset wrote it.", "Who wrote it? Sigrid Undset.")]]
