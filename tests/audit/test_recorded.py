"""What is recorded of answers, checks and changes, and what never is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import averment
from audit.recorded_by_hand import records_of
from averment.audit.actor import ACTOR
from averment.audit.contents import is_sealed, sealed
from averment.audit.reading import LedgerReader
from averment.calibrating import calibrate
from averment.cli.app import run
from averment.engine import Answered
from averment.errors import LedgerError, LedgerUnavailable, ModelUnavailable
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.settings import resolve_settings
from averment.wiring import read_calibrator
from averment.wiring.auditing import Auditor, ledger_path, open_auditor, settings_object
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.model_server import ModelServer
from labels_by_hand import a_file_of_labels, some_labels
from towns_by_hand import GOOD, QUESTION, TEXTS, build_rivers, scripted


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return build_rivers(tmp_path / "idx")


def ask(index: Path, ledger: Path | str, model: Any = None, **settings: Any) -> Answered:
    with averment.open_engine(
        index, model or scripted(), audit=str(ledger), faithfulness="lexical", **settings
    ) as engine:
        return engine.ask(QUESTION)


# --- answers and checks ---------------------------------------------------------------------------


def test_an_answer_is_recorded_with_all_that_it_depends_on(index: Path, ledger: Path) -> None:
    answer = ask(index, ledger, audit_by="ann", policy="single")

    (record,) = records_of(ledger)
    info = averment.open_index(index).info
    facts = record.facts
    assert (record.kind, record.by, record.time[-1]) == ("answer", "ann", "Z")
    assert (facts["trace_id"], facts["verdict"]) == (answer.trace.trace_id, "warned")
    assert facts["policy"] == answer.trace.policy
    assert facts["index"]["digest"] == info.digest
    assert facts["index"]["generation"] == info.generation == 1
    assert facts["model"] == {"name": "tiny", "source": "a script", "sha256": None}
    assert facts["faithfulness"] == "lexical-alignment"
    assert [claim["verdict"] for claim in facts["claims"]] == ["supported", "supported"]
    assert set(facts["prompts"]) == {"answer"}
    assert {each["id"] for each in facts["documents"]} <= set(TEXTS)
    assert facts["documents"]


def test_the_texts_of_an_answer_are_contents_and_in_no_record(index: Path, ledger: Path) -> None:
    ask(index, ledger, policy="single")

    with LedgerReader(ledger) as reader:
        (record,) = reader.records()
        contents = reader.contents(record)
        salt = reader.salt(record)
    assert set(contents) == {"result", "settings", "setup", "trace"}
    assert json.loads(contents["result"])["question"] == QUESTION
    for text in (QUESTION, "Vltava", *TEXTS.values()):
        assert text not in record.body.decode()
    assert salt is not None
    first = record.facts["documents"][0]
    assert first["sha256"] == sealed(salt, TEXTS[first["id"]].encode())


def test_a_question_that_ended_in_an_error_is_recorded_as_such(index: Path, ledger: Path) -> None:
    class Gone:
        info = scripted().info

        def generate(self, *_: object) -> None:
            raise ModelUnavailable("The model is gone.")

    with pytest.raises(ModelUnavailable):
        ask(index, ledger, Gone())

    (record,) = records_of(ledger)
    assert (record.facts["verdict"], record.facts["failure"]) == (None, "ModelUnavailable")
    assert "result" not in record.contents


def test_a_check_is_recorded_with_its_claims_and_passages(index: Path, ledger: Path) -> None:
    text = "Prague is the capital of Bohemia. Vienna lies on the Vltava."

    averment.check(text, index=index, faithfulness="lexical", audit=str(ledger))
    averment.check(
        text, contexts=["Prague is in Bohemia."], faithfulness="lexical", audit=str(ledger)
    )

    against_index, against_context = records_of(ledger)
    assert {against_index.kind, against_context.kind} == {"verification"}
    assert len(against_index.facts["claims"]) == 2
    assert against_index.facts["index"]["name"] == "idx"
    assert against_context.facts["index"] is None
    assert [d["id"] for d in against_context.facts["documents"]] == ["context 1"]


def test_the_calibrator_is_recorded_by_the_hash_of_its_file(
    index: Path, ledger: Path, tmp_path: Path
) -> None:
    made = calibrate(some_labels(), mode=Mode.CONDITION, created_by="a test")
    file = tmp_path / "calibrator.json"
    file.write_text(to_json(made.calibrator) + "\n", encoding="utf-8")

    averment.check(GOOD, index=index, faithfulness="lexical", calibrator=file, audit=str(ledger))

    (record,) = records_of(ledger)
    assert record.facts["calibrator"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert read_calibrator(file).calibrated
    assert all(claim["p_true"] is not None for claim in record.facts["claims"])


def test_a_model_that_is_a_file_is_recorded_by_its_hash(ledger: Path, tmp_path: Path) -> None:
    from averment.types import ModelInfo

    file = tmp_path / "some.gguf"
    file.write_bytes(b"weights")
    auditor = open_auditor(resolve_settings(audit=str(ledger)))
    assert auditor is not None
    with auditor:
        found = auditor.model(ModelInfo(str(file), str(file), frozenset()))

    assert found == {
        "name": "some.gguf",
        "source": "some.gguf",
        "sha256": hashlib.sha256(b"weights").hexdigest(),
    }


# --- off, on, failing -----------------------------------------------------------------------------


def test_nothing_is_recorded_unless_it_was_asked_for(index: Path, tmp_path: Path) -> None:
    ask(index, "off")
    averment.check(GOOD, index=index, faithfulness="lexical")

    assert ledger_path(resolve_settings()) is None
    assert not list(tmp_path.rglob("*.sqlite*"))


def test_on_is_a_file_in_the_home_directory(
    index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AVERMENT_AUDIT", "on")
    averment.check(GOOD, index=index, faithfulness="lexical")
    averment.delete_documents(index, ["brno"])
    averment.merge_index(index)

    kinds = [record.kind for record in records_of(tmp_path / "home" / "audit.sqlite")]
    assert kinds == ["verification", "deletion", "merge"]


def test_what_cannot_be_recorded_is_not_answered(
    index: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise LedgerUnavailable("The disk is full. Nothing was recorded.")

    with averment.open_engine(
        index, scripted(), audit=str(ledger), faithfulness="lexical"
    ) as engine:
        monkeypatch.setattr("averment.audit.store.Ledger.append", failing)
        with pytest.raises(LedgerUnavailable):
            engine.ask(QUESTION)
    with pytest.raises(LedgerUnavailable):
        averment.check(GOOD, index=index, faithfulness="lexical", audit=str(ledger))


@pytest.mark.parametrize(
    "change",
    [
        lambda index: averment.build_index([averment.Document("x", "A text.")], index),
        lambda index: averment.delete_documents(index, ["brno"]),
        lambda index: averment.merge_index(index),
        lambda index: ask(index, "broken.sqlite"),
    ],
)
def test_with_a_ledger_that_cannot_be_written_nothing_is_begun(
    index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    (tmp_path / "broken.sqlite").mkdir()
    monkeypatch.setenv("AVERMENT_AUDIT", "broken.sqlite")
    before = averment.open_index(index).info

    with pytest.raises(LedgerError):
        change(index)
    assert averment.open_index(index).info == before


# --- who, settings, secrets -----------------------------------------------------------------------


def test_who_acts_is_the_one_of_the_request_before_the_one_of_the_settings(ledger: Path) -> None:
    from averment.audit.chain import Kind

    auditor = open_auditor(resolve_settings(audit=str(ledger), audit_by="the settings"))
    assert auditor is not None
    with auditor:
        auditor.record(Kind.MERGE, {})
        token = ACTOR.set("the request")
        auditor.record(Kind.MERGE, {})
        auditor.record(Kind.MERGE, {}, by="the caller")
        ACTOR.reset(token)

    assert [r.by for r in records_of(ledger)] == ["the settings", "the request", "the caller"]


def test_keys_and_passwords_are_in_no_setting() -> None:
    found = settings_object(
        resolve_settings(
            base_url="https://ann:hunter22@models.example/v1", api_key="sk-abc", serve_keys="k1,k2"
        )
    )

    assert found["base_url"] == "https://models.example/v1"
    assert (found["api_key"], found["serve_keys"]) == ("(set)", "(set)")


def test_keys_that_a_server_repeats_land_in_no_record(
    index: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-environment-1")

    def write(prompt: str) -> str:
        return " So the answer is sk-from-environment-1. The password is correcthorse9."

    with ModelServer(write) as server:
        url = server.url.replace("http://", "http://ann:correcthorse9@")
        with averment.open_engine(
            index,
            "tiny",
            base_url=url,
            api_key="sk-as-given-22",
            audit=str(ledger),
            faithfulness="lexical",
        ) as engine:
            answer = engine.ask(QUESTION)

    assert "sk-from-environment-1" in answer.answer.draft
    stored = b"".join(file.read_bytes() for file in ledger.parent.glob("ledger.sqlite*"))
    for secret in (b"sk-from-environment-1", b"sk-as-given-22", b"correcthorse9"):
        assert secret not in stored
    assert b"[secret]" in stored


def test_texts_that_are_older_than_is_kept_go_by_themselves(index: Path, ledger: Path) -> None:
    ask(index, ledger)
    days = 1e-9

    ask(index, ledger, audit_retention_days=days)

    answered, erased, again = records_of(ledger)
    assert (answered.kind, erased.kind, again.kind) == ("answer", "erasure", "answer")
    assert erased.facts["erased"] == [1]
    assert erased.facts["reason"].startswith("retention: contents are kept for 1e-09 days")


# --- changes --------------------------------------------------------------------------------------


def test_documents_that_come_and_go_are_recorded_with_their_hashes(
    ledger: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AVERMENT_AUDIT", str(ledger))
    index = build_rivers(tmp_path / "idx")
    added = [averment.Document("brno", "Another."), averment.Document("graz", "Graz is a city.")]
    averment.build_index(added, index, add=True)
    averment.delete_documents(index, ["graz", "nobody"], missing_ok=True)
    averment.delete_documents(index, ["nobody"], missing_ok=True)
    averment.merge_index(index)
    averment.merge_index(index)

    built, grown, deleted, merged = records_of(ledger)
    assert [r.kind for r in (built, grown)] == ["ingestion", "ingestion"]
    assert (built.facts["action"], built.facts["previous"]) == ("build", None)
    assert (grown.facts["action"], grown.facts["n_documents"]) == ("add", 1)
    assert (grown.facts["n_left_out"], grown.facts["documents_listed"]) == (1, True)
    assert grown.facts["previous"]["digest"] == built.facts["index"]["digest"]
    assert (deleted.kind, deleted.facts["n_documents"]) == ("deletion", 1)
    assert (merged.kind, merged.facts["previous"]["generation"]) == ("merge", 3)
    with LedgerReader(ledger) as reader:
        rows = reader.contents(grown)["documents"]
        assert json.loads(rows) == {
            "id": "graz",
            "sha256": hashlib.sha256(b"Graz is a city.").hexdigest(),
        }
        assert grown.facts["documents_sha256"] == hashlib.sha256(rows.encode()).hexdigest()
        assert reader.contents(deleted)["documents"] == '{"id": "graz"}\n'


def test_of_very_many_documents_there_is_the_digest_alone(
    ledger: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("averment.wiring.audited_changes._MOST_LISTED", 2)
    monkeypatch.setenv("AVERMENT_AUDIT", str(ledger))
    build_rivers(tmp_path / "idx")

    (record,) = records_of(ledger)
    assert (record.facts["n_documents"], record.facts["documents_listed"]) == (3, False)
    with LedgerReader(ledger) as reader:
        assert len(reader.contents(record)["documents"].splitlines()) == 2


def test_aliases_are_recorded_when_they_change(ledger: Path) -> None:
    named = ["--audit", str(ledger)]
    assert run(["alias", "add", "Prague", "Praha", "Prag", *named]) == 0
    assert run(["alias", "add", "Prague", "Praha", *named]) == 0  # nothing new
    assert run(["alias", "remove", "Prague", "Prag", *named]) == 0

    added, removed = records_of(ledger)
    assert added.facts["action"] == "add"
    assert added.facts["n_forms"] == 2
    assert (removed.facts["action"], removed.facts["n_forms"]) == ("remove", 1)
    assert "Praha" not in added.body.decode()
    with LedgerReader(ledger) as reader:
        assert json.loads(reader.contents(removed)["aliases"])["form"] == "Prag"


def test_a_calibration_is_recorded_with_the_calibrator(ledger: Path, tmp_path: Path) -> None:
    a_file_of_labels(tmp_path / "labels.jsonl", some_labels())

    assert run(["calibrate", "labels.jsonl", "--audit", str(ledger)]) == 0

    (record,) = records_of(ledger)
    made = Path("calibrator.json")
    assert record.facts["calibrator"] == hashlib.sha256(made.read_bytes()).hexdigest()
    assert (
        record.facts["labels_sha256"]
        == hashlib.sha256(Path("labels.jsonl").read_bytes()).hexdigest()
    )
    with LedgerReader(ledger) as reader:
        assert reader.contents(record)["calibrator"] == made.read_text()


def test_a_secret_is_struck_out_in_json_too(ledger: Path) -> None:
    from averment.audit.chain import Kind

    key = 'sk-"quoted"-\\key'
    auditor = open_auditor(resolve_settings(audit=str(ledger), api_key=key))
    assert isinstance(auditor, Auditor)
    with auditor:
        auditor.record(Kind.ANSWER, {"trace_id": "t"}, {"result": json.dumps({"said": key})})

    with LedgerReader(ledger) as reader:
        (record,) = reader.records()
        assert json.loads(reader.contents(record)["result"]) == {"said": "[secret]"}
        assert is_sealed(
            record.contents["result"], reader.salt(record) or b"", b'{"said": "[secret]"}'
        )
