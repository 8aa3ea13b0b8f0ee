"""Judges of pairs for tests: one that counts words, one that notes what it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from averment.text import TextForm
from averment.uq.records import Nli


class OverlapJudge:
    """Entailment is the share of the hypothesis' words that the premise has.

    Contradiction is what the word "not" in one of both alone makes of it.
    """

    name = "overlap"

    def __init__(self) -> None:
        self.calls: list[list[tuple[str, str]]] = []

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        self.calls.append(list(pairs))
        return [self._judgement(*pair) for pair in pairs]

    def _judgement(self, premise: str, hypothesis: str) -> Nli:
        words = TextForm().words
        asked, there = set(words(hypothesis)), set(words(premise))
        share = len(asked & there) / len(asked) * 0.9
        turned = 0.8 if ("not" in asked) != ("not" in there) else 0.1
        return Nli(share * (1 - turned), 1 - share, share * turned)


class GivenJudge:
    """Gives the same judgement to every pair."""

    name = "given"

    def __init__(self, judgement: Nli) -> None:
        self._judgement = judgement

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        return [self._judgement for _ in pairs]
