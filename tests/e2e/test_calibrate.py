"""`averment calibrate` as it is typed: labels in, a calibrator out, and what it changes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from averment.cli.app import run
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import from_json
from averment.labels import LabelledClaim
from contracts.disk import disk_without_fsync  # noqa: F401
from e2e.strict_json import read_strictly
from labels_by_hand import a_file_of_labels, labelled, some_labels

MADE_BEFORE = '{"of": "yesterday"}'
Calibrate = Callable[..., tuple[int, str, str]]


@pytest.fixture
def calibrate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Calibrate:
    """Runs the command on a file of labels: (exit code, stdout, stderr)."""
    a_file_of_labels(tmp_path / "labels.jsonl", some_labels(with_features=True))

    def calibrate(*arguments: str, labels: str = "labels.jsonl") -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["calibrate", labels, *arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return calibrate


# --- what comes out -----------------------------------------------------------------------------


def test_a_calibrator_is_written_and_named(calibrate: Calibrate) -> None:
    code, _, err = calibrate()

    made = from_json(Path("calibrator.json").read_text(encoding="utf-8"), made_with=None)
    assert code == 0
    assert (made.mode, made.counts.n_used, made.counts.n_groups) == (Mode.CONDITION, 120, 60)
    assert made.created_by.startswith("averment ")
    assert "Calibrator: calibrator.json" in err


def test_reliability_is_shown_before_and_after(calibrate: Calibrate) -> None:
    _, out, _ = calibrate()

    lines = out.splitlines()
    assert lines[0].startswith("120 claims of 60 questions, ")
    assert "no claim was scored by a calibrator that saw its question" in lines[1]
    rows = [line for line in lines if line[:3] in {f"{tenth / 10:.1f}" for tenth in range(10)}]
    assert len(rows) == 10
    assert [line.split()[0] for line in lines if "→" in line] == [
        "ECE",
        "Brier",
        "PR-AUC",
        "ROC-AUC",
        "PRR",
        "AURC",
    ]
    assert "Perfectly calibrated scores of so many claims: ECE " in lines[-1]


def test_held_out_questions_say_what_can_be_promised(calibrate: Calibrate) -> None:
    _, out, _ = calibrate("--hold-out", "0.5")

    lines = out.splitlines()
    at = lines.index("What 30 held-out questions can promise of claims, with confidence 0.9:")
    assert lines[at + 1].split() == "target error P(true) from kept false of them".split()
    assert [line.split()[0] for line in lines[at + 2 :]] == ["0.05", "0.1", "0.2"]
    assert "not attainable; at best 0." in lines[at + 2]

    made = from_json(Path("calibrator.json").read_text(encoding="utf-8"), made_with=None)
    assert made.held_out is not None
    told = read_strictly(calibrate("--hold-out", "0.5", "--json")[1])["promises"]
    assert [found["target_error"] for found in told] == [0.05, 0.1, 0.2]
    assert {found["n_questions"] for found in told} == {30}


def test_nothing_is_promised_where_nothing_is_held_out(calibrate: Calibrate) -> None:
    _, out, _ = calibrate("--json")

    assert read_strictly(out)["promises"] == []


def test_json_has_every_number_and_none_that_is_no_number(calibrate: Calibrate) -> None:
    code, out, _ = calibrate("--json", "--mode", "gold", "-o", "made/gold.json")

    made = read_strictly(out)
    assert code == 0
    assert (made["calibrator"], made["mode"], made["n_rows"]) == ("made/gold.json", "gold", 120)
    assert made["made_with"]["faithfulness"] == "lexical-alignment"
    assert made["counts"]["n_used"] == 120
    assert set(made["before"]) == set(made["after"]) > {"ece", "brier", "pr_auc", "roc_auc", "prr"}
    assert None not in [made[when][name] for when in ("before", "after") for name in ("ece", "prr")]
    assert Path("made/gold.json").is_file()


@pytest.mark.parametrize("mode", [mode.value for mode in Mode if mode.reads_labels])
def test_every_mode_may_be_asked_for(calibrate: Calibrate, mode: str) -> None:
    code, _, _ = calibrate("--mode", mode)

    assert code == 0
    assert json.loads(Path("calibrator.json").read_text(encoding="utf-8"))["mode"] == mode


def test_corpus_evidence_enters_unless_it_is_left_out(calibrate: Calibrate) -> None:
    calibrate("-o", "with.json")
    calibrate("--no-corpus", "-o", "without.json")

    with_corpus, without = (
        json.loads(Path(name).read_text(encoding="utf-8")) for name in ("with.json", "without.json")
    )
    assert with_corpus["unfaithful"]["evidence"] is not None
    assert without["unfaithful"]["evidence"] is None


def test_the_same_labels_give_the_same_bytes(calibrate: Calibrate) -> None:
    first, second = (calibrate("-o", name) for name in ("a.json", "b.json"))

    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert first[1] == second[1]


def test_duplicates_are_told(calibrate: Calibrate, tmp_path: Path) -> None:
    labels = some_labels()
    a_file_of_labels(tmp_path / "twice.jsonl", [*labels, *labels[:3]])

    code, out, _ = calibrate(labels="twice.jsonl")

    assert code == 0
    assert "3 duplicates" in out


def test_what_ask_and_check_print_is_calibrated_after_it_was_labelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = []
    for number in range(30):
        (tmp_path / "a.txt").write_text(f"Oslo has {number} bridges.", encoding="utf-8")
        (tmp_path / "c.txt").write_text(f"Oslo has {number % 3} bridges.", encoding="utf-8")
        capsys.readouterr()
        run(["check", "a.txt", "--context", "c.txt", "--faithfulness", "lexical", "--json"])
        made.append(capsys.readouterr().out)
    (tmp_path / "answers.jsonl").write_text("".join(made), encoding="utf-8")
    (tmp_path / "keys").write_text("t\ny\nf\nn\n" * 15, encoding="utf-8")
    with (tmp_path / "keys").open(encoding="utf-8") as keys:
        monkeypatch.setattr(sys, "stdin", keys)
        assert run(["label", "answers.jsonl"]) == 0

    assert run(["calibrate", "answers.labels.jsonl"]) == 0
    calibrator = ["--calibrator", "calibrator.json", "--faithfulness", "lexical", "--json"]
    capsys.readouterr()
    assert run(["check", "a.txt", "--context", "c.txt", *calibrator]) == 0
    assert json.loads(capsys.readouterr().out)["calibrated"] is True


@pytest.mark.parametrize("name", ["diagram.svg", "diagram.png"])
def test_a_diagram_is_drawn_beside_it(calibrate: Calibrate, name: str) -> None:
    pytest.importorskip("matplotlib", reason="diagrams need the extra [plot]")

    code, _, _ = calibrate("--plot", name)

    assert code == 0
    assert Path(name).stat().st_size > 1000


# --- what cannot be used ------------------------------------------------------------------------


def of_one_class(label: bool) -> list[LabelledClaim]:
    return [replace(row, label=label) for row in some_labels(60)]


OTHERS = {"uf": "constant", "uu": "constant", "faithfulness": "another judge", "model": ""}
BAD_LABELS: dict[str, tuple[list[LabelledClaim], str]] = {
    "all true": (of_one_class(True), "labelled claims are true"),
    "all false": (of_one_class(False), "labelled claims are false"),
    "few": (some_labels(8), "There are 8 labelled claims"),
    "too few to test": (some_labels(22), "not to test it"),
    "none of it labelled": (
        [replace(row, label=None) for row in some_labels(60)],
        "There are 0 labelled claims",
    ),
    "no scores": ([labelled(n, n % 3 > 0) for n in range(60)], "There are 0 labelled claims"),
    "one question": (some_labels(60, claims_a_question=60), "2 questions"),
    "of several": (
        [*some_labels(30), labelled(99, True, made_with=OTHERS)],
        "different estimators",
    ),
    "of nobody": ([replace(labelled(0, True), made_by={})], "made_with"),
    "a text for a score": ([*some_labels(60), labelled(99, True, uf="high")], "uf 'high'"),
    "not a share": ([*some_labels(60), labelled(99, True, p_faithful=7)], "p_faithful 7"),
}


@pytest.fixture
def kept(calibrate: Calibrate) -> Path:
    """A calibrator that was there before, and has to be there afterwards."""
    path = Path("calibrator.json")
    path.write_text(MADE_BEFORE, encoding="utf-8")
    return path


def refused(calibrate: Calibrate, kept: Path, *arguments: str, **more: str) -> str:
    """What was said; nothing was printed, written or left behind."""
    there = sorted(path.name for path in Path().iterdir())

    code, out, err = calibrate(*arguments, **more)

    assert (code, out) == (2, "")
    assert err.count("error:") == 1
    assert kept.read_text(encoding="utf-8") == MADE_BEFORE
    assert sorted(path.name for path in Path().iterdir()) == there
    return err


@pytest.mark.parametrize(("labels", "words"), BAD_LABELS.values(), ids=BAD_LABELS)
def test_labels_that_teach_nothing_are_refused_and_nothing_is_overwritten(
    calibrate: Calibrate, kept: Path, labels: list[LabelledClaim], words: str
) -> None:
    a_file_of_labels(Path("bad.jsonl"), labels)

    said = refused(calibrate, kept, labels="bad.jsonl")

    assert words in said
    assert "→" in said


def a_row(**changed: Any) -> str:
    """A sound row as JSON, with some fields changed."""
    return json.dumps({**json.loads(labelled(0, True, p_faithful=0.5).line()), **changed})


@pytest.mark.parametrize(
    ("written", "words"),
    [
        pytest.param(b"", "There are no labelled claims", id="empty"),
        pytest.param(b" \n\n", "There are no labelled claims", id="blank lines"),
        pytest.param(b"my notes\n", "bad.jsonl:1: no JSON object", id="a text"),
        pytest.param(b"\xff\xfe\x00", "bad.jsonl is not UTF-8 text", id="bytes"),
        pytest.param(
            f"{a_row()}\n{a_row(label='perhaps')}\n".encode(),
            "bad.jsonl:2: label and faithful must be true, false or null",
            id="a third label",
        ),
        pytest.param(
            a_row(label=2).encode(), "label and faithful must be", id="a number for a label"
        ),
        pytest.param(
            a_row(scores={"uf": float("nan")}).encode(), "NaN is no number of JSON", id="nan"
        ),
        pytest.param(
            a_row(scores={"p_faithful": 0.5, "uf": 0}).replace('"uf": 0', '"uf": 1e999').encode(),
            "uf inf",
            id="infinite",
        ),
        pytest.param(a_row(schema=99).encode(), "schema 99", id="newer"),
        pytest.param((a_row() + "\n" + a_row()[:40]).encode(), "bad.jsonl:2", id="cut off"),
    ],
)
def test_a_file_that_holds_no_labels_is_refused_with_its_line(
    calibrate: Calibrate, kept: Path, written: bytes, words: str
) -> None:
    Path("bad.jsonl").write_bytes(written)

    assert words in refused(calibrate, kept, labels="bad.jsonl")


@pytest.mark.parametrize(
    ("labels", "words"),
    [("nowhere.jsonl", "No such file"), (".", "Is a directory")],
    ids=["missing", "a directory"],
)
def test_a_file_of_labels_that_is_not_there_is_named_with_what_to_do(
    calibrate: Calibrate, kept: Path, labels: str, words: str
) -> None:
    said = refused(calibrate, kept, labels=labels)

    assert f"{labels} cannot be read: {words}" in said
    assert "averment label" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mode", "condtion"], "Did you mean condition"),
        (["--mode", "quantile"], "Known: condition, em, gold, shared, soft"),
        (["--folds", "1"], "--folds"),
        (["--plot", "diagram.pdf"], "--plot diagram.svg"),
        (["-o", "."], "is a directory"),
        (["-o", "labels.jsonl"], "not overwritten"),
    ],
    ids=["misspelt", "no labels needed", "one fold", "pdf", "a directory", "the labels"],
)
def test_options_that_cannot_be_used_are_refused_before_anything_is_written(
    calibrate: Calibrate, kept: Path, arguments: list[str], words: str
) -> None:
    labels = Path("labels.jsonl").read_bytes()

    assert words in refused(calibrate, kept, *arguments)
    assert Path("labels.jsonl").read_bytes() == labels


def test_a_diagram_without_the_extra_is_refused_before_anything_is_written(
    calibrate: Calibrate, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    assert "averment[plot]" in refused(calibrate, kept, "--plot", "diagram.svg")


def test_a_failure_with_json_is_one_object_on_stderr(calibrate: Calibrate) -> None:
    code, out, err = calibrate("--json", labels="nowhere.jsonl")

    assert (code, out) == (2, "")
    assert set(json.loads(err)["error"]) == {"kind", "message", "hint"}
