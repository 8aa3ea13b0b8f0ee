"""Answers as of a day: counts, passages and evidence of documents up to then, told and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import averment
from audit.recorded_by_hand import records_of
from averment.audit.reading import LedgerReader
from averment.cli.app import run
from averment.dating import Age, AsOf, Undated
from averment.engine import Answered, Engine, replay
from averment.errors import QueryError, UsageError
from averment.models.scripted import ScriptedModel
from averment.page.render import Entry, render_page
from averment.settings import resolve_settings
from averment.shapes import answer_object, claim_object
from averment.steps import LocatePairs, Search
from averment.trace import Trace
from averment.types import Prompt, Support, Verdict
from averment.wiring.open_corpus import OpenCorpus
from averment.wiring.replaying import Outcome, replay_record
from contracts.disk import disk_without_fsync  # noqa: F401
from mayors_by_hand import build_elmstead

QUESTION = "Who is the mayor of Elmstead?"


@pytest.fixture(scope="module")
def elmstead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("towns") / "elmstead"
    build_elmstead(path)
    return path


def engine(path: Path, mayor: str, **settings: object) -> Engine:
    """An engine whose model believes in one mayor."""
    said = f" {mayor} is the mayor of Elmstead. So the answer is {mayor}."

    def write(prompt: Prompt) -> str:
        return said.removeprefix(prompt.answer) if said.startswith(prompt.answer) else ""

    model = ScriptedModel(write, name="tiny", capabilities=frozenset())
    return averment.open_engine(path, model, faithfulness="lexical", **settings)  # type: ignore[arg-type]


def ask(path: Path, mayor: str, **settings: object) -> Answered:
    with engine(path, mayor, **settings) as opened:
        return opened.ask(QUESTION)


def test_who_became_mayor_later_is_not_in_the_corpus_of_then(elmstead: Path) -> None:
    now = ask(elmstead, "Carla Finch")
    then = ask(elmstead, "Carla Finch", as_of="2021-05-01")

    assert now.claims[0].support is Support.PRESENT
    assert then.claims[0].support is not Support.PRESENT
    assert then.verdict is Verdict.ABSTAINED


def test_a_day_can_be_asked_about_after_the_index_has_changed(tmp_path: Path) -> None:
    """A server has it open while somebody adds documents and merges."""
    build_elmstead(tmp_path / "i")
    corpus = OpenCorpus(resolve_settings(index=tmp_path / "i"))
    assert corpus.retriever.search(["mayor of Elmstead"], k=9)[0].hits
    new = averment.Document("new", "Dora Gill is the mayor of Elmstead.", date="2020-01-01")
    averment.build_index([new], tmp_path / "i", add=True)

    averment.merge_index(tmp_path / "i")

    (found,) = corpus.looking_back("2021-05-01").retriever.search(["mayor of Elmstead"], k=9)
    assert found.hits
    assert "new" not in {hit.passage.document_id for hit in found.hits}


def test_everything_that_is_shown_is_from_before_the_day(elmstead: Path) -> None:
    found = ask(elmstead, "Bruno Vale", as_of="2021-05-01")

    shown = [hit.passage for made in found.answer.retrievals for hit in made.retrieval.hits]
    windows = [
        passage
        for record in found.trace.records
        if isinstance(record.step, LocatePairs)
        for passages in record.outcome
        for passage in passages
    ]
    evidence = [passage for claim in found.claims for passage in claim.evidence]
    dates = {passage.date for passage in [*shown, *windows, *evidence]}
    assert dates == {"2015-05-07", "2018-09", "2021-03-14"}
    assert found.claims[0].support is Support.PRESENT


def test_the_day_and_what_was_left_out_are_in_the_answer(elmstead: Path) -> None:
    found = ask(elmstead, "Bruno Vale", as_of="2021-05-01")

    assert found.answer.as_of == AsOf("2021-05-01", Undated.EXCLUDE, 3, 1, 1, 1)
    assert answer_object(found.answer)["as_of"] == {
        "day": "2021-05-01",
        "undated": "exclude",
        "n_documents": 3,
        "n_undated": 1,
        "n_later": 1,
        "n_vague": 1,
    }
    page = render_page([Entry(found.answer, found.trace)], title="t", subtitle="s")
    assert (
        "As of 2021-05-01: 3 documents; 1 later left out, 1 of unclear date left out, "
        "1 without a date left out." in page
    )


def test_undated_documents_are_taken_along_if_asked_for(elmstead: Path) -> None:
    found = ask(elmstead, "Ada Thorn", as_of="2015", undated="include")

    assert found.answer.as_of == AsOf("2015", Undated.INCLUDE, 2, 1, 4, 0)
    assert "1 without a date taken along" in found.answer.as_of.in_words
    (retrieval, *_) = found.answer.retrievals
    assert {hit.passage.document_id for hit in retrieval.retrieval.hits} <= {
        "gazette-2015",
        "leaflet",
    }


def test_an_answer_of_then_replays(elmstead: Path) -> None:
    with engine(elmstead, "Bruno Vale", as_of="2021-05-01") as opened:
        found = opened.ask(QUESTION)
        read = Trace.loads(found.trace.dumps())

        assert replay(read, opened.policy, opened.scoring) == found.answer
    assert read.as_of == found.answer.as_of


def test_a_recorded_answer_of_then_is_reproduced(elmstead: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "audit.sqlite"
    ask(elmstead, "Bruno Vale", as_of="2021-05-01", audit=str(ledger))

    (record,) = records_of(ledger)
    with LedgerReader(ledger) as reader:
        contents = reader.contents(record)
    assert replay_record(record, contents).outcome is Outcome.REPRODUCED
    assert json.loads(contents["result"])["as_of"]["day"] == "2021-05-01"


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        pytest.param({"as_of": "May"}, UsageError, "it is not a date", id="no date"),
        pytest.param({"as_of": "1999"}, UsageError, "No document of the index", id="too early"),
        pytest.param({"as_of": "2021", "undated": "only"}, UsageError, "cannot be all", id="only"),
        pytest.param({"model_cutoff": "soon"}, UsageError, "it is not a date", id="cutoff"),
        pytest.param(
            {"model_cutoff": "2020", "policy": "quco-paper"},
            UsageError,
            "no use for a model's cutoff",
            id="the paper",
        ),
        pytest.param(
            {"model_cutoff": "2020", "policy": "single"}, UsageError, "no use", id="no counts"
        ),
    ],
)
def test_what_cannot_be_looked_back_to_is_said(
    elmstead: Path, settings: dict[str, str], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        engine(elmstead, "Ada Thorn", **settings)


def test_the_hint_names_documents_without_a_date(elmstead: Path) -> None:
    with pytest.raises(UsageError) as raised:
        engine(elmstead, "Ada Thorn", as_of="1999")

    assert "--undated include" in raised.value.hint
    assert not isinstance(raised.value, QueryError)


# --- how old evidence is --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "as_of", "age"),
    [
        pytest.param(
            "Ada Thorn was elected mayor of Elmstead.", None, Age("2015-05-07", 2), id="older"
        ),
        pytest.param(
            "Ada Thorn was elected mayor of Elmstead.", "2018", Age("2015-05-07", 1), id="of then"
        ),
        pytest.param(
            "Carla Finch is the mayor of Elmstead.", None, Age("2024-11-02", 0), id="newest"
        ),
        pytest.param(
            "Walk the Old Quay with Ada Thorn.",
            None,
            Age(None, None, reason="undated_evidence"),
            id="undated",
        ),
    ],
)
def test_evidence_says_how_old_it_is_and_that_there_is_newer(
    elmstead: Path, text: str, as_of: str | None, age: Age
) -> None:
    report = averment.check(text, index=elmstead, faithfulness="lexical", as_of=as_of)

    assert [claim.age for claim in report.claims] == [age]


def test_an_answer_shows_that_there_is_newer(elmstead: Path) -> None:
    found = ask(elmstead, "Ada Thorn")

    claim = found.claims[0]
    assert claim.age is not None
    assert claim.age.newer_documents
    page = render_page([Entry(found.answer, found.trace)], title="t", subtitle="s")
    assert f"Newest evidence of {claim.age.newest_evidence}" in page
    assert f"documents dated after {claim.age.newest_evidence} with both " in page
    assert claim_object(claim)["age"]["newest_evidence"] == claim.age.newest_evidence


# --- check ----------------------------------------------------------------------------------------


def test_check_as_of_a_day(
    elmstead: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Carla Finch is the mayor of Elmstead.")
    command = ["check", str(text), "--index", str(elmstead), "--faithfulness", "lexical"]

    assert run([*command, "--json"]) == 0
    now = json.loads(capsys.readouterr().out)
    assert run([*command, "--as-of", "2021", "--json"]) == 0
    then = json.loads(capsys.readouterr().out)
    assert run([*command, "--as-of", "2021", "--undated", "include"]) == 0
    told = capsys.readouterr().out

    assert (now["as_of"], then["as_of"]["n_documents"]) == (None, 4)
    assert now["claims"][0]["support"] == "present"
    assert then["claims"][0]["support"] in ("absent", "not_covered")
    assert {passage["date"] for passage in then["passages"]} <= {
        "2015-05-07",
        "2018-09",
        "2021-03-14",
        "2021",
    }
    assert "As of 2021: 5 documents; 1 later left out, 1 without a date taken along." in told


def test_a_check_without_an_index_has_nothing_to_look_back_at() -> None:
    with pytest.raises(UsageError, match="there is none here"):
        averment.check("Elmstead is old.", contexts=["Elmstead."], as_of="2021")


def test_a_recorded_check_of_then_is_reproduced(elmstead: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "audit.sqlite"
    averment.check(
        "Bruno Vale is the mayor of Elmstead.",
        index=elmstead,
        faithfulness="lexical",
        as_of="2021-05-01",
        audit=str(ledger),
    )

    (record,) = records_of(ledger)
    with LedgerReader(ledger) as reader:
        contents = reader.contents(record)
    assert replay_record(record, contents).outcome is Outcome.REPRODUCED
    assert json.loads(contents["result"])["as_of"]["n_later"] == 1


# --- the model's cutoff ---------------------------------------------------------------------------


def test_what_the_model_cannot_know_is_looked_up_by_name(elmstead: Path) -> None:
    known = {"policy": "quco-known", "policy_parameters": {"entity_threshold": 1}}
    with engine(elmstead, "Carla Finch", **known) as opened:
        before = opened.ask("Of which town is Carla Finch the mayor?")
    with engine(elmstead, "Carla Finch", model_cutoff="2022", **known) as opened:
        after = opened.ask("Of which town is Carla Finch the mayor?")

    searches = [r.step for r in after.trace.records if isinstance(r.step, Search)]
    first = searches[0]
    assert first.trigger == "after_cutoff"
    assert "only from after 2022" in first.detail
    assert not any(made.trigger == "after_cutoff" for made in before.answer.retrievals)
