"""The compiled core of the corpus index: one immutable segment file, built and asked.

Texts and phrases are cut as `averment.text.TextForm` cuts them. Errors of the file are
`averment.errors.IndexFormatError`, of a phrase without a word `averment.errors.QueryError`, of the
operating system `OSError`. Nothing here knows of directories, manifests or several segments.
"""

from collections.abc import Sequence
from typing import TypedDict

from averment.index.engines import Pairs
from averment.types import Phrase

unicode_version: str
"""Of the tables that were compiled in; equal to `unicodedata.unidata_version`."""

format_version: int
"""Of the segment file."""

class SegmentFacts(TypedDict):
    """What a segment says about itself."""

    n_words: int
    n_documents: int
    n_terms: int
    n_pairs: int
    n_pair_occurrences: int
    n_bitmaps: int
    n_frequent_words: int
    fold_accents: bool
    unicode_version: str
    format_version: int

def words(text: str, *, fold_accents: bool = False) -> list[str]:
    """The forms of all words of a text: `TextForm(fold_accents).words(text)`."""

def count_terms(segments: Sequence[Segment]) -> int:
    """How many different words some segments have together."""

class SegmentBuilder:
    """Collects documents in memory and writes them as one segment.

    Needs about 12 bytes a word at the peak, in `finish`. Not for two threads at once; two builders
    in two threads run side by side, since the work is done without the GIL.

    Args:
        fold_accents: As of the `TextForm`.
        frequent_min_count: Words with so many occurrences are frequent, and pairs of frequent
            neighbours get lists of their own. 0: none do.
        frequent_min_share: A frequent word also is this share of all words of the segment.
        bitmap_min_share: What is in this share of the documents gets a bitmap of them. 0: nothing.
        n_threads: That share the work of `add_many` and `finish`; the file does not depend on it.
    """

    def __init__(
        self,
        *,
        fold_accents: bool = False,
        frequent_min_count: int = 4096,
        frequent_min_share: float = 1e-4,
        bitmap_min_share: float = 0.125,
        n_threads: int = 1,
    ) -> None: ...
    @property
    def n_words(self) -> int:
        """Words added so far."""

    @property
    def n_documents(self) -> int:
        """Documents added so far."""

    def add(self, text: str) -> int:
        """Append a document; returns its number of words."""

    def add_many(self, texts: Sequence[str]) -> list[int]:
        """Append documents, releasing the GIL once for all; returns their numbers of words.

        A megabyte of text or more at a time keeps several threads busy. After an error
        `n_documents` tells how many of them are there.
        """

    def finish(self, path: str) -> SegmentFacts:
        """Write the segment to a new file and sync it; the builder is empty afterwards.

        The same documents and options give the same bytes.

        Raises:
            OSError: The file exists or cannot be written; what was written of it is not a segment.
        """

def merge(
    segments: Sequence[Segment],
    path: str,
    *,
    frequent_min_count: int = 4096,
    frequent_min_share: float = 1e-4,
    bitmap_min_share: float = 0.125,
    n_threads: int = 1,
) -> SegmentFacts:
    """Write segments, or what views of them are about, as one new segment, and sync it.

    The file is, byte for byte, what a `SegmentBuilder` with these options makes of these documents
    in this order; accents are folded as they are in the segments. Every byte of the segments is
    checked first. Needs memory for the dictionaries, about 80 bytes an entry, and two bytes a word
    for the pairs; not for the lists.

    Args:
        segments: At least one.
        path: Of a file that does not exist.
        frequent_min_count: As of the `SegmentBuilder`, and so the others.
        frequent_min_share: Of the words that are kept.
        bitmap_min_share: Of the documents that are kept.
        n_threads: That share the work; the file does not depend on it.

    Raises:
        IndexFormatError: A segment is damaged.
        QueryError: The segments cut text differently, there is none, or too many words are kept.
        OSError: The file exists or cannot be written; what was written of it is not a segment.
    """

class Segment:
    """An open segment, an `engines.Segment`; immutable, so that any thread may ask.

    Opening checks the header and the checksums of the small sections; lists are checked as they are
    decoded. The file must not change while it is open. With `n_threads` above 1 many questions are
    shared between threads.

    Raises:
        IndexFormatError: It is not a segment, is damaged, or has another format version.
        OSError: It cannot be opened.
    """

    def __init__(self, path: str) -> None: ...
    @property
    def n_words(self) -> int:
        """Words in the segment."""

    @property
    def n_documents(self) -> int:
        """Documents in the segment."""

    @property
    def n_terms(self) -> int:
        """Different words in the segment."""

    @property
    def facts(self) -> SegmentFacts:
        """What is in it."""

    @property
    def section_bytes(self) -> dict[str, int]:
        """Bytes of each section of the file."""

    def verify(self) -> list[str]:
        """Read every byte and name the sections that are not as they were written."""

    def document_words(self, document: int) -> int:
        """How many words a document has.

        Raises:
            IndexError: There is no such document.
        """

    def among(self, members: bytes) -> Segment:
        """The same segment restricted to some documents, in time that grows with all of them.

        All answers are exactly about these; numbers of documents and `facts` stay as they are.

        Args:
            members: Bit d % 8 of byte d // 8 says whether document d is one of them; those of a
                restricted segment are further restricted.

        Raises:
            QueryError: There is not one bit for each document.
        """

    def count(self, phrases: Sequence[Phrase], *, n_threads: int = 1) -> list[tuple[int, int]]:
        """For each phrase its occurrences and the documents that hold it."""

    def exists(self, pairs: Pairs, window_words: int, *, n_threads: int = 1) -> list[bool]:
        """For each pair whether both start within the window in one document; the fast path."""

    def documents(self, pairs: Pairs, window_words: int, *, n_threads: int = 1) -> list[int]:
        """For each pair in how many documents both start within the window."""

    def cooccurrence(
        self, pairs: Pairs, window_words: int, *, n_threads: int = 1
    ) -> list[tuple[int, int, int | None]]:
        """For each pair (documents, pairs of starts, smallest distance in words)."""

    def cooccurrence_by_window(
        self,
        pairs: Pairs,
        windows_words: Sequence[int],
        *,
        n_threads: int = 1,
    ) -> list[tuple[int | None, list[tuple[int, int]]]]:
        """For each pair the smallest distance, and (documents, pairs) for each window."""

    def occurrences(self, phrase: Phrase, limit: int) -> list[tuple[int, int, int]]:
        """The first occurrences as (document, word of it, words of the form)."""

    def nearest_pairs(
        self, a: Phrase, b: Phrase, window_words: int, limit: int
    ) -> list[tuple[int, int, int, int, int]]:
        """The closest pair of each of the first documents that hold one within the window."""
