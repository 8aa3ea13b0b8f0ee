"""`CorpusIndex` over an index in infini-gram's format, with every number typed by what is known.

A phrase is counted as an n-gram of the index's tokens, which is exact for what `Matching` says is
an occurrence. A pair is counted in the documents of its rarer phrase, where these are few enough to
be read: exact. Otherwise infini-gram is asked. What it counts within a window is an estimate, since
it loses pairs near the borders of documents and samples without saying so; that it found any proves
that there is one, and that it found none proves nothing, so that some documents are read.

What this module does not do: talk to an engine or a server (`Source`), or keep answers.

Source: infini-gram (arXiv 2401.17377); `count_cnf` of its engine, version 2.6.0, as measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from averment.dating import Dates
from averment.errors import CapabilityError, IndexUnavailable, QueryError
from averment.index.infinigram.source import (
    ForeignDocument,
    Found,
    Matching,
    Place,
    Refused,
    Source,
)
from averment.index.snippets import snippet
from averment.languages import ENGLISH
from averment.text import Span, TextForm, Word
from averment.types import (
    Cooccurrence,
    CorpusInfo,
    Count,
    CountKind,
    Occurrence,
    Passage,
    Phrase,
)

Side: TypeAlias = frozenset[str]
"""The spellings of one name."""
_Starts: TypeAlias = npt.NDArray[np.int64]
_LONGEST_DOCUMENT_WORDS = 2**31  # a wider window is no wider


class InfiniGramIndex:
    """A `ports.CorpusIndex` over a source; safe to ask from threads if the source is.

    Args:
        source: Who answers.
        info: What is known of the index.
    """

    def __init__(self, source: Source, info: CorpusInfo) -> None:
        self._source = source
        self._info = info
        self.form = TextForm()

    @property
    def info(self) -> CorpusInfo:
        """What this index is; what nobody tells of it is None."""
        return self._info

    # --- what an index of averment's own has besides ---------------------------------------------

    @property
    def language(self) -> str:
        """What texts are in that are too short to tell: nobody knows of the documents."""
        return ENGLISH

    @property
    def problems(self) -> list[str]:
        """Why a part was left out: none ever is."""
        return []

    def opened_extra(self, name: str, opening: Callable[[Path], object]) -> None:
        """There is none: retrievers and aliases live in indexes of averment's own."""
        return

    def passages(self) -> Sequence[Passage]:
        """There are none; documents are read around phrases: see `nearest_windows`."""
        return ()

    def passages_meant(self) -> None:
        """All of none."""
        return

    def postings(self, phrases: Sequence[str]) -> None:
        """Nobody knows."""
        return

    def where(self, **restriction: object) -> NoReturn:
        """Refused: documents cannot be told apart by source, language or date.

        Raises:
            CapabilityError: Always.
        """
        asked = [name for name, value in restriction.items() if value not in (None, "exclude")]
        raise CapabilityError(
            f"The index {self._info.name!r} cannot be restricted to {', '.join(asked)}: it is "
            "infini-gram's.",
            hint="Ask all of it, or an index that averment built.",
        )

    def dated(self, dates: Dates) -> NoReturn:
        """Refused, as `where`; a policy takes that for unknown."""
        self.where(dates=dates)

    def dates(self) -> NoReturn:
        """Refused: it has no dates."""
        self.where(dates=True)

    # --- answers ---------------------------------------------------------------------------------

    def count(self, phrases: Sequence[Phrase]) -> list[Count]:
        """Occurrences of each phrase, and its documents where they are few enough to be read.

        Raises:
            QueryError: A phrase has no word.
        """
        sides = [self._side(phrase) for phrase in phrases]
        known = self._find(sides)
        overlapping = [side for side in known if not self._is_apart(known[side].there)]
        read = self._read({side: known[side] for side in overlapping})
        return [self._count(side, known[side], read.get(side)) for side in sides]

    def exists(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[bool | None]:
        """Whether each pair occurs; None where that is unknown.

        One question to infini-gram decides wherever it finds a pair.

        Raises:
            QueryError: A phrase has no word, or the window is below zero.
        """
        _check_window(window_words)
        sides = self._sides(pairs)
        known = self._find(chain.from_iterable(sides))
        asked = [pair for pair in set(sides) if all(known[side].n for side in pair)]
        n_tokens = min(window_words, self._source.most_tokens_apart)
        near = self._near(asked, known, n_tokens) if n_tokens else {}
        sure = {pair for pair, n in near.items() if isinstance(n, int) and n > 0}
        rest = [at for at, pair in enumerate(sides) if pair not in sure]
        found = self._cooccurrence([sides[at] for at in rest], known, [window_words])
        answers: list[bool | None] = [True] * len(sides)
        for at, (each,) in zip(rest, found, strict=True):
            answers[at] = each.exists
        return answers

    def cooccurrence(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[Cooccurrence]:
        """Pairs of starts, documents and smallest distance, as far as they are known.

        Raises:
            QueryError: A phrase has no word, or the window is below zero.
        """
        return [
            each for (each,) in self.cooccurrence_by_window(pairs, windows_words=[window_words])
        ]

    def cooccurrence_by_window(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, windows_words: Sequence[int]
    ) -> list[tuple[Cooccurrence, ...]]:
        """What `cooccurrence` gives for each of some windows; documents are read once.

        Raises:
            QueryError: A phrase has no word, or a window is below zero.
        """
        for window in windows_words:
            _check_window(window)
        sides = self._sides(pairs)
        known = self._find(chain.from_iterable(sides))
        return self._cooccurrence(sides, known, windows_words)

    def locate(self, phrase: Phrase, *, limit: int = 5) -> list[Occurrence]:
        """Occurrences of a phrase with snippets, in corpus order among the documents that are read.

        Raises:
            QueryError: The phrase has no word, or `limit` is below zero.
        """
        _check_limit(limit)
        side = self._side(phrase)
        documents = self._documents_of(side) if limit else []
        found = [
            self._occurrence(document, [place])
            for document in documents
            for place in document.places(side)
        ]
        return found[:limit]

    def locate_pair(
        self, a: Phrase, b: Phrase, *, window_words: int, limit: int = 5
    ) -> list[Occurrence]:
        """The closest pair of each document that holds one, among the documents that are read.

        Raises:
            QueryError: A phrase has no word, `window_words` or `limit` is below zero.
        """
        _check_window(window_words)
        _check_limit(limit)
        nearest, _ = self._nearest(a, b, window_words)
        return [self._occurrence(near.document, [near.a, near.b]) for near in nearest[:limit]]

    def nearest_windows(
        self,
        pairs: Sequence[tuple[Phrase, Phrase]],
        *,
        window_words: int,
        context_words: int,
        limit: int = 5,
    ) -> list[tuple[Passage, ...]]:
        """The text around each pair where it stands closest, among the documents that are read.

        Raises:
            QueryError: A phrase has no word, or a number is below zero.
            IndexUnavailable: No window was found, and not all documents could be read.
        """
        _check_window(window_words)
        _check_limit(limit)
        found = []
        for a, b in pairs:
            nearest, is_all = self._nearest(a, b, window_words)
            if not nearest and not is_all and limit:
                raise IndexUnavailable(
                    f"No document with {_told(a)} and {_told(b)} is among those of "
                    f"{self._info.name!r} that were read, which are not all."
                )
            nearest.sort(key=lambda near: (near.words_apart, near.first))  # stable in the corpus
            found.append(tuple(near.around(context_words) for near in nearest[:limit]))
        return found

    # --- phrases ---------------------------------------------------------------------------------

    def _side(self, phrase: Phrase) -> Side:
        spellings = [phrase] if isinstance(phrase, str) else phrase
        if not spellings:
            raise QueryError("A set of forms is empty.")
        for spelling in spellings:
            if not self.form.words(spelling):
                raise QueryError(
                    f"The phrase {spelling!r} has no word to count.",
                    hint="Ask for at least one letter or digit.",
                )
        return frozenset(self._source.matching.spelling(spelling) for spelling in spellings)

    def _sides(self, pairs: Sequence[tuple[Phrase, Phrase]]) -> list[tuple[Side, Side]]:
        return [(self._side(a), self._side(b)) for a, b in pairs]

    def _find(self, sides: Iterable[Side]) -> dict[Side, _Known]:
        """What is known of each name; every spelling is asked once."""
        asked = set(sides)
        spellings = sorted(set().union(*asked))
        found = dict(zip(spellings, self._source.find(spellings), strict=True))
        return {side: _Known.of(side, found) for side in asked}

    def _is_apart(self, spellings: Mapping[str, Found]) -> bool:
        """Whether no two spellings can share a word in a text, so that their counts add up."""
        words = [self.form.words(spelling) for spelling in spellings]
        return not any(
            _may_overlap(one, other) for at, one in enumerate(words) for other in words[:at]
        )

    def _count(self, side: Side, known: _Known, read: _Reading | None) -> Count:
        if read is not None and read.is_all:
            places = [len(document.places(side)) for document in read.documents]
            n_documents = sum(map(bool, places))
            return Count(sum(places), n_documents, CountKind.EXACT)
        if known.refused is not None and not known.n:
            return Count.unavailable(known.refused)
        if read is not None or known.refused is not None:
            most = max(found.n for found in known.there.values())
            return Count(most, None, CountKind.LOWER_BOUND, reason=known.refused)
        if any(found.is_estimate for found in known.there.values()):
            return Count(known.n, None, CountKind.ESTIMATE)
        documents = known.n if known.n < 2 else None
        if documents is None and known.n <= self._source.most_read:
            numbers = self._source.document_numbers(list(known.there.values()))
            documents = len(set(numbers)) if numbers is not None else None
        return Count(known.n, documents, CountKind.EXACT)

    # --- pairs -----------------------------------------------------------------------------------

    def _cooccurrence(
        self,
        pairs: Sequence[tuple[Side, Side]],
        known: Mapping[Side, _Known],
        windows: Sequence[int],
    ) -> list[tuple[Cooccurrence, ...]]:
        rarer = {pair: _rarer(pair, known) for pair in set(pairs)}
        counted = [pair for pair in rarer if all(known[side].n for side in pair)]
        frequent = [pair for pair in counted if known[rarer[pair]].n > self._source.most_read]
        near = {window: self._near_words(frequent, known, window) for window in windows}
        unseen = {pair for pair in frequent if any(not near[w][pair].exists for w in windows)}
        read = self._read(
            {rarer[pair]: known[rarer[pair]] for pair in counted if pair not in frequent}
            | {rarer[pair]: known[rarer[pair]] for pair in unseen}
        )

        def answer(pair: tuple[Side, Side], window: int) -> Cooccurrence:
            refused = known[pair[0]].refused or known[pair[1]].refused
            if any(known[side].is_absent for side in pair):
                return Cooccurrence(False, 0, 0, None, CountKind.EXACT)
            if pair not in counted:
                return Cooccurrence.unavailable(refused)
            estimate = near[window].get(pair)
            if estimate is not None and estimate.exists:
                return estimate
            found = _within(read[rarer[pair]], pair, window, is_all=refused is None)
            # An estimate that proves nothing still says more than that nothing was found.
            if estimate is not None and not found.exists and found.kind is not CountKind.EXACT:
                return estimate if estimate.pairs or estimate.reason else found
            return found

        return [tuple(answer(pair, window) for window in windows) for pair in pairs]

    def _near_words(
        self, pairs: Sequence[tuple[Side, Side]], known: Mapping[Side, _Known], window_words: int
    ) -> dict[tuple[Side, Side], Cooccurrence]:
        """What infini-gram says of a window in words.

        A window of words is about so many tokens; only what stands within as many tokens as there
        are words is surely within the window, since no token is more than a word.
        """
        n_tokens = max(1, round(window_words * self._source.tokens_per_word))
        n_tokens = min(n_tokens, self._source.most_tokens_apart)
        found = self._near(pairs, known, n_tokens)
        sure = found
        if n_tokens > window_words:
            unsure = [pair for pair, n in found.items() if isinstance(n, int) and n > 0]
            sure = self._near(unsure, known, window_words) if window_words else {}
        made = {}
        for pair, n in found.items():
            if isinstance(n, Refused):
                made[pair] = Cooccurrence.unavailable(n.reason)
                continue
            surely = sure.get(pair)
            exists = True if isinstance(surely, int) and surely > 0 else None
            made[pair] = Cooccurrence(exists, None, n, None, CountKind.ESTIMATE)
        return made

    def _near(
        self, pairs: Sequence[tuple[Side, Side]], known: Mapping[Side, _Known], n_tokens: int
    ) -> dict[tuple[Side, Side], int | Refused]:
        most = self._source.most_terms
        asked = [tuple(known[side].most_frequent(most) for side in pair) for pair in pairs]
        found = self._source.count_near([(a, b) for a, b in asked], n_tokens=n_tokens)
        return dict(zip(pairs, found, strict=True))

    # --- documents -------------------------------------------------------------------------------

    def _read(self, known: Mapping[Side, _Known]) -> dict[Side, _Reading]:
        """The documents of each name, as many as may be read, all in one batch."""
        most = self._source.most_read
        ranks = {
            side: list(chain.from_iterable(found.ranks(most) for found in each.there.values()))[
                :most
            ]
            for side, each in known.items()
        }
        asked = list(dict.fromkeys(chain.from_iterable(ranks.values())))
        got = dict(zip(asked, self._source.documents(asked), strict=True))
        made: dict[ForeignDocument, _Document] = {}
        readings = {}
        for side, its_ranks in ranks.items():
            documents: dict[int, _Document] = {}
            is_all = len(its_ranks) == known[side].n and known[side].refused is None
            for rank in its_ranks:
                given = got[rank]
                if isinstance(given, Refused):
                    is_all = False
                    continue
                document = made.setdefault(
                    given, _Document(given, self.form, self._source.matching)
                )
                documents.setdefault(given.number, document)
                is_all = is_all and given.is_whole and document.explains(side)
            in_order = [documents[number] for number in sorted(documents)]
            readings[side] = _Reading(in_order, is_all)
        return readings

    def _documents_of(self, side: Side) -> list[_Document]:
        known = self._find([side])[side]
        return self._read({side: known})[side].documents if known.n else []

    def _nearest(self, a: Phrase, b: Phrase, window_words: int) -> tuple[list[_Near], bool]:
        """The closest pair of each document, in corpus order; and whether these are all."""
        pair = self._side(a), self._side(b)
        known = self._find(pair)
        is_known = all(known[side].refused is None for side in pair)
        if not all(known[side].n for side in pair):
            return [], is_known
        rarer = _rarer(pair, known)
        read = self._read({rarer: known[rarer]})[rarer]
        found = [document.nearest(*pair) for document in read.documents]
        within = [near for near in found if near and near.words_apart <= window_words]
        return within, is_known and read.is_all

    def _occurrence(self, document: _Document, places: Sequence[Place]) -> Occurrence:
        words, text = document.words, document.given.text
        spans = [
            Span(words[at].start, words[at + n_words - 1].end) for at, n_words in sorted(places)
        ]
        shown = snippet(text, words, spans)
        name = document.given.document_id
        if not (self._source.is_exact_text and document.given.is_whole):
            return Occurrence(name, None, None, shown)
        return Occurrence(name, spans[0].start, max(span.end for span in spans), shown)


# --- what is known of a name ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Known:
    """The spellings of a name that occur, and why one of them could not be asked."""

    there: Mapping[str, Found]
    refused: str | None

    @classmethod
    def of(cls, side: Side, found: Mapping[str, Found | Refused]) -> _Known:
        answers = {spelling: found[spelling] for spelling in sorted(side)}
        there = {
            spelling: each
            for spelling, each in answers.items()
            if isinstance(each, Found) and each.n
        }
        reasons = [each.reason for each in answers.values() if isinstance(each, Refused)]
        return cls(there, reasons[0] if reasons else None)

    @property
    def is_absent(self) -> bool:
        """Whether it surely occurs nowhere."""
        return not self.n and self.refused is None

    @property
    def n(self) -> int:
        """Occurrences of all spellings."""
        return sum(found.n for found in self.there.values())

    def most_frequent(self, n_terms: int) -> list[tuple[int, ...]]:
        """The tokens of its most frequent spellings."""
        found = sorted(self.there.values(), key=lambda each: -each.n)
        return [each.token_ids for each in found[:n_terms]]


def _rarer(pair: tuple[Side, Side], known: Mapping[Side, _Known]) -> Side:
    return min(pair, key=lambda side: known[side].n)


def _may_overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two runs of words can share a word of a text."""
    short, long = sorted((list(one), list(other)), key=len)
    n = len(short)
    inside = any(long[at : at + n] == short for at in range(len(long) - n + 1))
    ends = any(long[-k:] == short[:k] or short[-k:] == long[:k] for k in range(1, n))
    return inside or ends


# --- what was read --------------------------------------------------------------------------------


class _Document:
    """A document with its words, which are told once."""

    def __init__(self, given: ForeignDocument, form: TextForm, matching: Matching) -> None:
        self.given = given
        self._form = form
        self._matching = matching
        self._places: dict[Side, list[Place]] = {}

    @cached_property
    def words(self) -> list[Word]:
        return self._form.words_with_spans(self.given.text)

    def places(self, side: Side) -> list[Place]:
        """Where a name stands; of spellings that overlap the first counts, then the longest."""
        if side not in self._places:
            spelled = (self._matching.places(self.given.text, self.words, each) for each in side)
            found = sorted(chain.from_iterable(spelled), key=lambda at: (at.word, -at.n_words))
            if len(side) > 1:
                kept, end = [], 0
                for place in found:
                    if place.word >= end:
                        kept.append(place)
                        end = place.word + place.n_words
                found = kept
            self._places[side] = found
        return self._places[side]

    def explains(self, side: Side) -> bool:
        """Whether the text shows why the index counted it for this name."""
        text, words = self.given.text, self.words
        return any(self._matching.explains(text, words, each) for each in side)

    def starts(self, side: Side) -> _Starts:
        return np.array([place.word for place in self.places(side)], dtype=np.int64)

    def nearest(self, a: Side, b: Side) -> _Near | None:
        """The closest pair, the first of those that are equally close."""
        near = [
            _Near(abs(one.word - other.word), min(one.word, other.word), one, other, self)
            for one in self.places(a)
            for other in self.places(b)
        ]
        return min(near, key=lambda each: each[:2], default=None)


class _Near(NamedTuple):
    """A pair in a document."""

    words_apart: int
    first: int
    a: Place
    b: Place
    document: _Document

    def around(self, context_words: int) -> Passage:
        """Its text with so many words before and after it."""
        given, words = self.document.given, self.document.words
        first = self.first - context_words
        last = max(place.word + place.n_words for place in (self.a, self.b)) + context_words
        start = words[first].start if first > 0 else 0
        end = words[last - 1].end if last < len(words) else len(given.text)
        name = given.document_id
        return Passage(f"{name}@{start}", name, given.title, given.text[start:end], start, end)


class _Reading(NamedTuple):
    """Documents in corpus order, and whether no other holds the name that they were read for."""

    documents: list[_Document]
    is_all: bool


def _within(
    read: _Reading, pair: tuple[Side, Side], window_words: int, *, is_all: bool
) -> Cooccurrence:
    """The pairs in the documents that were read."""
    n_pairs = n_documents = 0
    nearest: int | None = None
    window_words = min(window_words, _LONGEST_DOCUMENT_WORDS)
    for document in read.documents:
        a, b = (document.starts(side) for side in pair)
        if not (len(a) and len(b)):
            continue
        low = np.searchsorted(b, a - window_words, side="left")
        high = np.searchsorted(b, a + window_words, side="right")
        here = int((high - low).sum())
        n_pairs += here
        n_documents += here > 0
        at = np.searchsorted(b, a)
        before = np.abs(b[np.maximum(at - 1, 0)] - a)
        after = np.abs(b[np.minimum(at, len(b) - 1)] - a)
        distance = int(np.minimum(before, after).min())
        nearest = distance if nearest is None else min(nearest, distance)
    kind = CountKind.EXACT if read.is_all and is_all else CountKind.LOWER_BOUND
    exists = n_pairs > 0 or (False if kind is CountKind.EXACT else None)
    return Cooccurrence(exists, n_documents, n_pairs, nearest, kind)


def _told(phrase: Phrase) -> str:
    return repr(phrase if isinstance(phrase, str) else min(phrase))


def _check_window(window_words: int) -> None:
    if window_words < 0:
        raise QueryError(
            f"window_words is {window_words}, but a window cannot be smaller than 0 words.",
            hint="The default is 1000.",
        )


def _check_limit(limit: int) -> None:
    if limit < 0:
        raise QueryError(f"limit is {limit}, but fewer than 0 occurrences cannot be shown.")
