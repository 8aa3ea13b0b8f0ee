"""What is counted about rows: unknown counts, bounds of memory, tallies that come back."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest

import averment
from averment.claims.rules import RulesExtractor
from averment.engine import Edges, Missing
from averment.errors import IndexUnavailable
from averment.filtering.claimed import Counting, Remembered
from averment.filtering.fields import RowTexts
from averment.filtering.findings import Findings
from averment.filtering.labelled import quality_of
from averment.filtering.rules import Rule
from averment.filtering.tally import FrequentNames, Tally, bin_names
from averment.types import Support
from contracts.disk import disk_without_fsync  # noqa: F401

TEXT = "The ferry Sorlandia was built in Kristiansand."


class Index:
    """An index whose parts can be down."""

    def __init__(self, index: Any, down: Sequence[str]) -> None:
        self._index = index
        self._down = down

    def __getattr__(self, name: str) -> Any:
        if name in self._down:
            raise IndexUnavailable(f"{name} is down")
        return getattr(self._index, name)


@pytest.fixture
def index(tmp_path: Any) -> Any:
    document = averment.Document("a", "Sorlandia sails. Kristiansand is far. Oslo is large.")
    averment.build_index([document], tmp_path / "idx")
    return averment.open_index(tmp_path / "idx")


def counting(index: Any) -> Counting:
    nobody: Any = Missing("this", hint="")
    return Counting(Edges(index, nobody, nobody, RulesExtractor()), window_words=1000)


@pytest.mark.parametrize("down", ["cooccurrence", "count"])
def test_what_could_not_be_counted_is_unknown_and_no_reason_to_keep(index: Any, down: str) -> None:
    [found] = counting(Index(index, [down]))([RowTexts(TEXT)])
    is_pair_unknown = down == "cooccurrence"

    assert found.numbers["n_unknown_counts"]
    assert (found.numbers["n_absent_pairs"] is None) == is_pair_unknown
    if is_pair_unknown:
        assert found.pairs[0].support is Support.UNKNOWN
        assert found.reasons["n_absent_pairs"] == "unknown_counts"
        assert Rule().rejects(found) == "unknown_counts"
    else:
        assert found.numbers["least_documents"] is None
        assert found.reasons["least_documents"] == "unknown_counts"
        assert "rare_name" not in Rule().flags(found)


def test_rows_are_found_alike_alone_and_together(index: Any) -> None:
    rows = [
        RowTexts(TEXT),
        RowTexts("Hello!"),
        RowTexts("Oslo", question="Where was Sorlandia built?"),
        RowTexts("Oslo lies in Zanzibar. It was built in Kristiansand."),
    ]

    together = counting(index)(rows)

    assert together == [counting(index)([row])[0] for row in rows]
    assert [len(each.claims) for each in together] == [1, 0, 1, 2]
    assert together[2].pairs[0].tail == "Oslo"
    assert together[3].pairs[1].head == "Oslo"


def test_rare_names_and_pairs_that_are_not_covered_reject_nothing(index: Any) -> None:
    [found] = counting(index)([RowTexts("Sorlandia was built in Zanzibar.")])
    rule = Rule(rare_below=5)

    assert rule.rejects(found) is None
    assert rule.flags(found) == ["not_covered", "rare_name"]


def test_what_is_remembered_is_bounded_and_answers_stay_right() -> None:
    asked: list[int] = []

    def ask(questions: list[int]) -> list[int]:
        asked.extend(questions)
        return [2 * each for each in questions]

    remembered: Remembered[int, int] = Remembered(most=10)
    for start in range(0, 100, 4):
        batch = [start, start + 1, start, start - 1]
        assert remembered.of(batch, ask) == {each: 2 * each for each in batch}
        assert len(remembered) <= 10
    assert len(asked) < 100


def test_frequent_names_are_never_counted_too_often_and_little_too_seldom() -> None:
    draw = random.Random(0)
    names = FrequentNames(most=50)
    truth: dict[str, int] = {}
    for _ in range(5000):
        name = f"n{int(draw.paretovariate(0.5))}"
        truth[name] = truth.get(name, 0) + 1
        names.add([(name, 1)])

    for name, n_rows, _ in names.most_common(100):
        assert n_rows <= truth[name] <= n_rows + names.missed_at_most
    assert names.missed_at_most > 0
    assert names.most_common(1)[0][0] == max(truth, key=lambda name: truth[name])
    assert len(names.to_json()["rows"]) <= 100


def test_a_tally_comes_back_as_it_was() -> None:
    tally = Tally()
    tally.add(None, "malformed")
    tally.add(Findings(names=(("Oslo", 1), ("Bergen", None))), None, ["no_claims"], label=True)
    tally.add(Findings(names=(("Oslo", 1),)), "absent_pair", label=False, rare_below=2)

    again = Tally.from_json(json.loads(json.dumps(tally.to_json())))

    assert again.to_json() == tally.to_json()
    assert again.lacking.most_common(5) == [("Oslo", 1, 1)]
    assert again.labelled == {"right,kept": 1, "wrong,rejected": 1}
    bins = dict(zip(bin_names("least_documents"), again.bins["least_documents"], strict=True))
    assert bins["unknown"] == bins["1"] == 1


def test_bins_are_named_by_what_is_in_them() -> None:
    assert bin_names("n_pairs") == ["0", "1", "2 to 3", "4 to 7", "8 or more", "unknown"]
    assert bin_names("lowest_p_true")[0] == "0 to 0.1"
    assert bin_names("lowest_p_true")[-2:] == ["0.9 to 1", "unknown"]


def test_quality_without_anything_to_divide_by_is_undefined() -> None:
    found = quality_of({"right,kept": 3})

    assert quality_of({}) is None
    assert found is not None
    assert found.precision.value is found.recall.value is found.f1.value is None


def test_memory_does_not_grow_with_the_rows(index: Any, tmp_path: Any) -> None:
    path = tmp_path / "data.jsonl"

    def peak_of(n_rows: int) -> int:
        line = '{"id": %d, "text": "Sorlandia%d was built in Oslo.", "more": "%s"}\n'
        with path.open("w", encoding="utf-8") as stream:
            for at in range(n_rows):
                stream.write(line % (at, at % 500, "x" * 500))
        tracemalloc.start()
        averment.filter_rows(path, tmp_path / f"out{n_rows}", index=index, aliases=False)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    few, many = peak_of(4_000), peak_of(20_000)

    assert path.stat().st_size > 10_000_000
    assert many < few + 2_000_000


def test_a_row_in_a_language_without_rules_is_unknown_and_stops_no_other(index: Any) -> None:
    rows = [RowTexts(TEXT), RowTexts("東京は日本の首都です。")]

    english, japanese = counting(index)(rows)

    assert english.names
    assert not japanese.names
    assert [claim.reason for claim in japanese.claims] == ["extraction_failed"]
