"""What the adapters of frameworks share; no framework is needed."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from averment.errors import (
    AvermentError,
    CalibrationError,
    MissingExtraError,
    NotAnIndexError,
    UnknownNameError,
    UsageError,
)
from averment.integrations.verifier import Verifier, checked_action, document
from averment.types import Document, Verdict
from integrations.ferries import FERRY, PORT, TRUE, WRONG, calibrator, ferries  # noqa: F401


@pytest.mark.parametrize(
    ("adapter", "framework", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("langchain_agents", "langchain", "langchain"),
        ("llamaindex", "llama_index", "llamaindex"),
        ("haystack", "haystack", "haystack"),
    ],
)
def test_without_a_framework_its_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, adapter: str, framework: str, extra: str
) -> None:
    monkeypatch.delitem(sys.modules, f"averment.integrations.{adapter}", raising=False)
    for name in [framework, *(each for each in sys.modules if each.startswith(f"{framework}."))]:
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(MissingExtraError, match=rf"averment\[{extra}\]"):
        importlib.import_module(f"averment.integrations.{adapter}")


def test_claims_are_held_against_the_documents_that_are_given(ferries: str) -> None:
    found = Verifier(ferries, faithfulness="lexical").check(
        f"{TRUE} {WRONG}", None, [Document("a", FERRY, "A ferry", "https://a.example")]
    )

    assert found.verdict is Verdict.WARNED
    assert found.as_object()["reason"] == "unsupported_claim"
    [cited] = found.citations()
    assert (cited.start, cited.end, cited.cited_text) == (0, len(TRUE), FERRY)
    assert (cited.document_id, cited.title, cited.url) == ("a", "A ferry", "https://a.example")


def test_without_documents_claims_are_held_against_the_index(ferries: str) -> None:
    found = Verifier(ferries, faithfulness="lexical").check(TRUE)

    assert found.verdict is Verdict.ANSWERED
    [cited] = found.citations()
    assert cited.document_id == cited.url == "https://ferries.example/sorlandia"


def test_claims_have_a_probability_only_with_a_calibrator(ferries: str, calibrator: str) -> None:
    settings: dict[str, Any] = {"faithfulness": "lexical"}
    [raw] = Verifier(ferries, **settings).check(TRUE).as_object()["claims"]
    [calibrated] = (
        Verifier(**settings, calibrator=calibrator)
        .check(TRUE, None, [Document("a", FERRY)])
        .as_object()["claims"]
    )

    assert raw["p_true"] is None
    assert raw["reasons"]["p_true"] == "uncalibrated"
    assert 0 < calibrated["p_true"] < 1


def test_a_text_of_nothing_is_not_checked_and_not_supported() -> None:
    found = Verifier(faithfulness="lexical").check(" \n")

    assert found.as_object() == {"verdict": "answered", "reason": "no_text", "claims": []}
    assert list(found.citations()) == []


def test_without_corpus_and_documents_nothing_is_verified() -> None:
    found = Verifier(faithfulness="lexical").check(TRUE)

    assert found.verdict is Verdict.WARNED
    assert [each["verdict"] for each in found.as_object()["claims"]] == ["unverified"]


def test_a_model_is_told_which_claims_lack_support_and_no_other(ferries: str) -> None:
    said = Verifier(ferries, faithfulness="lexical").check(f"{TRUE} {WRONG}").complaint()

    assert f"- {WRONG} (unsupported: " in said
    assert TRUE not in said


def test_what_runs_in_a_thread_finds_the_same(ferries: str) -> None:
    verifier = Verifier(ferries, faithfulness="lexical")

    assert asyncio.run(verifier.asearch("ferry", 1)) == verifier.search("ferry", 1)
    assert asyncio.run(verifier.acheck(TRUE)) == verifier.check(TRUE)


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({"index": "nowhere"}, NotAnIndexError, "averment index build"),
        ({"calibrator": "none.json"}, UsageError, "averment calibrate"),
        ({"retreiver": "bm25"}, UnknownNameError, "Did you mean retriever"),
        ({"retriever": "best"}, UsageError, "'bm25', 'dense' or 'fusion'"),
        ({"faithfulness": "judge"}, AvermentError, "judge"),
    ],
)
def test_what_cannot_be_opened_says_so_at_once(
    given: dict[str, str], kind: type[AvermentError], told: str
) -> None:
    with pytest.raises(kind) as raised:
        Verifier(**given)

    assert told in str(raised.value)


def test_a_calibrator_that_is_none_is_found_before_any_answer(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("{}", encoding="utf-8")

    with pytest.raises(CalibrationError, match=r"c\.json"):
        Verifier(calibrator=str(tmp_path / "c.json"))


def test_a_search_without_an_index_says_what_to_type() -> None:
    with pytest.raises(UsageError, match="averment index build"):
        Verifier().search("ferry", 1)


def test_an_action_that_does_not_exist_is_refused() -> None:
    assert checked_action("abstain") == "abstain"
    with pytest.raises(UnknownNameError, match="regenerate"):
        checked_action("retry")


@pytest.mark.parametrize(
    ("metadata", "given_id", "expected"),
    [
        (None, None, ("document 7", "", "")),
        ({"title": "T", "source": "https://a.example/x"}, "a", ("a", "T", "https://a.example/x")),
        ({"source": "/files/x.pdf"}, "a", ("a", "", "")),
        ({"document_id": "port"}, "port#0", ("port#0", "", "urn:averment:document:port")),
        ({"document_id": "port"}, None, ("port", "", "urn:averment:document:port")),
    ],
)
def test_documents_keep_their_ids_titles_and_addresses(
    metadata: dict[str, str] | None, given_id: str | None, expected: tuple[str, str, str]
) -> None:
    made = document(PORT, metadata, given_id, number=7)

    assert (made.document_id, made.title, made.source) == expected
