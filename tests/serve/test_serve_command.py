"""`averment serve` as a process: it listens, answers, and ends as it is told to."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.cli.app import run
from averment.cli.serve import listening
from averment.settings import Settings
from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client
from serve.stub_upstream import StubUpstream

COMMAND = [sys.executable, "-c", "from averment.cli import main; main()", "serve", "--port", "0"]


@contextlib.contextmanager
def _serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        url = ""
        for line in process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:\d+(?=/v1;)", line):
                url = found.group()
                break
        yield process, url
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_it_serves_until_it_is_told_to_stop(end: signal.Signals, rivers: Path) -> None:
    with (
        StubUpstream() as stub,
        _serving("--upstream", stub.url, "--index", str(rivers)) as (process, url),
    ):
        with client(url) as c:
            made = _when_ready(c, ask(model="none/up", stop=["###"]))
        process.send_signal(end)
        code = process.wait(20)

    assert made["choices"][0]["message"]["content"] == stub.texts[0]
    assert code == {signal.SIGINT: 0, signal.SIGTERM: -signal.SIGTERM}[end]


def _when_ready(c: object, body: object) -> dict[str, object]:
    # The socket listens before the process accepts, so the first request waits and is not refused.
    response = c.post("/v1/chat/completions", json=body)  # type: ignore[attr-defined]
    assert response.status_code == 200
    return dict(response.json())


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_reads_a_stream_as_it_comes(rivers: Path) -> None:
    body = json.dumps(ask(model="none/up", stop=["###"], stream=True))
    with (
        StubUpstream() as stub,
        _serving("--upstream", stub.url, "--index", str(rivers)) as (_, url),
    ):
        curl = ["curl", "-sN", "--noproxy", "*", f"{url}/v1/chat/completions"]
        curl += ["-H", "Content-Type: application/json", "-d", body]
        said = subprocess.run(curl, capture_output=True, text=True, check=True, timeout=20)

    assert said.stdout.endswith("data: [DONE]\n\n")
    assert '"url_citation"' in said.stdout


def test_a_port_that_is_taken_is_found_out_before_anything_is_loaded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        code = run(["serve", "--port", str(port), "--index", "nowhere"])

    said = capsys.readouterr().err
    assert code == 2
    assert f"127.0.0.1:{port}" in said
    assert "--port 8001" in said


def test_small_replies_are_sent_at_once() -> None:
    with listening("127.0.0.1", 0) as listener:
        address = listener.getsockname()
        with socket.create_connection(address), listener.accept()[0] as accepted:
            assert accepted.proto == socket.IPPROTO_TCP  # what asyncio asks before it does so


def test_without_an_index_it_says_which_was_missing(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(
        ["serve", "--port", "0", "--index", "nowhere", "--upstream", "http://127.0.0.1:9/v1"]
    )

    assert code == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_runtime_for_one_thread_is_not_served(
    rivers: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AVERMENT_RUNTIME", "transformers")

    code = run(["serve", "--port", "0", "--index", str(rivers)])

    assert code == 2
    assert "several threads" in capsys.readouterr().err


def test_without_the_extra_it_gives_the_line_to_type(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    code = run(["serve"])

    assert code == 2
    assert "pip install 'averment[server]'" in capsys.readouterr().err


def test_it_listens_on_loopback_and_keeps_text_out_of_the_log_unless_told_otherwise() -> None:
    defaults = {name: field.default for name, field in Settings.model_fields.items()}

    assert (defaults["serve_host"], defaults["serve_port"]) == ("127.0.0.1", 8000)
    assert (defaults["serve_keys"], defaults["serve_log_text"]) == (None, False)
