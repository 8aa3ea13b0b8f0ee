"""The reference engine: exact answers from numpy arrays on disk, as plainly as can be said.

It is the oracle that every other engine must equal and the fallback where none can be compiled.
An open index never changes: any thread may ask, a pickled one opens the same directory again, and
a generation published later is seen by whoever opens it later.
What this module does not do: build (`averment.index.build`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from averment.errors import IndexFormatError, QueryError
from averment.index.arrays import Positions
from averment.index.documents import DocumentStore, PassageSequence
from averment.index.manifest import Manifest, check_sizes, damaged_files, read_manifest
from averment.index.segment import Segment
from averment.index.snippets import snippet
from averment.index.windows import (
    NEVER,
    Partners,
    closest_pairs,
    count_pairs,
    n_distinct,
    nearest_partners,
)
from averment.text import Span, TextForm
from averment.types import Cooccurrence, CorpusInfo, Count, CountKind, Occurrence, Passage

ENGINE = "reference"
"""What the manifest calls the segments that this engine reads."""


def open_reference(path: Path) -> ReferenceIndex:
    """Open an index directory.

    Raises:
        NotAnIndexError: There is no index at the path.
        IndexFormatError: It is damaged, newer than this averment, of another engine, or of a text
            form that this Python does not have.
    """
    manifest = read_manifest(path)
    segments, stores = open_segments(path, manifest)
    return ReferenceIndex(path, manifest, segments=segments, stores=stores)


def open_segments(
    path: Path, manifest: Manifest
) -> tuple[list[Segment], list[DocumentStore] | None]:
    """The segments that a manifest lists, and their documents unless it keeps counts only.

    Raises:
        IndexFormatError: They are damaged, or of another engine.
    """
    if manifest.engine != ENGINE:
        raise IndexFormatError(
            f"The index at {path} was built by the engine {manifest.engine!r}, not {ENGINE!r}.",
            hint="Rebuild it: averment index build PATHS",
        )
    check_sizes(path, manifest)
    segments = [Segment(path / "counts" / entry.name) for entry in manifest.segments]
    if manifest.counts_only:
        return segments, None
    return segments, [DocumentStore(path / "passages" / e.name) for e in manifest.segments]


def _reopen(path: Path, digest: str) -> ReferenceIndex:
    index = open_reference(path)
    if index.info.digest != digest:
        raise IndexFormatError(
            f"The index at {path} holds other documents than when it was pickled (digest "
            f"{index.info.digest[:12]}, not {digest[:12]}).",
            hint="Open it anew where it is used.",
        )
    return index


_Found: TypeAlias = list[Positions]
"""Where a phrase starts, segment by segment."""


class _Place(NamedTuple):
    """A phrase in a segment: its first word and how many words it has."""

    start: int
    n_words: int


class _Join(NamedTuple):
    """Two phrases in a segment that holds both.

    `partners` starts from the rarer phrase, which is the second one if `swapped`.
    """

    number: int
    segment: Segment
    partners: Partners
    other: Positions
    swapped: bool


class ReferenceIndex:
    """A `ports.CorpusIndex` over the segments of a directory; see `open_reference`."""

    def __init__(
        self,
        path: Path,
        manifest: Manifest,
        *,
        segments: Sequence[Segment],
        stores: Sequence[DocumentStore] | None,
    ) -> None:
        self._path = path.absolute()
        self._manifest = manifest
        self._segments = tuple(segments)
        self._stores = None if stores is None else tuple(stores)
        self._form = manifest.form

    def __reduce__(self) -> tuple[object, ...]:
        return _reopen, (self._path, self._manifest.digest)

    @property
    def info(self) -> CorpusInfo:
        """What this index is; its name is that of its directory."""
        return self._manifest.info(self._path.name)

    @property
    def form(self) -> TextForm:
        """The text form that phrases pass through."""
        return self._form

    def passages(self) -> Sequence[Passage]:
        """All passages in corpus order, read from disk when asked for; empty for counts only."""
        return PassageSequence(self._stores or ())

    def extra_directory(self, name: str) -> Path | None:
        """Where `IndexWriter.extra_directory` of that name was published; None if it was not."""
        found = [extra for extra in self._manifest.extras if extra.name == name]
        return self._path / found[0].directory if found else None

    def verify(self) -> list[str]:
        """Read every file and name those that are not what was written; empty if all are well."""
        return damaged_files(self._path, self._manifest)

    def count(self, phrases: Sequence[str]) -> list[Count]:
        """Occurrences and documents of each phrase, exact.

        Raises:
            QueryError: A phrase has no word.
        """
        found = self._resolve(phrases)
        counts = {}
        for phrase, starts in found.items():
            documents = sum(
                n_distinct(segment.documents_of(here))
                for segment, here in zip(self._segments, starts, strict=True)
            )
            counts[phrase] = Count(sum(map(len, starts)), documents, CountKind.EXACT)
        return [counts[phrase] for phrase in phrases]

    def exists(self, pairs: Sequence[tuple[str, str]], *, window_words: int) -> list[bool | None]:
        """Whether each pair occurs within the window; never None here, as counts are exact.

        Raises:
            QueryError: A phrase has no word, or `window_words` is below zero.
        """
        window_words = _checked_window(window_words)
        found = self._resolve([phrase for pair in pairs for phrase in pair])
        return [
            any(
                bool((join.partners.words_apart <= window_words).any())
                for join in self._joins(found[a], found[b])
            )
            for a, b in pairs
        ]

    def cooccurrence(
        self, pairs: Sequence[tuple[str, str]], *, window_words: int
    ) -> list[Cooccurrence]:
        """Pairs of starts, documents and smallest distance of each pair of phrases, exact.

        Raises:
            QueryError: A phrase has no word, or `window_words` is below zero.
        """
        window_words = _checked_window(window_words)
        found = self._resolve([phrase for pair in pairs for phrase in pair])
        return [self._cooccurrence(found[a], found[b], window_words) for a, b in pairs]

    def locate(self, phrase: str, *, limit: int = 5) -> list[Occurrence]:
        """The first occurrences of a phrase, in corpus order.

        An index of counts only knows the document but not the place in its text: there start, end
        and snippet are None.

        Raises:
            QueryError: The phrase has no word, or `limit` is below zero.
        """
        _check_limit(limit)
        (found,) = self._resolve([phrase]).values()
        n_words = len(self._form.words(phrase))
        occurrences: list[Occurrence] = []
        for number, starts in enumerate(found):
            starts = starts[: limit - len(occurrences)]
            documents = self._segments[number].documents_of(starts)
            for document in np.unique(documents).tolist():
                here = starts[documents == document].tolist()
                places = [[_Place(start, n_words)] for start in here]
                occurrences += self._occurrences(number, document, places)
        return occurrences

    def locate_pair(self, a: str, b: str, *, window_words: int, limit: int = 5) -> list[Occurrence]:
        """The closest pair of each of the first documents that hold a pair.

        It spans from the start of the earlier phrase to where both have ended.

        Raises:
            QueryError: A phrase has no word, `window_words` or `limit` is below zero.
        """
        window_words = _checked_window(window_words)
        _check_limit(limit)
        found = self._resolve([a, b])
        n_words = {phrase: len(self._form.words(phrase)) for phrase in (a, b)}
        occurrences: list[Occurrence] = []
        for join in self._joins(found[a], found[b]):
            rarer, other = (b, a) if join.swapped else (a, b)
            closest = closest_pairs(join.partners, window_words)
            for document, start, partner in closest[: limit - len(occurrences)]:
                places = sorted([_Place(start, n_words[rarer]), _Place(partner, n_words[other])])
                occurrences += self._occurrences(join.number, document, [places])
        return occurrences

    def _resolve(self, phrases: Sequence[str]) -> dict[str, _Found]:
        """Look every distinct phrase up once."""
        words = {phrase: tuple(self._form.words(phrase)) for phrase in phrases}
        for phrase, form in words.items():
            if not form:
                raise QueryError(
                    f"The phrase {phrase!r} has no word to count.",
                    hint="Ask for at least one letter or digit.",
                )
        found = {
            form: [segment.phrase_starts(form) for segment in self._segments]
            for form in set(words.values())
        }
        return {phrase: found[form] for phrase, form in words.items()}

    def _joins(self, a: _Found, b: _Found) -> Iterator[_Join]:
        for number, segment in enumerate(self._segments):
            swapped = len(b[number]) < len(a[number])
            rarer, other = (b[number], a[number]) if swapped else (a[number], b[number])
            if len(rarer):
                partners = nearest_partners(
                    rarer,
                    other,
                    documents=segment.documents_of(rarer),
                    document_starts=segment.document_starts,
                )
                yield _Join(number, segment, partners, other, swapped)

    def _cooccurrence(self, a: _Found, b: _Found, window_words: int) -> Cooccurrence:
        n_pairs = n_documents = 0
        nearest = NEVER
        for join in self._joins(a, b):
            partners = join.partners
            within = partners.words_apart <= window_words
            n_documents += n_distinct(partners.documents[within])
            nearest = min(nearest, int(partners.words_apart.min()))
            n_pairs += count_pairs(
                partners.starts[within],
                join.other,
                documents=partners.documents[within],
                document_starts=join.segment.document_starts,
                window_words=window_words,
            )
        return Cooccurrence(
            exists=n_pairs > 0,
            documents=n_documents,
            pairs=n_pairs,
            nearest_words=None if nearest == NEVER else nearest,
            kind=CountKind.EXACT,
        )

    def _occurrences(
        self, number: int, document: int, found: Sequence[Sequence[_Place]]
    ) -> list[Occurrence]:
        """Places in one document of a segment as offsets into its text."""
        segment = self._segments[number]
        document_id = segment.document_ids[document]
        if self._stores is None:
            return [Occurrence(document_id, None, None, None) for _ in found]
        text = self._stores[number].document(document).text
        words = self._form.words_with_spans(text)
        first = int(segment.document_starts[document])
        occurrences = []
        for places in found:
            phrases = [
                Span(words[at - first].start, words[at - first + n_words - 1].end)
                for at, n_words in places
            ]
            end = max(phrase.end for phrase in phrases)
            shown = snippet(text, words, phrases)
            occurrences.append(Occurrence(document_id, phrases[0].start, end, shown))
        return occurrences


def _checked_window(window_words: int) -> int:
    if window_words < 0:
        raise QueryError(
            f"window_words is {window_words}, but a window cannot be smaller than 0 words.",
            hint="The default is 1000.",
        )
    return min(window_words, NEVER - 1)


def _check_limit(limit: int) -> None:
    if limit < 0:
        raise QueryError(f"limit is {limit}, but fewer than 0 occurrences cannot be shown.")
