"""Fills records with judgements and similarities of whoever can give them, one batch a call.

The formulas want pairs of texts in a certain form, and the form is part of the method; so it is
here. What judges and compares is passed in: a function from pairs to one result a pair.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from averment.types import Token
from averment.uq.records import Alternative, ClaimSpan, Nli, Record

T = TypeVar("T")
Pairs: TypeAlias = Sequence[tuple[str, str]]
Judge: TypeAlias = Callable[[Pairs], Sequence[Nli]]
"""From (premise, hypothesis) to its judgement, in order."""
Compare: TypeAlias = Callable[[Pairs], Sequence[float]]
"""From two texts to their similarity, at most 1, in order."""

_ITSELF = Nli(1.0, 0.0, 0.0)


def judge_samples(
    record: Record, judge: Judge, *, model: str, with_question: bool = True
) -> Record:
    """The record with `sample_nli`: every sample against every other.

    Args:
        record: A record with samples.
        judge: Judges pairs.
        model: The name under which to report.
        with_question: Whether the question stands before both texts, as the papers have it;
            lm-polygraph leaves it out, which changes what one-word answers entail.
    """
    start = f"{record.question} " if with_question else ""
    texts = [start + sample.text for sample in record.samples]
    matrix = _matrix(texts, judge, diagonal=_ITSELF)
    return replace(record, sample_nli=matrix, nli_model=model)


def judge_answer(record: Record, judge: Judge, *, model: str) -> Record:
    """The record with `nli`: each sample as premise, the answer as hypothesis."""
    pairs = [(sample.text, record.answer) for sample in record.samples]
    return replace(record, nli=_asked(judge, pairs), nli_model=model)


def judge_claim(record: Record, claim: ClaimSpan, judge: Judge) -> ClaimSpan:
    """The claim with `nli`: each sample as premise, the claim's text as hypothesis."""
    return replace(claim, nli=_asked(judge, [(s.text, claim.text) for s in record.samples]))


def judge_alternatives(record: Record, judge: Judge, *, model: str) -> Record:
    """The record with every alternative judged against the written token, in both directions.

    Words stand alone ("no context"), without spaces and punctuation around them.
    """
    pairs = [
        pair
        for token, alternatives in zip(record.tokens, record.alternatives, strict=True)
        for other in alternatives
        for pair in ((_bare(token.text), _bare(other.text)), (_bare(other.text), _bare(token.text)))
    ]
    judgements = iter(_asked(judge, pairs))

    def judged(other: Alternative) -> Alternative:
        return replace(other, forward=next(judgements), backward=next(judgements))

    alternatives = tuple(tuple(map(judged, position)) for position in record.alternatives)
    return replace(record, alternatives=alternatives, nli_model=model)


def compare_texts(record: Record, compare: Compare, *, model: str) -> Record:
    """The record with every similarity: of samples, and without each token of answer and samples.

    Tokens that stand for nothing in the text, such as an end mark, are to be left out beforehand.

    Args:
        record: A record with tokens, samples, or both.
        compare: Compares pairs.
        model: The name under which to report, such as `all-MiniLM-L6-v2`.
    """
    texts = [sample.text for sample in record.samples]
    samples = tuple(
        replace(
            sample, similarity_without_token=_without_each(record.question, sample.tokens, compare)
        )
        for sample in record.samples
    )
    return replace(
        record,
        similarity_without_token=_without_each(record.question, record.tokens, compare),
        samples=samples,
        sample_similarity=_matrix(texts, compare, diagonal=1.0),
        similarity_model=model,
    )


def _without_each(question: str, tokens: Sequence[Token], compare: Compare) -> tuple[float, ...]:
    words = [token.text for token in tokens]
    whole = f"{question} {''.join(words)}"
    parts = [f"{question} {''.join(words[:t] + words[t + 1 :])}" for t in range(len(words))]
    return _asked(compare, [(whole, part) for part in parts])


def _matrix(
    texts: Sequence[str], ask: Callable[[Pairs], Sequence[T]], *, diagonal: T
) -> tuple[tuple[T, ...], ...]:
    n_texts = len(texts)
    pairs = [(a, b) for i, a in enumerate(texts) for j, b in enumerate(texts) if i != j]
    results = iter(_asked(ask, pairs))
    return tuple(
        tuple(diagonal if i == j else next(results) for j in range(n_texts)) for i in range(n_texts)
    )


def _asked(ask: Callable[[Pairs], Sequence[T]], pairs: Pairs) -> tuple[T, ...]:
    """One result a pair; equal pairs are asked once, since samples repeat."""
    distinct = list(dict.fromkeys(pairs))
    results = dict(zip(distinct, ask(distinct), strict=True)) if distinct else {}
    return tuple(results[pair] for pair in pairs)


def _bare(text: str) -> str:
    return text.strip(string.punctuation + string.whitespace)
