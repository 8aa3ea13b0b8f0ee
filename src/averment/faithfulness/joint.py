"""A model's judgement and the words of both texts, weighed together.

A small model errs where words would have told, and the other way round. The entailment of a pair
here is a logistic regression of three numbers, whose weights were fitted with the model and come
on its card:

    p = sigmoid(a · logit(p_model) + b · s - c · t + d)

with s the score of lexical alignment and t what a rule of it finds against the claim. A premise
without any word of the hypothesis says nothing about it: the pair is neutral, and the model is not
asked. So passages about something else change no score.

What this module does not do: fit the weights (``research/faithfulness/joint.py``), cut texts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from averment.faithfulness.lexical import LexicalAlignment
from averment.ports import PairJudge
from averment.uq.records import Nli

_SMALLEST = 1e-4
_SAYS_NOTHING = Nli(0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class JointWeights:
    """The weights of the module's formula: `model` a, `lexical` b, `against` c, `intercept` d."""

    model: float
    lexical: float
    against: float
    intercept: float


class JointJudge:
    """A `PairJudge` of a model and lexical alignment; see the module.

    Args:
        judge: The model.
        weights: Fitted with it.
    """

    def __init__(self, judge: PairJudge, *, weights: JointWeights) -> None:
        self._judge = judge
        self._words = LexicalAlignment()
        self._weights = weights

    @property
    def name(self) -> str:
        """The names of both."""
        return f"{self._judge.name} + {self._words.name}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        """The judgement of each (premise, hypothesis); equal shares against as the louder of both.

        Entailment is the module's p. What is left is parted into neutral and contradiction as the
        model parts it, or as lexical alignment does if that finds more against the claim.
        """
        by_words = self._words.judge(pairs)
        asked = [at for at, found in enumerate(by_words) if found.neutral < 1.0]
        judged = self._judge.judge([pairs[at] for at in asked]) if asked else []
        joint = [_SAYS_NOTHING] * len(pairs)
        for at, by_model in zip(asked, judged, strict=True):
            joint[at] = self._together(by_model, by_words[at])
        return joint

    def _together(self, by_model: Nli, by_words: Nli) -> Nli:
        weights = self._weights
        logit = (
            weights.model * _logit(by_model.entailment)
            + weights.lexical * by_words.entailment
            - weights.against * by_words.contradiction
            + weights.intercept
        )
        entailment = 1.0 / (1.0 + math.exp(-logit))
        against = max(_against(by_model), _against(by_words)) * (1.0 - entailment)
        return Nli(entailment, 1.0 - entailment - against, against)


def _logit(probability: float) -> float:
    inside = min(max(probability, _SMALLEST), 1.0 - _SMALLEST)
    return math.log(inside / (1.0 - inside))


def _against(judgement: Nli) -> float:
    """The share of contradiction in what is not entailment."""
    rest = judgement.neutral + judgement.contradiction
    return judgement.contradiction / rest if rest else 0.0
