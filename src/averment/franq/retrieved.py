"""Passages that were retrieved are no evidence for what was copied from them.

`pairs_in_passages` finds a pair in them, `without_retrieved` takes it out of what the whole corpus
says. Both are in documents first: a document leaves as a whole, even if the pair stands in it once
more outside the passage, so that what is left is rather too little.
What this module does not do: retrieve, ask an index.
"""

from __future__ import annotations

from collections.abc import Sequence

from averment.text import TextForm
from averment.types import Cooccurrence, CountKind, Passage, Phrase


def pairs_in_passages(
    head: Phrase, tail: Phrase, *, passages: Sequence[Passage], window_words: int, form: TextForm
) -> Cooccurrence:
    """How often two phrases start within the window in one passage; exact.

    Args:
        head: One phrase, or a set of the forms of one name.
        tail: Another.
        passages: What was retrieved; each once.
        window_words: The window of the counts from which this is to be subtracted.
        form: The text form of the index.

    Returns:
        Documents whose passages hold a pair, and the pairs in those passages.
    """
    distances: list[int] = []
    documents = set()
    for passage in passages:
        words = form.words(passage.text)
        tails = _starts(tail, words, form)
        found = [abs(i - j) for i in _starts(head, words, form) for j in tails]
        within = [distance for distance in found if distance <= window_words]
        if within:
            distances += within
            documents.add(passage.document_id)
    nearest = min(distances, default=None)
    exact = CountKind.EXACT
    return Cooccurrence(bool(documents), len(documents), len(distances), nearest, exact)


def without_retrieved(together: Cooccurrence, *, retrieved: Cooccurrence) -> Cooccurrence:
    """What the corpus says of a pair apart from the passages that were retrieved.

    Documents and pairs are subtracted, at least 0. The nearest distance is unknown once something
    left.

    Args:
        together: Of the whole corpus.
        retrieved: Of the retrieved passages (`pairs_in_passages`); unless it is exact, nothing is
            known of the rest.
    """
    if CountKind.UNAVAILABLE in (together.kind, retrieved.kind):
        return Cooccurrence.unavailable()
    if retrieved.kind is not CountKind.EXACT or retrieved.documents is None:
        return Cooccurrence.unavailable()
    if not retrieved.documents:
        return together
    if together.documents is None:
        return Cooccurrence.unavailable()
    documents = max(together.documents - retrieved.documents, 0)
    pairs = None
    if together.pairs is not None and retrieved.pairs is not None:
        pairs = max(together.pairs - retrieved.pairs, 0) if documents else 0
    exact = together.kind is CountKind.EXACT
    exists = True if documents else (False if exact else None)
    return Cooccurrence(exists, documents, pairs, None, together.kind)


def _starts(phrase: Phrase, words: Sequence[str], form: TextForm) -> list[int]:
    """Where any form of the phrase starts, each place once."""
    forms = [phrase] if isinstance(phrase, str) else phrase
    wanted = [tuple(form.words(text)) for text in forms]
    return [
        at
        for at in range(len(words))
        if any(of and tuple(words[at : at + len(of)]) == of for of in wanted)
    ]
