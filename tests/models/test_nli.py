from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from averment.errors import ContextOverflow, MissingExtraError, ModelError, ModelFileError
from averment.models.nli import LabelOrder, OnnxNli, label_order, length_batches, open_nli
from averment.uq.records import Nli
from models.tiny_nli import MAX_TOKENS, write_card, write_tiny_nli

PAIRS = [
    ("The dog ran fast.", "A dog ran."),
    ("The mill stands.", "The cat sat."),
    ("A dog ran.", "The dog ran fast."),
    ("The dog ran. The cat sat. The mill stands. A dog ran fast.", "The cat sat at noon."),
    ("", "The cat sat."),
]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_tiny_nli(tmp_path / "tiny")


def close(one: Nli, other: Nli) -> bool:
    pairs = zip(_parts(one), _parts(other), strict=True)
    return all(math.isclose(a, b, abs_tol=1e-6) for a, b in pairs)


def _parts(judgement: Nli) -> tuple[float, float, float]:
    return judgement.entailment, judgement.neutral, judgement.contradiction


# --- judging ------------------------------------------------------------------------------------


def test_every_judgement_is_a_distribution_in_the_order_of_the_pairs(directory: Path) -> None:
    judge = open_nli(directory)

    judged = judge.judge(PAIRS)

    assert all(sum(_parts(each)) == pytest.approx(1.0) for each in judged)
    assert len({each.entailment for each in judged}) == len(PAIRS)
    assert all(
        close(one, other) for one, other in zip(judge.judge(PAIRS[::-1])[::-1], judged, strict=True)
    )


@pytest.mark.parametrize("batch_tokens", [1, 30, 2048], ids=["each alone", "some", "all"])
def test_a_pair_is_judged_alike_alone_and_among_longer_ones(
    directory: Path, batch_tokens: int
) -> None:
    alone = [open_nli(directory).judge([pair])[0] for pair in PAIRS]

    together = open_nli(directory, batch_tokens=batch_tokens).judge(PAIRS)

    assert all(close(one, other) for one, other in zip(alone, together, strict=True))


def test_premise_and_hypothesis_are_not_the_same(directory: Path) -> None:
    forward, backward = open_nli(directory).judge([PAIRS[0], PAIRS[0][::-1]])

    assert not close(forward, backward)


def test_a_long_premise_loses_its_end_and_the_hypothesis_nothing(directory: Path) -> None:
    judge = open_nli(directory)
    fitting = "dog " * (MAX_TOKENS - 5)

    long, cut, other = judge.judge(
        [(fitting + "mill " * 50, "cat sat"), (fitting, "cat sat"), (fitting, "cat ran")]
    )

    assert long == cut
    assert not close(cut, other)


def test_a_hypothesis_that_leaves_no_room_is_refused(directory: Path) -> None:
    with pytest.raises(ContextOverflow, match="24 tokens of 'tiny'"):
        open_nli(directory).judge([PAIRS[0], ("The dog ran.", "dog " * 30)])


def test_nothing_in_is_nothing_out(directory: Path) -> None:
    assert open_nli(directory).judge([]) == []


def test_a_model_without_token_types_is_asked_without_them(tmp_path: Path) -> None:
    judge = open_nli(write_tiny_nli(tmp_path, with_types=False))

    assert len(judge.judge(PAIRS)) == len(PAIRS)


def test_the_order_of_labels_is_that_of_the_card(tmp_path: Path) -> None:
    one = open_nli(write_tiny_nli(tmp_path))
    [before] = one.judge(PAIRS[:1])
    write_card(tmp_path, labels=["CONTRADICTION", "ENTAILMENT", "NEUTRAL"])

    [after] = open_nli(tmp_path).judge(PAIRS[:1])

    assert _parts(after) == (before.neutral, before.contradiction, before.entailment)


@pytest.mark.parametrize(
    "labels", [["entailment", "not_entailment"], ["entailment"]], ids=["two classes", "one class"]
)
def test_without_three_classes_contradiction_is_0(tmp_path: Path, labels: list[str]) -> None:
    [found, *_] = open_nli(write_tiny_nli(tmp_path, labels=labels)).judge(PAIRS)

    assert found.contradiction == 0.0
    assert found.entailment + found.neutral == pytest.approx(1.0)
    assert 0 < found.entailment < 1


def test_the_card_names_the_model_and_the_digest_tells_it_from_others(directory: Path) -> None:
    judge = open_nli(directory)

    assert judge.name == "tiny"
    assert judge.identity.startswith("tiny ")
    assert judge.window_tokens == MAX_TOKENS
    assert judge.window_words is None
    assert judge.n_tokens("The dog ran.") == 4


# --- opening ------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_without_the_runtime_the_extra_is_named(
    directory: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)

    with pytest.raises(MissingExtraError, match=r"pip install 'averment\[local\]'"):
        open_nli(directory)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_not_the_one_of_the_card_is_refused(directory: Path, name: str) -> None:
    path = directory / name
    path.write_bytes(path.read_bytes() + b"\n")

    with pytest.raises(ModelFileError, match="SHA-256"):
        open_nli(directory)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "card.json"])
def test_a_missing_file_is_named(directory: Path, name: str) -> None:
    (directory / name).unlink()

    with pytest.raises(ModelFileError, match=name):
        open_nli(directory)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"classes": ["yes", "no"]}, "expected the names of entailment"),
        ({"classes": ["entailment", "entailment", "neutral"]}, "expected the names of entailment"),
        ({"max_tokens": None}, "expected name, classes"),
        ({"sha256": {}}, "expected name, classes"),
        ({"joint": [1.0]}, "expected name, classes"),
        ({"joint": {"model": "much"}}, "expected name, classes"),
    ],
    ids=["labels", "labels twice", "tokens", "digests", "joint list", "joint words"],
)
def test_a_card_that_does_not_say_enough_is_refused(
    directory: Path, changed: dict[str, object], message: str
) -> None:
    write_card(directory, **changed)  # type: ignore[arg-type]

    with pytest.raises(ModelFileError, match=message):
        open_nli(directory)


def test_a_file_that_is_no_model_is_refused(directory: Path) -> None:
    (directory / "model.onnx").write_bytes(b"no model")
    write_card(directory)

    with pytest.raises(ModelFileError, match="cannot be loaded"):
        open_nli(directory)


def test_a_model_with_other_logits_than_its_labels_is_refused(tmp_path: Path) -> None:
    judge = open_nli(write_tiny_nli(tmp_path, n_logits=2))

    with pytest.raises(ModelFileError, match="shape"):
        judge.judge(PAIRS)


# --- parts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["entailment", "neutral", "contradiction"], LabelOrder(0, 1, 2)),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], LabelOrder(2, 1, 0)),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], LabelOrder(0, 2, 1)),
        (["not_entailment", "entailment"], LabelOrder(1, negative=0)),
        (["unsupported", "supported"], LabelOrder(1, negative=0)),
        (["hallucinated", "consistent"], LabelOrder(1, negative=0)),
        (["aligned"], LabelOrder(0)),
        (["LABEL_0", "LABEL_1"], None),
        (["entailment", "neutral"], None),
        (["neutral", "contradiction"], None),
        ([], None),
    ],
    ids=str,
)
def test_labels_are_told_by_their_names(labels: list[str], order: LabelOrder | None) -> None:
    assert label_order(labels) == order


def test_logits_become_probabilities_without_overflow() -> None:
    [found] = LabelOrder(0, 1, 2).judgements(np.array([[1000.0, 1000.0, -1000.0]]))

    assert (found.entailment, found.neutral, found.contradiction) == (0.5, 0.5, 0.0)


def test_one_logit_goes_through_a_sigmoid() -> None:
    [found] = LabelOrder(0).judgements(np.array([[math.log(3)]]))

    assert found.entailment == pytest.approx(0.75)


@pytest.mark.parametrize("bad", [math.nan, math.inf], ids=["nan", "infinite"])
def test_a_logit_that_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(ModelError, match="no number"):
        LabelOrder(0, 1, 2).judgements(np.array([[0.0, bad, 1.0]]))


def test_batches_hold_rows_of_like_length_within_the_budget() -> None:
    lengths = [9, 2, 7, 2, 50, 3]

    found = list(length_batches(lengths, 18))

    assert sorted(at for batch in found for at in batch) == list(range(6))
    assert [[lengths[at] for at in batch] for batch in found] == [[2, 2, 3], [7, 9], [50]]


def test_the_card_may_say_how_long_premises_shall_be(directory: Path) -> None:
    write_card(directory, window_words=160)

    assert open_nli(directory).window_words == 160


def test_the_card_may_weigh_the_model_beside_lexical_alignment(directory: Path) -> None:
    without = open_nli(directory).joint
    write_card(directory, joint={"model": 0.5})

    assert (without, open_nli(directory).joint) == (None, {"model": 0.5})


def test_an_opened_model_is_a_judge(directory: Path) -> None:
    assert isinstance(open_nli(directory, n_threads=2), OnnxNli)
