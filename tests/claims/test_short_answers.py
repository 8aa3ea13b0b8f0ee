from __future__ import annotations

import pytest

from averment.claims.rules import RulesExtractor
from averment.claims.short_answers import AnswerForm, answer_claims
from averment.types import Triplet

FORMS = {
    "name": ("Who directed Kumbasaram?", "Haneef", AnswerForm.SHORT),
    "date": ("When was Haneef born?", "June 9, 1956", AnswerForm.SHORT),
    "yes": ("Is Paris in France?", "Yes.", AnswerForm.YES),
    "yes_and_more": ("Is Paris in France?", "Yes, it is.", AnswerForm.YES),
    "no": ("Is Paris in France?", "no", AnswerForm.NO),
    "maybe": ("Is Paris in France?", "Maybe", AnswerForm.OPEN),
    "unknown": ("Who directed Kumbasaram?", "unknown", AnswerForm.OPEN),
    "empty": ("Who directed Kumbasaram?", "", AnswerForm.OPEN),
    "sentence": ("Who directed Kumbasaram?", "It was directed by Haneef.", AnswerForm.TEXT),
    "verb_in_no_list": ("Where does it sail?", "The ferry Vera sails to Oslo.", AnswerForm.TEXT),
    "noun_before_it": ("Where does it sail?", "The ferry sails to Oslo.", AnswerForm.TEXT),
    "things_in_a_place": ("What does she like?", "Rivers in Norway.", AnswerForm.SHORT),
    "things_of_a_name": ("What is shown?", "The Rodin bronzes.", AnswerForm.SHORT),
    "no_full_stop": ("What is awarded?", "The Fulda prizes in physics", AnswerForm.SHORT),
    "yes_as_a_title": ("Who recorded Fragile?", "Yes Band", AnswerForm.SHORT),
}
STATEMENTS = {
    "was": ("Was Kumbasaram directed by Haneef?", "Kumbasaram was directed by Haneef."),
    "is": ("Is Paris the capital of France?", "Paris is the capital of France."),
    "two": ("Are Haneef and Arjun Nair from India?", "Haneef and Arjun Nair are from India."),
    "did": ("Did Haneef marry Sita?", "Haneef did marry Sita."),
    "title": ('Was "No Way Out" directed by Haneef?', '"No Way Out" was directed by Haneef.'),
    "choice": ("Is Oslo in Norway or Sweden?", ""),
    "comparison": ("Are Vetham and Kumbasaram from the same country?", ""),
    "without_a_name": ("Do mitochondria play a role in leaves?", ""),
    "no_yes_no_question": ("Who directed Kumbasaram?", ""),
}


@pytest.mark.parametrize(("question", "answer", "form"), FORMS.values(), ids=FORMS.keys())
def test_an_answer_has_a_form(question: str, answer: str, form: AnswerForm) -> None:
    assert answer_claims(question, answer).form is form


def test_a_short_answer_is_the_tail_of_each_name_of_its_question() -> None:
    claimed = answer_claims("When did Haneef direct Vetham?", "1990")

    assert [(each.head, each.tail) for each in claimed.pairs] == [
        ("Haneef", "1990"),
        ("Vetham", "1990"),
    ]
    assert {each.tail_kind for each in claimed.pairs} == {"date"}


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("Who founded Oasis?", "Haneef", "person"),
        ("Where was Haneef born?", "Zurich", "place"),
        ("Which city is home to Oasis?", "Zurich", "place"),
        ("How many people live in Oslo?", "about 700,000", "number"),
    ],
)
def test_the_question_says_what_kind_of_tail_it_wants(
    question: str, answer: str, kind: str
) -> None:
    [pair] = answer_claims(question, answer).pairs

    assert pair.tail_kind == kind


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which is older, Kumbasaram or Vetham?", "Vetham"),
        ("Who is the mayor of Zurich?", "Mayor of Zurich"),
        ("What is water?", "a liquid"),
    ],
    ids=["chosen", "echoed", "no name"],
)
def test_without_a_name_to_pair_it_with_an_answer_claims_nothing(
    question: str, answer: str
) -> None:
    assert answer_claims(question, answer).pairs == ()


@pytest.mark.parametrize(("question", "statement"), STATEMENTS.values(), ids=STATEMENTS.keys())
def test_yes_states_what_was_asked(question: str, statement: str) -> None:
    assert answer_claims(question, "yes").statement == statement


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Was Kumbasaram directed by Haneef?", "Kumbasaram was not directed by Haneef."),
        ("Who directed Kumbasaram?", ""),
    ],
    ids=["can be put so", "cannot"],
)
def test_no_states_that_what_was_asked_is_not_so(question: str, statement: str) -> None:
    assert answer_claims(question, "no").statement == statement


def test_maybe_states_nothing() -> None:
    claimed = answer_claims("Was Kumbasaram directed by Haneef?", "maybe")

    assert (claimed.pairs, claimed.statement) == ((), "")


def test_a_statement_can_be_taken_apart() -> None:
    statement = answer_claims("Was Kumbasaram directed by Haneef?", "Yes").statement

    [found] = RulesExtractor().triplets([statement])

    assert found.triplets == (Triplet("Kumbasaram", "was directed by", "Haneef"),)
