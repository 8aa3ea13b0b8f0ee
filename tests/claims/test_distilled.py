"""The reading of an encoder's numbers, over an encoder whose numbers are written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

from averment.claims.distilled import DistilledExtractor, Layout
from averment.errors import ModelFileError
from averment.text import TextForm
from averment.types import Triplet

LAYOUT = Layout(("name", "date", "number"), ("", "born", "died"), n_dims=4, threshold=0.5)
CARD = {"kinds": LAYOUT.kinds, "relations": LAYOUT.relations, "n_dims": 4, "threshold": 0.5}
SENTENCE = "Haneef quickly wrote Vetham."


class Word(NamedTuple):
    start: int
    end: int
    first: int
    last: int


class ByHand:
    """An encoder of one token a word; `numbers` has the parts that are not zero, by word."""

    def __init__(self, numbers: Mapping[str, Mapping[str, Any]], card: Mapping[str, Any]) -> None:
        self._numbers = numbers
        self.layout = card

    def read(self, text: str) -> tuple[list[Word], np.ndarray]:
        words = TextForm().words_with_spans(text)
        numbers = np.zeros((len(words), LAYOUT.width), dtype=np.float32)
        for row, word in zip(numbers, words, strict=True):
            for part, value in self._numbers.get(word.form, {}).items():
                row[getattr(LAYOUT, part)] = value
        return [Word(w.start, w.end, at, at) for at, w in enumerate(words)], numbers


def read_by(
    numbers: Mapping[str, Mapping[str, Any]], sentence: str = SENTENCE, **changed: Any
) -> list[Triplet]:
    extractor = DistilledExtractor(ByHand(numbers, CARD | changed))
    return list(extractor.triplets([sentence])[0].triplets)


LINKED = {
    "haneef": {"head": 1, "asks_head": 1},
    "vetham": {"tail": 1, "asks_tail": 1},
    "quickly": {"first": 1},
    "wrote": {"last": 1},
}


def test_two_names_that_agree_are_linked_by_the_words_that_agree_with_both() -> None:
    assert read_by(LINKED) == [Triplet("Haneef", "quickly wrote", "Vetham")]


def test_below_the_threshold_nothing_is_linked() -> None:
    assert read_by(LINKED, threshold=2.5) == []  # 4 ones times 4 ones, over the root of 4: 2.0


def test_of_two_directions_the_stronger_is_claimed() -> None:
    numbers = {
        "haneef": {"head": 1, "tail": 2},
        "vetham": {"head": 1, "tail": 1},
        "wrote": {"first": 1, "last": 1},
    }

    assert [(each.head, each.tail) for each in read_by(numbers)] == [("Vetham", "Haneef")]


def test_a_relation_without_words_of_the_sentence_is_one_of_the_fixed_ones() -> None:
    numbers = LINKED | {"vetham": {"tail": 1, "tail_classes": [0, 0, 3]}}

    assert read_by(numbers) == [Triplet("Haneef", "died", "Vetham")]


def test_where_nothing_but_two_names_stands_the_best_fixed_relation_is_taken() -> None:
    numbers = LINKED | {"vetham": {"tail": 1, "tail_classes": [9, 3, 0]}}
    extractor = DistilledExtractor(ByHand(numbers, CARD), silent_rules=())

    [found] = extractor.triplets(["Haneef, Vetham."])

    assert [each.relation for each in found.triplets] == ["born"]


def test_words_of_a_relation_do_not_reach_over_an_end() -> None:
    numbers = LINKED | {"wrote": {"first": 1}, "there": {"last": 1}, "quickly": {}}

    [found] = read_by(numbers, "Haneef wrote Vetham there.")

    assert found.relation in ("wrote", "there")


def test_a_date_is_nobody_of_whom_something_is_said() -> None:
    numbers = {"haneef": {"tail": 1}, "2017": {"head": 1}, "came": {"first": 1, "last": 1}}

    assert read_by(numbers, "Haneef came in 2017.") == []


def test_a_name_without_capitals_is_marked_by_the_encoder() -> None:
    begins, inside = np.eye(7)[1], np.eye(7)[2]
    numbers = {"aspirin": {"tags": begins}, "acid": {"tags": begins}, "salicylic": {"tags": begins}}
    numbers["acid"] = {"tags": inside}
    text = "Here aspirin becomes salicylic acid quickly"

    [found] = DistilledExtractor(ByHand(numbers, CARD)).entities([text])

    assert [(each.text, each.kind) for each in found] == [
        ("aspirin", "name"),
        ("salicylic acid", "name"),
    ]


def test_an_encoder_of_another_width_is_refused() -> None:
    with pytest.raises(ModelFileError, match=f"gives {LAYOUT.width} numbers"):
        read_by(LINKED, n_dims=5)


@pytest.mark.parametrize(
    "card",
    [
        {},
        CARD | {"n_dims": "many"},
        CARD | {"kinds": 3},
        CARD | {"relations": [""]},
        CARD | {"relations": ["born", "died"]},
    ],
    ids=["nothing", "no number", "no list", "no fixed relation", "no empty relation"],
)
def test_a_card_that_does_not_say_what_the_numbers_are_is_refused(card: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError, match="expected kinds, relations, n_dims and threshold"):
        DistilledExtractor(ByHand({}, card))
