"""DRAGIN: search where an uncertain word matters for what follows, with the words it rests on.

    trigger (RIND)   v_w = m · (a_w / sum a) · H_w > theta for a word w of a sentence of m words
        H_w   mean entropy of its tokens, in nats
        a_w   sum over its tokens of how much later tokens attend to them: last layer, for each
              head the maximum, mean over heads; the model reads the generated text alone
    query (QFS)      the words with content that the hits rest on most, at most top_k, in order
        weight of a word   the attention of the position before each token of a hit to the words
              before the hit, last layer, mean over heads, normalised; mean over tokens, over hits
        read again is question + answer so far + sentence; hits are no candidates
    then             the sentence is drafted again with what was found, and accepted

Hits that are function words trigger, and are then left out (`check_real_words` of the released
code). Where none is left that code divides by zero; here the question is the query.

Departures: the model reads the sentence at hand, where the released code reads all that was
generated with it (up to 128 tokens, so that later sentences count as later tokens), and it lets a
token attend to itself, which makes the first of all 1. Content is told by `token_words`, not by
part of speech. The variant in QuCo-RAG's code, whose query cannot hold a word of the question, is
not this one.

Source: DRAGIN (arXiv 2403.10081), section 3, and its released code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

from averment import steps
from averment.policies.fixed import NoRetrieval
from averment.policies.loop import Inspection, Progress, Query
from averment.policies.token_words import (
    NO_FUNCTION_WORDS,
    best_words,
    by_word,
    has_content,
    runs,
    spans_of,
)
from averment.readings import Attention
from averment.steps import Flow
from averment.text import Span
from averment.types import Capability, Generation

_PASSED = Inspection(reason="not_checked")


@dataclass(frozen=True, slots=True)
class Dragin(NoRetrieval):
    """DRAGIN as published.

    Args:
        hallucination_threshold: theta; set by data set and model in the paper.
        top_k: Words of a query at most, >= 1.
        content_words: How content is told; there is one way.
    """

    name: ClassVar[str] = "dragin"
    needs: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.LOGPROBS, Capability.ENTROPIES, Capability.ATTENTION}
    )

    hallucination_threshold: float = 1.0
    top_k: int = 25
    content_words: str = NO_FUNCTION_WORDS

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Look for an uncertain word that matters, in a first draft only."""
        text = generation.text
        words = runs(text)
        if progress.repairs or not words:
            return _PASSED
        entropies = [token.entropy for token in generation.tokens if token.entropy is not None]
        if not entropies or len(entropies) < len(generation.tokens):
            return self._failed(progress.question.text, "unknown_entropy", "no entropies are given")
        reading = yield from steps.read_attention(text, rows_from=len(text))
        of_words = by_word(text, words, spans_of(generation.tokens), entropies)
        paid = by_word(text, words, reading.spans, reading.received)
        values = rind(
            [sum(some) for some in paid], [fmean(some) if some else 0.0 for some in of_words]
        )
        hits = [at for at, value in enumerate(values) if value > self.hallucination_threshold]
        if not hits:
            return _PASSED
        highest = max(hits, key=values.__getitem__)
        word = text[words[highest].start : words[highest].end]
        detail = f"{word!r} is at {values[highest]:.2f}"
        real = [at for at in hits if has_content(text[words[at].start : words[at].end])]
        query = yield from self._query(progress, text.strip(), real)
        return self._failed(query, "uncertain_word", detail)

    def _query(self, progress: Progress, sentence: str, hits: Sequence[int]) -> Flow[str]:
        """The words that the hits rest on; the question if there are none."""
        question = progress.question.text
        if not hits:
            return question
        said = [question, *(done.text for done in progress.committed), sentence]
        text = " ".join(said)
        words = runs(text)
        first = len(words) - len(runs(sentence))
        reading = yield from steps.read_attention(text, rows_from=words[max(0, first - 1)].start)
        in_text = [first + at for at in hits]
        weights = resting_on(text, words, reading, in_text)
        left = [at for at in range(len(words)) if at not in in_text]
        kept = best_words(
            text, [words[at] for at in left], [weights[at] for at in left], self.top_k
        )
        return kept or question

    def _failed(self, query: str, trigger: str, detail: str) -> Inspection:
        return Inspection(reason="not_checked", queries=(Query(query, trigger, detail),))


def rind(attention: Sequence[float], entropies: Sequence[float]) -> list[float]:
    """The v of each word; all 0 where nothing is attended to.

    Args:
        attention: a of each word.
        entropies: H of each word, in nats.
    """
    whole = sum(attention)
    if whole <= 0:
        return [0.0] * len(attention)
    pairs = zip(attention, entropies, strict=True)
    return [len(attention) * paid / whole * entropy for paid, entropy in pairs]


def resting_on(
    text: str, words: Sequence[Span], reading: Attention, hits: Sequence[int]
) -> list[float]:
    """How much the hits rest on each word: the mean over hits of what their tokens looked at.

    Args:
        text: What was read.
        words: Its words.
        reading: Its last rows must begin at the token before the first hit, or earlier.
        hits: Which words.
    """
    indices = by_word(text, words, reading.spans, range(len(reading.spans)))
    n_before = len(reading.spans) - len(reading.rows)
    total = [0.0] * len(words)
    for hit in hits:
        tokens = [at for at in indices[hit] if at - 1 >= n_before]
        for token in tokens:
            row = reading.rows[token - 1 - n_before][: indices[hit][0]]
            whole = sum(row) or 1.0
            for word, own in enumerate(indices):
                paid = sum(row[at] for at in own if at < len(row))
                total[word] += paid / whole / len(tokens) / len(hits)
    return total
