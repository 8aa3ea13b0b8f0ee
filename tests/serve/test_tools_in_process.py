"""What a client of `averment mcp` cannot bring about from outside: faults, crowds, calibrators."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.types import CallToolResult

import averment
from averment.calibrating import calibrate
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.places import Layout, Section
from averment.serve.mcp import make_server
from averment.serve.tool_requests import ExplainVerdict, VerifyClaims
from averment.serve.tools import Tools
from averment.settings import resolve_settings
from averment.wiring.open_corpus import OpenCorpus
from labels_by_hand import some_labels
from mayors_by_hand import build_elmstead
from serve.agent import text_of

CLAIM = "Oslo lies in Norway."
SOURCE = [{"text": "Oslo lies in Norway, at a fjord."}]


async def _at_once(call: Callable[[], Any]) -> Any:
    return call()


async def _untold(done: int, total: int) -> None:
    pass


def _called(settings: Any, tool: str, **arguments: Any) -> CallToolResult:
    async def call() -> CallToolResult:
        async with Client(make_server(settings)) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(call())


def test_passages_and_places_say_page_and_section(tmp_path: Path) -> None:
    layout = Layout((Section(("Towns",), 0, 0, len(CLAIM)),), (0,))
    documents = [averment.Document("a.pdf", CLAIM, layout=layout), averment.Document("b", CLAIM)]
    averment.build_index(documents, tmp_path / "idx")
    settings = resolve_settings(index=tmp_path / "idx")

    found = _called(settings, "search_corpus", query="Oslo").structured_content
    counted = _called(settings, "corpus_count", phrases=["Oslo"], detail=True).structured_content

    assert found is not None
    assert counted is not None
    place = {"page": 1, "section": ["Towns"], "citation": "a.pdf, p. 1, Towns"}
    for shown in (found["passages"], counted["counts"][0]["occurrences"]):
        with_place = next(each for each in shown if each["document_id"] == "a.pdf")
        without = next(each for each in shown if each["document_id"] == "b")
        assert with_place.items() >= place.items()
        assert place.keys().isdisjoint(without)


def test_tools_look_back_and_say_what_they_left_out(tmp_path: Path) -> None:
    build_elmstead(tmp_path / "idx")
    settings = resolve_settings(index=tmp_path / "idx", faithfulness="lexical")
    claim, then = "Carla Finch is the mayor of Elmstead.", {"as_of": "2021-05-01"}

    for tool, said in (("check_answer", {"answer": claim}), ("verify_claims", {"claims": [claim]})):
        now = _called(settings, tool, **said).structured_content
        back = _called(settings, tool, **said, **then).structured_content
        assert now is not None
        assert back is not None
        assert now["claims"][0]["verdict"] == "supported"
        assert back["claims"][0]["verdict"] != "supported"
        assert "as_of" not in now
        assert "1 later left out" in back["as_of"]
        assert now["trace_id"] != back["trace_id"]

    for said in (claim, "Well, perhaps."):
        why = _called(settings, "explain_verdict", claim=said, **then).structured_content
        assert why is not None
        assert "1 later left out" in why["as_of"]
    found = _called(settings, "search_corpus", query="mayor", as_of="2018").structured_content
    assert found is not None
    assert {each["date"] for each in found["passages"]} == {"2015-05-07", "2018-09"}
    assert found["as_of"].startswith("As of 2018: ")


def test_a_fault_of_ours_is_said_without_its_inside_which_is_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: object, *arguments: object) -> None:
        raise RuntimeError(f"inside of {CLAIM}")

    monkeypatch.setattr(OpenCorpus, "check", fail)
    with caplog.at_level(logging.ERROR, "averment.serve"):
        made = _called(resolve_settings(), "verify_claims", claims=[CLAIM])

    assert made.is_error
    assert "its log says why" in text_of(made)
    assert "inside" not in text_of(made)
    assert "RuntimeError" in caplog.text
    assert CLAIM not in caplog.text


def test_what_takes_too_long_is_said() -> None:
    settings = resolve_settings(serve_timeout_s=1e-6)

    made = _called(settings, "verify_claims", claims=[CLAIM])

    assert made.is_error
    assert "TimeLimit" in text_of(made)


def test_a_crowd_is_told_to_come_again() -> None:
    settings = resolve_settings(serve_workers=1, serve_queue=0, faithfulness="lexical")

    async def call_twice() -> list[CallToolResult]:
        async with Client(make_server(settings)) as client:
            calls = [
                client.call_tool("verify_claims", {"claims": [CLAIM], "documents": SOURCE})
                for _ in range(2)
            ]
            return list(await asyncio.gather(*calls))

    served, refused = sorted(asyncio.run(call_twice()), key=lambda made: made.is_error)
    assert not served.is_error
    assert "Busy" in text_of(refused)


def test_with_a_calibrator_a_claim_has_its_probability(tmp_path: Path) -> None:
    made = calibrate(some_labels(), mode=Mode.CONDITION, created_by="test").calibrator
    (tmp_path / "calibrator.json").write_text(to_json(made), encoding="utf-8")
    settings = resolve_settings(
        calibrator=tmp_path / "calibrator.json", faithfulness="lexical", index=None
    )

    told = _called(settings, "verify_claims", claims=[CLAIM], documents=SOURCE).structured_content

    report = averment.check(
        CLAIM,
        contexts=[SOURCE[0]["text"]],
        calibrator=tmp_path / "calibrator.json",
        faithfulness="lexical",
    )
    assert told["claims"][0]["p_true"] == report.claims[0].p_true
    assert 0 < told["claims"][0]["p_true"] < 1
    assert told["calibrated"] is True


def test_only_the_last_thirty_checks_are_remembered() -> None:
    async def ask() -> list[str]:
        tools = Tools(OpenCorpus(resolve_settings(faithfulness="lexical")), _at_once)
        ids = []
        for number in range(31):
            asked = VerifyClaims(claims=[f"Oslo has {number} bridges."])
            ids.append((await tools.verify_claims(asked, _untold)).trace_id)
        last = await tools.explain_verdict(ExplainVerdict(id=ids[30]), _untold)
        second = await tools.explain_verdict(ExplainVerdict(id=ids[1]), _untold)
        with pytest.raises(averment.AvermentError, match="last 30 checks"):
            await tools.explain_verdict(ExplainVerdict(id=ids[0]), _untold)
        return [second.text, last.text]

    assert asyncio.run(ask()) == ["Oslo has 1 bridges.", "Oslo has 30 bridges."]


def test_starting_opens_and_imports_nothing_heavy() -> None:

    code = (
        "import sys; from averment.settings import resolve_settings; "
        "from averment.serve.mcp import make_server; make_server(resolve_settings()); "
        "print([name for name in ('numpy', 'onnxruntime', 'openai', 'bm25s', 'fastapi') "
        "if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout.strip() == "[]"
