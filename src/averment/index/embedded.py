"""An open index: the segments of a directory, asked together.

Counts of segments add up, since a document lies in one of them. An open index never changes: any
thread may ask, a pickled one opens the same directory again, and a generation published later is
seen by whoever opens it later.
What this module does not do: count (the engines do), build (`averment.index.build`).
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, islice, starmap
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from averment.dating import Dates, Days, Undated
from averment.errors import CapabilityError, IndexFormatError, QueryError
from averment.index.arrays import REBUILD
from averment.index.combined import Near, PlacedWindow, together
from averment.index.documents import DocumentStore, PassageSequence, Unreadable
from averment.index.engines import COMPILED, Segment, check_engine
from averment.index.engines import words as engine_words
from averment.index.extras import Extras
from averment.index.manifest import (
    Manifest,
    check_sizes,
    damaged_files,
    read_manifest,
)
from averment.index.metadata import Mask, Restriction, checked_rule
from averment.index.parts import DamagedPart, Part, dates_of, open_part
from averment.index.snippets import joined_words, snippet
from averment.ports import DamagedSegments
from averment.text import Span, TextForm
from averment.types import (
    Cooccurrence,
    CorpusInfo,
    Count,
    CountKind,
    Occurrence,
    Passage,
    Phrase,
)

_T = TypeVar("_T")
_LONGEST_DOCUMENT_WORDS = 2**31  # a wider window is no wider
_ATTEMPTS = 3  # at a manifest that is replaced while it is read
_MANY = 1000  # questions from which on threads share them
_N_THREADS = min(os.cpu_count() or 1, 8)
_DOCUMENTS_OF_WINDOWS = 1000  # of a segment, among which the nearest windows are found


def open_embedded(path: Path, *, damaged_segments: DamagedSegments = "fail") -> EmbeddedIndex:
    """Open an index directory.

    Args:
        path: The directory.
        damaged_segments: With ``lower_bound``, damaged segments are left out, what is counted are
            lower bounds, and what is not found is unknown; `EmbeddedIndex.problems` names them.

    Raises:
        NotAnIndexError: There is no index at the path.
        IndexFormatError: It is damaged, newer than this averment, of an engine that is not here,
            or of a text form that this Python does not have.
    """
    for attempt in range(_ATTEMPTS):
        manifest = read_manifest(path)
        check_engine(manifest.engine)
        try:
            return _open_generation(path, manifest, damaged_segments)
        except IndexFormatError:
            # A writer may have removed what the manifest listed, after publishing another one.
            is_last = attempt == _ATTEMPTS - 1
            if is_last or read_manifest(path).generation == manifest.generation:
                raise
    raise AssertionError("the last attempt returns or raises")


def open_segments(path: Path, manifest: Manifest, first: int, beyond: int) -> EmbeddedIndex:
    """Some segments of an index as an index of their own, without what ranks passages.

    Args:
        path: The directory.
        manifest: Of the whole index.
        first: The number of the first segment.
        beyond: The number of the segment after the last one.

    Raises:
        IndexFormatError: They are damaged, or not there any more.
    """
    some = dataclasses.replace(manifest, segments=manifest.segments[first:beyond], extras=())
    return _open_generation(path, some, "fail")


def _open_generation(
    path: Path, manifest: Manifest, damaged_segments: DamagedSegments
) -> EmbeddedIndex:
    parts: list[Part] = []
    damaged: list[DamagedPart] = []
    for entry in manifest.segments:
        try:
            parts.append(open_part(path, entry, manifest))
        except IndexFormatError as error:
            if damaged_segments == "fail":
                raise
            damaged.append(DamagedPart(entry, len(parts), error.message))
    if damaged and not parts:
        raise IndexFormatError(
            f"Every segment of the index at {path} is damaged; the first: {damaged[0].problem}",
            hint=REBUILD,
        )
    check_sizes(path, [file for extra in manifest.extras for file in extra.files])
    return EmbeddedIndex(
        path, manifest, parts, damaged=damaged, tolerates_damage=damaged_segments != "fail"
    )


def _reopen(
    path: Path, damaged_segments: DamagedSegments, restrictions: Sequence[Restriction], digest: str
) -> EmbeddedIndex:
    index = open_embedded(path, damaged_segments=damaged_segments)
    for restriction in restrictions:
        index = index.restricted(restriction)
    if index.info.digest != digest:
        raise IndexFormatError(
            f"The index at {path} holds other documents than when it was pickled (digest "
            f"{index.info.digest[:12]}, not {digest[:12]}).",
            hint="Open it anew where it is used.",
        )
    return index


class Content(NamedTuple):
    """A document with its words in their normal form; without a text where only words are kept."""

    document_id: str
    title: str
    words: list[str]
    text: str | None


class EmbeddedIndex:
    """A `ports.CorpusIndex` over the segments of a directory; see `open_embedded`."""

    def __init__(
        self,
        path: Path,
        manifest: Manifest,
        parts: Sequence[Part],
        *,
        damaged: Sequence[DamagedPart] = (),
        tolerates_damage: bool = False,
        restrictions: tuple[Restriction, ...] = (),
        extras: Extras | None = None,
    ) -> None:
        self._path = path.absolute()
        self._manifest = manifest
        self._parts = tuple(parts)
        self._damaged = tuple(damaged)
        self._tolerates_damage = tolerates_damage
        self._restrictions = restrictions
        self._extras = extras or Extras(self._path, manifest)
        self._form = manifest.form
        self._knows_postings = manifest.engine == COMPILED and all(
            part.segment is part.whole for part in parts
        )

    def __reduce__(self) -> tuple[object, ...]:
        tolerance = "lower_bound" if self._tolerates_damage else "fail"
        return _reopen, (self._path, tolerance, self._restrictions, self.info.digest)

    @cached_property
    def info(self) -> CorpusInfo:
        """What this index is; its name is that of its directory."""
        info = self._manifest.info(self._path.name)
        if not self._restrictions:
            return info
        told = f"{info.digest}\n{self._restrictions!r}"
        passages = [int(part.passages_meant().sum()) for part in self._parts if part.store]
        return dataclasses.replace(
            info,
            n_documents=sum(int(part.meant.sum()) for part in self._parts),
            n_words=sum(part.n_words() for part in self._parts),
            n_terms=None,
            n_passages=sum(passages),
            digest=hashlib.sha256(told.encode()).hexdigest(),
        )

    @property
    def form(self) -> TextForm:
        """The text form that phrases pass through."""
        return self._form

    @property
    def language(self) -> str:
        """That of documents which do not say theirs, or "auto"; it changes no count."""
        return self._manifest.language

    @property
    def problems(self) -> list[str]:
        """Why segments were left out; empty where all are there."""
        return [damaged.problem for damaged in self._damaged]

    def where(
        self,
        *,
        source: str | None = None,
        language: str | None = None,
        before: str | None = None,
        after: str | None = None,
        between: tuple[str, str] | None = None,
        undated: Undated | str = Undated.EXCLUDE,
    ) -> EmbeddedIndex:
        """The same index about fewer documents; it answers as one that was built of them alone.

        Args:
            source: Only documents of this source.
            language: Only documents in this language.
            before: Only documents dated before this day, month or year (ISO 8601).
            after: Only documents dated after it.
            between: Only documents dated within these two, both of them included.
            undated: Documents without a date are neither before nor after: ``exclude`` them
                wherever dates restrict, ``include`` them, or mean them ``only``.

        Raises:
            QueryError: A date is none, the second of `between` is the earlier one, or there is no
                such rule for documents without a date.
        """
        since, until = between or (None, None)
        rule = checked_rule(undated)
        return self.restricted(Restriction(source, language, before, after, since, until, rule))

    def dated(self, dates: Dates) -> EmbeddedIndex:
        """The same index about documents of some dates; see `where`."""
        return self.restricted(Restriction.by(dates))

    def dates(self) -> Mapping[Days | None, int]:
        """How many documents have each date, the earliest first; None: no known date."""
        return self._dates

    @cached_property
    def _dates(self) -> Mapping[Days | None, int]:
        return dates_of(self._parts)

    def restricted(self, restriction: Restriction) -> EmbeddedIndex:
        """The same index about the documents that a restriction leaves; see `where`."""
        return EmbeddedIndex(
            self._path,
            self._manifest,
            [part.restricted(restriction) for part in self._parts],
            damaged=self._damaged,
            tolerates_damage=self._tolerates_damage,
            restrictions=(*self._restrictions, restriction),
            extras=self._extras,
        )

    # --- passages and files -----------------------------------------------------------------------

    def passages(self) -> Sequence[Passage]:
        """All passages by number, read from disk when asked for; empty for counts only.

        Passages of deleted documents keep their numbers until the index is merged: `passages_meant`
        tells which are there.
        """
        stores: list[DocumentStore | Unreadable] = [p.store for p in self._parts if p.store]
        for at, (entry, place, problem) in enumerate(self._damaged):
            stores.insert(place + at, Unreadable(entry.n_passages, problem))
        return PassageSequence(stores)

    def passages_meant(self) -> Mask | None:
        """Which passages are of documents that this index is about; None: all of them."""
        if not self._damaged and all(part.is_whole for part in self._parts):
            return None
        masks = [part.passages_meant() for part in self._parts if part.store]
        for at, (entry, place, _) in enumerate(self._damaged):
            masks.insert(place + at, np.zeros(entry.n_passages, dtype=np.bool_))
        return np.concatenate(masks) if masks else None

    def contents(self) -> Iterator[Content]:
        """The documents that are meant, in corpus order, as far as their words are kept.

        Raises:
            CapabilityError: The index keeps neither text nor words.
        """
        if not all(part.store or part.tokens for part in self._parts):
            raise CapabilityError(
                f"The index {self.info.name!r} has counts only, and not the words of a document.",
                hint="Build it without --counts-only, or with --keep-tokens.",
            )
        for part in self._parts:
            for number in np.flatnonzero(part.meant).tolist():
                if part.store is None:
                    assert part.tokens is not None
                    words = part.tokens.words(number)
                    yield Content(part.document_ids[number], "", words, None)
                    continue
                document = part.store.document(number)
                words = engine_words(self._manifest.engine, self._form, document.text)
                yield Content(document.document_id, document.title, words, document.text)

    def extra_directory(self, name: str) -> Path | None:
        """Where `IndexWriter.extra_directory` of that name was published; None if it was not."""
        return self._extras.directory(name)

    def opened_extra(self, name: str, opening: Callable[[Path], _T]) -> _T | None:
        """What a function makes of it, once for all restrictions: see `Extras.opened`."""
        return self._extras.opened(name, opening)

    def verify(self) -> list[str]:
        """Read every file and name those that are not what was written; empty if all are well."""
        return damaged_files(self._path, self._manifest)

    # --- answers ----------------------------------------------------------------------------------

    def count(self, phrases: Sequence[Phrase]) -> list[Count]:
        """Occurrences and documents of each phrase, exact.

        Raises:
            QueryError: A phrase has no word.
        """
        n_threads = _n_threads(phrases)
        found, kind = self._of_each(lambda segment: segment.count(phrases, n_threads=n_threads))
        if len(found) == 1:
            return [Count(value, documents, kind) for value, documents in found[0]]
        return [
            Count(sum(n for n, _ in each), sum(n for _, n in each), kind)
            for each in zip(*found, strict=True)
        ]

    def postings(self, phrases: Sequence[str]) -> list[list[int]] | None:
        """How many postings each word of each phrase has; no question about them reads more.

        Told in about a microsecond a word and segment. None where that takes as long as to read
        them: of the reference engine, and where only some documents are meant.
        """
        if not self._knows_postings:
            return None
        words = [self._form.words(phrase) for phrase in phrases]
        asked = [word for each in words for word in each]
        found, _ = self._of_each(lambda segment: [n for n, _ in segment.count(asked)])
        totals = iter(found[0] if len(found) == 1 else map(sum, zip(*found, strict=True)))
        return [[next(totals) for _ in each] for each in words]

    def exists(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[bool | None]:
        """Whether each pair occurs within the window; None only where a segment is left out.

        Raises:
            QueryError: A phrase has no word, or `window_words` is below zero.
        """
        window_words = _checked_window(window_words)
        n_threads = _n_threads(pairs)
        found, kind = self._of_each(
            lambda segment: segment.exists(pairs, window_words, n_threads=n_threads)
        )
        if len(found) == 1 and kind is CountKind.EXACT:
            return list(found[0])
        absent = False if kind is CountKind.EXACT else None
        return [any(each) or absent for each in zip(*found, strict=True)]

    def cooccurrence(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[Cooccurrence]:
        """Pairs of starts, documents and smallest distance of each pair of phrases, exact.

        Raises:
            QueryError: A phrase has no word, or `window_words` is below zero.
        """
        window_words = _checked_window(window_words)
        n_threads = _n_threads(pairs)
        found, kind = self._of_each(
            lambda segment: segment.cooccurrence(pairs, window_words, n_threads=n_threads)
        )
        return [together(each, kind) for each in zip(*found, strict=True)]

    def cooccurrence_by_window(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, windows_words: Sequence[int]
    ) -> list[tuple[Cooccurrence, ...]]:
        """What `cooccurrence` gives for each of some windows, in one pass over the lists.

        Raises:
            QueryError: A phrase has no word, or a window is below zero.
        """
        windows = [_checked_window(window) for window in windows_words]
        n_threads = _n_threads(pairs)
        found, kind = self._of_each(
            lambda segment: segment.cooccurrence_by_window(pairs, windows, n_threads=n_threads)
        )
        return [
            tuple(
                together([(*counts[at], nearest) for nearest, counts in each], kind)
                for at in range(len(windows))
            )
            for each in zip(*found, strict=True)
        ]

    def locate(self, phrase: Phrase, *, limit: int = 5) -> list[Occurrence]:
        """The first occurrences of a phrase, in corpus order.

        An index of counts only knows the document but not the place in its text: there start and
        end are None, and so is the snippet unless the index keeps tokens.

        Raises:
            QueryError: The phrase has no word, or `limit` is below zero.
        """
        _check_limit(limit)
        occurrences: list[Occurrence] = []
        for part in self._parts:
            found = part.segment.occurrences(phrase, limit - len(occurrences))
            for document, places in groupby(found, key=lambda place: place[0]):
                spans = [[_Place(word, n_words)] for _, word, n_words in places]
                occurrences += self._occurrences(part, document, spans)
        return occurrences

    def locate_pair(
        self, a: Phrase, b: Phrase, *, window_words: int, limit: int = 5
    ) -> list[Occurrence]:
        """The closest pair of each of the first documents that hold a pair.

        It spans from the start of the earlier phrase to where both have ended.

        Raises:
            QueryError: A phrase has no word, `window_words` or `limit` is below zero.
        """
        window_words = _checked_window(window_words)
        _check_limit(limit)
        occurrences: list[Occurrence] = []
        for part in self._parts:
            found = part.segment.nearest_pairs(a, b, window_words, limit - len(occurrences))
            for document, a_word, b_word, a_n_words, b_n_words in found:
                places = sorted([_Place(a_word, a_n_words), _Place(b_word, b_n_words)])
                occurrences += self._occurrences(part, document, [places])
        return occurrences

    def nearest_windows(
        self,
        pairs: Sequence[tuple[Phrase, Phrase]],
        *,
        window_words: int,
        context_words: int,
        limit: int = 5,
    ) -> list[tuple[Passage, ...]]:
        """The text around each pair where it stands closest, one window a document.

        The nearest come first, then those nearer to the beginning of their documents. Of each
        segment the first 1,000 documents that hold the pair are considered.

        Args:
            pairs: Pairs of phrases; a phrase with itself gives where it stands first.
            window_words: Largest distance of a pair.
            context_words: How many words are shown before and after it.
            limit: Windows a pair, at most.

        Raises:
            CapabilityError: The index was built with counts only, so there is no text.
            QueryError: A phrase has no word, or a number is below zero.
        """
        found = self.placed_windows(
            pairs, window_words=window_words, context_words=context_words, limit=limit
        )
        return [tuple(window.passage for window in windows) for windows in found]

    def placed_windows(
        self,
        pairs: Sequence[tuple[Phrase, Phrase]],
        *,
        window_words: int,
        context_words: int,
        limit: int,
    ) -> list[list[PlacedWindow]]:
        """What `nearest_windows` gives, with what puts windows in order."""
        window_words = _checked_window(window_words)
        _check_limit(limit)
        if not all(part.store for part in self._parts):
            raise CapabilityError(
                f"The index {self.info.name!r} has counts only, no text to show.",
                hint="Build it without --counts-only.",
            )
        return [
            list(islice(self._windows(a, b, window_words, context_words), limit)) for a, b in pairs
        ]

    def _windows(
        self, a: Phrase, b: Phrase, window_words: int, context_words: int
    ) -> Iterator[PlacedWindow]:
        for near in self._nearest(a, b, window_words):
            window = self._around(near, context_words)
            if window is not None:
                yield PlacedWindow(near.words_apart, near.first, window)

    def _nearest(self, a: Phrase, b: Phrase, window_words: int) -> Iterator[Near]:
        """Where a pair stands closest in each document, the nearest first."""
        found = sorted(
            (abs(at_a - at_b), min(at_a, at_b), number, document, max(at_a + n_a, at_b + n_b))
            for number, part in enumerate(self._parts)
            for document, at_a, at_b, n_a, n_b in part.segment.nearest_pairs(
                a, b, window_words, _DOCUMENTS_OF_WINDOWS
            )
        )
        return starmap(Near, found)

    def _around(self, near: Near, context_words: int) -> Passage | None:
        """The text of a pair with so many words before and after it; None: it is no body."""
        part = self._parts[near.part]
        assert part.store is not None
        document = part.store.document(near.document)
        first, last = near.first - context_words, near.end + context_words
        start, end, place = 0, len(document.text), None
        is_cut = first > 0 or last < part.segment.document_words(near.document)
        if is_cut or document.layout:
            words = self._form.words_with_spans(document.text)
            start = words[first].start if first > 0 else start
            end = words[last - 1].end if last < len(words) else end
            pair = (words[near.first].start, words[near.end - 1].end)
            if document.layout:
                body = document.layout.body_around(*pair)
                if body is None:
                    return None
                start, end = max(start, body[0]), min(end, body[1])
                place = document.layout.place(*pair)
        name, text, date = document.document_id, document.text[start:end], document.date
        return Passage(f"{name}@{start}", name, document.title, text, start, end, place, date)

    def _of_each(self, ask: Callable[[Segment], _T]) -> tuple[list[_T], CountKind]:
        """What each segment answers, and whether that is all."""
        kind = CountKind.LOWER_BOUND if self._damaged else CountKind.EXACT
        found: list[_T] = []
        for part in self._parts:
            try:
                found.append(ask(part.segment))
            except IndexFormatError:
                # Of the last one, if none has answered: no answers are not answers of zero.
                if not self._tolerates_damage or (part is self._parts[-1] and not found):
                    raise
                kind = CountKind.LOWER_BOUND
        return found, kind

    def _occurrences(
        self, part: Part, document: int, found: Sequence[Sequence[_Place]]
    ) -> list[Occurrence]:
        """Places in one document of a segment, with their snippets as far as there is text."""
        document_id = part.document_ids[document]
        layout = None
        if part.store:
            stored = part.store.document(document)
            text, layout = stored.text, stored.layout
            words = self._form.words_with_spans(text)
        elif part.tokens:
            text, words = joined_words(part.tokens.words(document))
        else:
            return [Occurrence(document_id, None, None, None) for _ in found]
        occurrences = []
        for places in found:
            phrases = [
                Span(words[word].start, words[word + n_words - 1].end) for word, n_words in places
            ]
            start, end = phrases[0].start, max(phrase.end for phrase in phrases)
            shown = snippet(text, words, phrases)
            where = layout.place(start, end) if layout else None
            # Offsets are of the document as it was, which packed words do not know.
            bounds = (start, end) if part.store else (None, None)
            occurrences.append(Occurrence(document_id, bounds[0], bounds[1], shown, where))
        return occurrences


class _Place(NamedTuple):
    """A phrase in a document: its first word and how many words it has."""

    word: int
    n_words: int


def _n_threads(questions: Sequence[object]) -> int:
    return _N_THREADS if len(questions) >= _MANY else 1


def _checked_window(window_words: int) -> int:
    if window_words < 0:
        raise QueryError(
            f"window_words is {window_words}, but a window cannot be smaller than 0 words.",
            hint="The default is 1000.",
        )
    return min(window_words, _LONGEST_DOCUMENT_WORDS)


def _check_limit(limit: int) -> None:
    if limit < 0:
        raise QueryError(f"limit is {limit}, but fewer than 0 occurrences cannot be shown.")
