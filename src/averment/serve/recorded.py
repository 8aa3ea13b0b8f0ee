"""An answer on its way: each record as it is made, and the answer last.

The answering is a task of its own, which ends with whoever reads it. What this module does not do:
wait at a gate, or say anything in HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from averment.engine import Answered, Engine
from averment.trace import Record
from averment.types import Question


async def recorded(engine: Engine, question: Question) -> AsyncIterator[Record | Answered]:
    """The records of an answer as they are made, and then the answer.

    Raises:
        AvermentError: What ended the answer.
    """
    records: asyncio.Queue[Record | None] = asyncio.Queue()

    async def answer() -> Answered:
        try:
            return await engine.answer_async(question, lambda _, record: records.put_nowait(record))
        finally:
            records.put_nowait(None)

    answering = asyncio.create_task(answer())
    try:
        while (record := await records.get()) is not None:
            yield record
        yield await answering
    finally:
        answering.cancel()
