"""How the pieces of a stream leave: in order, those that are there at once together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from averment.serve.completions import DONE, event
from averment.serve.connection import Events
from averment.serve.gate import Gate
from averment.serve.refusals import Refused

FIVE = [{"n": number} for number in range(5)]


def left(pieces: AsyncIterator[dict[str, Any]]) -> list[str]:
    async def read() -> list[str]:
        events = Events(pieces, Gate(1, 0, timeout_s=20))
        await events.begin()
        return [each async for each in events]

    return asyncio.run(read())


async def at_once() -> AsyncIterator[dict[str, Any]]:
    for each in FIVE:
        yield each


async def one_by_one() -> AsyncIterator[dict[str, Any]]:
    for each in FIVE:
        yield each
        for _ in range(10):
            await asyncio.sleep(0)


async def broken() -> AsyncIterator[dict[str, Any]]:
    for each in FIVE:
        yield each
    raise Refused(502, "ModelUnavailable", "The model server broke off.")


def test_pieces_that_are_there_together_leave_together() -> None:
    assert left(at_once()) == ["".join(map(event, FIVE)), DONE]


def test_a_piece_that_comes_alone_waits_for_no_other() -> None:
    assert left(one_by_one()) == [*map(event, FIVE), DONE]


def test_what_goes_wrong_is_the_last_event_and_loses_none_before_it() -> None:
    *pieces, last = left(broken())

    assert "".join(pieces) == "".join(map(event, FIVE))
    assert "The model server broke off." in last
    assert DONE not in last
