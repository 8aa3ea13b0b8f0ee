"""Requests to infini-gram's API: bounded, retried, remembered; failures are never kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.errors import IndexUnavailable
from averment.index.infinigram.api import INFINIGRAM, Address, open_api
from averment.index.infinigram.http import Requests
from averment.index.infinigram.source import Refused
from averment.keyed_rows import KeyedRows
from contracts.index_contract import corpus
from contracts.infinigram_server import InfiniGramServer


@pytest.fixture
def server() -> Iterator[InfiniGramServer]:
    with InfiniGramServer({"ours": corpus("a b c")}) as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path) -> KeyedRows:
    return KeyedRows(
        tmp_path / "answers", table="answers", columns={"reply": "TEXT"}, what="", hint=""
    )


def requests_to(server: InfiniGramServer, **options: Any) -> Requests:
    options = {"cache": None, "sleep": lambda seconds: None} | options
    return Requests(server.url, **options)


def count(phrase: str) -> dict[str, Any]:
    return {"index": "ours", "query_type": "count", "query": phrase}


def counted(reply: object) -> object:
    return reply["count"] if isinstance(reply, dict) else reply


@pytest.mark.parametrize("fault", ["500", "429", "html", "timed out"])
def test_what_may_pass_is_tried_again(server: InfiniGramServer, fault: str) -> None:
    server.faults = [fault] * 3

    [reply] = requests_to(server).ask([count("a")])

    assert counted(reply) == 1
    assert len(server.requests) == 4


def test_what_does_not_pass_is_given_up_after_four_tries(server: InfiniGramServer) -> None:
    server.faults = ["500"] * 9

    [reply] = requests_to(server).ask([count("a")])

    assert isinstance(reply, Refused)
    assert "HTTP 500" in reply.reason
    assert "after 4 tries" in reply.reason
    assert len(server.requests) == 4


def test_what_is_refused_is_not_tried_again(server: InfiniGramServer) -> None:
    [reply] = requests_to(server).ask([count("x" * 1001)])

    assert isinstance(reply, Refused)
    assert "1000 characters" in reply.reason
    assert len(server.requests) == 1


def test_pauses_grow_and_are_not_the_same_for_all(server: InfiniGramServer) -> None:
    server.faults = ["500"] * 80
    pauses: list[float] = []
    requests_to(server, sleep=pauses.append, pause_s=1.0, n_parallel=1).ask(
        [count(str(n)) for n in range(20)]
    )

    first, second, third = (sorted(pauses[at::3]) for at in range(3))
    assert 0.5 <= first[0] < first[-1] <= 2.0
    assert 1.0 <= second[0] < second[-1] <= 4.0
    assert 2.0 <= third[0] < third[-1] <= 8.0


def test_no_request_waits_longer_than_the_time_limit(server: InfiniGramServer) -> None:
    server.faults = ["hang"] * 4

    requests = requests_to(server, timeout_s=0.05)
    [reply] = requests.ask([count("a")])

    limits = requests._client.timeout
    assert {limits.connect, limits.read, limits.write, limits.pool} == {0.05}
    assert isinstance(reply, Refused)
    assert "Timeout" in reply.reason


def test_a_server_that_is_not_there_is_waited_for_once_a_batch() -> None:
    with InfiniGramServer({"ours": corpus("a")}) as gone:
        url = gone.url
    pauses: list[float] = []
    requests = Requests(url, cache=None, sleep=pauses.append, n_parallel=1)

    replies = requests.ask([count(str(n)) for n in range(50)])

    assert all(isinstance(reply, Refused) for reply in replies)
    assert len(pauses) == 3


def test_so_many_requests_run_at_a_time_and_no_more(server: InfiniGramServer) -> None:
    server.latency_s = 0.02
    requests = requests_to(server, n_parallel=4)
    batches = [[count(f"{batch} {n}") for n in range(12)] for batch in range(3)]

    threads = [threading.Thread(target=requests.ask, args=(batch,)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(server.requests) == 36
    assert 2 <= server.most_at_once <= 4


def test_a_question_that_comes_twice_in_a_batch_is_asked_once(server: InfiniGramServer) -> None:
    replies = requests_to(server).ask([count("a"), count("x"), count("a")])

    assert [counted(reply) for reply in replies] == [1, 0, 1]
    assert len(server.requests) == 2


def test_answers_are_kept_and_failures_are_not(server: InfiniGramServer, cache: KeyedRows) -> None:
    server.faults = ["500"] * 4
    [failed] = requests_to(server, cache=cache).ask([count("a")])
    [answered] = requests_to(server, cache=cache).ask([count("a")])
    n_asked = len(server.requests)
    [kept] = requests_to(server, cache=cache).ask([count("a")])

    assert isinstance(failed, Refused)
    assert counted(answered) == counted(kept) == 1
    assert n_asked == len(server.requests) == 5


def test_offline_answers_come_from_the_cache_alone(cache: KeyedRows) -> None:
    url = "http://infini-gram.invalid/"
    with InfiniGramServer({"ours": corpus("a b c")}) as server:
        online = Requests(url, cache=cache)
        online.__dict__["_client"] = _Redirected(server.url)
        open_api(Address(INFINIGRAM, "ours", url), online).count(["a"])
    offline = Requests(url, cache=cache, offline=True)

    index = open_api(Address(INFINIGRAM, "ours", url), offline)
    known, unknown = index.count(["a", "b"])

    assert known.value == 1
    assert unknown.value is None
    assert "offline" in (unknown.reason or "")


class _Redirected:
    """A client that knows where the server with that name is."""

    def __init__(self, url: str) -> None:
        import httpx2

        self._post = httpx2.post
        self._url = url

    def post(self, url: str, **options: Any) -> Any:
        return self._post(self._url, **options)


def test_an_index_of_which_nothing_is_kept_cannot_be_opened_offline(cache: KeyedRows) -> None:
    url = "http://infini-gram.invalid/"
    offline = Requests(url, cache=cache, offline=True)

    with pytest.raises(IndexUnavailable, match="offline"):
        open_api(Address(INFINIGRAM, "ours", url), offline)


def test_a_server_on_this_machine_is_asked_offline_too(server: InfiniGramServer) -> None:
    [reply] = requests_to(server, offline=True).ask([count("a")])

    assert counted(reply) == 1
