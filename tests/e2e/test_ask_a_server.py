"""`averment ask` over an OpenAI-compatible server on loopback, well-behaved and not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.cli.app import run
from averment.errors import LedgerUnavailable
from averment.trace import Trace
from contracts.model_server import ModelServer

QUESTION = "Which river flows through Prague?"
TEXTS = {
    "prague": "Prague is the capital of Bohemia. The Vltava flows through Prague.",
    "vienna": "Vienna is the capital of Austria. The Danube flows through Vienna.",
    "brno": "Brno is a city east of Prague. Prague and Brno are linked by a railway.",
}


def _write(prompt: str) -> str:
    """A model that errs until it reads the right passage, like the small ones do."""
    asked = prompt.rpartition("Question:")[2]
    river = "Vltava" if "The Vltava flows through Prague" in prompt else "Danube"
    if "Answer: " not in asked:
        return f" The {river} flows through Prague. So the answer is {river}."
    return f" So the answer is {river}."


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A corpus in which Prague and the Danube never meet, and Prague is not rare."""
    (tmp_path / "rivers.jsonl").write_text(
        "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in TEXTS.items())
    )
    assert run(["index", "build", str(tmp_path / "rivers.jsonl")]) == 0
    return tmp_path / ".averment" / "index"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """The server; tests may make it misbehave."""
    with ModelServer(_write) as running:
        yield running


def _ask(server: ModelServer, *more: str) -> int:
    named = ["--base-url", server.url, "--model", "tiny", "--timeout", "5"]
    return run(["ask", QUESTION, "--json", *named, *more])


def test_a_pair_that_never_meets_is_caught_looked_up_and_repaired(
    index: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()

    assert _ask(server, "--policy", "quco-known") == 0
    answer = json.loads(capsys.readouterr().out)

    assert [made["trigger"] for made in answer["retrievals"]] == ["absent_pair"]
    assert answer["verdict"] == "answered"
    assert answer["final_answer"] == "Vltava"
    assert "Danube" not in answer["answer"]


def test_without_retrieval_the_error_stays_and_is_said_to_be_unchecked(
    index: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()

    assert _ask(server, "--policy", "none") == 0
    answer = json.loads(capsys.readouterr().out)

    assert (answer["verdict"], answer["reason"]) == ("warned", "not_checked")
    assert "Danube" in answer["answer"]
    assert answer["retrievals"] == []


def test_single_retrieval_searches_once(
    index: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()

    assert _ask(server, "--policy", "single") == 0
    answer = json.loads(capsys.readouterr().out)

    assert [made["query"] for made in answer["retrievals"]] == [QUESTION]
    assert answer["final_answer"] == "Vltava"


def test_the_trace_of_a_run_that_broke_off_is_still_written(
    index: Path, server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_after_the_first_sentence(prompt: str) -> str:
        if "Question:" in prompt:
            server.reply = (200, "text/html", "<html>gateway</html>")
        return _write(prompt)

    server.answer = break_after_the_first_sentence
    code = _ask(server, "--trace", str(tmp_path / "trace.json"))
    trace = Trace.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))

    assert code == 3
    assert "Traceback" not in capsys.readouterr().err
    assert trace.draft is None
    assert [r.failure.kind for r in trace.records if r.failure] == ["MalformedReply"]
    assert trace.cost.model_calls == 1


@pytest.mark.parametrize(
    ("reply", "part"),
    [
        ((200, "text/html", "<html>proxy login</html>"), "proxy login"),
        ((200, "application/json", '{"ok": true}'), "not a completion"),
        ((401, "application/json", '{"error": {"message": "no key"}}'), "OPENAI_API_KEY"),
        ((404, "application/json", '{"error": {"message": "no model"}}'), "tiny"),
    ],
    ids=["a web page", "another object", "no key", "no such model"],
)
def test_a_server_that_says_nonsense_ends_in_one_message(
    index: Path,
    server: ModelServer,
    reply: tuple[int, str, str],
    part: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.reply = reply
    capsys.readouterr()

    assert _ask(server) == 3
    said = json.loads(capsys.readouterr().err)["error"]

    assert part in said["message"] + said["hint"]


def test_where_answers_are_recorded_nothing_is_told_before(
    index: Path,
    server: ModelServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = ["ask", QUESTION, "--base-url", server.url, "--model", "tiny", "--audit", "l.sqlite"]

    def failing(*_: object) -> None:
        raise LedgerUnavailable("The disk is full. Nothing was recorded.")

    with monkeypatch.context() as patched:
        patched.setattr("averment.audit.store.Ledger.append", failing)
        capsys.readouterr()
        assert run(command) == 3
        said = capsys.readouterr()
        assert said.out == ""
        assert "Vltava" not in said.err

    assert run(command) == 0
    said = capsys.readouterr()
    assert "The Vltava flows through Prague." in said.out
    assert "looked up" in said.err
    assert run(["audit", "replay", "1", "--audit", "l.sqlite"]) == 0
