"""AT-11: the forms of one name share a count, nothing counts twice, and what is removed is gone.

First the index itself with sets of forms, then the commands as a person types them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from averment.cli.app import run
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.types import Cooccurrence, Count, CountKind, Document
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import EACH_ENGINE

NEW_YORK = frozenset({"NYC", "New York City", "New York, N.Y.", "New York"})
DOCUMENTS = [
    Document("full", "New York City never sleeps. NYC is loud."),
    Document("postal", "Send it to New York, N.Y. by noon."),
    Document("state", "Albany is the capital of New York."),
    Document("database", "MongoDB is no board game; Go is one. Gonzalo plays go."),
    Document("none", "York is a new city for him."),
]


@pytest.fixture(params=EACH_ENGINE)
def index(tmp_path: Path, request: pytest.FixtureRequest) -> EmbeddedIndex:
    with IndexWriter(tmp_path / "i", engine=request.param) as writer:
        for document in DOCUMENTS:
            writer.add(document)
        writer.publish()
    return open_embedded(tmp_path / "i")


def exactly(value: int, documents: int) -> Count:
    return Count(value, documents, CountKind.EXACT)


def test_forms_share_a_count_without_counting_overlaps_twice(index: EmbeddedIndex) -> None:
    (found,) = index.count([NEW_YORK])

    # "New York City" and "New York, N.Y." hold "New York", which is not a second occurrence.
    assert found == exactly(4, 3)


def test_sum_of_the_forms_would_count_twice(index: EmbeddedIndex) -> None:
    counts = index.count(sorted(NEW_YORK))

    assert sum(count.value or 0 for count in counts) == 6


def test_a_form_is_never_a_part_of_a_word(index: EmbeddedIndex) -> None:
    (found,) = index.count([frozenset({"Go", "the game of Go"})])

    assert found == exactly(2, 1)


def test_without_a_form_the_counts_are_the_old_ones(index: EmbeddedIndex) -> None:
    with_all, with_one, plain = index.count([NEW_YORK, frozenset({"NYC"}), "NYC"])

    assert with_one == plain == exactly(1, 1)
    assert with_all != plain


def test_pairs_are_of_any_form(index: EmbeddedIndex) -> None:
    pairs = [
        (NEW_YORK, "loud"),
        ("loud", NEW_YORK),
        ("New York City", "loud"),
        (NEW_YORK, "Albany"),
    ]

    found = index.cooccurrence(pairs, window_words=4)

    assert found[0] == found[1] == Cooccurrence(True, 1, 1, 2, CountKind.EXACT)
    assert [each.exists for each in found] == [True, True, False, False]
    assert index.exists(pairs, window_words=4) == [each.exists for each in found]


def test_what_is_located_is_the_form_that_stands_there(index: EmbeddedIndex) -> None:
    texts = {document.document_id: document.text for document in DOCUMENTS}

    found = index.locate(NEW_YORK, limit=9)

    assert [texts[o.document_id][o.start : o.end] for o in found] == [
        "New York City",
        "NYC",
        "New York, N.Y",
        "New York",
    ]


# --- as a person types it -----------------------------------------------------------------------

Told = Callable[..., Any]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Told:
    """Runs a command with --json on an index of the documents: what it prints."""
    monkeypatch.setenv("AVERMENT_INDEX", str(tmp_path / "idx"))
    rows = [json.dumps({"id": one.document_id, "text": one.text}) for one in DOCUMENTS]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    assert run(["index", "build", str(tmp_path / "corpus.jsonl")]) == 0

    def tell(*arguments: str) -> Any:
        capsys.readouterr()
        assert run([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return tell


def values(told: Told, *names: str) -> list[tuple[int, int]]:
    counted = told("index", "count", *names, "--aliases", "--show", "0")
    return [(row["count"], row["documents"]) for row in counted["counts"]]


def test_names_that_were_added_share_a_count(told: Told) -> None:
    names = ("NYC", "New York City", "New York, N.Y.", "New York")
    told("alias", "add", "New York City", "NYC", "New York, N.Y.", "New York")

    assert values(told, *names) == [(4, 3)] * 4


def test_removing_an_alias_restores_the_old_counts(told: Told) -> None:
    names = ("NYC", "New York City", "New York, N.Y.")
    before = values(told, *names)

    told("alias", "add", "New York City", "NYC", "New York, N.Y.")
    between = values(told, *names)
    told("alias", "remove", "New York City", "New York, N.Y.")
    told("alias", "remove", "New York City")

    assert between == [(3, 2)] * 3
    assert values(told, *names) == before
    assert told("alias", "list")["aliases"] == []


def test_a_form_that_was_added_is_never_a_part_of_a_word(told: Told) -> None:
    told("alias", "add", "Golang", "Go", "the board game of go")

    assert values(told, "Golang", "Go") == [(2, 1), (2, 1)]


def test_counts_with_aliases_say_which_forms_they_are_of(told: Told) -> None:
    told("alias", "add", "New York City", "NYC")

    (row,) = told("index", "count", "NYC", "--aliases")["counts"]
    pair = told("index", "cooccur", "NYC", "loud", "--aliases", "--window", "9")

    forms = [
        {"form": "NYC", "source": "name"},
        {"form": "New York City", "source": "user"},
    ]
    assert row["forms"] == pair["a_forms"] == forms
    assert pair["pairs"] == 2
    assert "b_forms" not in pair


def test_a_name_can_be_tried_before_it_is_trusted(told: Told) -> None:
    told("alias", "add", "New York City", "NYC", "New York, N.Y.", "New York")

    made = told("alias", "test", "NYC")

    counts = {row["form"]: (row["count"], row["source"]) for row in made["forms"]}
    assert made["canonical"] == "New York City"
    assert counts == {
        "NYC": (1, "name"),
        "New York City": (1, "user"),
        "New York, N.Y.": (1, "user"),
        "New York": (3, "user"),
    }
    assert (made["union"]["count"], made["union"]["documents"]) == (4, 3)
    assert made["refused"] == []
