"""Tier (a), lexical alignment: do the claim's words and numbers stand together in a passage?

Deterministic, without a model, thousands of claims a second. The score of a claim sentence is

    (0.8 · coverage + 0.2 · order) · cap

of the run of at most three sentences that covers it best: the weight of its content words and
quantities that are there, the share of its neighbouring words that are neighbours there, and the
cap of the rule that it breaks (`averment.faithfulness.rules`). Every passage is read for itself,
and weights do not depend on the passages; so one more changes a score only by better evidence.

What this module does not do: know synonyms or entail anything. It finds what is copied, moved or
altered; a paraphrase scores low, and a swap of two names may score high.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from averment.faithfulness.alignment import best_run, order_kept
from averment.faithfulness.evidence import EMPTY_CLAIM, NO_EVIDENCE, Evidence, Pooling, pooled
from averment.faithfulness.rules import broken_rule
from averment.faithfulness.terms import Sentence, read, stemmer
from averment.types import Faithfulness
from averment.uq.records import Nli

_ORDER_WEIGHT = 0.2
_WITHOUT_CONTENT = Faithfulness(0.0, reason="no_content")


class LexicalAlignment:
    """A `FaithfulnessScorer` and a `PairJudge` without a model; see the module.

    Args:
        pooling: How the sentences of a claim make one score.

    Example:
        >>> scorer = LexicalAlignment()
        >>> [found] = scorer.score([("The bridge is 5 km long.", ["The bridge is 4 km long."])])
        >>> found.reason
        'number_differs'
    """

    name = "lexical-alignment"

    def __init__(self, *, pooling: Pooling = "mean") -> None:
        self._pooling = pooling

    def score(self, claims: Sequence[tuple[str, Sequence[str]]]) -> list[Faithfulness]:
        """How far the words of each claim are stated by its passages.

        Returns:
            One for each (claim, passages). `contradiction` is None unless a rule contradicts.
            Reasons are those of the rules, ``no_evidence`` (no passage has a word),
            ``empty_claim`` (the claim has none) and ``no_content`` (it has function words only).
        """
        reader = _Reader()
        return [self._score(claim, passages, reader) for claim, passages in claims]

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        """The judgement of each (premise, hypothesis): p, what is left, what a rule contradicts."""
        scored = self.score([(hypothesis, [premise]) for premise, hypothesis in pairs])
        return [_nli(each.score, each.contradiction or 0.0) for each in scored]

    def _score(self, claim: str, passages: Sequence[str], reader: _Reader) -> Faithfulness:
        sentences = reader.read(claim)
        if not sentences:
            return EMPTY_CLAIM
        read_passages = [(at, reader.read(passage)) for at, passage in enumerate(passages)]
        texts = [(at, text) for at, text in read_passages if text]
        if not texts:
            return NO_EVIDENCE
        asked = [sentence for sentence in sentences if sentence.has_content]
        if not asked:
            return _WITHOUT_CONTENT
        return pooled([_best(sentence, texts) for sentence in asked], self._pooling)


class _Reader:
    """Reads each text of one call once."""

    def __init__(self) -> None:
        self._stemming: Any = stemmer()
        self._read: dict[str, list[Sentence]] = {}

    def read(self, text: str) -> list[Sentence]:
        if text not in self._read:
            self._read[text] = read(text, self._stemming)
        return self._read[text]


def _best(claim: Sentence, texts: Sequence[tuple[int, Sequence[Sentence]]]) -> Evidence:
    found = [_assess(claim, sentences, passage) for passage, sentences in texts]
    return max(found, key=lambda each: each.score)


def _assess(claim: Sentence, sentences: Sequence[Sentence], passage: int) -> Evidence:
    run = best_run(claim, sentences)
    evidence = sentences[run.first : run.last]
    start, end = evidence[0].start, evidence[-1].end
    if not run.found:
        return Evidence(0.0, None, passage, start, end)
    stated = (1 - _ORDER_WEIGHT) * run.coverage + _ORDER_WEIGHT * order_kept(claim, evidence)
    rule = broken_rule(claim, sentences, run)
    if rule is None:
        return Evidence(stated, None, passage, start, end)
    against = stated * (1 - rule.cap) if rule.contradicts else None
    return Evidence(stated * rule.cap, against, passage, start, end, rule.code)


def _nli(entailment: float, contradiction: float) -> Nli:
    return Nli(entailment, max(0.0, 1.0 - entailment - contradiction), contradiction)
