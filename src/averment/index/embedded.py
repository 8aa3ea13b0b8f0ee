"""An open index: the segments of a directory, asked together.

Counts of segments add up, since a document lies in one of them. An open index never changes: any
thread may ask, a pickled one opens the same directory again, and a generation published later is
seen by whoever opens it later.
What this module does not do: count (the engines do), build (`averment.index.build`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from averment.errors import IndexFormatError, QueryError
from averment.index.documents import DocumentStore, PassageSequence
from averment.index.engines import Segment, open_segment
from averment.index.manifest import Manifest, check_sizes, damaged_files, read_manifest
from averment.index.snippets import snippet
from averment.index.string_table import StringTable
from averment.text import Span, TextForm
from averment.types import Cooccurrence, CorpusInfo, Count, CountKind, Occurrence, Passage

_T = TypeVar("_T")
_LONGEST_DOCUMENT_WORDS = 2**31  # a wider window is no wider


class Part(NamedTuple):
    """A segment, the ids of its documents, and their text unless only counts are kept."""

    segment: Segment
    document_ids: StringTable
    store: DocumentStore | None


def open_embedded(path: Path) -> EmbeddedIndex:
    """Open an index directory.

    Raises:
        NotAnIndexError: There is no index at the path.
        IndexFormatError: It is damaged, newer than this averment, of an engine that is not here,
            or of a text form that this Python does not have.
    """
    manifest = read_manifest(path)
    return EmbeddedIndex(path, manifest, open_parts(path, manifest))


def open_parts(path: Path, manifest: Manifest) -> list[Part]:
    """The segments that a manifest lists, with their documents unless it keeps counts only.

    Raises:
        IndexFormatError: They are damaged, or their engine is not here.
    """
    check_sizes(path, manifest)
    parts = []
    for entry in manifest.segments:
        counts = path / "counts" / entry.name
        segment = open_segment(manifest.engine, counts, manifest.form)
        store = None if manifest.counts_only else DocumentStore(path / "passages" / entry.name)
        parts.append(Part(segment, StringTable(counts, "document_ids"), store))
    return parts


def _reopen(path: Path, digest: str) -> EmbeddedIndex:
    index = open_embedded(path)
    if index.info.digest != digest:
        raise IndexFormatError(
            f"The index at {path} holds other documents than when it was pickled (digest "
            f"{index.info.digest[:12]}, not {digest[:12]}).",
            hint="Open it anew where it is used.",
        )
    return index


class EmbeddedIndex:
    """A `ports.CorpusIndex` over the segments of a directory; see `open_embedded`."""

    def __init__(self, path: Path, manifest: Manifest, parts: Sequence[Part]) -> None:
        self._path = path.absolute()
        self._manifest = manifest
        self._parts = tuple(parts)
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
        return PassageSequence([part.store for part in self._parts if part.store])

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
        found = self._of_each(lambda segment: segment.count(phrases), phrases)
        if len(found) == 1:
            return [Count(value, documents, CountKind.EXACT) for value, documents in found[0]]
        return [
            Count(sum(n for n, _ in each), sum(n for _, n in each), CountKind.EXACT)
            for each in zip(*found, strict=True)
        ]

    def exists(self, pairs: Sequence[tuple[str, str]], *, window_words: int) -> list[bool | None]:
        """Whether each pair occurs within the window; never None here, as counts are exact.

        Raises:
            QueryError: A phrase has no word, or `window_words` is below zero.
        """
        window_words = _checked_window(window_words)
        found = self._of_each(
            lambda segment: segment.exists(pairs, window_words), chain.from_iterable(pairs)
        )
        return [any(each) for each in zip(*found, strict=True)]

    def cooccurrence(
        self, pairs: Sequence[tuple[str, str]], *, window_words: int
    ) -> list[Cooccurrence]:
        """Pairs of starts, documents and smallest distance of each pair of phrases, exact.

        Raises:
            QueryError: A phrase has no word, or `window_words` is below zero.
        """
        window_words = _checked_window(window_words)
        found = self._of_each(
            lambda segment: segment.cooccurrence(pairs, window_words), chain.from_iterable(pairs)
        )
        return [_together(each) for each in zip(*found, strict=True)]

    def locate(self, phrase: str, *, limit: int = 5) -> list[Occurrence]:
        """The first occurrences of a phrase, in corpus order.

        An index of counts only knows the document but not the place in its text: there start, end
        and snippet are None.

        Raises:
            QueryError: The phrase has no word, or `limit` is below zero.
        """
        _check_limit(limit)
        self._n_words(phrase)
        occurrences: list[Occurrence] = []
        for part in self._parts:
            found = part.segment.occurrences(phrase, limit - len(occurrences))
            for document, places in groupby(found, key=lambda place: place[0]):
                spans = [[_Place(word, n_words)] for _, word, n_words in places]
                occurrences += self._occurrences(part, document, spans)
        return occurrences

    def locate_pair(self, a: str, b: str, *, window_words: int, limit: int = 5) -> list[Occurrence]:
        """The closest pair of each of the first documents that hold a pair.

        It spans from the start of the earlier phrase to where both have ended.

        Raises:
            QueryError: A phrase has no word, `window_words` or `limit` is below zero.
        """
        window_words = _checked_window(window_words)
        _check_limit(limit)
        for phrase in (a, b):
            self._n_words(phrase)
        occurrences: list[Occurrence] = []
        for part in self._parts:
            remaining = limit - len(occurrences)
            found = part.segment.nearest_pairs(a, b, window_words, remaining)
            for document, a_word, b_word, a_n_words, b_n_words in found:
                places = sorted([_Place(a_word, a_n_words), _Place(b_word, b_n_words)])
                occurrences += self._occurrences(part, document, [places])
        return occurrences

    def _of_each(self, ask: Callable[[Segment], _T], phrases: Iterable[str]) -> list[_T]:
        """What each segment answers; a phrase without a word is refused by name."""
        try:
            return [ask(part.segment) for part in self._parts]
        except QueryError:
            for phrase in phrases:  # only now: asking a batch must not tokenise it twice
                self._n_words(phrase)
            raise

    def _n_words(self, phrase: str) -> int:
        n_words = len(self._form.words(phrase))
        if not n_words:
            raise QueryError(
                f"The phrase {phrase!r} has no word to count.",
                hint="Ask for at least one letter or digit.",
            )
        return n_words

    def _occurrences(
        self, part: Part, document: int, found: Sequence[Sequence[_Place]]
    ) -> list[Occurrence]:
        """Places in one document of a segment as offsets into its text."""
        document_id = part.document_ids[document]
        if part.store is None:
            return [Occurrence(document_id, None, None, None) for _ in found]
        text = part.store.document(document).text
        words = self._form.words_with_spans(text)
        occurrences = []
        for places in found:
            phrases = [
                Span(words[word].start, words[word + n_words - 1].end) for word, n_words in places
            ]
            end = max(phrase.end for phrase in phrases)
            shown = snippet(text, words, phrases)
            occurrences.append(Occurrence(document_id, phrases[0].start, end, shown))
        return occurrences


class _Place(NamedTuple):
    """A phrase in a document: its first word and how many words it has."""

    word: int
    n_words: int


def _together(found: Iterable[tuple[int, int, int | None]]) -> Cooccurrence:
    """What the segments found of one pair, as the answer of the index."""
    documents = pairs = 0
    nearest: int | None = None
    for here, n_pairs, words in found:
        documents += here
        pairs += n_pairs
        if words is not None and (nearest is None or words < nearest):
            nearest = words
    return Cooccurrence(pairs > 0, documents, pairs, nearest, CountKind.EXACT)


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
