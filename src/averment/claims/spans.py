"""The span rule: which triplets of a sentence may be held against a corpus.

Every extractor passes through `keep_spans`, so that a triplet means the same whoever found it.
What is refused is kept with a reason code, because a sentence whose only triplet was refused is
unchecked, which is not the same as a sentence that claims nothing.

Here tails get their kinds as well (`averment.claims.kinds`).

What this module does not do: find triplets, or repair them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from averment.claims.kinds import tail_kind
from averment.claims.mentions import mentions
from averment.claims.vocabulary import says_nothing
from averment.text import TextForm, contains_words
from averment.types import DroppedTriplet, Entity, Extraction, Triplet

_WORDS = TextForm().words


def keep_spans(
    sentence: str,
    triplets: Iterable[Triplet],
    entities: Sequence[Entity] | None = None,
    *,
    says_nothing: Callable[[list[str]], bool] = says_nothing,
) -> Extraction:
    """Keep the triplets that a corpus can be asked about, each once, in order.

    Args:
        sentence: Where the triplets were found.
        triplets: What an extractor found.
        entities: The mentions of the sentence, for the kinds of tails; None: by English rules.
        says_nothing: Whether the words of a tail are generic in the language of the sentence.

    Returns:
        The kept triplets, whose heads and tails stand in the sentence word for word up to case,
        with the kinds of their tails, and the others with a reason: ``head_not_in_sentence``,
        ``tail_not_in_sentence``, ``same_head_and_tail``, ``head_in_tail``, ``tail_in_head``,
        ``empty_relation`` or ``generic_tail`` (nothing but nationality, profession or month).
    """
    found = list(triplets)
    if not found:
        return Extraction(())
    words = _WORDS(sentence)
    known = mentions(sentence) if entities is None else entities
    kinds = {tuple(_WORDS(each.text)): each.kind for each in known}
    kept: dict[Triplet, None] = {}
    dropped: dict[DroppedTriplet, None] = {}
    for triplet in found:
        reason = _refusal(words, triplet, says_nothing)
        if reason is None:
            kept[_typed(triplet, kinds)] = None
        else:
            dropped[DroppedTriplet(triplet, reason)] = None
    return Extraction(tuple(kept), tuple(dropped))


def _typed(triplet: Triplet, kinds: dict[tuple[str, ...], str]) -> Triplet:
    words = _WORDS(triplet.tail)
    kind = kinds.get(tuple(words), "name")
    tail = tail_kind(kind, triplet.relation, words)
    return Triplet(triplet.head, triplet.relation, triplet.tail, tail)


def _refusal(
    sentence: list[str], triplet: Triplet, says_nothing: Callable[[list[str]], bool]
) -> str | None:
    head, tail = _WORDS(triplet.head), _WORDS(triplet.tail)
    if not head or not contains_words(sentence, head):
        return "head_not_in_sentence"
    if not tail or not contains_words(sentence, tail):
        return "tail_not_in_sentence"
    if head == tail:
        return "same_head_and_tail"
    if contains_words(tail, head):
        return "head_in_tail"
    if contains_words(head, tail):
        return "tail_in_head"
    if not _WORDS(triplet.relation):
        return "empty_relation"
    return "generic_tail" if says_nothing(tail) else None
