"""What `averment serve` costs and withstands; five questions, each a sub-command.

    python bench/server.py proxy --index IDX       # streams passed through, beside a bare proxy
    python bench/server.py corpus --index IDX      # co-occurrence, beside an empty route and Python
    python bench/server.py memory --index IDX      # 10,000 requests
    python bench/server.py overload --index IDX    # twice what it can do
    python bench/server.py soak --index IDX        # ten minutes of everything, rudeness included

Servers run on loopback, the upstream is a stub (`bench/server_parts.py`). What is compared takes
turns in one run, and ratios are medians over the rounds. Prints one JSON row, with what it ran on.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import datetime
import itertools
import json
import os
import platform
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from server_parts import (
    Client,
    Process,
    Reply,
    averment_serve,
    bare,
    chat,
    closed_loop,
    encoded,
    stub,
)

import averment
from averment.claims.mentions import mentions

CHAT, VERIFY, COOCCUR = "/v1/chat/completions", "/v1/verify", "/v1/corpus/cooccur"
EMPTY = "/bench/empty"  # of `server_with_empty_route.py`
WINDOW_WORDS = 1000
SEED = 20261130
WORKERS = 64  # streams that are passed on at a time; each holds a place
PIECES = 100
_ANNOTATED = {"averment": {"mode": "annotate"}, "documents": ["The ferry sails every day."]}
Row = dict[str, Any]
Ask = Callable[[Client, int], Awaitable[Reply]]


# --- proxy --------------------------------------------------------------------------------------


def proxy(index: str, n_rounds: int, n_streams: int, n_clients: int) -> Row:
    """Streams straight from the upstream, through a bare proxy, and through averment.

    ``tool`` streams hold no text, so nothing is verified; ``text`` streams are checked at their
    end, against a document that came with them. ``paced`` is a piece every 20 ms, else there is
    no pause.
    """
    with (
        stub() as upstream,
        bare(upstream) as plain,
        averment_serve(
            index, upstream, "--faithfulness", "lexical", serve_workers=WORKERS, serve_queue=WORKERS
        ) as ours,
    ):
        ways: dict[str, tuple[Process, Row]] = {}
        for pace, pause_ms in (("", 0), (" paced", 20)):
            streams = {kind: chat(kind, PIECES, pause_ms=pause_ms) for kind in ("tool", "text")}
            ways |= {
                f"direct{pace}": (upstream, streams["tool"]),
                f"bare{pace}": (plain, streams["tool"]),
                f"averment tool{pace}": (ours, streams["tool"]),
                f"averment text{pace}": (
                    ours,
                    streams["text"] | {"averment": {"mode": "annotate"}},
                ),
            }
        rounds = [
            {name: _streamed(*way, n_streams, n_clients) for name, way in ways.items()}
            for _ in _warmed(ways, n_rounds, n_clients)
        ]
    made = {name: _median_row([each[name] for each in rounds]) for name in ways}
    return {
        "streams": n_streams,
        "at_a_time": n_clients,
        "pieces": PIECES + 2,
        "rounds": n_rounds,
        "ways": made,
        "averment_to_bare": {
            f"{measure}{pace}": _ratio(rounds, f"averment tool{pace}", f"bare{pace}", measure)
            for pace in ("", " paced")
            for measure in ("seconds_a_stream_p50", "wall_s", "cpu_ms_a_stream")
        },
        "goal": "averment tool / bare <= 1.5",
    }


def _warmed(ways: dict[str, tuple[Process, Row]], n_rounds: int, n_clients: int) -> range:
    for process, body in ways.values():
        _streamed(process, body, n_clients, n_clients)
    return range(n_rounds)


def _streamed(process: Process, body: Row, n_streams: int, n_clients: int) -> Row:
    async def ask(client: Client, _: int) -> Reply:
        return await client.ask(CHAT, body)

    cpu, started = process.cpu_s(), time.perf_counter()
    replies = asyncio.run(closed_loop(process.port, n_clients, n_streams, ask))
    wall, cpu = time.perf_counter() - started, process.cpu_s() - cpu
    _all_well(replies, b"data: [DONE]")
    return {
        "wall_s": wall,
        "seconds_a_stream_p50": statistics.median(each.seconds for each in replies),
        "head_ms_p50": statistics.median(each.head_s for each in replies) * 1e3,
        "cpu_ms_a_stream": cpu * 1e3 / n_streams,
    }


# --- corpus -------------------------------------------------------------------------------------


def corpus(index: str, n_rounds: int, n_requests: int, n_clients: int) -> Row:
    """Single pairs beside empty routes of the same server, batches beside the Python API.

    ``empty`` is a GET without a body, ``empty_post`` is sent the bodies of ``cooccur``, reads them
    and answers the same each time. ``no_pair`` asks the same route nothing: what is between it and
    ``cooccur`` is the index.
    """
    pairs = some_pairs(index, 1000)
    opened = averment.open_index(index)
    singles = [encoded(_pairs_body([pair])) for pair in pairs]
    batch, no_pair = encoded(_pairs_body(pairs)), encoded(_pairs_body([]))
    n_batches = max(n_requests // 100, 5)

    def single(path: str) -> Ask:
        return lambda client, number: client.ask(path, singles[number % len(singles)])

    asks: dict[str, tuple[Ask, int, int]] = {
        "empty": (lambda client, _: client.ask("/healthz"), n_requests, n_clients),
        "empty_post": (single(EMPTY), n_requests, n_clients),
        "no_pair": (lambda client, _: client.ask(COOCCUR, no_pair), n_requests, n_clients),
        "cooccur": (single(COOCCUR), n_requests, n_clients),
        "batched": (lambda client, _: client.ask(COOCCUR, batch), n_batches, 2),
    }
    rounds = []
    with stub() as upstream, averment_serve(index, upstream, empty_route=True) as ours:
        for number in range(n_rounds + 1):
            made: Row = {}
            for name, (ask, n, clients) in asks.items():
                cpu, started = ours.cpu_s(), time.perf_counter()
                _all_well(asyncio.run(closed_loop(ours.port, clients, n, ask)))
                made[f"{name}_a_second"] = n / (time.perf_counter() - started)
                made[f"{name}_cpu_ms"] = (ours.cpu_s() - cpu) * 1e3 / n
            cpu, started = time.process_time(), time.perf_counter()
            for _ in range(n_batches):
                opened.cooccurrence(pairs, window_words=WINDOW_WORDS)
            made["python_a_second"] = n_batches / (time.perf_counter() - started)
            made["python_cpu_ms"] = (time.process_time() - cpu) * 1e3 / n_batches
            if number:  # the first round warms up
                rounds.append(made)
    return {
        "requests": n_requests,
        "clients": n_clients,
        "pairs_a_batch": len(pairs),
        "rounds": n_rounds,
        "index": _index_facts(opened),
        **_median_row(rounds),
        "cooccur_to_empty": _ratio_of(rounds, "cooccur_a_second", "empty_a_second"),
        "cooccur_to_empty_post": _ratio_of(rounds, "cooccur_a_second", "empty_post_a_second"),
        "cooccur_to_no_pair": _ratio_of(rounds, "cooccur_a_second", "no_pair_a_second"),
        "batched_to_python": _ratio_of(rounds, "batched_a_second", "python_a_second"),
        "by_processor_time": {
            "cooccur_to_empty": _ratio_of(rounds, "empty_cpu_ms", "cooccur_cpu_ms"),
            "cooccur_to_empty_post": _ratio_of(rounds, "empty_post_cpu_ms", "cooccur_cpu_ms"),
            "batched_to_python": _ratio_of(rounds, "python_cpu_ms", "batched_cpu_ms"),
        },
        "goal": "cooccur / empty >= 0.7, batched / python >= 0.5",
    }


def some_pairs(index: str, n: int) -> list[tuple[str, str]]:
    """Two names of one passage, and of each second pair the tail of another passage."""
    passages = averment.open_index(index).passages()
    chance = random.Random(SEED)
    pairs: list[tuple[str, str]] = []
    while len(pairs) < n:
        text = passages[chance.randrange(len(passages))].text
        names = list(dict.fromkeys(each.text for each in mentions(text)))
        if len(names) > 1:
            head, tail = chance.sample(names, 2)
            pairs.append((head, pairs[-1][1] if len(pairs) % 2 else tail))
    return pairs


def _pairs_body(pairs: Sequence[tuple[str, str]]) -> Row:
    return {"pairs": pairs, "window_words": WINDOW_WORDS}


# --- memory -------------------------------------------------------------------------------------


def memory(index: str, n_requests: int, n_clients: int) -> Row:
    """Resident memory after each tenth of the requests; the first is for caches to fill."""
    ask = _mixed(index)
    with (
        stub() as upstream,
        averment_serve(index, upstream, "--faithfulness", "lexical", serve_workers=WORKERS) as ours,
    ):
        rss, statuses = [ours.rss_mb()], collections.Counter[int]()
        for _ in range(10):
            replies = asyncio.run(closed_loop(ours.port, n_clients, n_requests // 10, ask))
            statuses.update(each.status for each in replies)
            rss.append(ours.rss_mb())
        facts = {"threads": ours.n_threads(), "files": ours.n_files()}
    return {
        "requests": n_requests,
        "statuses": dict(statuses),
        "rss_mb": [round(each, 1) for each in rss],
        "growth_mb_after_the_first_tenth": round(rss[-1] - rss[1], 1),
        "growth_mb_in_the_second_half": round(rss[-1] - rss[5], 1),
        **facts,
        "goal": "flat",
    }


def _mixed(index: str) -> Ask:
    """Every route in turn, no two requests alike."""
    pairs = some_pairs(index, 500)
    run = itertools.count()

    async def ask(client: Client, _: int) -> Reply:
        number = next(run)
        head, tail = pairs[number % len(pairs)]
        said = f"{head} met {tail} in {1000 + number % 1000}. {tail} was there {number} times."
        match number % 6:
            case 0:
                return await client.ask(COOCCUR, _pairs_body([(head, tail)]))
            case 1:
                return await client.ask("/v1/corpus/count", {"phrases": [head, f"{number}"]})
            case 2:
                return await client.ask("/v1/corpus/search", {"queries": [said], "k": 3})
            case 3:
                documents = [{"id": str(number), "text": f"{head} met {tail} once."}]
                return await client.ask(VERIFY, {"answer": said, "documents": documents})
            case 4:
                return await client.ask(CHAT, chat("tool", 20))
            case _:
                return await client.ask(CHAT, chat("text", 30 + number % 20))

    return ask


# --- overload -----------------------------------------------------------------------------------


def overload(index: str, seconds: float) -> Row:
    """Checks asked for at twice the rate that the server is capable of, whoever is turned away."""
    pairs = some_pairs(index, 500)
    bodies = [encoded({"answer": f"{a} met {b}. {b} was a friend of {a}."}) for a, b in pairs]

    async def ask(client: Client, number: int) -> Reply:
        return await client.ask(VERIFY, bodies[number % len(bodies)])

    with (
        stub() as upstream,
        averment_serve(index, upstream, "--faithfulness", "lexical") as ours,
    ):
        asyncio.run(closed_loop(ours.port, 4, 100, ask))
        started = time.perf_counter()
        replies = asyncio.run(closed_loop(ours.port, 8, 400, ask))
        capacity = 400 / (time.perf_counter() - started)
        _all_well(replies)
        at_capacity = _quantiles_ms(replies)
        offered = asyncio.run(_open_loop(ours.port, 2 * capacity, seconds, ask))
        started = time.perf_counter()
        _all_well(asyncio.run(closed_loop(ours.port, 8, 400, ask)))
        capacity_after = 400 / (time.perf_counter() - started)
    accepted = [each for each in offered if each.status == 200]
    inside = 4 + 32  # serve_workers + serve_queue
    return {
        "seconds": seconds,
        "capacity_rps": round(capacity, 1),
        "offered_rps": round(len(offered) / seconds, 1),
        "accepted_rps": round(len(accepted) / seconds, 1),
        "statuses": dict(collections.Counter(each.status for each in offered)),
        "ms_at_capacity": at_capacity,
        "ms_accepted": _quantiles_ms(accepted),
        "ms_turned_away": _quantiles_ms([each for each in offered if each.status == 429]),
        "ms_of_a_full_queue": round(inside / capacity * 1e3),
        "capacity_rps_afterwards": round(capacity_after, 1),
        "goal": "p99 of accepted bounded, the rest 429",
    }


async def _open_loop(port: int, rate: float, seconds: float, ask: Ask) -> list[Reply]:
    """Requests that come when they come, each over a connection that is free."""
    free: list[Client] = []
    replies: list[Reply] = []

    async def one(number: int) -> None:
        client = free.pop() if free else Client(port)
        replies.append(await ask(client, number))
        free.append(client)

    async with asyncio.TaskGroup() as tasks:
        started, chance, at = time.perf_counter(), random.Random(SEED), 0.0
        for number in itertools.count():
            at += chance.expovariate(rate)
            if at > seconds:
                break
            await asyncio.sleep(max(0.0, started + at - time.perf_counter()))
            tasks.create_task(one(number))
    for client in free:
        await client.close()
    return replies


# --- soak ---------------------------------------------------------------------------------------


def soak(index: str, minutes: int, n_clients: int) -> Row:
    """Everything at once for minutes, with clients that go away and requests that make no sense.

    The judge is the default one, whose judgements go into a cache of this run.
    """
    ask_well = _mixed(index)
    chance = random.Random(SEED)

    async def ask(client: Client, number: int) -> Reply:
        match chance.randrange(20):
            case 0:
                status = await client.leave_early(CHAT, chat("text", 200, pause_ms=5), n_parts=5)
                return Reply(-status, b"", 0.0, 0.0)
            case 1:
                return await client.ask(COOCCUR, {"pairs": [["", "x"]]})
            case 2:
                return await client.ask(CHAT, b"{not json")
            case 3:
                return await client.ask("/nowhere")
            case _:
                return await ask_well(client, number)

    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory() as home,
        stub() as upstream,
        averment_serve(index, upstream, serve_workers=WORKERS, home=home) as ours,
    ):
        for _ in range(minutes):
            replies = asyncio.run(_for_a_while(ours.port, 60.0, n_clients, ask))
            told = collections.Counter(each.status for each in replies)
            rows.append(
                {
                    "requests": len(replies),
                    "statuses": dict(sorted(told.items())),
                    "ms": _quantiles_ms([each for each in replies if each.status == 200]),
                    "rss_mb": round(ours.rss_mb(), 1),
                    "threads": ours.n_threads(),
                    "files": ours.n_files(),
                }
            )
            sys.stderr.write(f"{json.dumps(rows[-1])}\n")
    return {
        "minutes": rows,
        "requests": sum(row["requests"] for row in rows),
        "growth_mb_after_the_first_minute": round(rows[-1]["rss_mb"] - rows[0]["rss_mb"], 1),
        "statuses_say": "-200: a client that went away; 400, 404: nonsense; 0: a broken connection",
    }


async def _for_a_while(port: int, seconds: float, n_clients: int, ask: Ask) -> list[Reply]:
    until, replies = time.perf_counter() + seconds, []

    async def one() -> None:
        client = Client(port)
        while time.perf_counter() < until:
            replies.append(await ask(client, len(replies)))
        await client.close()

    await asyncio.gather(*(one() for _ in range(n_clients)))
    return replies


# --- numbers ------------------------------------------------------------------------------------


def _all_well(replies: Sequence[Reply], end: bytes = b"}") -> None:
    """Refuse to time what went wrong."""
    for each in replies:
        if each.status != 200 or not each.body.rstrip().endswith(end):
            raise SystemExit(f"a reply went wrong: {each.status} {each.body[-500:]!r}")


def _median_row(rows: Sequence[Row]) -> Row:
    return {name: round(statistics.median(row[name] for row in rows), 3) for name in rows[0]}


def _ratio(rounds: Sequence[dict[str, Row]], a: str, b: str, measure: str) -> list[float]:
    return _spread([each[a][measure] / each[b][measure] for each in rounds])


def _ratio_of(rounds: Sequence[Row], a: str, b: str) -> list[float]:
    return _spread([each[a] / each[b] for each in rounds])


def _spread(ratios: Sequence[float]) -> list[float]:
    """Median, least, most."""
    return [round(each, 3) for each in (statistics.median(ratios), min(ratios), max(ratios))]


def _quantiles_ms(replies: Sequence[Reply]) -> dict[str, float]:
    """Empty where there are none."""
    ranked = sorted(each.seconds * 1e3 for each in replies)
    at = {"p50": 0.5, "p99": 0.99, "most": 1.0}
    last = len(ranked) - 1
    return {name: round(ranked[int(q * last)], 1) for name, q in at.items()} if ranked else {}


def _index_facts(index: Any) -> Row:
    return {"documents": index.info.n_documents, "words": index.info.n_words}


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench", choices=("proxy", "corpus", "memory", "overload", "soak"))
    parser.add_argument("--index", required=True, help="the directory of an index with passages")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--streams", type=int, default=200, help="proxy: a round and way")
    parser.add_argument("--requests", type=int, help="corpus: a round; memory: in all")
    parser.add_argument("--clients", type=int, help="at a time")
    parser.add_argument("--seconds", type=float, default=30.0, help="overload")
    parser.add_argument("--minutes", type=int, default=10, help="soak")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the servers end too
    made: Row = {}
    load = os.getloadavg()[0]
    match given.bench:
        case "proxy":
            made = proxy(given.index, given.rounds, given.streams, given.clients or 50)
        case "corpus":
            made = corpus(given.index, given.rounds, given.requests or 2000, given.clients or 8)
        case "memory":
            made = memory(given.index, given.requests or 10_000, given.clients or 8)
        case "overload":
            made = overload(given.index, given.seconds)
        case "soak":
            made = soak(given.index, given.minutes, given.clients or 16)
    row = {
        "bench": f"server {given.bench}",
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "load_at_start": round(load, 1),
        "python": platform.python_version(),
        **made,
    }
    sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
