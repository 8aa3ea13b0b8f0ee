"""A language model as judge: how much likelier "yes" is than "no" after a passage and a claim.

Both words are scored as continuations of one prompt and compared; nothing is generated, since
what a model writes first (a blank, "The …") says nothing of the comparison. The result is a
log-odds of a model that was not trained for this: it ranks, and wants calibration.

What this module does not do: tell contradiction from silence (judgements are (p, 1 - p, 0)), cut
long passages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from averment import prompts
from averment.errors import CapabilityError
from averment.ports import ScoringModel
from averment.types import Prompt, Token
from averment.uq.records import Nli

_TEMPLATE = "judge"
_YES, _NO = " yes", " no"
_HINT = "Take a model that scores given text, or another tier of faithfulness."


class JudgeByLanguageModel:
    """A `PairJudge` by the log-odds of " yes" and " no".

    Args:
        model: Scores continuations.
        name: What results are reported under: that of the language model.
    """

    def __init__(self, model: ScoringModel, *, name: str) -> None:
        self._model = model
        self._template = prompts.load(_TEMPLATE)
        self._name = f"judge({name})"

    @property
    def name(self) -> str:
        """``judge(…)`` around the name of the language model."""
        return self._name

    @property
    def identity(self) -> str:
        """Name and prompt: what judgements depend on besides the texts."""
        return f"{self._name} {self._template.digest}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        """The judgement of each (premise, hypothesis): p = sigmoid(log-odds), 1 - p, 0.

        Raises:
            CapabilityError: The model gives no log-probability for one of the words.
        """
        asked = [self._prompt(premise, hypothesis) for premise, hypothesis in pairs]
        continuations = [(prompt, word) for prompt in asked for word in (_YES, _NO)]
        scored = [self._logprob(tokens) for tokens in self._model.score(continuations)]
        return [self._judgement(yes, no) for yes, no in zip(scored[::2], scored[1::2], strict=True)]

    def _judgement(self, yes: float, no: float) -> Nli:
        if yes == no == -math.inf:
            raise CapabilityError(
                f"{self._name} finds both {_YES!r} and {_NO!r} impossible; it cannot judge.",
                hint=_HINT,
            )
        p = _sigmoid(yes - no)
        return Nli(p, 1.0 - p, 0.0)

    def _prompt(self, premise: str, hypothesis: str) -> Prompt:
        return Prompt(self._template.fill(passage=premise, claim=hypothesis).rstrip("\n"))

    def _logprob(self, tokens: Sequence[Token]) -> float:
        logprobs = [token.logprob for token in tokens]
        known = [each for each in logprobs if each is not None and not math.isnan(each)]
        if not known or len(known) < len(logprobs):
            raise CapabilityError(
                f"{self._name} needs the log-probability of {_YES!r} and {_NO!r}; the model gave "
                f"{logprobs}.",
                hint=_HINT,
            )
        return math.fsum(known)


def _sigmoid(log_odds: float) -> float:
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    power = math.exp(log_odds)
    return power / (1.0 + power)
