"""Verdicts are made again from the ledger alone; what cannot be says why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.audit.chain import Record
from averment.audit.reading import LedgerReader
from averment.audit.store import Ledger
from averment.calibrating import calibrate
from averment.errors import ModelUnavailable
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.wiring import make_policy, policy_names
from averment.wiring.replaying import Outcome, replay_record
from averment.wiring.setups import OtherSetup, policy_object, policy_of
from contracts.disk import disk_without_fsync  # noqa: F401
from labels_by_hand import some_labels
from towns_by_hand import QUESTION, build_rivers, scripted

TEXT = "Prague is the capital of Bohemia. It lies on the Vltava. Vienna lies on the Vltava."


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """One answer, one check against the index, one against a given text; all calibrated."""
    index = build_rivers(tmp_path / "idx")
    made = calibrate(some_labels(), mode=Mode.CONDITION, created_by="a test")
    (tmp_path / "calibrator.json").write_text(to_json(made.calibrator) + "\n", encoding="utf-8")
    told: dict[str, Any] = {
        "audit": str(tmp_path / "l.sqlite"),
        "faithfulness": "lexical",
        "calibrator": tmp_path / "calibrator.json",
    }
    with averment.open_engine(index, scripted(), **told) as engine:
        engine.ask(QUESTION)
    averment.check(TEXT, "Where is Prague?", index=index, **told)
    averment.check(TEXT, contexts=["Prague is in Bohemia."], atomic=True, **told)
    return tmp_path / "l.sqlite"


def recorded(ledger: Path) -> list[tuple[Record, dict[str, str]]]:
    with LedgerReader(ledger) as reader:
        return [(record, reader.contents(record)) for record in reader.records()]


def changed(contents: Mapping[str, str], name: str, **values: Any) -> dict[str, str]:
    """The same contents, in one of which something else stands at the top."""
    return {**contents, name: json.dumps({**json.loads(contents[name]), **values})}


def test_answers_and_checks_come_out_as_they_were(ledger: Path) -> None:
    found = [replay_record(*each) for each in recorded(ledger)]

    assert [each.outcome for each in found] == [Outcome.REPRODUCED] * 3
    assert all(r.facts["claims"][0]["p_true"] is not None for r, _ in recorded(ledger))


def test_what_a_promise_withheld_is_withheld_again(tmp_path: Path) -> None:
    index = build_rivers(tmp_path / "idx")
    labels = some_labels(1500)
    made = calibrate(labels, mode=Mode.CONDITION, created_by="a test", hold_out=0.5)
    (tmp_path / "calibrator.json").write_text(to_json(made.calibrator) + "\n", encoding="utf-8")
    told: dict[str, Any] = {
        "audit": str(tmp_path / "l.sqlite"),
        "faithfulness": "lexical",
        "calibrator": tmp_path / "calibrator.json",
        "target_error": 0.3,
        "withheld": "hedge",
    }
    with averment.open_engine(index, scripted(), **told) as engine:
        assert engine.ask(QUESTION).answer.scores.promise.remedy == "hedge"  # type: ignore[union-attr]
    averment.check(TEXT, contexts=["Prague is in Bohemia."], **told)

    found = [replay_record(*each) for each in recorded(tmp_path / "l.sqlite")]

    assert [each.outcome for each in found] == [Outcome.REPRODUCED] * 2


def test_neither_index_nor_calibrator_nor_files_of_then_are_needed(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "calibrator.json").unlink()
    (tmp_path / "idx").rename(tmp_path / "elsewhere")

    def no_socket(*_: object) -> None:
        raise AssertionError("a replay opens no socket")

    monkeypatch.setattr("socket.socket.__init__", no_socket)

    assert {replay_record(*each).outcome for each in recorded(ledger)} == {Outcome.REPRODUCED}


def test_another_verdict_of_then_is_told_with_its_place(ledger: Path) -> None:
    (record, contents), *_ = recorded(ledger)
    result = json.loads(contents["result"])
    result["claims"][1]["verdict"] = "contradicted"

    found = replay_record(record, {**contents, "result": json.dumps(result)})

    assert (found.outcome, found.reason) == (Outcome.DIFFERS, "other_result")
    assert found.differences == ("claims[1].verdict",)
    assert "claims[1].verdict" in found.detail


def test_another_version_is_named_where_something_differs(ledger: Path) -> None:
    (record, contents), *_ = recorded(ledger)

    found = replay_record(
        replace(record, versions={"averment": "0.0.9"}), changed(contents, "result", answer="no")
    )

    assert "made by averment 0.0.9, replayed by " in found.detail


def test_a_step_that_this_version_would_not_ask_for_diverges(ledger: Path) -> None:
    (record, contents), *_ = recorded(ledger)
    trace = json.loads(contents["trace"])
    trace["records"] = trace["records"][1:]
    without_one = {**contents, "trace": json.dumps(trace)}

    now = replay_record(record, without_one)
    then = replay_record(replace(record, versions={"averment": "0.0.9"}), without_one)

    assert (now.outcome, now.reason) == (Outcome.DIFFERS, "diverged")
    assert (then.outcome, then.reason) == (Outcome.NOT_REPLAYABLE, "other_version")


def test_erased_texts_cannot_be_replayed(ledger: Path) -> None:
    with Ledger(ledger) as opened:
        opened.erase([1], by="bob", reason="a request")

    found = replay_record(*recorded(ledger)[0])

    assert (found.outcome, found.reason) == (Outcome.NOT_REPLAYABLE, "erased")
    assert "result, settings, setup, trace" in found.detail


def test_records_without_verdicts_cannot_be_replayed(ledger: Path) -> None:
    with Ledger(ledger) as opened:
        opened.erase([1], by="bob", reason="a request")

    found = replay_record(*recorded(ledger)[3])

    assert (found.outcome, found.reason) == (Outcome.NOT_REPLAYABLE, "no_verdicts")


def _of_the_scoring(contents: Mapping[str, str], **values: Any) -> dict[str, str]:
    scoring = json.loads(contents["setup"])["scoring"]
    return changed(contents, "setup", scoring={**scoring, **values})


@pytest.mark.parametrize(
    ("spoiled", "reason"),
    [
        (lambda c: changed(c, "setup", policy=None), "other_policy"),
        (lambda c: changed(c, "setup", policy={"trigger": "new"}), "other_version"),
        (lambda c: changed(c, "trace", policy="quco(of then)"), "other_version"),
        (lambda c: changed(c, "trace", schema=99), "other_version"),
        (lambda c: _of_the_scoring(c, calibrator='{"format": "new"}'), "other_calibrator"),
        (lambda c: _of_the_scoring(c, text_form="another"), "other_version"),
        (lambda c: _of_the_scoring(c, temperature=1), "other_version"),
    ],
)
def test_an_answer_of_another_setup_says_which(ledger: Path, spoiled: Any, reason: str) -> None:
    record, contents = recorded(ledger)[0]

    found = replay_record(record, spoiled(contents))

    assert (found.outcome, found.reason) == (Outcome.NOT_REPLAYABLE, reason)
    assert found.detail


def _of_the_rule(contents: Mapping[str, str], **values: Any) -> dict[str, str]:
    rule = json.loads(contents["check"])["rule"]
    return changed(contents, "check", rule={**rule, **values})


@pytest.mark.parametrize(
    ("spoiled", "reason"),
    [
        (lambda c: _of_the_rule(c, scoring=None), "other_policy"),
        (lambda c: _of_the_rule(c, counting={"new": 1}), "other_version"),
        (lambda c: changed(c, "check", contexts=[{"new": 1}]), "other_version"),
    ],
)
def test_a_check_of_another_setup_says_which(ledger: Path, spoiled: Any, reason: str) -> None:
    record, contents = recorded(ledger)[1]

    found = replay_record(record, spoiled(contents))

    assert (found.outcome, found.reason) == (Outcome.NOT_REPLAYABLE, reason)


def test_a_question_that_ended_in_an_error_ends_in_it_again(tmp_path: Path) -> None:
    class Gone:
        info = scripted().info

        def generate(self, *_: object) -> None:
            raise ModelUnavailable("The model is gone.")

    with (
        averment.open_engine(
            build_rivers(tmp_path / "idx"), Gone(), audit="l.sqlite", faithfulness="lexical"
        ) as engine,
        pytest.raises(ModelUnavailable),
    ):
        engine.ask(QUESTION)

    ((record, contents),) = recorded(tmp_path / "l.sqlite")
    assert replay_record(record, contents).outcome is Outcome.REPRODUCED
    as_another = replace(record, facts={**record.facts, "failure": "ContextOverflow"})
    assert replay_record(as_another, contents).outcome is Outcome.DIFFERS


def test_an_answer_without_scores_is_replayed_too(tmp_path: Path) -> None:
    with averment.open_engine(
        build_rivers(tmp_path / "idx"), scripted(), audit="l.sqlite", scores=False
    ) as engine:
        engine.ask(QUESTION)

    assert replay_record(*recorded(tmp_path / "l.sqlite")[0]).outcome is Outcome.REPRODUCED


@pytest.mark.parametrize("name", policy_names())
def test_every_policy_is_made_again_from_its_json(name: str, tmp_path: Path) -> None:
    policy = make_policy(name, averment.open_index(build_rivers(tmp_path / "idx")).info)

    again = policy_of(json.loads(json.dumps(policy_object(policy))))

    assert again == policy
    assert repr(again) == repr(policy)


def test_a_policy_of_other_people_has_no_json() -> None:
    class Mine:
        name = "mine"

    assert policy_object(Mine()) is None  # type: ignore[arg-type]
    with pytest.raises(OtherSetup, match="none of averment's own"):
        policy_of(None)
