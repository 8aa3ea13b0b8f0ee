"""An index that counts names by their forms, over a real one on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.claims.aliases.book import AliasBook, AliasRow
from averment.claims.aliases.widened import WidenedIndex
from averment.errors import QueryError
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.types import Cooccurrence, Count, CountKind, Document, SurfaceForm
from contracts.disk import disk_without_fsync  # noqa: F401

DOCUMENTS = [
    Document("full", "New York City never sleeps. NYC is loud."),
    Document("state", "Albany is the capital of New York."),
    Document("born", "Frank Capra was born on May 18, 1897 in Bisacquino."),
]
ROWS = [AliasRow("New York City", "NYC", "user"), AliasRow("New York City", "New York", "user")]


@pytest.fixture
def index(tmp_path: Path) -> EmbeddedIndex:
    with IndexWriter(tmp_path / "i") as writer:
        for document in DOCUMENTS:
            writer.add(document)
        writer.publish()
    return open_embedded(tmp_path / "i")


@pytest.fixture
def widened(index: EmbeddedIndex) -> WidenedIndex:
    return WidenedIndex(index, AliasBook(ROWS))


def test_a_count_is_of_all_forms_and_names_them(widened: WidenedIndex) -> None:
    (found,) = widened.count(["NYC"])

    assert (found.value, found.documents, found.kind) == (3, 2, CountKind.EXACT)
    assert found.forms == (
        SurfaceForm("NYC", "name"),
        SurfaceForm("New York City", "user"),
        SurfaceForm("New York", "user"),
    )


def test_what_has_one_form_is_counted_as_it_was(
    widened: WidenedIndex, index: EmbeddedIndex
) -> None:
    assert widened.count(["Albany", "nobody"]) == index.count(["Albany", "nobody"])


def test_a_date_in_another_order_is_near_its_name(widened: WidenedIndex) -> None:
    pair = ("Frank Capra", "18 May 1897")

    (found,) = widened.cooccurrence([pair], window_words=10)

    assert (found.exists, found.pairs, found.nearest_words) == (True, 1, 5)
    assert found.a_forms == ()
    assert found.b_forms[:2] == (
        SurfaceForm("18 May 1897", "name"),
        SurfaceForm("May 18, 1897", "rule:date"),
    )
    assert widened.exists([pair], window_words=10) == [True]


def test_a_pair_is_never_found_by_its_spelling(index: EmbeddedIndex) -> None:
    widened = WidenedIndex(index, AliasBook([AliasRow("Albany", "capital of New York", "user")]))

    (found,) = widened.cooccurrence([("Albany", "New York")], window_words=0)

    assert found == Cooccurrence(False, 0, 0, 5, CountKind.EXACT)


def test_two_names_that_share_a_form_do_not_share_it_in_a_pair(index: EmbeddedIndex) -> None:
    rows = [AliasRow("Big City", "NYC", "user"), AliasRow("Loud Place", "NYC", "user")]

    (found,) = WidenedIndex(index, AliasBook(rows)).cooccurrence(
        [("Big City", "Loud Place")], window_words=1000
    )

    assert not found.exists


def test_several_windows_say_which_forms_they_are_of(widened: WidenedIndex) -> None:
    ((near, far),) = widened.cooccurrence_by_window([("NYC", "loud")], windows_words=[2, 1000])

    assert (near.pairs, far.pairs) == (1, 2)
    assert [form.text for form in far.a_forms] == ["NYC", "New York City", "New York"]


def test_what_is_located_is_any_form(widened: WidenedIndex) -> None:
    found = widened.locate("NYC", limit=9)
    (pair,) = widened.locate_pair("NYC", "Albany", window_words=9, limit=9)

    assert [one.document_id for one in found] == ["full", "full", "state"]
    assert pair.document_id == "state"


def test_windows_of_text_are_of_any_form(widened: WidenedIndex) -> None:
    ((window,),) = widened.nearest_windows(
        [("Albany", "NYC")], window_words=9, context_words=3, limit=2
    )

    assert window.document_id == "state"


def test_a_set_of_forms_is_counted_as_it_is(widened: WidenedIndex) -> None:
    asked = frozenset({"NYC", "Albany"})

    (found,) = widened.count([asked])

    assert found.value == 2
    assert {form.text for form in found.forms} == asked


@pytest.mark.parametrize("phrase", ["", "...", frozenset()])
def test_a_phrase_without_a_word_is_refused_as_before(
    widened: WidenedIndex, phrase: str | frozenset[str]
) -> None:
    with pytest.raises(QueryError):
        widened.count([phrase])


def test_without_aliases_the_counts_are_the_old_ones(index: EmbeddedIndex) -> None:
    bare = WidenedIndex(index, AliasBook(rules=()))

    assert bare.count(["NYC"]) == [Count(1, 1, CountKind.EXACT)] == index.count(["NYC"])
