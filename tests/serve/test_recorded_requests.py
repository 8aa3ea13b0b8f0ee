"""A server with a ledger: nothing is given out unrecorded, whoever asks at the same time."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from audit.ledgers_by_hand import verified
from audit.recorded_by_hand import records_of
from averment.audit.export import export_row, schema_text
from averment.audit.reading import LedgerReader
from averment.cli.app import run
from averment.errors import LedgerError, LedgerUnavailable
from averment.wiring.replaying import Outcome, replay_record
from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client, events, running, serving_of
from serve.stub_upstream import StubUpstream
from towns_by_hand import QUESTION, scripted

SAID = "The Vltava flows through Prague."
CHAT = "/v1/chat/completions"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@contextmanager
def recorded(rivers: Path, ledger: Path, **settings: Any) -> Iterator[Any]:
    """A client of a server with a model that says one thing, and a ledger."""
    settings = {"model": scripted(), "audit": str(ledger), **settings}
    with serving_of(rivers, **settings) as serving, running(serving) as url, client(url) as c:
        yield c


def replayed(ledger: Path) -> list[Outcome]:
    with LedgerReader(ledger) as reader:
        judged = [r for r in reader.records() if r.kind in ("answer", "verification")]
        return [replay_record(record, reader.contents(record)).outcome for record in judged]


def assert_valid(ledger: Path) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    with LedgerReader(ledger) as reader:
        for record in reader.records():
            validator.validate(export_row(reader, record, with_contents=True))


def test_an_answer_of_a_policy_is_recorded_under_its_trace_id(rivers: Path, ledger: Path) -> None:
    with recorded(rivers, ledger) as c:
        made = c.post(CHAT, json=ask(), headers={"X-Averment-By": "Zoë".encode()}).json()

    (record,) = records_of(ledger)
    assert (record.kind, record.by) == ("answer", "Zoë")
    assert record.facts["trace_id"] == made["averment"]["trace_id"]
    assert record.facts["request"] is None
    assert replayed(ledger) == [Outcome.REPRODUCED]
    assert_valid(ledger)


def test_a_stream_is_recorded_before_it_begins_and_before_it_ends(
    rivers: Path, ledger: Path
) -> None:
    with recorded(rivers, ledger) as c:
        pieces = events(c.post(CHAT, json=ask(stream=True, user="bob")).text)[:-1]

    request, answer = records_of(ledger)
    assert (request.kind, request.by, answer.by) == ("request", "bob", "bob")
    assert request.trace_id == pieces[0]["id"] == answer.facts["request"]
    assert answer.trace_id == pieces[-1]["averment"]["trace_id"]
    assert QUESTION not in request.body.decode()
    assert_valid(ledger)


@pytest.mark.parametrize("named", ["request", "answer"])
def test_with_one_of_a_request_and_its_answer_the_other_is_erased(
    rivers: Path, ledger: Path, named: str
) -> None:
    with recorded(rivers, ledger) as c:
        c.post(CHAT, json=ask(stream=True))
        c.post(CHAT, json=ask(stream=True))

    (trace_id,) = (str(r.trace_id) for r in records_of(ledger)[:2] if r.kind == named)
    erase = ["audit", "erase", trace_id, "--reason", "x", "--by", "ann"]
    assert run([*erase, "--audit", str(ledger)]) == 0
    assert records_of(ledger)[-1].facts["erased"] == [1, 2]


def test_a_text_that_is_verified_is_recorded_with_the_decision(rivers: Path, ledger: Path) -> None:
    with recorded(rivers, ledger) as c:
        asked = {"answer": SAID, "documents": [{"id": "a", "text": "The Elbe is a river."}]}
        made = c.post("/v1/verify", json=asked).json()

    (record,) = records_of(ledger)
    assert (record.kind, record.by) == ("verification", None)
    assert record.trace_id == made["trace_id"]
    assert record.facts["verdict"] == made["answer"]["decision"] == "warned"
    assert replayed(ledger) == [Outcome.REPRODUCED]
    assert_valid(ledger)


@pytest.mark.parametrize("streams", [False, True])
def test_an_answer_that_was_checked_afterwards_is_recorded_once(
    rivers: Path, ledger: Path, streams: bool
) -> None:
    texts = (f"{SAID} It is long.", "The Danube flows through Prague.")
    with (
        StubUpstream(texts) as stub,
        recorded(rivers, ledger, model=None, base_url=stub.url, api_key="sk-upstream-key") as c,
    ):
        body = ask(model="quco/up", n=2, stream=streams)
        response = c.post(CHAT, json=body)

    *requests, record = records_of(ledger)
    details = events(response.text)[-2]["averment"] if streams else response.json()["averment"]
    assert [r.kind for r in requests] == (["request"] if streams else [])
    assert (record.kind, record.facts["route"]) == ("answer", "checked_afterwards")
    assert record.trace_id == details["trace_id"]
    assert record.facts["verdict"] == details["verdict"]
    assert len(record.facts["claims"]) == 3
    with LedgerReader(ledger) as reader:
        contents = reader.contents(record)
    assert [m["content"] for m in json.loads(contents["messages"])] == list(texts)
    assert json.loads(contents["request"])["messages"][0]["content"] == QUESTION
    assert replayed(ledger) == [Outcome.REPRODUCED]
    assert_valid(ledger)


@pytest.mark.parametrize("streams", [False, True])
def test_half_a_character_of_a_models_server_is_recorded_as_it_came(
    rivers: Path, ledger: Path, streams: bool
) -> None:
    text = "The Vltava \ud83d flows through Prague."
    with (
        StubUpstream((text,)) as stub,
        recorded(rivers, ledger, model=None, base_url=stub.url) as c,
    ):
        made = c.post(CHAT, json=ask(model="quco/up", stop=["#"], stream=streams))

    assert made.status_code == 200
    assert not streams or events(made.text)[-1] == "[DONE]"
    record = records_of(ledger)[-1]
    with LedgerReader(ledger) as reader:
        (said,) = json.loads(reader.contents(record)["messages"])
    assert said["content"] == text
    assert replayed(ledger) == [Outcome.REPRODUCED]


def test_an_answer_without_text_is_recorded_too(rivers: Path, ledger: Path) -> None:
    with (
        StubUpstream((), message={"content": None}) as stub,
        recorded(rivers, ledger, model=None, base_url=stub.url) as c,
    ):
        stub.texts = ("",)
        c.post(CHAT, json=ask(model="quco/up", tools=[{"type": "function"}]))

    (record,) = records_of(ledger)
    assert (record.facts["verdict"], record.facts["reason"]) == ("answered", "no_text")
    assert replayed(ledger) == [Outcome.REPRODUCED]
    assert_valid(ledger)


def test_what_cannot_be_recorded_is_refused_with_503(
    rivers: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise LedgerUnavailable("The disk is full. Nothing was recorded.")

    with recorded(rivers, ledger) as c:
        monkeypatch.setattr("averment.audit.store.Ledger.append", failing)
        for path, body in (
            (CHAT, ask()),
            (CHAT, ask(stream=True)),
            ("/v1/verify", {"answer": SAID}),
        ):
            refused = c.post(path, json=body)
            assert refused.status_code == 503
            assert refused.json()["error"]["kind"] == "LedgerUnavailable"
            assert "Vltava" not in refused.text

    assert records_of(ledger) == []


def test_a_stream_whose_answer_cannot_be_recorded_ends_in_an_error_and_no_verdict(
    rivers: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from averment.audit.store import Ledger

    append = Ledger.append

    def failing_later(self: Ledger, *told: Any) -> Any:
        if told[0].kind == "answer":
            raise LedgerUnavailable("The disk is full. Nothing was recorded.")
        return append(self, *told)

    with recorded(rivers, ledger) as c:
        monkeypatch.setattr(Ledger, "append", failing_later)
        found = events(c.post(CHAT, json=ask(stream=True)).text)

    errors = [piece for piece in found if piece != "[DONE]" and "error" in piece]
    assert [piece["error"]["kind"] for piece in errors] == ["LedgerUnavailable"]
    assert all("verdict" not in piece.get("averment", {}) for piece in found if piece != "[DONE]")


def test_a_server_does_not_start_over_a_ledger_that_cannot_be_written(
    rivers: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.sqlite").mkdir()

    with pytest.raises(LedgerError):
        serving_of(rivers, scripted(), audit=str(tmp_path / "broken.sqlite"))


def test_many_who_ask_at_once_are_all_recorded(rivers: Path, ledger: Path) -> None:
    n_requests = 24
    begun = threading.Barrier(8)

    with recorded(rivers, ledger, serve_queue=100) as c, ThreadPoolExecutor(8) as pool:

        def post(number: int) -> str:
            if number < 8:
                begun.wait()
            headers = {"X-Averment-By": f"client {number}"}
            body = {"answer": f"{SAID} {number} times."}
            return str(c.post("/v1/verify", json=body, headers=headers).json()["trace_id"])

        trace_ids = list(pool.map(post, range(n_requests)))

    records = records_of(ledger)
    assert {r.trace_id: r.by for r in records} == {
        trace_id: f"client {number}" for number, trace_id in enumerate(trace_ids)
    }
    assert verified(ledger).bad is None


def test_a_name_that_is_too_long_is_refused(rivers: Path, ledger: Path) -> None:
    with recorded(rivers, ledger) as c:
        refused = c.post(CHAT, json=ask(), headers={"X-Averment-By": "x" * 201})

    assert refused.status_code == 400
    assert "at most 200" in refused.json()["error"]["message"]
    assert records_of(ledger) == []
