"""A request that a policy answers: one question, the corpus, a sentence at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from averment import steps
from averment.engine import Answered, Engine
from averment.serve.completions import Identity, closing_pieces, may_leave, policy_body, spoken
from averment.serve.recorded import recorded
from averment.types import Question, Sentence


@dataclass(frozen=True, slots=True)
class PolicyRequest:
    """What a policy is asked.

    Args:
        engine: The policy with its model and corpus.
        question: In words.
        identity: Of the completion.
        model: The model's name as it is served.
        mode: When text leaves.
        ignored: Fields of the request without effect.
        keep: Told of the answer once it is there.
        include_usage: Whether a stream ends with the usage.
    """

    engine: Engine
    question: str
    identity: Identity
    model: str
    mode: str
    ignored: list[str]
    keep: Callable[[Answered], Awaitable[None]]
    include_usage: bool = False

    async def body(self) -> dict[str, Any]:
        """The completion as a whole."""
        answered = await self.engine.answer_async(self._asked)
        await self.keep(answered)
        return self._body(answered)

    async def pieces(self) -> AsyncIterator[dict[str, Any]]:
        """The completion in pieces; each sentence comes with what is held of it."""
        leaving = _Leaving(self.mode)
        async for made in recorded(self.engine, self._asked):
            if isinstance(made, Answered):
                await self.keep(made)
                for piece in closing_pieces(
                    self._body(made),
                    self.identity,
                    n_sent=leaving.n_sent,
                    include_usage=self.include_usage,
                ):
                    yield piece
            elif isinstance(made.step, steps.Commit):
                is_first = not leaving.n_sent
                for text, held in leaving.take(made.step.sentence):
                    delta = spoken(text, is_first=is_first)
                    yield self.identity.piece(delta, averment={"sentence": held})

    @property
    def _asked(self) -> Question:
        return Question("question", self.question)

    def _body(self, answered: Answered) -> dict[str, Any]:
        return policy_body(
            answered.answer,
            self.identity,
            model=self.model,
            mode=self.mode,
            ignored=self.ignored,
        )


def held_by(engine: Engine, mode: str) -> str:
    """When text leaves: what may be withheld in the end waits for the whole answer."""
    withholds = engine.scoring is not None and engine.scoring.withholds
    return "hold-answer" if withholds and mode == "hold-sentence" else mode


class _Leaving:
    """Which committed sentences leave now: all of them, those with support, or none."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._waits = mode == "hold-answer"
        self.n_sent = 0

    def take(self, sentence: Sentence) -> list[tuple[str, dict[str, Any]]]:
        """The text that leaves with a sentence, and what is held of it."""
        if self._mode == "hold-sentence":
            passes = may_leave(sentence.text, sentence.support, sentence.reason)
            self._waits = self._waits or not passes
        if self._waits:
            return []
        text = f" {sentence.text}" if self.n_sent else sentence.text
        self.n_sent += len(text)
        held = {
            "text": sentence.text,
            "support": sentence.support.value,
            "reason": sentence.reason,
            "repairs": sentence.repairs,
        }
        return [(text, held)]
