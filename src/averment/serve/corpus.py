"""Questions to the corpus, in batches: counts, co-occurrence, passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from averment.index.times import (
    cooccurrence_by_period,
    counts_by_period,
    seen,
    seen_together,
)
from averment.ports import DatedIndex
from averment.serve.requests import (
    CooccurRequest,
    CountRequest,
    FirstSeenRequest,
    SearchRequest,
)
from averment.shapes import (
    cooccurrence_by_period_object,
    cooccurrence_object,
    counts_by_period_object,
    counts_object,
    occurrence_object,
    place_object,
    seen_object,
)
from averment.trace import to_plain
from averment.wiring.aliases import widened
from averment.wiring.open_corpus import OpenCorpus

_FEW_LOOK_UPS = 16
_FEW_CHARACTERS = 500
_FEW_STARTS = 16_384
_FEW_POSTINGS = 524_288
"""Of a question that takes less than a millisecond: phrases times segments, their length, where
they may start, and what is read to find out."""


def is_brief(
    opened: OpenCorpus, asked: CountRequest | CooccurRequest, phrases: Sequence[str]
) -> bool:
    """Whether a question about some phrases takes no longer than a turn of the event loop may.

    How often their words occur tells, in microseconds. Not where texts are shown, or names are
    counted by their forms, of which there are many.
    """
    index = opened.index
    n_look_ups = len(phrases) * index.info.n_segments
    if asked.show or asked.aliases or asked.by or asked.restricts or n_look_ups > _FEW_LOOK_UPS:
        return False
    if sum(map(len, phrases)) > _FEW_CHARACTERS:
        return False
    postings = index.postings(phrases)
    return (
        postings is not None
        and sum(min(each, default=0) for each in postings) <= _FEW_STARTS
        and sum(map(sum, postings)) <= _FEW_POSTINGS
    )


def count(opened: OpenCorpus, asked: CountRequest) -> dict[str, Any]:
    """What ``index count --json`` prints, for many phrases.

    Raises:
        QueryError: A phrase has no word, or a date is none.
    """
    index = _index(opened, asked)
    if asked.by is not None:
        periods = counts_by_period(index, asked.phrases, asked.by)
        return counts_by_period_object(asked.phrases, periods, asked.by, opened.index.info)
    made = counts_object(asked.phrases, index.count(asked.phrases), opened.index.info)
    for row in made["counts"] if asked.show else ():
        found = index.locate(row["phrase"], limit=asked.show)
        row["occurrences"] = [occurrence_object(occurrence) for occurrence in found]
    return made


def cooccur(opened: OpenCorpus, asked: CooccurRequest) -> dict[str, Any]:
    """What ``index cooccur --json`` prints, for many pairs.

    Raises:
        QueryError: A phrase has no word, or a date is none.
    """
    index = _index(opened, asked)
    window_words = asked.window_words
    info = opened.index.info
    named = {"normalization": info.text_form, "index": info.name}
    if asked.by is not None:
        periods = cooccurrence_by_period(index, asked.pairs, asked.by, window_words=window_words)
        made = [
            cooccurrence_by_period_object(*pair, each, asked.by, window_words=window_words)
            for pair, each in zip(asked.pairs, periods, strict=True)
        ]
        return {"results": made, **named}
    found = index.cooccurrence(asked.pairs, window_words=window_words)
    results = []
    for (a, b), each in zip(asked.pairs, found, strict=True):
        shown = (
            index.locate_pair(a, b, window_words=window_words, limit=asked.show)
            if asked.show
            else ()
        )
        results.append(
            cooccurrence_object(a, b, each, window_words=window_words, occurrences=shown)
        )
    return {"results": results, **named}


def first_seen(opened: OpenCorpus, asked: FirstSeenRequest) -> dict[str, Any]:
    """What ``index first-seen --json`` prints, of phrases and then of pairs.

    Raises:
        QueryError: A phrase has no word.
    """
    index = opened.counts_by_forms if asked.aliases else opened.index
    window_words = asked.window_words
    of_phrases = seen(index, asked.phrases)
    of_pairs = seen_together(index, asked.pairs, window_words=window_words)
    results = [
        seen_object(phrase, None, each, window_words=None)
        for phrase, each in zip(asked.phrases, of_phrases, strict=True)
    ] + [
        seen_object(a, b, each, window_words=window_words)
        for (a, b), each in zip(asked.pairs, of_pairs, strict=True)
    ]
    info = opened.index.info
    return {"results": results, "normalization": info.text_form, "index": info.name}


def search(opened: OpenCorpus, asked: SearchRequest) -> dict[str, Any]:
    """The passages that fit each query best, and of which documents they were looked for."""
    if asked.looks_back is not None:
        opened = opened.looking_back(*asked.looks_back)
    retrievals = opened.retriever.search(asked.queries, k=asked.k)
    results = [
        {
            "query": found.query,
            "passages": [
                {
                    "document_id": hit.passage.document_id,
                    "title": hit.passage.title,
                    "text": hit.passage.text,
                    "start": hit.passage.start,
                    "end": hit.passage.end,
                    "date": hit.passage.date,
                    **place_object(hit.passage),
                    "score": hit.score,
                }
                for hit in found.hits
            ],
        }
        for found in retrievals
    ]
    as_of = to_plain(opened.as_of)
    return {"results": results, "index": opened.index.info.name, "as_of": as_of}


def _index(opened: OpenCorpus, asked: CountRequest | CooccurRequest) -> DatedIndex:
    if not asked.restricts:
        return opened.counts_by_forms if asked.aliases else opened.index
    some = opened.index.where(**asked.where())
    return widened(some, opened.aliases) if asked.aliases else some
