"""`averment mcp` as a process: what is on its streams, how it ends, what it does without."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

import averment
from averment.cli.app import run
from averment.cli.mcp import address_of
from averment.errors import UsageError
from serve.agent import CALL_AVERMENT, listening_server, over_http, over_stdio
from serve.rivers_index import rivers  # noqa: F401

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def _call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


# --- standard input and output ------------------------------------------------------------------


def _spoken(lines: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the process says to lines; then its standard input is closed."""
    return subprocess.run(
        [sys.executable, *CALL_AVERMENT, *arguments],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_nothing_but_the_protocol_is_on_standard_output(rivers: Path) -> None:
    lines = [
        json.dumps(HELLO),
        json.dumps(READY),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        "this is not JSON",
        json.dumps(_call(3, "verify_claims", claims=["Prague is the capital of Bohemia."])),
        json.dumps(_call(4, "corpus_count", phrases=["Prague"])),
    ]

    said = _spoken(lines, "--index", str(rivers))

    messages = [json.loads(line) for line in said.stdout.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    answered = {message.get("id") for message in messages}
    assert {1, 2} <= answered  # whoever closes its end does not wait for the rest
    assert (said.returncode, said.stderr) == (0, "")


def test_what_is_logged_goes_to_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "two"
    averment.build_index([averment.Document("a", "Oslo is in Norway.")], path)
    averment.build_index([averment.Document("b", "Bergen is in Norway.")], path, add=True)
    damaged = sorted(file for file in path.glob("counts/*/*") if file.is_file())[0]
    damaged.write_bytes(damaged.read_bytes()[:-1])
    environment = {"AVERMENT_DAMAGED_SEGMENTS": "lower_bound", "AVERMENT_HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, *CALL_AVERMENT, "--index", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    for message in (HELLO, READY, _call(2, "corpus_count", phrases=["Norway"])):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
    messages = [json.loads(process.stdout.readline()) for _ in range(2)]
    rest, log = process.communicate(timeout=60)

    assert messages[1]["result"]["structuredContent"]["counts"][0]["kind"] == "lower_bound"
    assert rest == ""
    assert "lower bounds" in log


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_it_ends_as_it_is_told_to(end: signal.Signals, rivers: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, *CALL_AVERMENT, "--index", str(rivers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(HELLO) + "\n")
    process.stdin.flush()
    process.stdout.readline()

    process.send_signal(end)

    try:
        code = process.wait(10)
        assert code == -end
        assert process.stderr is not None
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.communicate()


# --- what is not there --------------------------------------------------------------------------


def test_without_an_index_corpus_tools_say_how_to_make_one_and_checks_work(
    home: Path, tmp_path: Path
) -> None:
    with over_stdio(home, "--faithfulness", "lexical", cwd=tmp_path) as agent:
        refused = [
            agent.refused("corpus_count", phrases=["a"]),
            agent.refused("corpus_cooccur", pairs=[["a", "b"]]),
            agent.refused("search_corpus", query="a"),
        ]
        (row,) = agent.told(
            "verify_claims",
            claims=["Oslo lies in Norway."],
            documents=[{"text": "Oslo lies in Norway."}],
        )["claims"]
        (unknown,) = agent.told("verify_claims", claims=["Oslo lies in Norway."])["claims"]
        built = tmp_path / ".averment" / "index"
        averment.build_index([averment.Document("a", "Oslo is in Norway.")], built)
        counted = agent.told("corpus_count", phrases=["Oslo"])

    assert {error["kind"] for error in refused} == {"NotAnIndexError"}
    assert all("averment index build" in error["hint"] for error in refused)
    assert row["verdict"] == "supported"
    assert unknown["verdict"] == "unverified"
    assert counted["counts"][0]["count"] == 1  # what was refused is tried again


def test_an_index_that_was_named_and_is_not_there_is_never_taken_for_none(
    home: Path, tmp_path: Path
) -> None:
    with over_stdio(home, "--index", "nowhere", cwd=tmp_path) as agent:
        error = agent.refused("verify_claims", claims=["Oslo lies in Norway."])

    assert error["kind"] == "NotAnIndexError"
    assert "nowhere" in error["message"]


def test_a_judge_that_cannot_be_opened_is_said_and_the_rest_goes_on(
    home: Path, rivers: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with over_stdio(
        home, "--index", str(rivers), "--faithfulness", str(empty), cwd=tmp_path
    ) as agent:
        errors = [agent.refused("check_answer", answer="Oslo lies in Norway.") for _ in range(2)]
        counted = agent.told("corpus_count", phrases=["Prague"])

    assert errors[0] == errors[1]
    assert "model.onnx" in errors[0]["message"]
    assert counted["counts"][0]["count"] == 4


def test_an_index_of_counts_only_counts_and_says_why_it_has_no_passages(
    home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "counts"
    averment.build_index([averment.Document("a", "Oslo is in Norway.")], path, counts_only=True)

    with over_stdio(home, "--index", str(path), "--faithfulness", "lexical", cwd=tmp_path) as agent:
        counted = agent.told("corpus_count", phrases=["Oslo"], detail=True)
        pairs = agent.told("corpus_cooccur", pairs=[["Oslo", "Norway"]], detail=True)
        error = agent.refused("search_corpus", query="Oslo")
        (row,) = agent.told("verify_claims", claims=["Oslo is in Norway."])["claims"]

    (occurrence,) = counted["counts"][0]["occurrences"]
    assert (occurrence["snippet"], occurrence["reasons"]["snippet"]) == (None, "no_document_text")
    assert pairs["results"][0]["documents"] == 1
    assert "counts only" in error["message"]
    assert row["verdict"] == "unverified"


def test_passages_are_cut_unless_all_is_wanted(home: Path, tmp_path: Path) -> None:
    text = "Oslo is in Norway. " + "It has many a street. " * 40
    averment.build_index([averment.Document("a", text)], tmp_path / "long")

    with over_stdio(home, "--index", str(tmp_path / "long"), cwd=tmp_path) as agent:
        (brief,) = agent.told("search_corpus", query="Oslo", limit=1)["passages"]
        (whole,) = agent.told("search_corpus", query="Oslo", limit=1, detail=True)["passages"]

    assert len(brief["text"]) == 200
    assert whole["text"] == text[whole["start"] : whole["end"]]
    assert len(whole["text"]) > 200


def test_without_the_extra_it_gives_the_line_to_type(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    assert run(["mcp"]) == 2
    assert "pip install 'averment[mcp]'" in capsys.readouterr().err


# --- over HTTP ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(rivers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("http")
    arguments = ("--index", str(rivers), "--faithfulness", "lexical")
    with listening_server(home, *arguments, AVERMENT_SERVE_BODY_BYTES="5000") as url:
        yield url


def _post(url: str, **headers: str) -> httpx2.Response:
    with httpx2.Client(timeout=20, trust_env=False) as client:
        return client.post(url, json=HELLO, headers={**ACCEPTED, **headers})


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_over_http_a_client_gets_what_it_gets_elsewhere(mode: str, server: str) -> None:
    with over_http(server, mode) as agent:
        made = agent.told("verify_claims", claims=["The Vltava flows through Prague."])
        error = agent.refused("corpus_count", phrases=[])
        progress = agent.followed("verify_claims", claims=["Prague is old.", "Brno is old."])

    assert made["claims"][0]["verdict"] == "supported"
    assert "phrases" in error["message"]
    assert progress == [(1, 2), (2, 2)]


def test_two_agents_are_served_at_a_time(server: str) -> None:
    with over_http(server) as one, over_http(server) as other:
        made = [agent.told("corpus_count", phrases=["Prague"]) for agent in (one, other)]

    assert made[0] == made[1]


def test_a_page_whose_name_points_at_loopback_is_refused_by_that_name(server: str) -> None:
    refused = _post(server, Host="evil.example:8000")

    assert refused.status_code == 403
    assert refused.json()["error"]["kind"] == "HostNotAllowed"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://evil.example", 403),
        ("null", 403),
        ("http://127.0.0.1.evil.example:80", 403),
        ("http://localhost:3000", 200),
        ("http://127.0.0.1", 200),
    ],
)
def test_only_pages_of_this_machine_may_ask(origin: str, status: int, server: str) -> None:
    assert _post(server, Origin=origin).status_code == status


def test_a_body_that_is_too_large_is_refused(server: str) -> None:
    with httpx2.Client(timeout=20, trust_env=False) as client:
        refused = client.post(server, content=b" " * 6000, headers=ACCEPTED)

    assert (refused.status_code, refused.json()["error"]["kind"]) == (413, "TooLarge")


def test_with_keys_a_client_shows_one(rivers: Path, home: Path) -> None:
    with listening_server(home, "--index", str(rivers), AVERMENT_SERVE_KEYS="k-one,k-two") as url:
        refused = [_post(url).status_code, _post(url, Authorization="Bearer k").status_code]
        with over_http(url, Authorization="Bearer k-two") as agent:
            counted = agent.told("corpus_count", phrases=["Prague"])

    assert refused == [401, 401]
    assert counted["counts"][0]["count"] == 4


def test_over_http_an_interrupt_ends_it_in_good_order(home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, *CALL_AVERMENT, "--http", "0"], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        url = process.stderr.readline().partition(" at ")[2].partition(";")[0]
        assert _post(url).status_code == 200  # so it is past the start

        process.send_signal(signal.SIGINT)

        assert process.wait(20) == 0
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8765", ("127.0.0.1", 8765)),
        (":8765", ("127.0.0.1", 8765)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
        ("[::1]:80", ("::1", 80)),
        ("localhost:80", ("localhost", 80)),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, address: tuple[str, int]) -> None:
    assert address_of(text) == address


@pytest.mark.parametrize("text", ["", "localhost", "a:b", "a:-1", "a:65536", "a:８０"])
def test_what_is_no_address_is_refused_with_one_that_is(text: str) -> None:
    with pytest.raises(UsageError, match=r"--http 127\.0\.0\.1:8765"):
        address_of(text)


def test_a_port_that_is_taken_is_said_with_another(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        code = run(["mcp", "--http", f"127.0.0.1:{port}"])

    said = capsys.readouterr().err
    assert code == 2
    assert f"--http 127.0.0.1:{port + 1}" in said
