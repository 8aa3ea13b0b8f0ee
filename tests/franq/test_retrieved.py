"""Retrieved passages are taken out of the counts of the corpus they came from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import averment
from averment.franq.evidence import CorpusSize, TripleCounts, triple_features
from averment.franq.retrieved import pairs_in_passages, without_retrieved
from averment.text import TextForm
from averment.types import Cooccurrence, Count, CountKind, Document, Passage

CORPUS = CorpusSize(n_documents=1000, n_words=200_000, window_words=1000)


def pair(documents: int, kind: CountKind = CountKind.EXACT) -> Cooccurrence:
    found = bool(documents)
    return Cooccurrence(found, documents, documents * 2, 9 if found else None, kind)


KNOWN = TripleCounts(Count(300, 99, CountKind.EXACT), Count(30, 9, CountKind.EXACT), pair(4))


def passage(document_id: str, text: str) -> Passage:
    return Passage(f"{document_id}#{text}", document_id, "", text, 0, len(text))


@pytest.mark.parametrize(
    ("window_words", "documents", "pairs", "nearest"),
    [(3, 0, 0, None), (4, 1, 1, 4), (5, 2, 2, 4), (100, 2, 3, 4)],
)
def test_pairs_are_counted_within_the_window_by_documents(
    window_words: int, documents: int, pairs: int, nearest: int | None
) -> None:
    passages = [
        passage("a", "Silas Hardy was born in 1867. In 1867!"),
        passage("a", "Nothing of him."),
        passage("b", "1867: the year of SILAS  HARDY"),
        passage("c", "Silas was no Hardy; 1867."),
    ]
    head = "Silas Hardy"

    found = pairs_in_passages(
        head, "1867", passages=passages, window_words=window_words, form=TextForm()
    )

    expected = Cooccurrence(documents > 0, documents, pairs, nearest, CountKind.EXACT)
    assert found == expected


def test_passages_that_are_whole_documents_hold_what_an_index_of_them_counts(
    tmp_path: Path,
) -> None:
    texts = ["Oslo, Norway. Norway!", "Norway has Oslo", "Oslo", "Norway x x x Oslo Oslo", ""]
    documents = [Document(f"d{number}", text) for number, text in enumerate(texts) if text]
    averment.build_index(documents, tmp_path / "idx")
    index = averment.open_index(tmp_path / "idx")
    (counted,) = index.cooccurrence([("oslo", "NORWAY")], window_words=3)

    found = pairs_in_passages(
        "oslo",
        "NORWAY",
        passages=[passage(document.document_id, document.text) for document in documents],
        window_words=3,
        form=TextForm(),
    )

    assert found == counted


def test_any_form_of_a_name_counts_and_one_without_words_never() -> None:
    passages = [passage("a", "NYC hosts it."), passage("b", "New York City hosts it.")]

    found = pairs_in_passages(
        frozenset({"NYC", "New York City", "!"}),
        "hosts",
        passages=passages,
        window_words=10,
        form=TextForm(),
    )

    assert (found.documents, found.pairs, found.nearest_words) == (2, 2, 1)
    assert found.kind is CountKind.EXACT


def test_retrieved_passages_are_no_evidence_for_themselves() -> None:
    left = without_retrieved(pair(4), retrieved=pair(1))

    assert left == Cooccurrence(True, 3, 6, None, CountKind.EXACT)


def test_a_pair_that_stands_in_the_retrieved_passages_alone_is_absent_from_the_rest() -> None:
    left = without_retrieved(pair(1), retrieved=pair(1))

    assert left == Cooccurrence(False, 0, 0, None, CountKind.EXACT)
    features = triple_features(replace(KNOWN, together=left), corpus=CORPUS)
    assert features["zero"] == 1.0


def test_more_in_the_passages_than_in_the_corpus_leaves_nothing_rather_than_less() -> None:
    assert without_retrieved(pair(1), retrieved=pair(3)).documents == 0


def test_what_is_left_of_a_lower_bound_is_a_lower_bound() -> None:
    left = without_retrieved(pair(2, kind=CountKind.LOWER_BOUND), retrieved=pair(2))

    assert (left.exists, left.documents, left.kind) == (None, 0, CountKind.LOWER_BOUND)
    assert triple_features(replace(KNOWN, together=left), corpus=CORPUS)["zero"] is None


def test_passages_without_the_pair_change_nothing() -> None:
    assert without_retrieved(pair(4), retrieved=pair(0)) == pair(4)


def test_unknown_pairs_leave_unknown_pairs() -> None:
    left = without_retrieved(replace(pair(4), pairs=None), retrieved=replace(pair(1), pairs=None))

    assert (left.documents, left.pairs) == (3, None)


@pytest.mark.parametrize(
    ("together", "retrieved"),
    [
        (Cooccurrence.unavailable(), pair(1)),
        (pair(4), Cooccurrence.unavailable()),
        (pair(4), pair(1, kind=CountKind.ESTIMATE)),
        (pair(4), replace(pair(1), documents=None)),
        (replace(pair(4), documents=None), pair(1)),
    ],
)
def test_what_cannot_be_subtracted_leaves_nothing_known(
    together: Cooccurrence, retrieved: Cooccurrence
) -> None:
    assert without_retrieved(together, retrieved=retrieved) == Cooccurrence.unavailable()
