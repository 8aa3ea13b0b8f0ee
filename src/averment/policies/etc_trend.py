"""ETC: search where the trend of entropy breaks, at the word, before the error is written out.

    trend     over the words with content:  s1_i = H_i - H_(i-1),  s2_i = s1_i - s1_(i-1)
              H_i is the largest entropy of a word's tokens, in nats
    smoothed  mu  the mean of all s2 so far, s2_i among them
              w = |M - mu| / (|s2_i - mu| + |M - mu|),  alpha = 0.9 + 0.1 w
              M_i = alpha s2_i + (1 - alpha) M,   then M is s2_i, unsmoothed; M starts at 0
    trigger   v_i = m · (a_i / sum a) · M_i > theta, at the first such word of m in the sentence
              a_i  the most that a later word of the sentence attends to it: last layer, mean over
              heads, mean over the tokens of the later word, sum over those of word i; the model
              reads prompt and all
    then      the sentence is cut before word i and goes on with what was found, and is accepted
    query     the words with content of question and answer before word i that the words above the
              threshold attend to most, at most top_k, in order

Differences are zero where there is nothing before to subtract, and such words do not enter the
mean; a difference of exactly zero is passed over as in the released code.

Departures: the trend runs over the whole answer, where the released code starts again behind each
search, since it reads each new continuation by itself. That code takes the maximum over what a word
attends to, not over who attends to it.
Content is told by `token_words`, not by part of speech; "the answer is" is the loop's end, not a
line break.

Source: ETC (arXiv 2511.09980) and its released code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from averment import steps
from averment.policies.fixed import NoRetrieval
from averment.policies.loop import Inspection, Progress, Query
from averment.policies.token_words import (
    NO_FUNCTION_WORDS,
    best_words,
    by_word,
    has_content,
    runs_and_marks,
    spans_of,
)
from averment.readings import Attention
from averment.steps import Flow
from averment.text import Span
from averment.types import Capability, Generation

_PASSED = Inspection(reason="not_checked")


@dataclass(frozen=True, slots=True)
class Etc(NoRetrieval):
    """ETC as published.

    Args:
        hallucination_threshold: theta.
        absolute: Whether a falling trend counts like a rising one.
        top_k: Words of a query at most, >= 1.
        content_words: How content is told; there is one way.
    """

    name: ClassVar[str] = "etc"
    needs: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.LOGPROBS, Capability.ENTROPIES, Capability.ATTENTION}
    )

    hallucination_threshold: float = 1.3
    absolute: bool = False
    top_k: int = 35
    content_words: str = NO_FUNCTION_WORDS

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Look for the first word at which the trend breaks, in a first draft only."""
        words = runs_and_marks(generation.text)
        if progress.repairs or not words:
            return _PASSED
        trend = _trend_at(progress.pieces, generation)
        if trend is None:
            query = Query(progress.question.text, "unknown_entropy", "no entropies are given")
            return Inspection(reason="not_checked", queries=(query,))
        if not any(trend):
            return _PASSED  # no attention can make more of nothing
        read = _Read.of(progress, generation)
        reading = yield from steps.read_attention(
            read.text, before=read.before, rows_from=read.start
        )
        attended = _between_words(read.text, [read.moved(word) for word in words], reading)
        values = scaled(attended, trend)
        above = [at for at, value in enumerate(values) if self._fires(value)]
        if not above:
            return _PASSED
        word = words[above[0]]
        text = read.query_words(words, above, reading, self.top_k) or progress.question.text
        detail = f"{generation.text[word.start : word.end]!r} is at {values[above[0]]:.2f}"
        return Inspection(
            reason="not_checked",
            queries=(Query(text, "broken_trend", detail),),
            kept=_before_word(sentence, generation.text, word),
        )

    def _fires(self, value: float) -> bool:
        return (abs(value) if self.absolute else value) > self.hallucination_threshold


def smoothed_trend(entropies: Sequence[float]) -> list[float]:
    """The M of each word with content, in order; 0 where there is no second difference."""
    first = [0.0, *(after - now for now, after in pairwise(entropies))][: len(entropies)]
    seconds: list[float] = []
    trend = []
    memory = 0.0
    before = 0.0
    for at, slope in enumerate(first):
        second = slope - before if at > 1 and before else 0.0
        before = slope or before
        if not second:
            trend.append(0.0)
            continue
        seconds.append(second)
        mean = sum(seconds) / len(seconds)
        far, near = abs(second - mean), abs(memory - mean)
        alpha = 0.9 + (0.1 * near / (far + near) if far + near else 0.0)
        trend.append(alpha * second + (1 - alpha) * memory)
        memory = second
    return trend


def scaled(attention: Sequence[float], trend: Sequence[float]) -> list[float]:
    """The v of each word; all 0 where nothing is attended to."""
    whole = sum(attention)
    if whole <= 0:
        return [0.0] * len(trend)
    pairs = zip(attention, trend, strict=True)
    return [len(trend) * paid / whole * value for paid, value in pairs]


def _trend_at(pieces: Sequence[Generation], generation: Generation) -> list[float] | None:
    """The M of each word of the last piece, 0 for words without content; None if unknown."""
    entropies: list[float] = []
    places: list[int] = []
    for piece in (*pieces, generation):
        known = [token.entropy for token in piece.tokens if token.entropy is not None]
        if piece.text.strip() and (not known or len(known) < len(piece.tokens)):
            return None
        words = runs_and_marks(piece.text)
        parts = by_word(piece.text, words, spans_of(piece.tokens), known)
        places = [
            at
            for at, (word, own) in enumerate(zip(words, parts, strict=True))
            if own and has_content(piece.text[word.start : word.end])
        ]
        entropies += [max(parts[at]) for at in places]
    trend = [0.0] * len(words)
    for at, value in zip(places, smoothed_trend(entropies)[-len(places) :], strict=False):
        trend[at] = value
    return trend


@dataclass(frozen=True, slots=True)
class _Read:
    """What is read for a draft: reported from the question on, with the draft at `start`."""

    before: str
    text: str
    n_question: int
    answer_start: int
    start: int

    @classmethod
    def of(cls, progress: Progress, generation: Generation) -> _Read:
        prompt, question = progress.prompt, progress.question.text
        end = prompt.text.rindex(question) + len(question)
        at = len(prompt.text[: end - len(question)].rstrip())  # tokens begin with their blank
        begun = prompt.text[at:] + prompt.answer
        return cls(
            prompt.text[:at],
            begun + generation.text,
            end - at,
            len(prompt.text) - at,
            len(begun),
        )

    def moved(self, word: Span) -> Span:
        """The place of a word of the draft in all that is reported."""
        return Span(word.start + self.start, word.end + self.start)

    def query_words(
        self, words: Sequence[Span], above: Sequence[int], reading: Attention, top_k: int
    ) -> str:
        """What the words above the threshold attend to most, of question and answer."""
        until = self.start + words[above[0]].start
        candidates = [
            word
            for word in runs_and_marks(self.text)
            if word.end <= self.n_question or self.answer_start <= word.start < until
        ]
        weights = [0.0] * len(candidates)
        for at in above:
            row = _paid_by(self.text, self.moved(words[at]), candidates, reading)
            weights = [a + b for a, b in zip(weights, row, strict=True)]
        return best_words(self.text, candidates, weights, top_k)


def _between_words(text: str, words: Sequence[Span], reading: Attention) -> list[float]:
    """Of each word the most that a later one pays to it; 0 for the last."""
    most = [0.0] * len(words)
    for at, word in enumerate(words):
        paid = _paid_by(text, word, words[:at], reading)
        most[:at] = [max(a, b) for a, b in zip(most, paid, strict=False)]
    return most


def _paid_by(text: str, word: Span, others: Sequence[Span], reading: Attention) -> list[float]:
    """What a word pays to each of others: mean over its tokens, sum over theirs."""
    n_before = len(reading.spans) - len(reading.rows)
    numbers = range(len(reading.spans))
    (own,) = by_word(text, [word], reading.spans, numbers)
    rows = [reading.rows[at - n_before] for at in own if at >= n_before]
    theirs = by_word(text, others, reading.spans, numbers)
    if not rows:
        return [0.0] * len(others)
    return [
        sum(row[at] for row in rows for at in some if at < len(row)) / len(rows) for some in theirs
    ]


def _before_word(sentence: str, written: str, word: Span) -> str:
    """The beginning of a sentence that stays; empty where all of it goes."""
    draft = written.strip()
    if not sentence.endswith(draft):
        return ""
    begun = sentence[: len(sentence) - len(draft)]
    return (begun + written[: word.start].lstrip()).rstrip()
