"""AT-11, the half of the index: the forms of one name share a count, and nothing counts twice."""

from __future__ import annotations

from pathlib import Path

import pytest

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
