"""The gate: so many run, so many wait, the rest is refused, and nobody stays for ever."""

from __future__ import annotations

import asyncio

import pytest

from averment.serve.gate import Gate
from averment.serve.refusals import Refused


def test_more_than_may_run_wait_and_more_than_may_wait_are_refused() -> None:
    async def scenario() -> tuple[list[str], int, int | None]:
        gate = Gate(1, 1, timeout_s=20)
        go_on = asyncio.Event()
        done: list[str] = []

        async def pass_through(name: str) -> None:
            async with gate.admitted():
                await go_on.wait()
                done.append(name)

        tasks = [asyncio.create_task(pass_through(name)) for name in ("first", "second")]
        await asyncio.sleep(0)
        inside = gate.n_inside
        with pytest.raises(Refused) as refusal:
            await pass_through("third")
        go_on.set()
        await asyncio.gather(*tasks)
        assert gate.n_inside == 0
        return done, inside, refusal.value.retry_after_s

    done, inside, retry_after_s = asyncio.run(scenario())

    assert (done, inside) == (["first", "second"], 2)
    assert retry_after_s is not None


def test_waiting_counts_as_taking_time() -> None:
    async def scenario() -> int:
        gate = Gate(1, 1, timeout_s=0.05)

        async def stay() -> None:
            async with gate.admitted():
                await asyncio.sleep(20)

        results = await asyncio.gather(stay(), stay(), return_exceptions=True)
        assert [type(result) for result in results] == [TimeoutError, TimeoutError]
        return gate.n_inside

    assert asyncio.run(scenario()) == 0


def test_who_is_cancelled_while_waiting_gives_the_place_back() -> None:
    async def scenario() -> int:
        gate = Gate(1, 1, timeout_s=20)

        async def stay() -> None:
            async with gate.admitted():
                await asyncio.sleep(20)

        tasks = [asyncio.create_task(stay()) for _ in range(2)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return gate.n_inside

    assert asyncio.run(scenario()) == 0
