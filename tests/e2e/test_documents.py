"""Documents with sections and pages, from the file to what cites them (ecosystem item 28)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.audit.export import schema_text
from averment.cli.app import run
from averment.models.scripted import ScriptedModel
from averment.page.render import Entry, render_page
from averment.page.snippets import snippets_of
from averment.types import Support
from contracts.disk import disk_without_fsync  # noqa: F401
from corpus.laid_out import handbook
from doubles import in_order

pytest.importorskip("pypdf", reason="needs the extra [docs]")

CITED = "handbook.pdf, p. 2, Leave > Parental leave"
SAID = "The Nordvik fund was founded in Tromsø."
ONLY_CITED = "The Nordvik fund was founded in Hammerfest."
Told = Callable[..., Any]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Told:
    """Runs a command beside an index of the handbook; gives what it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handbook.pdf").write_bytes(handbook(outline=True))

    def tell(*arguments: str) -> Any:
        assert run(list(arguments)) in (0, 1)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return json.loads(said.out) if "--json" in arguments else said.out

    built = tell("index", "build", "handbook.pdf", "--json")
    assert (built["without_references"], built["skipped"]) == (["handbook.pdf"], [])
    return tell


def test_pair_of_the_bibliography_is_no_support(told: Told) -> None:
    assert told("index", "cooccur", "Nordvik", "Hammerfest", "--json")["exists"] is False

    (claim,) = _checked(told, ONLY_CITED)
    assert claim["support"] in ("absent", "not_covered")
    assert claim["verdict"] != "supported"
    assert all("Eriksen" not in span["text"] for span in claim["evidence"])


def test_place_is_in_what_is_printed_and_in_the_json(told: Told) -> None:
    (occurrence,) = told("index", "cooccur", "Nordvik", "Tromsø", "--json")["occurrences"]
    assert (occurrence["page"], occurrence["section"]) == (2, ["Leave", "Parental leave"])
    assert f"  {CITED}  " in told("index", "count", "Nordvik")

    (claim,) = _checked(told, SAID)
    (span,) = claim["evidence"]
    assert (span["page"], span["citation"]) == (2, CITED)
    assert claim["verdict"] == "supported"


def test_context_may_be_a_pdf_and_is_cited_by_page(told: Told, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(SAID, encoding="utf-8")

    said = told("check", "answer.txt", "--context", "handbook.pdf", "--faithfulness", "lexical")

    assert f"— {CITED}" in said


def test_context_that_cannot_be_read_is_an_error(told: Told, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-")
    (tmp_path / "answer.txt").write_text(SAID, encoding="utf-8")

    assert run(["check", "answer.txt", "--context", "broken.pdf"]) == 2
    assert "broken.pdf: cannot be read as PDF" in capsys.readouterr().err


def test_kept_references_are_counted_and_are_no_evidence(told: Told, tmp_path: Path) -> None:
    built = told("index", "build", "handbook.pdf", "--keep-references", "--json")
    assert built["without_references"] == []

    assert told("index", "cooccur", "Nordvik", "Hammerfest", "--json")["documents"] == 1
    index = averment.open_index(tmp_path / ".averment" / "index")
    near = {"window_words": 9, "context_words": 20, "limit": 5}
    assert index.nearest_windows([("Nordvik", "Hammerfest")], **near) == [()]
    assert all("Hammerfest" not in passage.text for passage in index.passages())


def test_answer_and_its_page_cite_the_page_of_the_file(told: Told, tmp_path: Path) -> None:
    index = averment.open_index(tmp_path / ".averment" / "index")
    model = ScriptedModel(in_order([SAID, ONLY_CITED, ONLY_CITED, ONLY_CITED, ""]))
    engine = averment.open_engine(index, model, policy="quco-known", faithfulness="lexical")

    result = engine.ask("Where was the Nordvik fund founded?")

    answer = result.answer
    supports = {claim.text: claim.support for claim in answer.claims}
    assert supports.pop(SAID) is Support.PRESENT
    assert ONLY_CITED in supports
    assert Support.PRESENT not in supports.values()
    passages = [hit.passage for made in answer.retrievals for hit in made.retrieval.hits]
    assert passages
    assert all("Eriksen" not in passage.text for passage in passages)
    page = render_page(
        [Entry(answer, result.trace, snippets=snippets_of(answer, index))], title="t", subtitle="s"
    )
    assert "p. 2, Leave &gt; Parental leave" in page


def test_record_of_a_check_has_the_page_and_fits_its_schema(told: Told, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    (tmp_path / "answer.txt").write_text(SAID, encoding="utf-8")
    told("check", "answer.txt", "--faithfulness", "lexical", "--audit", "ledger.sqlite")

    row = json.loads(told("audit", "export", "--audit", "ledger.sqlite"))

    jsonschema.validate(row, json.loads(schema_text()))
    assert {found["page"] for found in row["record"]["facts"]["documents"]} <= {1, 2, 3, 4}
    assert "p. 2" not in json.dumps(row["record"])
    assert "Parental leave" not in json.dumps(row["record"])
    assert "Parental leave" in json.dumps(row["contents"])


def _checked(told: Told, text: str) -> list[dict[str, Any]]:
    Path("answer.txt").write_text(text, encoding="utf-8")
    found = told("check", "answer.txt", "--faithfulness", "lexical", "--json")
    return list(found["claims"])
