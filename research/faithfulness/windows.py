"""Passages cut into windows of sentences, and claims scored over them.

The rule is AlignScore's: the mean over the claim's sentences of the best window. Passages are
never joined, so that the best window is a piece of one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorers import FloatArray, Scorer


@dataclass(frozen=True, slots=True)
class Case:
    """A claim to be scored.

    Args:
        claims: Its sentences, or the claim as a whole.
        windows: The windows of its passages.
        is_supported: The label.
        group: The document; bootstrap resamples draw whole documents.
    """

    claims: tuple[str, ...]
    windows: tuple[str, ...]
    is_supported: bool
    group: str


def windows_of(sentences: Sequence[str], window_words: int) -> tuple[str, ...]:
    """Runs of whole sentences of at most `window_words` words.

    Each starts with the last sentence of the one before where there is room for it; a sentence
    that is longer than `window_words` is a window of its own.
    """
    counts = [len(sentence.split()) for sentence in sentences]
    found: list[str] = []
    start = 0
    while start < len(sentences):
        end, words = start, 0
        while end < len(sentences) and (end == start or words + counts[end] <= window_words):
            words += counts[end]
            end += 1
        found.append(" ".join(sentences[start:end]))
        if end == len(sentences):
            break
        has_room = end - start > 2 and counts[end - 1] < window_words / 3
        start = end - 1 if has_room else end
    return tuple(found) or ("",)


def score_cases(cases: Sequence[Case], scorer: Scorer) -> FloatArray:
    """Each case's mean over claim sentences of the best window; equal pairs are scored once."""
    wanted = dict.fromkeys(
        (window, claim) for case in cases for claim in case.claims for window in case.windows
    )
    pairs = list(wanted)
    scores = dict(zip(pairs, scorer.entailment(pairs), strict=True))
    return np.array(
        [
            np.mean(
                [max(scores[window, claim] for window in case.windows) for claim in case.claims]
            )
            for case in cases
        ]
    )
