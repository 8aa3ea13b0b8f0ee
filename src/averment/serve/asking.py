"""A question that was asked on the page: answered by a policy, told step by step or as a whole.

What is told of a step is for a reader who watches; what counts is the answer, which is kept and
opened by its id. What this module does not do: HTTP, or HTML.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from averment.engine import Answered, check_question
from averment.errors import UsageError
from averment.page.timeline import kind_of, rejected_drafts, told
from averment.serve.chat import Asked, Chats
from averment.serve.details import policy_details
from averment.serve.recorded import recorded
from averment.serve.refusals import Refused
from averment.trace import Record
from averment.types import Question

_MODE = "hold-answer"
_STARTED = {"kind": "start", "told": "started"}


class PageQuestion(NamedTuple):
    """What was asked, and of whom."""

    text: str
    of: Asked


class Asking:
    """Answers questions of the page.

    Args:
        chats: Who has the engines, and counts and keeps answers.
    """

    def __init__(self, chats: Chats) -> None:
        self._chats = chats

    async def answer(self, asked: PageQuestion) -> str:
        """The id of the answer, once it is there.

        Raises:
            Refused: It is no question.
            AvermentError: What ended it.
        """
        _check(asked.text)
        started = time.perf_counter()
        engine = await self._chats.engine(asked.of)
        answered = await engine.answer_async(Question("question", asked.text))
        return await self._kept(asked, answered, started)

    async def pieces(self, asked: PageQuestion) -> AsyncIterator[dict[str, Any]]:
        """A piece when it is begun, one a step, and the id of the answer."""
        _check(asked.text)
        started = time.perf_counter()
        yield _STARTED
        engine = await self._chats.engine(asked.of)
        records: list[Record] = []
        rejected: set[int] = set()
        async for made in recorded(engine, Question("question", asked.text)):
            if isinstance(made, Answered):
                yield {"kind": "answer", "answer": await self._kept(asked, made, started)}
                continue
            records.append(made)
            before, rejected = rejected, rejected_drafts(records)
            yield {
                "kind": kind_of(made),
                "told": told(made),
                "seconds": round((made.started_ms + made.ms) / 1000, 1),
                "rejects": sorted(rejected - before),
            }

    async def _kept(self, asked: PageQuestion, answered: Answered, started: float) -> str:
        await self._chats.keep(answered)
        details = policy_details(answered.answer, model=asked.of.model, mode=_MODE, ignored=())
        self._chats.note(details, question=asked.text, started=started)
        return answered.answer.trace_id


def _check(text: str) -> None:
    """Refuse what is no question, without the hint for the command line."""
    try:
        check_question(text)
    except UsageError as error:
        raise Refused(400, "UsageError", error.message, hint="Ask one question.") from error
