"""BM25 over passages: the scores of every term are computed once, and added up at query time.

An index is four files in a directory of their own: the term-by-passage matrix of scores in
compressed-column form (``scores.npy``, ``passages.npy``, ``starts.npy``) and ``bm25.json`` with
the vocabulary and everything that asking must agree with. The same passages and settings give
the same bytes. bm25s computes the matrix; it is not needed, nor imported, to search (a search
adds up columns, and importing bm25s takes longer than a thousand of them).

What this module does not do: keep the passages (the caller gives a sequence of them), notice a
flipped bit inside an array (checksums are a matter of the index directory), add passages to an
index (build it again) or take some out (they can be passed over).

Source: Robertson and Zaragoza 2009 (BM25); Lù 2024, BM25S (scores computed at build time);
Kamphuis et al. 2020 (the Lucene variant).
"""

from __future__ import annotations

import json
import logging
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from averment.errors import EmptyCorpusError, IndexFormatError
from averment.files import mapped_array
from averment.languages import ENGLISH
from averment.places import headed
from averment.retrieval.terms import query_terms, search_terms, terms_identity
from averment.types import Passage, Retrieval, ScoredPassage

_FORMAT = "averment-bm25-1"
_SETTINGS = "bm25.json"
_SCORES, _PASSAGES, _STARTS = _ARRAYS = ("scores.npy", "passages.npy", "starts.npy")
FormsOf: TypeAlias = Callable[[str, Sequence[str]], Sequence[str]]
"""From a query and some languages to names of the query as these write them."""
_REBUILD = "Build the index again: averment index build PATHS"


@dataclass(frozen=True, slots=True)
class _Postings:
    """Passages and scores of term t are those from ``starts[t]`` to ``starts[t + 1]``.

    Shapes: ``scores`` (float32) and ``passages`` (int32) ``(n_postings,)``; ``starts`` (int64)
    ``(n_terms + 1,)``.
    """

    scores: npt.NDArray[np.float32]
    passages: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]


class BM25Retriever:
    """Finds the passages whose words, weighted by rarity, match the query's; see `open_bm25`.

    Args:
        passages: The passages by number, as they were given to `build_bm25`.
        terms: The number of each term.
        postings: The scores of each term.
        among: Which passages may be found; None: all.
        languages: Those of the passages, which a query is read in.
        forms_of: Gives more forms of the names of a query, in any of the languages, which are
            searched with it; the retrieval names the query alone. None: there are none.
    """

    name = "bm25"

    def __init__(
        self,
        passages: Sequence[Passage],
        terms: Mapping[str, int],
        *,
        postings: _Postings,
        among: npt.NDArray[np.bool_] | None = None,
        languages: Sequence[str] = (ENGLISH,),
        forms_of: FormsOf | None = None,
    ) -> None:
        self.languages = tuple(languages)
        self._forms_of = forms_of
        self._passages = passages
        self._terms = terms
        self._postings = postings
        self._among = among

    def restricted(
        self, among: npt.NDArray[np.bool_] | None, forms_of: FormsOf | None = None
    ) -> BM25Retriever:
        """The same retriever, which finds some passages only.

        Args:
            among: Which may be found, shape ``(n_passages,)``; None: all. The others still weigh in
                the rarity of terms, until the index is built without them.
            forms_of: See `BM25Retriever`.
        """
        return BM25Retriever(
            self._passages,
            self._terms,
            postings=self._postings,
            among=among,
            languages=self.languages,
            forms_of=forms_of,
        )

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        """At most k passages for each query, best first; ties go to the earlier passage.

        Only passages that share a term with the query are given, so there may be none.

        Raises:
            ValueError: k is below 1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> Retrieval:
        scores = self._scores(query)
        hits = tuple(
            ScoredPassage(self._passages[number], float(scores[number]), rank)
            for rank, number in enumerate(_best(scores, k), start=1)
        )
        return Retrieval(query, hits, self.name)

    def _scores(self, query: str) -> npt.NDArray[np.float32]:
        """The score of every passage, shape (n_passages,); 0 where no term occurs."""
        scores = np.zeros(len(self._passages), dtype=np.float32)
        postings = self._postings
        forms = self._forms_of(query, self.languages) if self._forms_of else ()
        for term in query_terms(query, self.languages, forms):
            number = self._terms.get(term)
            if number is not None:
                column = slice(postings.starts[number], postings.starts[number + 1])
                # A passage occurs once in a column, so adding by index loses nothing.
                scores[postings.passages[column]] += postings.scores[column]
        if self._among is not None:
            scores[~self._among] = 0
        return scores


def _best(scores: npt.NDArray[np.float32], k: int) -> list[int]:
    """The numbers of the k highest scores above 0, highest first, ties by number."""
    found = np.flatnonzero(scores > 0)
    if len(found) > k:
        least = np.partition(scores[found], len(found) - k)[len(found) - k]
        found = found[scores[found] >= least]
    order = np.lexsort((found, -scores[found]))[:k]
    return [int(number) for number in found[order]]


# --- building -----------------------------------------------------------------------------------


def build_bm25(
    passages: Iterable[Passage],
    directory: Path,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    languages: Iterable[str] | None = None,
) -> None:
    """Write an index of the passages; the title is searched together with the text.

    Args:
        passages: In the order by which `open_bm25` will be given them.
        directory: Made if it is not there; files of an earlier index in it are replaced.
        k1: How much repetition of a term counts, at least 0.
        b: How much longer passages are discounted, from 0 (not) to 1 (in full).
        languages: That of each passage, in their order (ISO 639-1, or "und"); None: all English.

    Raises:
        EmptyCorpusError: There is no passage.
        ValueError: k1 or b is out of range, or there are fewer languages than passages.
    """
    write_bm25(numbered_terms(passages, languages), directory, k1=k1, b=b)


@dataclass(slots=True)
class NumberedTerms:
    """The terms of some passages.

    Args:
        ids: Of each passage its terms, as numbers.
        numbers: The number of each term, in order of appearance.
        languages: Those of the passages.
    """

    ids: list[array[int]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    languages: set[str] = field(default_factory=set)


def numbered_terms(
    passages: Iterable[Passage], languages: Iterable[str] | None = None
) -> NumberedTerms:
    """The terms of passages; numbered in order of appearance, so that the same make the same bytes.

    Args:
        passages: In order.
        languages: As of `build_bm25`.
    """
    found = NumberedTerms()
    numbers = found.numbers
    for passage, language in _with_languages(passages, languages):
        found.languages.add(language)
        terms = search_terms(f"{headed(passage.title, passage.place)}\n{passage.text}", language)
        found.ids.append(array("i", (numbers.setdefault(term, len(numbers)) for term in terms)))
    return found


def write_bm25(found: NumberedTerms, directory: Path, *, k1: float = 1.2, b: float = 0.75) -> None:
    """Write an index of what `numbered_terms` gave; see `build_bm25`."""
    if not (math.isfinite(k1) and k1 >= 0 and 0 <= b <= 1):
        raise ValueError(f"k1 must be at least 0 and b in [0, 1], not {k1} and {b}")
    ids, numbers = found.ids, found.numbers
    if not ids:
        raise EmptyCorpusError("There is no passage to index.")
    postings = _score(ids, numbers, k1=k1, b=b) if numbers else _NO_POSTINGS
    directory.mkdir(parents=True, exist_ok=True)
    np.save(directory / _SCORES, postings.scores, allow_pickle=False)
    np.save(directory / _PASSAGES, postings.passages, allow_pickle=False)
    np.save(directory / _STARTS, postings.starts, allow_pickle=False)
    settings: dict[str, object] = {
        "format": _FORMAT,
        "terms_identity": terms_identity(sorted(found.languages)),
        "k1": k1,
        "b": b,
        "n_passages": len(ids),
        "n_postings": len(postings.scores),
        "terms": list(numbers),
    }
    if found.languages != {ENGLISH}:
        settings["languages"] = sorted(found.languages)
    text = json.dumps(settings, ensure_ascii=False, indent=0)
    (directory / _SETTINGS).write_text(text, encoding="utf-8", newline="\n")


# Without a single word the mean length is 0, and no formula holds.
_NO_POSTINGS = _Postings(
    np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
)


def _with_languages(
    passages: Iterable[Passage], languages: Iterable[str] | None
) -> Iterator[tuple[Passage, str]]:
    if languages is None:
        return ((passage, ENGLISH) for passage in passages)
    return zip(passages, languages, strict=True)


def _score(ids: list[array[int]], numbers: dict[str, int], *, k1: float, b: float) -> _Postings:
    import bm25s

    # The library opens its logger for everything when it is imported.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    matrix = bm25s.BM25(k1=k1, b=b, method="lucene", backend="numpy", csc_backend="numpy")
    matrix.index((ids, numbers), create_empty_token=False, show_progress=False)
    return _Postings(
        matrix.scores["data"].astype(np.float32),
        matrix.scores["indices"].astype(np.int32),
        matrix.scores["indptr"].astype(np.int64),
    )


# --- opening ------------------------------------------------------------------------------------


def open_bm25(directory: Path, passages: Sequence[Passage]) -> BM25Retriever:
    """Open an index by memory map.

    Args:
        directory: Where `build_bm25` wrote it.
        passages: The same passages in the same order; read one by one, as they are found.

    Raises:
        IndexFormatError: A file is missing or damaged, the index is of another format, tokenises
            in another way, or was built from another number of passages.
    """
    settings = _read_settings(directory)
    languages = _languages_of(settings, directory)
    terms = _terms_of(settings, languages, directory)
    if settings.get("n_passages") != len(passages):
        raise IndexFormatError(
            f"BM25 index {directory} was built from {settings.get('n_passages')} passages, "
            f"but there are {len(passages)}.",
            hint=_REBUILD,
        )
    postings = _map_arrays(directory)
    sizes = (len(postings.scores), len(postings.passages), len(postings.starts))
    n_postings = settings.get("n_postings")
    if sizes != (n_postings, n_postings, len(terms) + 1) or postings.starts[-1] != n_postings:
        raise IndexFormatError(
            f"BM25 index {directory} is damaged: its arrays have {sizes} entries, "
            f"expected {(n_postings, n_postings, len(terms) + 1)}.",
            hint=_REBUILD,
        )
    return BM25Retriever(passages, terms, postings=postings, languages=languages)


def _read_settings(directory: Path) -> dict[str, object]:
    path = directory / _SETTINGS
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise IndexFormatError(f"Cannot read {path}: {error}.", hint=_REBUILD) from error
    if not isinstance(settings, dict) or settings.get("format") != _FORMAT:
        raise IndexFormatError(f"{path} is not of format {_FORMAT!r}.", hint=_REBUILD)
    return settings


def _languages_of(settings: Mapping[str, object], directory: Path) -> tuple[str, ...]:
    languages = settings.get("languages", [ENGLISH])
    if not (isinstance(languages, list) and languages and all(map(_is_text, languages))):
        raise IndexFormatError(
            f"BM25 index {directory} has no list of languages but {languages!r}.", hint=_REBUILD
        )
    return tuple(languages)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _terms_of(
    settings: Mapping[str, object], languages: Sequence[str], directory: Path
) -> dict[str, int]:
    identity = terms_identity(languages)
    if settings.get("terms_identity") != identity:
        raise IndexFormatError(
            f"BM25 index {directory} was built with {settings.get('terms_identity')!r}, but this "
            f"installation reads text as {identity!r}; words would be missed.",
            hint=_REBUILD,
        )
    terms = settings.get("terms")
    if not isinstance(terms, list):
        raise IndexFormatError(f"BM25 index {directory} has no list of terms.", hint=_REBUILD)
    return {str(term): number for number, term in enumerate(terms)}


def _map_arrays(directory: Path) -> _Postings:
    arrays = []
    for name, dtype in zip(_ARRAYS, (np.float32, np.int32, np.int64), strict=True):
        path = directory / name
        try:
            values = mapped_array(path)
        except (OSError, ValueError) as error:
            raise IndexFormatError(f"Cannot read {path}: {error}.", hint=_REBUILD) from error
        if values.dtype != dtype or values.ndim != 1:
            raise IndexFormatError(
                f"{path} holds {values.dtype} of {values.ndim} dimensions, "
                f"expected {np.dtype(dtype)} of 1.",
                hint=_REBUILD,
            )
        arrays.append(values)
    return _Postings(*arrays)
