# ruff: noqa: D103 - names of tests are sentences
"""What would make the tables wrong without anybody seeing it: folds, pairing, labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from long_form import cut
from long_form_data import expertqa_labels, stance_label
from methods import PAPER_SHORT, best_pair, fitted_columns, folds_of
from questions import Item
from records import Rescoring, matched, why_no_attempt
from scored import MadeBy, ScoredClaim, read_scored, write_scored

from corpus import content_runs, passages_taken_out, rivals

CONDITIONS = ("clean", "shuffled", "corrupted")


def claim(at: int, condition: str = "clean", **changes: object) -> ScoredClaim:
    random = np.random.default_rng([at, CONDITIONS.index(condition)])
    made: dict[str, object] = {
        "key": f"set:{at}:{condition}",
        "question": f"set:{at}",
        "part": "set",
        "condition": condition,
        "is_true": at % 2 == 0,
        "p_faithful": float(random.random()),
        "uncertainty": {name: float(random.random()) for name in PAPER_SHORT},
    }
    return ScoredClaim(**(made | changes))  # type: ignore[arg-type]


def claims(n_questions: int = 60) -> list[ScoredClaim]:
    return [claim(at, condition) for at in range(n_questions) for condition in CONDITIONS]


def item(condition: str, text: str) -> Item:
    return Item("set", "1", "Who?", ("Ada",), condition, (("Title", text),))


def row(of: Item, answer: str = " Ada", **changes: object) -> dict[str, object]:
    return {"key": of.key, "shown": of.digest, "answer": answer} | changes


# --- folds --------------------------------------------------------------------------------------


def test_the_three_conditions_of_a_question_are_in_one_fold() -> None:
    many = claims()

    folds = folds_of(many)

    assert len(set(folds)) == 5
    by_question = {one.question: set[int]() for one in many}
    for one, fold in zip(many, folds, strict=True):
        by_question[one.question].add(int(fold))
    assert all(len(found) == 1 for found in by_question.values())


def test_folds_do_not_depend_on_the_order_of_the_claims() -> None:
    many = claims()

    forward, backward = folds_of(many), folds_of(many[::-1])

    assert forward.tolist() == backward[::-1].tolist()


def test_the_labels_of_a_question_do_not_move_its_own_scores() -> None:
    many = claims()
    folds = folds_of(many)
    turned = [
        ScoredClaim(**{**_fields(one), "is_true": not one.is_true}) if folds[at] == 0 else one
        for at, one in enumerate(many)
    ]

    before, after = (fitted_columns(some, folds, paper=PAPER_SHORT) for some in (many, turned))

    for name, column in before.items():
        own, others = folds == 0, folds != 0
        np.testing.assert_array_equal(column.confidence[own], after[name].confidence[own])
        if name == "FRANQ condition":
            assert (column.confidence[others] != after[name].confidence[others]).any()


def test_only_claims_that_may_teach_move_the_scores() -> None:
    many = claims()
    folds = folds_of(many)
    is_clean = np.array([one.condition == "clean" for one in many])
    turned = [
        one
        if one.condition == "clean"
        else ScoredClaim(**{**_fields(one), "is_true": not one.is_true})
        for one in many
    ]

    before, after = (
        fitted_columns(some, folds, paper=PAPER_SHORT, taught=is_clean, only=["FRANQ condition"])
        for some in (many, turned)
    )

    np.testing.assert_array_equal(
        before["FRANQ condition"].confidence, after["FRANQ condition"].confidence
    )


def test_a_pair_is_chosen_by_side() -> None:
    teachers = [
        claim(
            at,
            p_faithful=0.9 if at < 40 else 0.1,
            uncertainty={
                "good_if_faithful": float((at % 2 == 1) == (at < 40)),
                "good_if_not": float((at % 2 == 1) == (at >= 40)),
            },
        )
        for at in range(80)
    ]

    pair = best_pair(teachers, otherwise=PAPER_SHORT)

    assert pair == ("good_if_faithful", "good_if_not")


def test_what_cannot_be_fitted_has_no_value_and_says_why() -> None:
    few = claims(3)

    column = fitted_columns(few, folds_of(few), paper=PAPER_SHORT)["FRANQ condition"]

    assert np.isnan(column.confidence).all()
    assert all("needs at least 20" in note for note in column.notes)


# --- rows ---------------------------------------------------------------------------------------


def test_a_corrupted_row_is_paired_with_its_question_under_its_condition() -> None:
    clean, corrupted = item("clean", "Ada did."), item("corrupted", "Eve did.")

    [(_, found)] = matched([row(corrupted)], [clean, corrupted])

    assert found is corrupted


def test_a_row_that_was_shown_other_passages_is_refused() -> None:
    was, now = item("clean", "Ada did."), item("clean", "Ada did it.")

    with pytest.raises(ValueError, match="set:1:clean"):
        matched([row(was)], [now])


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (" ", "empty"),
        (" ...", "empty"),
        (" Unknown", "unknown"),
        (" not mentioned in the passages", "unknown"),
        (" I don't know", "unknown"),
        (" The passages do not say who did it", "refusal"),
        (" Paris", None),
        (" The Unknown Soldier", None),
    ],
)
def test_answers_that_attempt_nothing(answer: str, reason: str | None) -> None:
    assert why_no_attempt(answer) == reason


def test_the_largest_difference_of_rescoring_is_over_answers_with_the_same_tokens() -> None:
    same = row(item("clean", "x"), tokens=[["A", -1.0]], rescored=[["A", -1.25]])
    other = row(item("shuffled", "x"), tokens=[["AB", -1.0]], rescored=[["A", -9.0], ["B", -9.0]])

    found = Rescoring.of([same, other])

    assert (found.n_rows, found.n_other_tokens, found.n_tokens) == (2, 1, 1)
    assert found.largest_nats == 0.25


def test_the_file_of_scores_gives_back_what_was_written(tmp_path: Path) -> None:
    made_by, many = MadeBy("lm", "scorer", "nli"), claims(2)
    path = tmp_path / "scores.jsonl"

    write_scored(path, made_by, many)
    found_by, found = read_scored(path)

    assert found_by == made_by
    assert [one.key for one in found] == [one.key for one in many]
    assert found[0].p_faithful == pytest.approx(many[0].p_faithful, rel=1e-5)


# --- the corpus ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "keep_originals", "taken_out"),
    [
        ("clean", False, "Ada did."),
        ("shuffled", False, "Another."),
        ("corrupted", False, "Ada did."),
        ("corrupted", True, None),
    ],
)
def test_which_passages_do_not_count(
    condition: str, keep_originals: bool, taken_out: str | None
) -> None:
    clean = item("clean", "Ada did.")
    texts = {"clean": "Ada did.", "shuffled": "Another.", "corrupted": "Eve did."}
    shown = item(condition, texts[condition])

    found = passages_taken_out(shown, clean, keep_originals=keep_originals)

    assert [text for _, text in found] == ([taken_out] if taken_out else [])


def test_a_sample_that_holds_the_answer_is_no_rival() -> None:
    found = rivals("Paris", [" Paris, France", " paris", " Rome", "Rome", " unknown", " ", "Bonn"])

    assert found == ["Rome", "Bonn"]


def test_runs_of_words_do_not_begin_or_end_with_a_function_word() -> None:
    assert content_runs("who was the king of norway".split()) == [("king", "of", "norway")]


# --- labels of long answers ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("correctness", "support", "labels"),
    [
        ("Definitely correct", "Complete", (True, True)),
        ("Probably correct", "Missing", (True, False)),
        ("Likely incorrect", "Partial", (False, False)),
        ("Definitely incorrect", "Incomplete", (False, False)),
        ("Unsure", "Complete", (None, True)),
        (None, "N/A", (None, None)),
    ],
)
def test_labels_of_expertqa(
    correctness: str | None, support: str, labels: tuple[bool | None, bool | None]
) -> None:
    assert expertqa_labels({"correctness": correctness, "support": support}) == labels


@pytest.mark.parametrize(
    ("stances", "label"),
    [
        (["irrelevant", "completely-support"], True),
        (["irrelevant", "partially-support"], None),
        (["irrelevant", "refute"], False),
    ],
)
def test_labels_of_stances(stances: Sequence[str], label: bool | None) -> None:
    assert stance_label(stances) is label


def test_every_passage_keeps_its_share_of_what_fits() -> None:
    found = cut(["a " * 90, "b " * 10], 50)

    assert [len(passage.split()) for passage in found] == [45, 5]


def _fields(one: ScoredClaim) -> dict[str, object]:
    return {name: getattr(one, name) for name in ScoredClaim.__dataclass_fields__}
