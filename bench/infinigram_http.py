"""How many counts a second infini-gram's API gives through averment; a stub answers, after a delay.

    python bench/infinigram_http.py [--latency-ms 50] [--counts 2000] [--parallel 24]

The stub runs in a process of its own and does nothing but wait. Three ways take turns in each
round: one request at a time (as a plain client does), in batches, and the same batch again (from
the cache on disk). Prints one JSON row: medians over the rounds, and this process's CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import multiprocessing
import os
import pathlib
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from averment.index.infinigram.api import Address, open_api
from averment.index.infinigram.http import Requests
from averment.keyed_rows import KeyedRows

ROUNDS = 5
AT_ONCE = 50  # requests of a round of the way that asks one by one


def serve(latency_s: float, told: Connection) -> None:
    """A server that answers every request alike, each after the delay; runs until it is killed."""
    reply = {
        "cnt": 7,
        "segment_by_shard": [[3, 10]],
        "token_ids": [3014, 310, 7660],
        "latency": 1.0,
    }
    body = json.dumps(reply).encode()
    kind = "Content-Type: application/json"
    head = f"HTTP/1.1 200 OK\r\n{kind}\r\nContent-Length: {len(body)}\r\n\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                asked = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in asked.split(b"\r\n")
                    if line.lower().startswith(b"content-length:")
                )
                await reader.readexactly(length)
                await asyncio.sleep(latency_s)
                writer.write(head.encode() + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def timed(source: Any, phrases: Sequence[str], *, batch: int) -> tuple[float, float]:
    """Counts a second, and processor milliseconds a count."""
    wall, cpu = time.perf_counter(), time.process_time()
    for first in range(0, len(phrases), batch):
        counts = source.count(phrases[first : first + batch])
        assert all(count.value == 7 for count in counts)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return len(phrases) / wall, 1000 * cpu / len(phrases)


def main() -> None:
    """Run the rounds and print the row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency-ms", type=float, default=50.0)
    parser.add_argument("--counts", type=int, default=2000)
    parser.add_argument("--parallel", type=int, default=24)
    asked = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(
        target=serve, args=(asked.latency_ms / 1000, theirs), daemon=True
    )
    server.start()
    address = Address("infinigram", "stub", f"http://127.0.0.1:{ours.recv()}/")
    rows: dict[str, list[tuple[float, float]]] = {"one by one": [], "batch": [], "cached": []}
    for round_ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as directory:
            cache = KeyedRows(
                pathlib.Path(directory) / "answers.sqlite3",
                table="answers",
                columns={"reply": "TEXT"},
                what="answers",
                hint="Delete the file.",
            )
            index = open_api(address, Requests(address.url, cache=cache, n_parallel=asked.parallel))
            alone = [f"Alone {round_} {n}" for n in range(AT_ONCE)]
            phrases = [f"Name {round_} {n}" for n in range(asked.counts)]
            rows["one by one"].append(timed(index, alone, batch=1))
            rows["batch"].append(timed(index, phrases, batch=asked.counts))
            rows["cached"].append(timed(index, phrases, batch=asked.counts))
    server.terminate()
    made = {
        name: {
            "counts_per_s": round(statistics.median(speed for speed, _ in each), 1),
            "least": round(min(speed for speed, _ in each), 1),
            "cpu_ms": round(statistics.median(cpu for _, cpu in each), 3),
        }
        for name, each in rows.items()
    }
    facts = {"date": datetime.date.today().isoformat(), "python": platform.python_version()}
    facts |= {"cpus": str(os.cpu_count())}
    sys.stdout.write(
        json.dumps({"bench": "infinigram_http", **vars(asked), **facts, **made}) + "\n"
    )


if __name__ == "__main__":
    main()
