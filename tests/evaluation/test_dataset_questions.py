"""Each question set by its records: as its authors write them, the hub, and collections."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from averment.corpus.records import Unusable
from averment.evaluation.dataset_fields import flattened
from averment.evaluation.datasets import DATASETS
from averment.evaluation.examples import AnswerKind, Example, GoldPassage
from evaluation.dataset_records import (
    BAMBOOGLE,
    CLAP,
    HOTPOT,
    MUSIQUE,
    NQ,
    ONE_OF_EACH,
    POPQA,
    PUBMED,
    SIMPLE,
    STRATEGY,
    TIME,
    TIME_PAGE,
    TRIVIA,
    Record,
)

TARN = GoldPassage("Tarn", "Tarn opened in 1702.")
ULVE = GoldPassage("Ulve", "Ulve is a harbour. It opened in 1911.")
MOSS = GoldPassage("Moss", "Moss grows.")


def example(name: str, record: Record, **changes: object) -> Example:
    read = DATASETS[name].read
    assert read is not None
    return read(flattened({**record, **changes}), name)


@pytest.mark.parametrize("name", ["2wiki", "hotpotqa"])
def test_a_multi_hop_question_has_its_paragraphs_and_those_that_support_it(name: str) -> None:
    found = example(name, HOTPOT)

    assert found == Example(
        id="h1",
        question="Which harbour is older, Tarn or Ulve?",
        answers=("Tarn",),
        gold_passages=(TARN, ULVE),
        context=(ULVE, MOSS, TARN),
    )


def test_the_columns_of_the_hub_are_the_same_as_the_original_lists() -> None:
    columns = {
        "id": "h1",
        "context": {
            "title": ["Ulve", "Moss", "Tarn"],
            "sentences": [
                ["Ulve is a harbour.", " It opened in 1911."],
                ["Moss grows."],
                ["Tarn opened in 1702."],
            ],
        },
        "supporting_facts": {"title": ["Tarn", "Ulve"], "sent_id": [0, 1]},
    }

    assert example("hotpotqa", {**HOTPOT, "_id": None, **columns}) == example("hotpotqa", HOTPOT)


def test_titles_alone_are_gold_passages_without_text() -> None:
    found = example("hotpotqa", HOTPOT, context=None)

    assert found.context == ()
    assert found.gold_passages == (GoldPassage("Tarn"), GoldPassage("Ulve"))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        pytest.param("yes", AnswerKind.YES_NO, id="yes"),
        pytest.param("No", AnswerKind.YES_NO, id="no"),
        pytest.param("No Country", AnswerKind.SPAN, id="a title"),
    ],
)
def test_yes_and_no_are_told_from_names(answer: str, kind: AnswerKind) -> None:
    assert example("hotpotqa", HOTPOT, answer=answer).kind is kind


@pytest.mark.parametrize("name", ["2wiki", "hotpotqa", "musique", "bamboogle", "nq", "popqa"])
def test_a_collection_has_golden_answers_and_keeps_the_rest_as_metadata(name: str) -> None:
    record = {
        "id": "test_1",
        "question": "Who founded Tarn?",
        "golden_answers": ["Ada", "Ada Lunde"],
        "metadata": {"type": "x", "question": "not this one"},
    }

    found = example(name, record)

    assert found == Example("test_1", "Who founded Tarn?", ("Ada", "Ada Lunde"))


def test_what_a_collection_keeps_as_metadata_is_read() -> None:
    inner = {name: HOTPOT[name] for name in ("context", "supporting_facts")}
    record = {"id": "h1", "question": "q?", "golden_answers": ["Tarn"], "metadata": inner}

    assert example("hotpotqa", record).gold_passages == (TARN, ULVE)


def test_musique_has_aliases_each_once_and_its_supporting_paragraphs() -> None:
    found = example("musique", MUSIQUE)

    assert found.answers == ("Ulve", "Ulve Town")
    assert found.gold_passages == (GoldPassage("Tarn", "Ada founded Tarn."),)
    assert found.context == (MOSS, GoldPassage("Tarn", "Ada founded Tarn."))


def test_a_musique_question_that_cannot_be_answered_has_no_answer() -> None:
    found = example("musique", MUSIQUE, answerable=False)

    assert found.answers == ()
    assert not found.is_answerable


@pytest.mark.parametrize(
    ("answer", "spelled"),
    [
        pytest.param(True, "yes", id="true"),
        pytest.param(False, "no", id="false"),
        pytest.param(["True"], "yes", id="a list of a text"),
        pytest.param("no", "no", id="a text"),
    ],
)
def test_strategyqa_answers_yes_or_no(answer: object, spelled: str) -> None:
    found = example("strategyqa", STRATEGY, answer=answer)

    assert found.answers == (spelled,)
    assert found.kind is AnswerKind.YES_NO


def test_strategyqa_names_the_pages_of_its_evidence_once() -> None:
    assert example("strategyqa", STRATEGY).gold_passages == (
        GoldPassage("Tarn"),
        GoldPassage("Ulve"),
    )


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(PUBMED, id="original"),
        pytest.param(
            {
                "pubid": 77,
                "question": PUBMED["QUESTION"],
                "context": {"contexts": PUBMED["CONTEXTS"], "labels": PUBMED["LABELS"]},
                "long_answer": "It may.",
                "final_decision": "maybe",
            },
            id="hub",
        ),
    ],
)
def test_pubmedqa_decides_over_the_sections_of_an_abstract(record: Record) -> None:
    sections = (GoldPassage("", "Moss was given."), GoldPassage("", "It helped some."))

    found = example("pubmedqa", record)

    assert found == Example(
        "77", "Does moss help?", ("maybe",), AnswerKind.YES_NO_MAYBE, sections, sections
    )


def test_popqa_unpacks_its_answers() -> None:
    assert example("popqa", POPQA) == Example(
        "12", "What is Ada's occupation?", ("engineer", "builder")
    )


def test_an_answer_that_only_begins_like_a_list_is_a_text() -> None:
    assert example("popqa", POPQA, possible_answers="[sic] engineer").answers == ("[sic] engineer",)


def test_popqa_takes_retrieved_texts_with_a_title_on_the_first_line() -> None:
    found = example("popqa", POPQA, retrieved=["Ada\nAda builds harbours.", "Nameless."])

    assert found.context == (
        GoldPassage("Ada", "Ada builds harbours."),
        GoldPassage("", "Nameless."),
    )
    assert found.gold_passages == ()


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(TRIVIA, id="original"),
        pytest.param(
            {
                "question_id": "tc_1",
                "question": TRIVIA["Question"],
                "answer": {"value": "Tarn", "aliases": ["Port of Tarn"]},
            },
            id="hub",
        ),
    ],
)
def test_triviaqa_has_the_value_first_and_then_its_aliases(record: Record) -> None:
    assert example("triviaqa", record) == Example(
        "tc_1", "Which harbour did Ada found?", ("Tarn", "Port of Tarn")
    )


def test_nq_takes_the_gold_passage_among_its_contexts() -> None:
    contexts = [
        {"title": "Moss", "text": "Moss grows.", "isgold": False},
        {"title": "Tarn", "text": "Tarn opened in 1702.", "isgold": True},
    ]

    found = example("nq", NQ, ctxs=contexts)

    assert found.context == (MOSS, TARN)
    assert found.gold_passages == (TARN,)


@pytest.mark.parametrize(
    ("name", "record"),
    [pytest.param("simpleqa", SIMPLE, id="simpleqa"), pytest.param("nq", NQ, id="nq")],
)
def test_an_id_that_is_missing_follows_from_the_question(name: str, record: Record) -> None:
    found = example(name, record)

    assert found.id.startswith(f"{name}:")
    assert found.id == example(name, record, answer="another").id
    assert found.id != example(name, record, problem="Who?", question="Who?").id


def test_bamboogle_is_a_question_and_an_answer() -> None:
    found = example("bamboogle", BAMBOOGLE)

    assert (found.question, found.answers) == ("Who founded the older harbour?", ("Ada",))


def test_clapnq_has_every_long_answer_over_its_passage() -> None:
    found = example("clapnq", CLAP)

    assert found.answers == ("Tarn is an old harbour.", "An old harbour.")
    assert found.kind is AnswerKind.LONG
    assert found.gold_passages == found.context
    assert found.context == (GoldPassage("Tarn", "Tarn is a harbour. It is old."),)


def test_a_clapnq_question_that_its_passage_does_not_answer_has_no_answer() -> None:
    found = example("clapnq", CLAP, output=[{"answer": ""}])

    assert (found.answers, found.gold_passages) == ((), ())
    assert found.context != ()


def test_clapnq_without_passages_has_its_answers_in_a_column() -> None:
    record = {"id": "c1", "question": "what is tarn", "answers": '["A harbour."]'}

    assert example("clapnq", record).answers == ("A harbour.",)


def test_timeqa_names_its_page() -> None:
    found = example("timeqa", TIME)

    assert (found.answers, found.gold_passages) == (("Ada",), (GoldPassage("Tarn Harbour"),))


def test_a_timeqa_question_with_an_empty_target_has_no_answer() -> None:
    found = example("timeqa", TIME, targets=[""])

    assert (found.answers, found.gold_passages) == ((), ())


def test_an_annotated_page_of_timeqa_is_a_record_for_each_question() -> None:
    expand = DATASETS["timeqa"].expand
    assert expand is not None

    first, second = (example("timeqa", record) for record in expand(TIME_PAGE))

    page = (
        GoldPassage("Tarn Harbour", "Tarn Harbour"),
        GoldPassage("Tarn Harbour", "Ada owned it."),
    )
    assert first == Example(
        "/wiki/Tarn_Harbour#P1#0",
        "Who owned it in 1911?",
        ("Ada",),
        AnswerKind.SPAN,
        page[1:],
        page,
    )
    assert (second.id, second.answers) == ("/wiki/Tarn_Harbour#P1#1", ())


# --- what cannot be used ------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(ONE_OF_EACH))
def test_a_record_without_an_answer_says_so(name: str) -> None:
    answers = ("answer", "Answer", "possible_answers", "final_decision", "targets", "output")
    record = {field: value for field, value in ONE_OF_EACH[name].items() if field not in answers}

    with pytest.raises(Unusable, match=r"no field '\w+'.* \(found: .+\)"):
        example(name, record)


@pytest.mark.parametrize("name", sorted(ONE_OF_EACH))
def test_a_record_without_a_question_says_so(name: str) -> None:
    asked = ("question", "Question", "QUESTION", "problem", "input")
    record = {field: value for field, value in ONE_OF_EACH[name].items() if field not in asked}

    with pytest.raises(Unusable, match="no field 'question'"):
        example(name, record)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({"answer": ""}, "the answer is empty", id="empty answer"),
        pytest.param({"answer": 7}, "'answer' is not a string but int", id="number"),
        pytest.param({"answer": ["a", None]}, "'answer' is not a string but NoneType", id="null"),
        pytest.param({"question": "  "}, "'question' is empty", id="blank question"),
        pytest.param({"question": "\ud800?"}, "half of a surrogate pair", id="half a character"),
        pytest.param({"_id": ["x"]}, "'_id' is not a string but list", id="id"),
        pytest.param({"context": "Tarn"}, "passages are a list, not str", id="context"),
        pytest.param({"context": [["Tarn"]]}, "a passage is neither", id="passage"),
        pytest.param({"supporting_facts": "Tarn"}, "'supporting_facts' is no list", id="facts"),
        pytest.param({"supporting_facts": ["Tarn"]}, "something else than", id="fact"),
    ],
)
def test_a_field_of_the_wrong_kind_says_which(changes: Record, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        example("hotpotqa", HOTPOT, **changes)


def test_an_answer_that_is_neither_yes_nor_no_is_refused_where_only_these_are_asked() -> None:
    with pytest.raises(Unusable, match="neither true nor false but 'perhaps'"):
        example("strategyqa", STRATEGY, answer="perhaps")
    with pytest.raises(Unusable, match="neither yes, no nor maybe"):
        example("pubmedqa", PUBMED, final_decision="perhaps")


_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["", "Tarn", "yes", "[", "{}", "[1]"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["title", "text", "answer", "Value", "para"]), inner)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("name", sorted(ONE_OF_EACH))
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_record_whatever_is_in_it_ends_in_another_error(name: str, data: st.DataObject) -> None:
    original: Mapping[str, object] = data.draw(st.sampled_from([ONE_OF_EACH[name], TIME_PAGE]))
    fields = [*original, "metadata", "paragraphs", "retrieved", "ctxs", "passages", "context"]
    changes = data.draw(st.dictionaries(st.sampled_from(fields), _values, min_size=1, max_size=3))
    spec = DATASETS[name]
    record = {**original, **changes}

    for each in spec.expand(record) if spec.expand else [record]:
        with contextlib.suppress(Unusable):
            found = example(name, each)
            assert found.id
            assert found.question
