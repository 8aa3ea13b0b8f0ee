"""What every `ports.CorpusIndex` keeps to; a backend inherits the class and opens documents.

    class TestMyIndex(CorpusIndexContract):
        @pytest.fixture
        def open_index(self, tmp_path):
            return lambda documents: MyIndex(documents, tmp_path)

`window_words` is asked at its edges: a pair at distance d is in the window d and not in d - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

import pytest

from averment.errors import QueryError
from averment.ports import CorpusIndex
from averment.types import Cooccurrence, Count, CountKind, Document

OpenIndex = Callable[[Sequence[Document]], CorpusIndex]

HARDY = "Silas Hardy was born in 1842. He came to Reno in 1867; Hardy died there."
FORTH = "The Forth Bridge crosses the Forth. It opened in 1890."


def corpus(*texts: str) -> list[Document]:
    """Documents named d0, d1, …"""
    return [Document(f"d{number}", text) for number, text in enumerate(texts)]


def exactly(value: int, documents: int) -> Count:
    return Count(value, documents, CountKind.EXACT)


def pairs_of(pairs: int, *, documents: int, nearest: int | None) -> Cooccurrence:
    return Cooccurrence(pairs > 0, documents, pairs, nearest, CountKind.EXACT)


class CorpusIndexContract:
    """What a backend states that it cannot do is overridden, each thing by name."""

    folds: ClassVar[bool] = True
    """Case, blanks and punctuation between words do not matter."""
    keeps_text: ClassVar[bool] = True
    """Documents come back as they were written, with offsets into them."""
    tells_documents: ClassVar[bool] = True
    """Every count says in how many documents the phrase is."""

    @pytest.fixture
    def open_index(self) -> OpenIndex:
        """How the backend is opened over documents."""
        raise NotImplementedError

    def told(self, truth: Count) -> Count:
        """What the backend says of a phrase that is so often in so many documents."""
        if self.tells_documents or (truth.value or 0) < 2:
            return truth
        return replace(truth, documents=None)

    def needs_folding(self) -> None:
        if not self.folds:
            pytest.skip("this backend states that phrases count as they are written")

    def needs_text(self) -> None:
        if not self.keeps_text:
            pytest.skip("this backend states that it does not keep the text as it was")

    def placed(self, *places: tuple[str, int, int]) -> list[tuple[str, int | None, int | None]]:
        """Document, start and end, as far as the backend tells them."""
        return [place if self.keeps_text else (place[0], None, None) for place in places]

    # --- info ---------------------------------------------------------------------------------

    def test_info_tells_the_size_of_the_corpus(self, open_index: OpenIndex) -> None:
        info = open_index(corpus("one two two", "three")).info

        assert info.n_documents in (2, None)
        assert info.n_words in (4, None)
        assert info.n_terms in (3, None)

    def test_info_digest_is_that_of_the_documents(self, open_index: OpenIndex) -> None:
        same = open_index(corpus(HARDY)).info.digest
        again = open_index(corpus(HARDY)).info.digest
        other = open_index(corpus(FORTH)).info.digest

        assert same == again != other

    # --- count --------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("phrase", "expected"),
        [
            pytest.param("Hardy", exactly(2, 1), id="a word"),
            pytest.param("Silas Hardy", exactly(1, 1), id="a phrase"),
            pytest.param("hardy silas", exactly(0, 0), id="the order of words matters"),
            pytest.param("Forth", exactly(2, 1), id="twice in one document"),
            pytest.param("in", exactly(3, 2), id="in two documents"),
            pytest.param("in 1867", exactly(1, 1), id="numbers are words"),
            pytest.param("died there the forth", exactly(0, 0), id="not across documents"),
            pytest.param("Kumbasaram", exactly(0, 0), id="an unknown word"),
            pytest.param("Silas Kumbasaram", exactly(0, 0), id="a known and an unknown word"),
        ],
    )
    def test_count_is_exact(self, open_index: OpenIndex, phrase: str, expected: Count) -> None:
        index = open_index(corpus(HARDY, FORTH))

        assert index.count([phrase]) == [self.told(expected)]

    @pytest.mark.parametrize(
        "phrase",
        [
            pytest.param("born in 1842 he came", id="across a full stop"),
            pytest.param(" SILAS,\n hardy!", id="case, blanks and punctuation"),
        ],
    )
    def test_phrase_is_a_row_of_words_however_written(
        self, open_index: OpenIndex, phrase: str
    ) -> None:
        self.needs_folding()

        assert open_index(corpus(HARDY, FORTH)).count([phrase]) == [exactly(1, 1)]

    def test_count_keeps_order_and_repetitions(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("a b a"))

        b, a = exactly(1, 1), self.told(exactly(2, 1))
        assert index.count(["b", "a", "b"]) == [b, a, b]

    def test_count_of_nothing_is_nothing(self, open_index: OpenIndex) -> None:
        assert open_index(corpus(HARDY)).count([]) == []

    def test_overlapping_occurrences_all_count(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("a a a a"))

        twice, thrice = self.told(exactly(3, 1)), self.told(exactly(2, 1))
        assert index.count(["a a", "a a a"]) == [twice, thrice]

    @pytest.mark.parametrize(
        ("text", "phrase"),
        [
            pytest.param("cafe\u0301 noir", "CAFÉ NOIR", id="not NFC"),
            pytest.param("die Straße", "DIE STRASSE", id="sharp s"),
            pytest.param("東京は首都", "東京", id="han by character"),
            pytest.param('the band "AND ALSO" played', "and also", id="the word and"),
            pytest.param("Hall\n\n(Oates)", "Hall Oates", id="a line break"),
            pytest.param("naïve\u200bword", "naïve word", id="a zero-width space"),
        ],
    )
    def test_text_and_phrase_pass_through_one_form(
        self, open_index: OpenIndex, text: str, phrase: str
    ) -> None:
        self.needs_folding()

        assert open_index(corpus(text)).count([phrase]) == [exactly(1, 1)]

    def test_accents_matter_unless_folded(self, open_index: OpenIndex) -> None:
        assert open_index(corpus("Zürich")).count(["Zurich"]) == [exactly(0, 0)]

    def test_documents_without_words_hold_nothing(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("!!!", "a", "…", "a"))

        assert index.info.n_documents in (4, None)
        assert index.count(["a", "a a"]) == [self.told(exactly(2, 2)), exactly(0, 0)]

    @pytest.mark.parametrize("phrase", ["", "!!!", " \n"])
    def test_phrase_without_a_word_is_refused_by_name(
        self, open_index: OpenIndex, phrase: str
    ) -> None:
        index = open_index(corpus(HARDY))

        with pytest.raises(QueryError) as refused:
            index.count(["Hardy", phrase])

        assert repr(phrase) in str(refused.value)

    # --- co-occurrence --------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("window_words", "expected"),
        [
            pytest.param(0, pairs_of(0, documents=0, nearest=2), id="no window"),
            pytest.param(1, pairs_of(0, documents=0, nearest=2), id="one word short"),
            pytest.param(2, pairs_of(1, documents=1, nearest=2), id="just wide enough"),
            pytest.param(3, pairs_of(1, documents=1, nearest=2), id="one short of the second"),
            pytest.param(4, pairs_of(2, documents=1, nearest=2), id="both of one document"),
            pytest.param(5, pairs_of(2, documents=1, nearest=2), id="one short of the third"),
            pytest.param(6, pairs_of(3, documents=2, nearest=2), id="the other document too"),
            pytest.param(10**30, pairs_of(3, documents=2, nearest=2), id="no end of a window"),
        ],
    )
    def test_pairs_within_the_window_count(
        self, open_index: OpenIndex, window_words: int, expected: Cooccurrence
    ) -> None:
        index = open_index(corpus("a x b x x x a", "b x x x x x a", "a", "b"))

        # The distances are 2 and 4 in the first document and 6 in the second.
        found = index.cooccurrence([("a", "b")], window_words=window_words)

        assert found == [expected]

    def test_distance_is_between_the_starts_of_phrases(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("New York City is where John Smith lives"))

        (found,) = index.cooccurrence([("New York City", "John Smith")], window_words=5)

        assert found == pairs_of(1, documents=1, nearest=5)

    def test_order_of_the_two_phrases_does_not_matter(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("a b b", "b", "b a"))

        forth, back = index.cooccurrence([("a", "b"), ("b", "a")], window_words=9)

        assert forth == back == pairs_of(3, documents=2, nearest=1)

    def test_pairs_never_cross_documents(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("x a", "b x"))

        (found,) = index.cooccurrence([("a", "b")], window_words=1000)

        assert found == pairs_of(0, documents=0, nearest=None)

    def test_nearest_words_is_told_beyond_the_window(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("a " + "x " * 50 + "b"))

        (found,) = index.cooccurrence([("a", "b")], window_words=10)

        assert found == pairs_of(0, documents=0, nearest=51)

    def test_phrase_pairs_with_itself_at_distance_zero(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("a x a"))

        none, both = (index.cooccurrence([("a", "a")], window_words=window)[0] for window in (0, 2))

        assert none == pairs_of(2, documents=1, nearest=0)
        assert both == pairs_of(4, documents=1, nearest=0)

    def test_overlapping_phrases_are_a_pair(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("New York City"))

        (found,) = index.cooccurrence([("New York", "York City")], window_words=1)

        assert found == pairs_of(1, documents=1, nearest=1)

    def test_absent_phrase_pairs_with_nothing(self, open_index: OpenIndex) -> None:
        index = open_index(corpus(HARDY))

        (found,) = index.cooccurrence([("Hardy", "Kumbasaram")], window_words=1000)

        assert found == pairs_of(0, documents=0, nearest=None)

    def test_exists_agrees_with_cooccurrence(self, open_index: OpenIndex) -> None:
        index = open_index(corpus(HARDY, FORTH))
        pairs = [("Silas Hardy", "1867"), ("Hardy", "Forth"), ("Silas", "1890"), ("in", "Forth")]

        found = index.exists(pairs, window_words=5)

        assert found == [c.exists for c in index.cooccurrence(pairs, window_words=5)]
        assert found == [False, False, False, True]

    def test_no_pairs_give_no_answers(self, open_index: OpenIndex) -> None:
        index = open_index(corpus(HARDY))

        assert index.cooccurrence([], window_words=5) == index.exists([], window_words=5) == []

    @pytest.mark.parametrize("method", ["exists", "cooccurrence"])
    def test_negative_window_is_refused(self, open_index: OpenIndex, method: str) -> None:
        index = open_index(corpus(HARDY))

        with pytest.raises(QueryError, match="-1"):
            getattr(index, method)([("Silas", "Hardy")], window_words=-1)

    @pytest.mark.parametrize("method", ["exists", "cooccurrence"])
    def test_pair_with_a_wordless_phrase_is_refused(
        self, open_index: OpenIndex, method: str
    ) -> None:
        index = open_index(corpus(HARDY))

        with pytest.raises(QueryError, match=r"'\?'"):
            getattr(index, method)([("Silas", "?")], window_words=5)

    # --- where ----------------------------------------------------------------------------------

    def test_locate_gives_first_occurrences_in_corpus_order(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("b a", "a b a", "a"))

        found = index.locate("A" if self.folds else "a", limit=3)

        expected = self.placed(("d0", 2, 3), ("d1", 0, 1), ("d1", 4, 5))
        assert [(o.document_id, o.start, o.end) for o in found] == expected

    def test_locate_gives_offsets_into_the_text_as_given(self, open_index: OpenIndex) -> None:
        self.needs_text()
        self.needs_folding()
        text = "\U0001f600 cafe\u0301, «Silas\n Hardy»"
        index = open_index(corpus(text))

        (found,) = index.locate("silas hardy", limit=5)

        assert text[found.start : found.end] == "Silas\n Hardy"
        assert found.snippet == "\U0001f600 cafe\u0301, «Silas Hardy»"

    def test_locate_of_an_absent_phrase_is_empty(self, open_index: OpenIndex) -> None:
        assert open_index(corpus(HARDY)).locate("Kumbasaram", limit=5) == []

    def test_locate_nothing_when_nothing_is_wanted(self, open_index: OpenIndex) -> None:
        assert open_index(corpus(HARDY)).locate("Hardy", limit=0) == []

    def test_locate_pair_gives_the_closest_pair_of_each_document(
        self, open_index: OpenIndex
    ) -> None:
        texts = ("a x b x x b a", "b", "a b", "b x x x a")
        index = open_index(corpus(*texts))

        found = index.locate_pair("a", "b", window_words=3, limit=5)

        expected = self.placed(("d0", 10, 13), ("d2", 0, 3))
        assert [(o.document_id, o.start, o.end) for o in found] == expected

    def test_locate_pair_ends_where_both_phrases_have_ended(self, open_index: OpenIndex) -> None:
        self.needs_text()
        text = "the Bank of England in London"
        index = open_index(corpus(text))

        (found,) = index.locate_pair(
            "England", "Bank of England in London", window_words=9, limit=1
        )

        assert text[found.start : found.end] == "Bank of England in London"

    def test_locate_pair_stops_at_the_limit(self, open_index: OpenIndex) -> None:
        index = open_index(corpus("a b", "b a", "a b"))

        found = index.locate_pair("a", "b", window_words=3, limit=2)

        assert [o.document_id for o in found] == ["d0", "d1"]

    def test_windows_come_nearest_first_whatever_the_order_of_the_documents(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index(corpus("a x x b", "a b", "b x a", "b"))

        [found] = index.nearest_windows([("a", "b")], window_words=3, context_words=0, limit=5)

        assert [(each.document_id, each.text) for each in found] == [
            ("d1", "a b"),
            ("d2", "b x a"),
            ("d0", "a x x b"),
        ]

    def test_windows_show_words_around_the_pair_and_where_they_stand(
        self, open_index: OpenIndex
    ) -> None:
        self.needs_text()
        self.needs_folding()
        text = "one, two. A b; three (four) five"
        index = open_index(corpus(text))

        [[found]] = index.nearest_windows([("a", "b")], window_words=3, context_words=2, limit=1)

        assert (found.text, found.start, found.end) == ("one, two. A b; three (four", 0, 26)
        assert text[found.start : found.end] == found.text

    def test_a_phrase_with_itself_shows_the_documents_that_it_opens_first(
        self, open_index: OpenIndex
    ) -> None:
        index = open_index(corpus("x x a", "a x x", "x a a"))

        [found] = index.nearest_windows([("a", "a")], window_words=0, context_words=9, limit=2)

        assert [each.document_id for each in found] == ["d1", "d2"]

    def test_windows_are_of_any_form_of_a_name(self, open_index: OpenIndex) -> None:
        names = {"nyc", "new york city"} if self.folds else {"NYC", "New York City"}
        index = open_index(corpus("New York City has b.", "NYC has b."))

        [found] = index.nearest_windows([(names, "b")], window_words=9, context_words=9, limit=5)

        assert {each.document_id for each in found} == {"d0", "d1"}

    @pytest.mark.parametrize(
        ("ask", "named"),
        [
            pytest.param(
                lambda index: index.nearest_windows(
                    [("a", "?")], window_words=1, context_words=1, limit=1
                ),
                r"'\?'",
                id="windows",
            ),
            pytest.param(lambda index: index.locate("?", limit=1), r"'\?'", id="locate"),
            pytest.param(
                lambda index: index.locate_pair("a", "?", window_words=1, limit=1),
                r"'\?'",
                id="locate_pair",
            ),
            pytest.param(
                lambda index: index.locate_pair("a", "b", window_words=-3, limit=1),
                "-3",
                id="window",
            ),
            pytest.param(lambda index: index.locate("a", limit=-2), "-2", id="limit"),
            pytest.param(
                lambda index: index.locate_pair("a", "b", window_words=1, limit=-2),
                "-2",
                id="limit of pairs",
            ),
        ],
    )
    def test_locate_refuses_what_cannot_be_asked(
        self, open_index: OpenIndex, ask: Callable[[CorpusIndex], object], named: str
    ) -> None:
        index = open_index(corpus(HARDY))

        with pytest.raises(QueryError, match=named):
            ask(index)
