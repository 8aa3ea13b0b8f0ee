"""What is asked about, and the rows in which the replies are kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from averment.errors import DatasetError
from averment.labels import (
    SCHEMA,
    ClaimToLabel,
    claims_to_label,
    json_records,
    read_label,
    read_labels,
)
from averment.shapes import answer_object
from averment.types import (
    Answer,
    Check,
    Claim,
    ClaimVerdict,
    Cooccurrence,
    Cost,
    Count,
    CountKind,
    Passage,
    Question,
    Retrieval,
    ScoredPassage,
    Support,
    TriggeredRetrieval,
    Triplet,
    Verdict,
)

ASKED = {
    "question": "Who directed Kumbasaram?",
    "answer": "I do not know.",
    "draft": "Kumbasaram was directed by Haneef.",
    "claims": [
        {
            "text": "Kumbasaram was directed by Haneef.",
            "start": 0,
            "end": 34,
            "sentence": 0,
            "triplets": [{"head": "Kumbasaram", "relation": "directed by", "tail": "Haneef"}],
            "support": "present",
            "p_faithful": 0.9,
            "p_true": None,
            "raw": {"uf": 3.5, "uu": 12.25},
            "calibrated": False,
            "reasons": {"p_true": "no_estimator"},
            "evidence": [{"document_id": "d2", "text": "Haneef made it.", "start": 5, "end": 20}],
            "counts": {"pairs": [{"head": "Kumbasaram", "tail": "Haneef", "documents": 2}]},
        }
    ],
    "retrievals": [
        {
            "query": "Kumbasaram",
            "passages": [
                {"document_id": "d1", "title": "Films", "text": "A list.", "score": 2.0},
                {"document_id": "d2", "title": "Haneef", "text": "Haneef made it.", "score": 1.0},
            ],
        }
    ],
    "usage": {"seconds": 1.5},
    "model": "a-model",
    "estimators_used": ["max_probability", "parametric_knowledge"],
    "trace_id": "abc",
}


def only(record: dict[str, Any]) -> ClaimToLabel:
    (claim,) = claims_to_label(json.dumps(record), source="a.jsonl:1")
    return claim


def test_an_answer_that_was_asked_for_brings_claim_passages_and_counts() -> None:
    claim = only(ASKED)

    assert (claim.question, claim.claim) == (ASKED["question"], ASKED["claims"][0]["text"])
    assert [(p.text, p.title, p.is_evidence) for p in claim.passages] == [
        ("Haneef made it.", "Haneef", True),
        ("A list.", "Films", False),
    ]
    assert claim.pairs == (("Kumbasaram", "Haneef"),)
    assert claim.counts == ({"head": "Kumbasaram", "tail": "Haneef", "documents": 2},)


def test_every_score_of_a_claim_is_kept_and_its_texts_are_not_among_them() -> None:
    claim = only(ASKED)

    stated = ASKED["claims"][0]
    kept = ("support", "p_faithful", "p_true", "raw", "calibrated", "reasons", "counts")
    assert claim.scores == {name: stated[name] for name in kept}
    assert claim.made_by == {
        "model": "a-model",
        "estimators_used": ["max_probability", "parametric_knowledge"],
        "trace_id": "abc",
    }


def test_what_ask_prints_can_be_labelled() -> None:
    passage = Passage("d1#0", "d1", "Haneef", "Haneef made it.", 0, 15)
    triplet = Triplet("Kumbasaram", "directed by", "Haneef")
    support = Check(
        triplet,
        Support.PRESENT,
        Count(3, 3, CountKind.EXACT),
        Count(9, 9, CountKind.EXACT),
        Cooccurrence(True, 2, 2, 4, CountKind.EXACT),
        1000,
    )
    stated = Claim(
        text=ASKED["draft"],
        start=0,
        end=34,
        sentence=0,
        triplets=(triplet,),
        support=Support.PRESENT,
        verdict=ClaimVerdict.UNVERIFIED,
        checks=(support,),
        evidence=(passage,),
        reasons={"p_true": "no_estimator"},
        p_faithful=0.5,
    )
    retrieval = Retrieval("Kumbasaram", (ScoredPassage(passage, 1.0, 1),), "bm25")
    answer = Answer(
        question=Question("q", ASKED["question"]),
        text=ASKED["draft"],
        draft=ASKED["draft"],
        final_answer="Haneef",
        verdict=Verdict.ANSWERED,
        reason=None,
        claims=(stated,),
        retrievals=(TriggeredRetrieval(retrieval, "rare_entity", ""),),
        cost=Cost(1, 1, 1, 1, 0.5),
        policy="quco",
        model="scripted",
        trace_id="t",
    )

    claim = only(answer_object(answer))

    assert (claim.question, claim.claim) == (ASKED["question"], ASKED["draft"])
    assert [(p.title, p.is_evidence) for p in claim.passages] == [("Haneef", True)]
    assert claim.pairs == (("Kumbasaram", "Haneef"),)
    (pair,) = claim.counts
    assert (pair["documents"], pair["head_documents"], pair["tail_documents"]) == (2, 3, 9)
    assert claim.scores["p_faithful"] == 0.5
    assert claim.made_by["policy"] == "quco"


def test_a_checked_text_is_held_against_the_evidence_of_each_claim() -> None:
    checked = {"claims": [{"text": "A.", "evidence": [{"document_id": "d", "text": "B."}]}]}

    claim = only({**checked, "estimators_used": [], "calibrated": False})

    assert [passage.text for passage in claim.passages] == ["B."]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param({"claim": "A.", "passages": ["B."], "uf": 1.5}, id="flat"),
        pytest.param({"claim": "A.", "contexts": ["B."], "scores": {"uf": 1.5}}, id="nested"),
        pytest.param({"claim": {"text": "A.", "uf": 1.5}, "passages": ["B."]}, id="object"),
        pytest.param(
            {"claims": [{"claim": "A.", "scores": {"uf": 1.5}}], "documents": [{"text": "B."}]},
            id="list",
        ),
    ],
)
def test_a_record_of_one_claim_may_be_written_in_several_ways(record: dict[str, Any]) -> None:
    claim = only({**record, "id": 7, "question": "Why?"})

    assert (claim.claim, claim.question_id, claim.question) == ("A.", "7", "Why?")
    assert [passage.text for passage in claim.passages] == ["B."]
    assert claim.scores == {"uf": 1.5}


def test_an_answer_without_claims_has_nothing_to_label() -> None:
    assert claims_to_label('{"claims": []}', source="a") == []


def test_claims_of_one_question_are_one_group_and_others_are_not() -> None:
    first, second = (
        only({"claim": "A.", "question": "Why?"}),
        only({"claim": "B.", "question": "Why?"}),
    )
    without = [only({"claim": "A."}), only({"claim": "B."})]

    assert first.question_id == second.question_id
    assert len({each.question_id for each in [first, *without]}) == 3


def test_a_claim_is_known_again_by_its_texts_and_not_by_its_scores() -> None:
    record = {"claim": "A.", "question": "Why?", "passages": ["B."], "p_true": 0.5}
    same = only({**record, "p_true": 0.9})
    others = [{"claim": "A!"}, {"question": "How?"}, {"passages": ["C."]}, {"id": "x"}]

    ids = {only({**record, **other}).claim_id for other in others}

    assert same.claim_id == only(record).claim_id
    assert len(ids | {same.claim_id}) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("[1]", "a JSON object was expected, not list", id="list"),
        pytest.param("{", "no JSON object", id="cut_off"),
        pytest.param(
            '{"question": "Why?"}',
            r"no field 'claim' or 'claims' \(found: question\)",
            id="no_claim",
        ),
        pytest.param('{"claims": "A."}', "claims must be a list, not str", id="claims_no_list"),
        pytest.param('{"claims": ["A.", " "]}', "claim 2: the claim has no text", id="blank_claim"),
        pytest.param('{"claims": [{"text": 3}]}', "text must be a text, not int", id="number"),
        pytest.param('{"claim": "A.", "passages": "B."}', "passages must be a list", id="passages"),
        pytest.param(
            '{"claim": "A.", "passages": [3]}', "must hold objects or texts", id="passage"
        ),
        pytest.param('{"claim": "A.", "p_true": NaN}', "NaN is no number of JSON", id="nan"),
        pytest.param(
            '{"claim": "A.", "p_true": -Infinity}', "Infinity is no number", id="infinity"
        ),
    ],
)
def test_a_record_that_cannot_be_read_is_named_with_its_line(text: str, words: str) -> None:
    with pytest.raises(DatasetError, match=f"a.jsonl:4.*{words}"):
        claims_to_label(text, source="a.jsonl:4")


def test_objects_may_stand_one_a_line_or_be_printed_over_several() -> None:
    pretty = json.dumps({"claim": "A.", "passages": ["{"]}, indent=2)
    lines = f'{{"claim": "B."}}\n\n{pretty}\n{{"claim": "C."}}\nrest\n'.splitlines(keepends=True)

    found = list(json_records(lines))

    assert [line for line, _ in found] == [1, 3, 9]
    assert [json.loads(text)["claim"] for _, text in found[:2]] == ["B.", "A."]


@pytest.mark.parametrize(
    ("label", "faithful"), [(True, False), (False, True), (None, None), (True, None)]
)
def test_a_row_comes_back_as_it_was(label: bool | None, faithful: bool | None) -> None:
    row = only(ASKED).labelled(label, faithful)

    assert read_labels([row.line() + "\n", "\n"]) == [row]
    assert json.loads(row.line())["schema"] == SCHEMA


def test_a_row_names_nobody() -> None:
    row = json.loads(only(ASKED).labelled(True, True).line())

    assert set(row) == {
        "schema",
        "claim_id",
        "question_id",
        "question",
        "claim",
        "label",
        "faithful",
        "scores",
        "made_by",
    }


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        pytest.param({"schema": SCHEMA + 1}, "labels of schema 2", id="newer"),
        pytest.param({"label": "true"}, "label and faithful must be", id="text_for_label"),
        pytest.param({"label": 1}, "label and faithful must be", id="number_for_label"),
        pytest.param({"claim": None}, "must be texts", id="no_claim"),
        pytest.param({"scores": []}, "must be objects", id="scores"),
    ],
)
def test_a_row_that_is_none_is_refused(changed: dict[str, Any], words: str) -> None:
    row = {**json.loads(only(ASKED).labelled(True, True).line()), **changed}

    with pytest.raises(DatasetError, match=f"kept:1.*{words}"):
        read_labels([json.dumps(row)], source="kept")


def test_a_row_without_a_label_is_refused() -> None:
    row = json.loads(only(ASKED).labelled(True, True).line())
    del row["label"]

    with pytest.raises(DatasetError, match="label and faithful must be"):
        read_label(json.dumps(row), source="kept:1")
