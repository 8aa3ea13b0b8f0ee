"""The first minutes of a RAG engineer over a folder of text files, with a real local model."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from averment.cli.app import run
from averment.trace import Trace

pytestmark = pytest.mark.model

HANDBOOK = {
    "ferries.txt": (
        "The ferry Sorlandia sails from Hirtshals to Kristiansand. The crossing takes three "
        "hours. Sorlandia was built by the shipyard Brattvaag in 1993. The master of Sorlandia "
        "is Ingrid Solheim."
    ),
    "ports.md": (
        "# Ports\n\nThe port of Hirtshals lies in Denmark. The port of Kristiansand lies in "
        "Norway.\n\n## Opening hours\n\nThe ticket office in Hirtshals opens at six."
    ),
    "staff.jsonl": json.dumps(
        {"id": "staff-1", "title": "Masters", "text": "Ingrid Solheim joined the company in 2009."}
    ),
}
QUESTION = "Who is the master of the ferry Sorlandia?"


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of three files, in a folder of its own."""
    folder = tmp_path_factory.mktemp("company")
    (folder / "handbook").mkdir()
    for name, text in HANDBOOK.items():
        (folder / "handbook" / name).write_text(text, encoding="utf-8")
    assert run(["index", "build", str(folder / "handbook"), "-o", str(folder / "idx")]) == 0
    return folder


@pytest.fixture(scope="module")
def asked(handbook: Path, model_path: Path) -> dict[str, str]:
    """What one `ask` wrote: JSON, page and trace."""
    written = ["--html", str(handbook / "page.html"), "--trace", str(handbook / "trace.json")]
    named = ["--index", str(handbook / "idx"), "--model", str(model_path)]
    code = run_captured(["ask", QUESTION, "--json", *named, *written], handbook / "stdout")
    assert code == 0
    return {
        "json": (handbook / "stdout").read_text(encoding="utf-8"),
        "html": (handbook / "page.html").read_text(encoding="utf-8"),
        "trace": (handbook / "trace.json").read_text(encoding="utf-8"),
    }


def run_captured(arguments: list[str], stdout: Path) -> int:
    """Run a command with its standard output in a file (module fixtures have no capsys)."""
    import contextlib

    with stdout.open("w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        return run(arguments)


def test_a_rare_name_is_looked_up_and_answered_from_the_passage(asked: dict[str, str]) -> None:
    answer = json.loads(asked["json"])

    assert answer["retrievals"][0]["trigger"] == "rare_entity"
    assert "Ingrid Solheim" in answer["answer"]
    assert answer["verdict"] == "answered"


def test_the_json_has_every_key_and_no_score_without_a_reason(asked: dict[str, str]) -> None:
    answer = json.loads(asked["json"])

    assert {"question", "answer", "verdict", "reason", "claims", "retrievals", "usage"} <= set(
        answer
    )
    for claim in answer["claims"]:
        assert claim["text"] == answer["draft"][claim["start"] : claim["end"]]
        missing = {name for name in claim if name.startswith("p_") and claim[name] is None}
        assert missing <= set(claim["reasons"])


def test_the_trace_round_trips_and_accounts_for_every_call(asked: dict[str, str]) -> None:
    trace = Trace.loads(asked["trace"])
    answer = json.loads(asked["json"])

    assert Trace.loads(trace.dumps()) == trace
    assert trace.cost.model_calls == answer["usage"]["model_calls"] > 0


def test_the_page_stands_alone(asked: dict[str, str]) -> None:
    class References(HTMLParser):
        found: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.found += [value or "" for name, value in attrs if name in ("src", "href")]
            assert tag not in ("script", "link", "iframe")

    page = References()
    page.feed(asked["html"])

    assert page.found == []
    assert "Ingrid Solheim" in asked["html"]
    assert QUESTION in asked["html"]


def test_adding_a_document_changes_the_counts(
    handbook: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new.txt").write_text("Sorlandia was repainted in 2024.")
    index = ["--index", str(handbook / "idx")]
    run(["index", "count", "Sorlandia", "--json", *index])
    before = json.loads(capsys.readouterr().out)["counts"][0]

    assert run(["index", "add", str(tmp_path / "new.txt"), *index]) == 0
    capsys.readouterr()
    run(["index", "count", "Sorlandia", "--json", *index])
    after = json.loads(capsys.readouterr().out)["counts"][0]

    assert after["count"] == before["count"] + 1
    assert after["documents"] == before["documents"] + 1
