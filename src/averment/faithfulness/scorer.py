"""Faithfulness by any judge of pairs: chunks of passages against sentences of claims.

The score of a claim sentence is that of the chunk that supports it best; the score of a claim is
the mean (or the minimum) over its sentences. All pairs of all claims are de-duplicated and judged
in one batch. A pair is judged without regard to any other, so a passage more or another order
changes a score only where a chunk of it supports the claim better.

Numbers and dates are compared before anybody is asked to believe. One that the chunk states in
another spelling ("5 km", "5000 m") is put to the judge in the chunk's own. A chunk that states
another one about the claim (`averment.faithfulness.rules`) keeps the share of its score that the
rule leaves, and speaks against the claim with the rest.

A claim sentence that a passage has word for word, as a sentence of its own, is supported whatever a
judge makes of the words around it: score 1, and nobody is asked.

Long contexts: with more than `most_chunks` chunks, those that cover the claim sentence best by
words (`averment.faithfulness.alignment`) are judged and the rest is taken for no evidence; ties go
by the text of the chunk, not by its place. How often that loses the evidence is measured in
``bench/faithfulness.py``.

What this module does not do: judge, or remember judgements (`averment.faithfulness.cache`).

Source: AlignScore (arXiv 2305.16739) for chunks, maximum and mean; FRANQ (arXiv 2505.21072,
    version 2) for the ratio, there called MaxNLI.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from averment.errors import CapabilityError, MalformedReply
from averment.faithfulness.alignment import best_run
from averment.faithfulness.chunks import Chunk, CountWords, cut_sentence, n_words, packed_chunks
from averment.faithfulness.evidence import EMPTY_CLAIM, NO_EVIDENCE, Evidence, Pooling, pooled
from averment.faithfulness.rules import Rule, differing_quantity
from averment.faithfulness.terms import Sentence, read_spans, stemmer
from averment.ports import PairJudge
from averment.quantities import respelled
from averment.text import Span, sentence_spans
from averment.types import Faithfulness
from averment.uq.records import Nli

Head: TypeAlias = Literal["entailment", "entailment_ratio"]
"""P(entailment), or P(entailment) / (P(entailment) + P(contradiction))."""
Split: TypeAlias = Callable[[Sequence[str]], list[Chunk]]
_Pair: TypeAlias = tuple[str, str]
_Place: TypeAlias = tuple[int, int, int]
"""A passage, and a span of it."""

DEFAULT_CHUNK_WORDS = 120
"""With a claim, what a model of 224 tokens can read."""
DEFAULT_SPLIT: Split = partial(packed_chunks, budget=DEFAULT_CHUNK_WORDS)
_LONGEST_CLAIM_WORDS = 60
_CLAIM_SHARE = 0.3
_MARKS_TOKENS = 4
_SUM_TOLERANCE = 1e-3


class ChunkedScorer:
    """A `FaithfulnessScorer` around a judge of pairs; see the module.

    Args:
        judge: Says what a chunk does to a claim sentence.
        split: Cuts passages into chunks that the judge can read.
        pooling: How the sentences of a claim make one score.
        head: What of a judgement is the score. The ratio, MaxNLI, needs a judge that tells
            contradiction from neutral.
        most_chunks: How many chunks are judged for a claim sentence; None: all.
        claim_budget: The longest claim sentence that is judged whole, in what `count` counts; a
            longer one is judged in pieces.
        count: How long a text is; words unless said otherwise.

    Raises:
        ValueError: `most_chunks` or `claim_budget` is below 1.
    """

    def __init__(
        self,
        judge: PairJudge,
        *,
        split: Split = DEFAULT_SPLIT,
        pooling: Pooling = "mean",
        head: Head = "entailment",
        most_chunks: int | None = 32,
        claim_budget: int = _LONGEST_CLAIM_WORDS,
        count: CountWords = n_words,
    ) -> None:
        if (most_chunks is not None and most_chunks < 1) or claim_budget < 1:
            raise ValueError(
                "most_chunks must be at least 1 or None, claim_budget at least 1, "
                f"not {most_chunks} and {claim_budget}."
            )
        self._judge = judge
        self._split = split
        self._pooling = pooling
        self._head = head
        self._most_chunks = most_chunks
        self._claim_budget = claim_budget
        self._count = count

    @property
    def name(self) -> str:
        """The name of the judge, and what is not the default."""
        head = "" if self._head == "entailment" else ", entailment ratio"
        pooling = "" if self._pooling == "mean" else ", minimum of sentences"
        return f"{self._judge.name}{head}{pooling}"

    def score(self, claims: Sequence[tuple[str, Sequence[str]]]) -> list[Faithfulness]:
        """How far each (claim, passages) is supported, and where.

        Returns:
            Scores in [0, 1]. A claim without a word scores 0 with the reason ``empty_claim``,
            passages without a word give 0 with the reason ``no_evidence``. `contradiction` is that
            of the chunk which says most about the claim; None from judges of two classes.

        Raises:
            MalformedReply: The judge gave something that is no distribution.
            CapabilityError: The ratio was asked of a judge that knows no contradiction.
        """
        stemming = stemmer()
        contexts: dict[tuple[str, ...], _Context] = {}
        tasks = []
        for claim, passages in claims:
            key = tuple(passages)
            if key not in contexts:
                contexts[key] = _Context(key, self._split(key), stemming)
            tasks.append(self._task(claim, contexts[key], stemming))
        judged = self._judged({pair: None for task in tasks for pair in task.pairs()})
        return [self._scored(task, judged) for task in tasks]

    def _task(self, claim: str, context: _Context, stemming: Any) -> _Task:
        asked = []
        for text in _claim_sentences(claim, self._claim_budget, self._count):
            [sentence] = read_spans(text, [Span(0, len(text))], stemming)
            if same := context.word_for_word(text):
                asked.append(_Asked(sentence, {}, same))
                continue
            nearest = context.nearest(sentence, self._most_chunks)
            pairs = [context.pair(at, text, sentence) for at in nearest]
            asked.append(_Asked(sentence, dict(zip(nearest, pairs, strict=True))))
        return _Task(context, asked)

    def _judged(self, pairs: Iterable[_Pair]) -> dict[_Pair, Nli]:
        asked = list(pairs)
        judgements = self._judge.judge(asked) if asked else []
        for judgement in judgements:
            _refuse_no_distribution(judgement, self._judge.name)
        return dict(zip(asked, judgements, strict=True))

    def _scored(self, task: _Task, judged: Mapping[_Pair, Nli]) -> Faithfulness:
        context = task.context
        if not task.asked:
            return EMPTY_CLAIM
        if not context.chunks:
            return NO_EVIDENCE
        evidence = []
        for asked in task.asked:
            if asked.word_for_word:
                evidence.append(Evidence(1.0, 0.0, *asked.word_for_word))
                continue
            held = [
                self._held(at, judged[pair], context.differing_quantity(at, asked.sentence))
                for at, pair in asked.pairs.items()
            ]
            telling = _telling(held)
            span = context.narrowed(telling.chunk, asked.sentence)
            evidence.append(
                Evidence(
                    max(each.score for each in held),
                    telling.against or None,  # exactly 0: of two classes
                    context.chunks[telling.chunk].passage,
                    *span,
                    reason=telling.rule.code if telling.rule else None,
                )
            )
        return pooled(evidence, self._pooling)

    def _held(self, at: int, judgement: Nli, rule: Rule | None) -> _Held:
        score, against = self._head_of(judgement), judgement.contradiction
        if rule is None:
            return _Held(at, score, against)
        return _Held(at, score * rule.cap, max(against, score * (1 - rule.cap)), rule)

    def _head_of(self, judgement: Nli) -> float:
        entailment, contradiction = judgement.entailment, judgement.contradiction
        if self._head == "entailment":
            return entailment
        if contradiction == 0.0 and entailment < 1.0:
            raise CapabilityError(
                f"The entailment ratio needs a judge of three classes; {self._judge.name!r} tells "
                "no contradiction.",
                hint='Use head="entailment".',
            )
        return entailment / (entailment + contradiction)


def _claim_sentences(claim: str, budget: int, count: CountWords) -> list[str]:
    """The sentences with a word; an endless one in pieces, since a judge must read it whole."""
    return [
        claim[piece.start : piece.end]
        for sentence in _with_their_questions(claim)
        for piece in cut_sentence(claim, sentence, budget=budget, count=count)
        if n_words(claim[piece.start : piece.end])
    ]


def _as_said(sentence: str) -> str:
    """A sentence as it is compared: every mark and sign counts but the full stop at its end."""
    return " ".join(sentence.casefold().split()).rstrip(".!")


def _with_their_questions(claim: str) -> list[Span]:
    """The sentences of a claim; the one behind a question is its answer and stays with it."""
    spans: list[Span] = []
    for span in sentence_spans(claim):
        if spans and claim[spans[-1].start : spans[-1].end].endswith("?"):
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            spans.append(span)
    return spans


def _telling(held: Sequence[_Held]) -> _Held:
    """The chunk that says most: the one that supports best, unless one speaks against it louder."""
    best = max(held, key=lambda each: each.score)
    loudest = max(held, key=lambda each: each.against)
    return loudest if loudest.against > best.score else best


def _refuse_no_distribution(judgement: Nli, name: str) -> None:
    parts = (judgement.entailment, judgement.neutral, judgement.contradiction)
    sound = all(math.isfinite(part) and 0.0 <= part <= 1.0 for part in parts)
    if not sound or abs(sum(parts) - 1.0) > _SUM_TOLERANCE:
        raise MalformedReply(
            f"The judge {name!r} gave {judgement}; expected three probabilities that sum to 1."
        )


def scorer_for_window(
    judge: PairJudge, *, window_tokens: int, n_tokens: CountWords, most_chunks: int | None = 32
) -> ChunkedScorer:
    """A scorer whose chunks and claims fit a model's window, counted in its own tokens.

    Args:
        judge: The model, or what remembers for it.
        window_tokens: What it can read of premise, hypothesis and marks together.
        n_tokens: How many of its tokens a text has.
        most_chunks: As `ChunkedScorer` has it.
    """
    claim_budget = max(1, int(window_tokens * _CLAIM_SHARE))
    budget = max(1, window_tokens - claim_budget - _MARKS_TOKENS)
    return ChunkedScorer(
        judge,
        split=partial(packed_chunks, budget=budget, count=n_tokens),
        most_chunks=most_chunks,
        claim_budget=claim_budget,
        count=n_tokens,
    )


# --- what is asked ------------------------------------------------------------------------------


class _Context:
    """The chunks of some passages; each is read by words once, when that is asked for."""

    def __init__(self, passages: Sequence[str], chunks: Sequence[Chunk], stemming: Any) -> None:
        self.chunks = [chunk for chunk in chunks if n_words(chunk.text)]
        self._passages = passages
        self._stemming = stemming
        self._read: dict[int, list[Sentence]] = {}
        self._said: dict[str, _Place] | None = None

    def word_for_word(self, claim: str) -> _Place | None:
        """Where a passage has a claim as a sentence, but for case, blanks and the full stop."""
        if self._said is None:
            self._said = {}
            for number, passage in enumerate(self._passages):
                for start, end in sentence_spans(passage):
                    self._said.setdefault(_as_said(passage[start:end]), (number, start, end))
        return self._said.get(_as_said(claim))

    def nearest(self, claim: Sentence, n_chunks: int | None) -> list[int]:
        """Which chunks cover a claim best, at most so many, in their order."""
        every = range(len(self.chunks))
        if n_chunks is None or len(every) <= n_chunks:
            return list(every)
        ranked = sorted(every, key=lambda at: (-self._coverage(at, claim), self.chunks[at].text))
        return sorted(ranked[:n_chunks])

    def narrowed(self, at: int, claim: Sentence) -> Span:
        """The sentences of a chunk that cover a claim best; all of them if none does."""
        chunk = self.chunks[at]
        run = best_run(claim, self._sentences(at)) if claim.has_content else None
        if run is None or not run.coverage:
            return Span(chunk.start, chunk.end)
        return Span(chunk.sentences[run.first].start, chunk.sentences[run.last - 1].end)

    def pair(self, at: int, text: str, claim: Sentence) -> _Pair:
        """A chunk, and a claim sentence with its quantities as the chunk spells them."""
        chunk = self.chunks[at]
        if not claim.quantities:
            return chunk.text, text
        stated = [quantity for part in self._sentences(at) for quantity in part.quantities]
        return chunk.text, respelled(text, claim.quantities, self._passages[chunk.passage], stated)

    def differing_quantity(self, at: int, claim: Sentence) -> Rule | None:
        """The rule that contradicts a claim by a number or date of that chunk."""
        if not claim.quantities:
            return None
        sentences = self._sentences(at)
        run = best_run(claim, sentences)
        rule = differing_quantity(claim, sentences[run.first : run.last], run)
        return rule if rule is not None and rule.contradicts else None

    def _coverage(self, at: int, claim: Sentence) -> float:
        return best_run(claim, self._sentences(at)).coverage if claim.has_content else 0.0

    def _sentences(self, at: int) -> list[Sentence]:
        if at not in self._read:
            chunk = self.chunks[at]
            passage = self._passages[chunk.passage]
            self._read[at] = read_spans(passage, chunk.sentences, self._stemming)
        return self._read[at]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A sentence of a claim: what is asked of it by the number of the chunk, or where it stands."""

    sentence: Sentence
    pairs: Mapping[int, _Pair]
    word_for_word: _Place | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """A claim sentence held against a chunk; `rule` is the one that its numbers break."""

    chunk: int
    score: float
    against: float
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class _Task:
    """A claim, sentence by sentence, and its context."""

    context: _Context
    asked: Sequence[_Asked]

    def pairs(self) -> Iterator[_Pair]:
        """What is to be judged: (premise, hypothesis)."""
        for asked in self.asked:
            yield from asked.pairs.values()
