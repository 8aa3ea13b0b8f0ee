"""Answers against gold answers, with values worked by hand from the published rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.evaluation.correctness import (
    AnswerRule,
    Grades,
    answer_span,
    exact_match,
    grade,
    normalise,
    rouge_l,
    stated_label,
    token_f1,
)
from averment.evaluation.examples import AnswerKind, Example


def asked(*answers: str, kind: AnswerKind = AnswerKind.SPAN) -> Example:
    return Example("q1", "?", answers, kind)


# --- the rules of the SQuAD script --------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "normal"),
    [
        pytest.param("The Denver Broncos!", "denver broncos", id="case, article, mark"),
        pytest.param("  a  cat\tand an  owl ", "cat and owl", id="blanks"),
        pytest.param("U.S.", "us", id="periods are dropped"),
        pytest.param("well-known", "wellknown", id="hyphens are dropped"),
        pytest.param("A", "", id="an article alone"),
        pytest.param("theatre", "theatre", id="no article inside a word"),
        pytest.param("a.", "", id="an article with a mark"),
        pytest.param("l'an 1900", "lan 1900", id="marks go before articles"),
        pytest.param("“Élan”", "“élan”", id="marks and accents beyond ASCII stay"),
    ],
)
def test_normalisation_is_that_of_the_squad_script(answer: str, normal: str) -> None:
    assert normalise(answer) == normal


@pytest.mark.parametrize(
    ("prediction", "answer", "f1"),
    [
        pytest.param("Denver Broncos", "the Denver Broncos", 1.0, id="same"),
        pytest.param("the Broncos", "Denver Broncos", 2 / 3, id="one of two"),
        pytest.param("Santa Clara, California", "Santa Clara", 0.8, id="one too many"),
        pytest.param("gold gold", "gold", 2 / 3, id="counted as often as it occurs"),
        pytest.param("blue", "gold", 0.0, id="nothing in common"),
        pytest.param("", "gold", 0.0, id="nothing said"),
        pytest.param("the", "", 1.0, id="nothing on both sides"),
        pytest.param("no", "no one", 0.0, id="a wrong no"),
        pytest.param("yes", "no", 0.0, id="yes for no"),
        pytest.param("Oh yes", "yes", 0.0, id="more than yes"),
        pytest.param("Yes.", "yes", 1.0, id="a right yes"),
        pytest.param("noanswer", "noanswer given", 0.0, id="noanswer"),
        pytest.param("no one knows", "no one", 0.8, id="no inside a longer answer"),
    ],
)
def test_f1_is_that_of_the_squad_script_with_the_rule_for_yes_and_no(
    prediction: str, answer: str, f1: float
) -> None:
    assert token_f1(prediction, answer) == pytest.approx(f1)
    assert token_f1(answer, prediction) == pytest.approx(f1)


words = st.lists(st.sampled_from("yes no the a Tarn tarn. old harbour".split()), max_size=6)


@settings(deadline=None, max_examples=100)
@given(words.map(" ".join), words.map(" ".join))
def test_f1_is_never_below_an_exact_match(prediction: str, answer: str) -> None:
    assert exact_match(prediction, answer) <= token_f1(prediction, answer) <= 1


# --- grades -------------------------------------------------------------------------------------


def test_the_nearest_spelling_counts() -> None:
    found = grade("New York City", asked("NYC", "New York"))

    assert found == Grades(exact_match=0.0, f1=0.8, accuracy=None, rouge_l=None)


def test_any_spelling_is_an_exact_match() -> None:
    assert grade("the nyc", asked("New York", "NYC")).exact_match == 1.0


@pytest.mark.parametrize(
    ("prediction", "right"),
    [
        pytest.param("", 1.0, id="abstention"),
        pytest.param("Tarn", 0.0, id="an answer all the same"),
    ],
)
def test_where_there_is_no_answer_abstaining_is_right(prediction: str, right: float) -> None:
    found = grade(prediction, asked())

    assert (found.exact_match, found.f1) == (right, right)


def test_an_abstention_is_wrong_where_there_is_an_answer() -> None:
    assert grade("", asked("Tarn")) == Grades(0.0, 0.0, None, None)


@pytest.mark.parametrize(
    ("prediction", "answer", "accuracy"),
    [
        pytest.param("yes", "yes", 1.0, id="right"),
        pytest.param("Yes, it is no secret.", "yes", 1.0, id="the first word decides"),
        pytest.param("The answer would be no.", "no", 1.0, id="the only one that occurs"),
        pytest.param("neither yes nor no", "no", 0.0, id="both"),
        pytest.param("certainly", "yes", 0.0, id="neither"),
        pytest.param("", "no", 0.0, id="abstention"),
        pytest.param("maybe", "no", 0.0, id="not asked for"),
    ],
)
def test_accuracy_is_of_the_yes_or_no_that_is_said(
    prediction: str, answer: str, accuracy: float
) -> None:
    assert grade(prediction, asked(answer, kind=AnswerKind.YES_NO)).accuracy == accuracy


def test_maybe_is_a_third_answer_where_it_is_asked_for() -> None:
    example = asked("maybe", kind=AnswerKind.YES_NO_MAYBE)

    accuracies = [grade(said, example).accuracy for said in ("Maybe.", "yes", "It says maybe")]

    assert accuracies == [1.0, 0.0, 1.0]


def test_a_label_is_a_word_of_its_own() -> None:
    assert stated_label("notably", ("yes", "no")) is None


# --- ROUGE-L ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prediction", "answer", "expected"),
    [
        # Lin 2004, section 3.1: S2 and S3 against S1.
        pytest.param("police kill the gunman", "police killed the gunman", 0.75, id="S2"),
        pytest.param("the gunman kill police", "police killed the gunman", 0.5, id="S3"),
        # What rouge-score 0.1.2 gives for rougeL without stemming.
        pytest.param(
            "The quick brown fox jumps over the lazy dog",
            "The quick brown dog jumps on the log.",
            0.5882352941176471,
            id="fox",
        ),
        pytest.param("a b c d e", "e d c b a", 0.2, id="turned round"),
        pytest.param(
            "the U.S. won 3-0 in 1999", "in 1999 the US won 3 0", 0.5333333333333333, id="marks"
        ),
        pytest.param("", "x", 0.0, id="nothing said"),
        pytest.param("…", "…", 0.0, id="no word on either side"),
    ],
)
def test_rouge_l_is_the_f_measure_of_the_longest_common_subsequence(
    prediction: str, answer: str, expected: float
) -> None:
    assert rouge_l(prediction, answer) == pytest.approx(expected)


def longest_common_subsequence(a: list[str], b: list[str]) -> int:
    """By its definition, with a table."""
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            longer = max(lengths[i][j + 1], lengths[i + 1][j])
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if x == y else longer
    return lengths[-1][-1]


few_words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)


@settings(deadline=None, max_examples=200)
@given(few_words, few_words)
def test_the_common_subsequence_is_as_long_as_its_definition_says(
    a: list[str], b: list[str]
) -> None:
    expected = 2 * longest_common_subsequence(a, b) / (len(a) + len(b))

    assert rouge_l(" ".join(a), " ".join(b)) == pytest.approx(expected)


def test_rouge_l_is_for_long_answers_and_takes_the_nearest() -> None:
    example = asked("An old harbour.", "Tarn is old.", kind=AnswerKind.LONG)

    assert grade("Tarn is an old harbour.", example).rouge_l == pytest.approx(0.75)


# --- what QuCo-RAG takes for the answer ---------------------------------------------------------


@pytest.mark.parametrize(
    ("completion", "span"),
    [
        pytest.param("Ada built it. So the answer is Tarn.", "Tarn", id="plain"),
        pytest.param("So the answer is: Tarn.</s>", "Tarn", id="a character is skipped"),
        pytest.param("So the answer is J. R. Lunde.", "J. R. Lunde", id="periods inside stay"),
        pytest.param(
            "So the answer is Tarn. It is an old harbour.", "Tarn", id="an explanation is left out"
        ),
        pytest.param(
            "The answer is no, so the answer is Tarn.", "Tarn", id="the last of the sentence"
        ),
        pytest.param("Ada built Tarn.", "Ada built Tarn", id="the whole text if there is none"),
        pytest.param("So the answer is Tarn. Question: Who", "Tarn", id="the next question"),
    ],
)
def test_for_2wiki_the_answer_is_in_the_first_sentence_that_states_it(
    completion: str, span: str
) -> None:
    assert answer_span(completion, AnswerRule.QUCO_2WIKI) == span


@pytest.mark.parametrize(
    ("completion", "span"),
    [
        pytest.param("Ada built it. So the answer is Tarn.", "Tarn.", id="plain"),
        pytest.param("So the answer is Paris. It is big.", "Paris. It is big.", id="explanation"),
        pytest.param("So the answer is Paris. Note: big.", "Paris.", id="a note is cut"),
        pytest.param(
            "So the answer is Paris. So the answer is Paris.",
            "Paris",
            id="cut where it is repeated",
        ),
        pytest.param(
            "So the answer is J. R. Lunde. The answer is final.", "J", id="a name is cut inside"
        ),
        pytest.param("Ada built Tarn.", "", id="nothing if there is none"),
    ],
)
def test_for_hotpotqa_the_answer_is_all_that_follows(completion: str, span: str) -> None:
    assert answer_span(completion, AnswerRule.QUCO_HOTPOTQA) == span


def test_an_explanation_costs_the_exact_match_under_one_rule_only() -> None:
    completion, example = "So the answer is Paris. It is big.", asked("Paris")

    matches = {
        rule: grade(answer_span(completion, rule), example).exact_match for rule in AnswerRule
    }

    assert matches == {AnswerRule.QUCO_2WIKI: 1.0, AnswerRule.QUCO_HOTPOTQA: 0.0}
