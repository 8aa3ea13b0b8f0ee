"""The JSON objects that outsiders rely on: their exact keys, and no number without a meaning."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from averment.answers import answer_of
from averment.errors import AvermentError
from averment.promises import Promise, Unit
from averment.shapes import (
    answer_object,
    claim_object,
    cooccurrence_object,
    counts_object,
    error_object,
    estimators_used,
    occurrence_object,
    promise_object,
    report_object,
)
from averment.trace import Trace
from averment.types import (
    Answer,
    Check,
    Claim,
    ClaimScores,
    ClaimVerdict,
    Cooccurrence,
    CorpusInfo,
    Count,
    CountKind,
    Draft,
    Faithfulness,
    Occurrence,
    Question,
    RelationCheck,
    RelationOutcome,
    Report,
    Rival,
    Scores,
    Sentence,
    Support,
    TriggeredRetrieval,
    Triplet,
    Verdict,
)
from doubles import EVERY_ERROR, exact, hits, passage, together

OSLO_NORWAY = Triplet("Oslo", "is the capital of", "Norway")
EVIDENCE = passage("Oslo is the capital of Norway.", title="Oslo", passage_id="d1")
INFO = CorpusInfo(
    "wiki", 1, "scan", "words; accents kept", 3, 9, 9, 1, 3, 0, 27, 81, 1, "digest", "now", 2
)


def answer(verdict: Verdict = Verdict.ANSWERED, reason: str | None = None) -> Answer:
    check = Check(OSLO_NORWAY, Support.PRESENT, exact(7, 5), exact(4, 3), together(2), 1000)
    unknown = Check(
        OSLO_NORWAY,
        Support.UNKNOWN,
        Count.unavailable(),
        Count.unavailable(),
        Cooccurrence.unavailable(),
        1000,
    )
    sentences = (
        Sentence("Oslo is the capital of Norway.", Support.PRESENT, checks=(check,)),
        Sentence(
            "So the answer is Norway.", Support.UNKNOWN, "corpus_unavailable", checks=(unknown,)
        ),
    )
    retrieval = TriggeredRetrieval(hits("capital Oslo", EVIDENCE), "rare_entity", "Oslo 0")
    draft = Draft(sentences, "Norway", (retrieval,), verdict, reason)
    question = Question("q1", "Of which country is Oslo the capital?")
    trace = Trace("0123", question, "quco", "model", "index", "now", {}, (), draft)
    return answer_of(trace)


def test_an_answer_has_exactly_the_keys_of_the_contract() -> None:
    made = answer_object(answer())

    assert list(made) == [
        "question",
        "answer",
        "draft",
        "final_answer",
        "verdict",
        "reason",
        "outcome_reason",
        "best_evidence",
        "claims",
        "retrievals",
        "usage",
        "policy",
        "model",
        "estimators_used",
        "made_with",
        "notes",
        "promise",
        "costs",
        "as_of",
        "trace_id",
    ]
    assert made["question"] == "Of which country is Oslo the capital?"
    assert made["answer"] == "Oslo is the capital of Norway. So the answer is Norway."
    assert made["estimators_used"] == []
    assert set(made["usage"]) == {
        "prompt_tokens",
        "generated_tokens",
        "model_calls",
        "retrievals",
        "seconds",
    }


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [(Verdict.ANSWERED, None), (Verdict.WARNED, "not_checked"), (Verdict.ABSTAINED, "no_evidence")],
    ids=str,
)
def test_a_verdict_that_is_not_answered_has_a_reason(verdict: Verdict, reason: str | None) -> None:
    made = answer_object(answer(verdict, reason))

    assert (made["verdict"], made["reason"]) == (verdict.value, reason)


def test_a_retrieval_has_exactly_the_keys_of_the_contract() -> None:
    (made,) = answer_object(answer())["retrievals"]

    assert made == {
        "query": "capital Oslo",
        "retriever": "by hand",
        "trigger": "rare_entity",
        "detail": "Oslo 0",
        "passages": [
            {
                "document_id": "d1",
                "title": "Oslo",
                "text": "Oslo is the capital of Norway.",
                "date": None,
                "score": 1.0,
            }
        ],
    }


def test_a_claim_has_exactly_the_keys_of_the_contract() -> None:
    made = claim_object(answer().claims[0])

    assert list(made) == [
        "text",
        "start",
        "end",
        "sentence",
        "triplets",
        "support",
        "p_faithful",
        "p_true_if_faithful",
        "p_true_if_unfaithful",
        "p_true",
        "calibrated",
        "score",
        "uf",
        "uu",
        "features",
        "verdict",
        "withheld",
        "reasons",
        "weighed",
        "evidence",
        "age",
        "counts",
    ]
    triplet = {"head": "Oslo", "relation": "is the capital of", "tail": "Norway"}
    assert made["triplets"] == [{**triplet, "tail_kind": "other"}]
    assert made["calibrated"] is False
    assert made["evidence"] == [
        {
            "document_id": "d1",
            "text": "Oslo is the capital of Norway.",
            "start": 0,
            "end": 30,
            "date": None,
        }
    ]


def test_every_score_of_a_claim_that_is_null_is_a_key_of_its_reasons() -> None:
    for claim in answer_object(answer())["claims"]:
        missing = {name for name, value in claim.items() if value is None} - {"age"}

        assert missing == {
            *("p_faithful", "p_true_if_faithful", "p_true_if_unfaithful", "p_true"),
            *("score", "uf", "uu"),
        }
        assert missing <= set(claim["reasons"])


def test_the_counts_of_a_claim_name_the_pair_and_how_far_to_trust_it() -> None:
    first, second = answer_object(answer())["claims"]

    assert first["counts"] == {
        "pairs": [
            {
                "head": "Oslo",
                "tail": "Norway",
                "support": "present",
                "head_documents": 5,
                "tail_documents": 3,
                "window_words": 1000,
                "exists": True,
                "documents": 2,
                "pairs": 2,
                "nearest_words": 1,
                "kind": "exact",
                "relation": None,
            }
        ]
    }
    assert second["counts"]["pairs"][0]["kind"] == "unavailable"
    assert second["counts"]["pairs"][0]["pairs"] is None


def test_counts_come_in_order_with_the_normalization_and_the_index_they_belong_to() -> None:
    counts = [exact(4, 2), exact(0), Count.unavailable(), Count(3, 1, CountKind.LOWER_BOUND)]

    made = counts_object(["Oslo", "Atlantis", "Ys", "Norway"], counts, INFO)

    assert made == {
        "counts": [
            {"phrase": "Oslo", "count": 4, "documents": 2, "kind": "exact"},
            {"phrase": "Atlantis", "count": 0, "documents": 0, "kind": "exact"},
            {"phrase": "Ys", "count": None, "documents": None, "kind": "unavailable"},
            {"phrase": "Norway", "count": 3, "documents": 1, "kind": "lower_bound"},
        ],
        "normalization": "words; accents kept",
        "index": "wiki",
    }


def test_a_count_too_few_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="zip"):
        counts_object(["Oslo", "Norway"], [exact(1)], INFO)


def test_a_cooccurrence_has_exactly_the_keys_of_the_contract() -> None:
    where = Occurrence("d1", 0, 30, "Oslo is the capital of Norway.")

    made = cooccurrence_object(
        "Oslo", "Norway", together(2), window_words=1000, occurrences=[where]
    )

    assert made == {
        "a": "Oslo",
        "b": "Norway",
        "window_words": 1000,
        "exists": True,
        "documents": 2,
        "pairs": 2,
        "nearest_words": 1,
        "kind": "exact",
        "occurrences": [occurrence_object(where)],
    }


def test_an_occurrence_has_exactly_the_keys_of_the_contract() -> None:
    made = occurrence_object(Occurrence("d1", 0, 4, "Oslo"))

    assert made == {"document_id": "d1", "start": 0, "end": 4, "snippet": "Oslo"}


def test_an_occurrence_of_which_only_the_document_is_known_says_why() -> None:
    made = occurrence_object(Occurrence("d1", None, None, None))

    assert made == {
        "document_id": "d1",
        **dict.fromkeys(("start", "end", "snippet")),
        "reasons": dict.fromkeys(("start", "end", "snippet"), "no_document_text"),
    }


@pytest.mark.parametrize("kind", EVERY_ERROR, ids=lambda kind: kind.__name__)
def test_a_failure_tells_its_kind_its_message_and_its_hint(kind: type[AvermentError]) -> None:
    error = kind.__new__(kind)
    AvermentError.__init__(error, "It was found.", hint="Type this.")

    assert error_object(error) == {
        "error": {"kind": kind.__name__, "message": "It was found.", "hint": "Type this."}
    }


# --- scores and reports -------------------------------------------------------------------------

SCORES = Scores(
    (ClaimScores(Faithfulness(0.5), uf=-1.0, features={"npmi_weakest": 0.5}, score=0.7),),
    faithfulness_scorer="lexical",
    uf_estimator="max_probability",
    uu_estimator="constant",
    model="tiny",
    notes=("uu: not here",),
)
WHO = {"uf": "max_probability", "uu": "constant", "faithfulness": "lexical", "model": "tiny"}


def report(*, calibrated: bool = False, question: Question | None = None) -> Report:
    stated = Claim(
        text="Oslo is old.",
        start=7,
        end=19,
        sentence=0,
        triplets=(),
        support=Support.UNKNOWN,
        verdict=ClaimVerdict.SUPPORTED,
        checks=(),
        evidence=(),
        reasons={"verdict": "passage_entails"},
        calibrated=calibrated,
    )
    text = "Hello! Oslo is old."
    return Report(text, question, (stated,), ((0, 6, "greeting"),), (EVIDENCE,), SCORES)


def test_a_report_has_exactly_the_keys_of_the_contract() -> None:
    made = report_object(report())

    assert list(made) == [
        "question",
        "answer",
        "claims",
        "passages",
        "skipped",
        "estimators_used",
        "made_with",
        "calibrated",
        "notes",
        "promise",
        "costs",
        "as_of",
    ]
    assert made["claims"] == [claim_object(report().claims[0])]
    assert made["skipped"] == [{"text": "Hello!", "start": 0, "end": 6, "reason": "greeting"}]
    assert made["passages"] == [
        {"document_id": "d1", "title": "Oslo", "text": EVIDENCE.text, "date": None}
    ]
    assert made["notes"] == ["uu: not here"]


@pytest.mark.parametrize(
    ("question", "told"), [(None, None), (Question("q", "How old?"), "How old?")], ids=str
)
def test_a_report_tells_the_question_if_there_was_one(
    question: Question | None, told: str | None
) -> None:
    assert report_object(report(question=question))["question"] == told


@pytest.mark.parametrize("calibrated", [True, False])
def test_a_report_says_whether_its_claims_are_calibrated(calibrated: bool) -> None:
    assert report_object(report(calibrated=calibrated))["calibrated"] is calibrated


def test_a_report_without_claims_is_not_called_calibrated() -> None:
    empty = dataclasses.replace(report(calibrated=True), claims=())

    assert report_object(empty)["calibrated"] is False


def test_scores_name_who_made_them_and_what_a_calibrator_has_to_be_fitted_on() -> None:
    made = report_object(report())

    assert made["made_with"] == WHO
    assert made["estimators_used"] == ["lexical", "max_probability", "corpus_evidence"]


def test_an_answer_names_who_scored_it() -> None:
    scored = dataclasses.replace(answer(), scores=SCORES)

    made = answer_object(scored)

    assert (made["made_with"], made["notes"]) == (WHO, ["uu: not here"])
    assert made["estimators_used"] == estimators_used(SCORES)


def test_an_answer_that_nobody_scored_names_nobody() -> None:
    made = answer_object(answer())

    assert (made["made_with"], made["notes"], made["estimators_used"]) == (None, [], [])


def test_what_a_claim_was_scored_by_is_told_beside_the_score() -> None:
    scored = dataclasses.replace(
        answer().claims[0], p_faithful=0.5, uf=-1.0, score=0.7, features={"npmi_weakest": 0.5}
    )

    made = claim_object(scored)

    assert (made["p_faithful"], made["uf"], made["score"]) == (0.5, -1.0, 0.7)
    assert made["features"] == {"npmi_weakest": 0.5}


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(report_object(report()), id="report"),
        pytest.param(answer_object(answer()), id="answer"),
        pytest.param(answer_object(answer(Verdict.ABSTAINED, "no_evidence")), id="abstention"),
        pytest.param(counts_object(["Ys"], [Count.unavailable()], INFO), id="counts"),
        pytest.param(
            cooccurrence_object(
                "a", "b", Cooccurrence.unavailable(), window_words=1, occurrences=[]
            ),
            id="cooccurrence",
        ),
    ],
)
def test_every_object_is_strict_json(made: dict[str, Any]) -> None:
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_a_relation_that_was_read_names_its_window_and_its_rivals() -> None:
    window = passage("Oslo is the capital of Norway.", passage_id="d1")
    read = RelationCheck(
        RelationOutcome.CONTRADICTED, "states_another", window, (Rival("Norway", together(3)),)
    )
    made = answer()
    check = dataclasses.replace(made.claims[0].checks[0], relation=read)
    claims = (dataclasses.replace(made.claims[0], checks=(check,)), *made.claims[1:])

    [pair] = answer_object(dataclasses.replace(made, claims=claims))["claims"][0]["counts"]["pairs"]

    assert pair["relation"] == {
        "outcome": "contradicted",
        "reason": "states_another",
        "window": {"document_id": "d1", "text": window.text, "start": 0, "end": 30, "date": None},
        "rivals": [{"tail": "Norway", "documents": 3}],
    }


def test_a_promise_is_told_with_its_assumptions() -> None:
    scores = Scores((), "lexical", "constant", "constant", "")
    promise = Promise(0.1, 0.9, Unit.CLAIM, 0.8, 100, 60, 0.05, 0.6)

    told = promise_object(dataclasses.replace(scores, promise=promise))

    assert promise_object(None) is promise_object(scores) is None
    assert told is not None
    assert (told["unit"], told["p_true_at_least"], told["coverage"]) == ("claim", 0.8, 0.6)
    assert "exchangeable" in told["assumptions"]
