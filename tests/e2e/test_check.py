"""`averment check` as it is typed: a text, what it is held against, and what comes out."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from averment.calibrating import calibrate
from averment.cli.app import run
from averment.franq.calibrator import MadeWith, Mode
from averment.franq.calibrator_json import to_json
from averment.wiring import check as check_text
from contracts.disk import disk_without_fsync  # noqa: F401
from labels_by_hand import some_labels

OSLO = "Oslo is the capital of Norway."
BERGEN = "Bergen is the capital of Norway."
TEXT = f"Hello! {OSLO} It lies on the Oslofjord. {BERGEN}"
ATLAS = f"A short atlas. {OSLO} Oslo lies on the Oslofjord."
DOCUMENTS = {
    "oslo": f"{OSLO} Oslo lies on the Oslofjord and was founded long ago.",
    "bergen": "Bergen is a rainy city on the western coast.",
    "norway": "Norway has many fjords. Its king lives in the capital.",
}
Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs the command on a file with the text: (exit code, stdout, stderr)."""
    (tmp_path / "answer.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "atlas.txt").write_text(ATLAS, encoding="utf-8")
    (tmp_path / "about-bergen.txt").write_text(DOCUMENTS["bergen"], encoding="utf-8")

    def check(*arguments: str, file: str = "answer.txt") -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["check", file, "--faithfulness", "lexical", *arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return check


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index in a place of its own."""
    rows = [json.dumps({"id": key, "title": key, "text": text}) for key, text in DOCUMENTS.items()]
    (tmp_path / "documents.jsonl").write_text("\n".join(rows), encoding="utf-8")
    assert run(["index", "build", "documents.jsonl", "-o", "an-index"]) == 0
    return tmp_path / "an-index"


def printed(check: Check, *arguments: str, **more: str) -> dict[str, Any]:
    code, out, _ = check("--json", *arguments, **more)
    assert code == 0
    made: dict[str, Any] = json.loads(out)
    return made


def numbers(made: dict[str, Any], name: str) -> list[float | None]:
    return [claim[name] for claim in made["claims"]]


# --- against passages ---------------------------------------------------------------------------


def test_each_claim_is_shown_with_its_verdict_and_the_span_that_decides(check: Check) -> None:
    code, out, err = check("--context", "atlas.txt")

    assert code == 0
    lines = out.splitlines()
    assert lines[0].split(maxsplit=1) == ["supported", OSLO]
    assert lines[1].strip() == "faithfulness 1.00 · passage entails"
    assert lines[2].strip() == f"“{OSLO}” — atlas.txt"
    assert "greeting  Hello!" in out
    assert "3 claims, uncalibrated; estimators: lexical-alignment" in err


def test_json_says_the_same_as_the_library(check: Check) -> None:
    made = printed(check, "--context", "atlas.txt", "--question", "Which city?")

    report = check_text(TEXT, "Which city?", [ATLAS], faithfulness="lexical")
    assert made["question"] == "Which city?"
    assert numbers(made, "p_faithful") == [claim.p_faithful for claim in report.claims]
    assert [c["verdict"] for c in made["claims"]] == [str(c.verdict) for c in report.claims]


def test_claims_and_evidence_are_slices_of_their_files(check: Check) -> None:
    made = printed(check, "--context", "atlas.txt")

    assert [TEXT[c["start"] : c["end"]] for c in made["claims"]] == [
        c["text"] for c in made["claims"]
    ]
    shown = [evidence for claim in made["claims"] for evidence in claim["evidence"]]
    assert len(shown) == 3
    assert [ATLAS[each["start"] : each["end"]] for each in shown] == [e["text"] for e in shown]


def test_one_more_context_is_one_more_place_to_look(check: Check) -> None:
    alone = printed(check, "--context", "about-bergen.txt")
    both = printed(check, "--context", "about-bergen.txt", "--context", "atlas.txt")

    assert [p["document_id"] for p in both["passages"]] == ["about-bergen.txt", "atlas.txt"]
    assert both["claims"][0]["p_faithful"] > alone["claims"][0]["p_faithful"]


@pytest.mark.parametrize(
    "written",
    [TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), TEXT.encode() + b"\r\n"],
    ids=["plain", "with a mark of its encoding", "of Windows"],
)
def test_a_text_may_come_from_stdin(
    check: Check, monkeypatch: pytest.MonkeyPatch, written: bytes
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written)))

    piped = printed(check, "--context", "atlas.txt", file="-")

    assert piped["answer"].rstrip("\n") == TEXT
    assert piped["claims"] == printed(check, "--context", "atlas.txt")["claims"]


def test_a_text_without_a_claim_says_so(check: Check, tmp_path: Path) -> None:
    (tmp_path / "greeting.txt").write_text("Hello there!", encoding="utf-8")

    code, out, err = check(file="greeting.txt")

    assert code == 0
    assert "greeting  Hello there!" in out
    assert "No claim to check." in out
    assert "0 claims, uncalibrated" in err


# --- against the index --------------------------------------------------------------------------


def test_without_context_passages_are_retrieved_and_pairs_are_counted(
    check: Check, index: Path
) -> None:
    made = printed(check, "--index", str(index))

    oslo, _, bergen = made["claims"]
    assert oslo["evidence"][0]["document_id"] == "oslo"
    assert (oslo["support"], oslo["verdict"]) == ("present", "supported")
    assert bergen["support"] == "absent"
    assert bergen["counts"]["pairs"][0]["head_documents"] == 1
    assert made["estimators_used"] == ["lexical-alignment", "corpus_evidence"]


def test_a_given_context_takes_the_place_of_what_would_be_retrieved(
    check: Check, index: Path
) -> None:
    made = printed(check, "--index", str(index), "--context", "about-bergen.txt")

    assert [p["document_id"] for p in made["passages"]] == ["about-bergen.txt"]
    assert made["claims"][0]["support"] == "present"
    assert made["claims"][0]["verdict"] == "unsupported"


def test_an_index_of_counts_only_counts(check: Check, index: Path) -> None:
    assert run(["index", "build", "documents.jsonl", "-o", "counts", "--counts-only"]) == 0

    made = printed(check, "--index", "counts")

    assert made["passages"] == []
    assert [claim["support"] for claim in made["claims"]][::2] == ["present", "absent"]
    assert {claim["reasons"]["p_faithful"] for claim in made["claims"]} == {"no_evidence"}


def test_the_index_in_the_usual_place_is_used_if_it_is_there(check: Check, index: Path) -> None:
    assert printed(check)["claims"][0]["support"] == "unknown"

    assert run(["index", "build", "documents.jsonl"]) == 0

    assert printed(check)["claims"][0]["support"] == "present"


@pytest.mark.parametrize("place", [".averment/index", "elsewhere"], ids=["usual", "other"])
@pytest.mark.parametrize("by", ["flag", "environment"])
def test_an_index_that_was_named_has_to_be_there(
    check: Check, monkeypatch: pytest.MonkeyPatch, place: str, by: str
) -> None:
    if by == "environment":
        monkeypatch.setenv("AVERMENT_INDEX", place)

    code, out, err = check(*(["--index", place] if by == "flag" else []))

    assert (code, out) == (2, "")
    assert place in err


# --- thresholds and calibrators -----------------------------------------------------------------


@pytest.fixture
def calibrator(tmp_path: Path) -> Path:
    """A calibrator of the lexical tier."""
    made = calibrate(some_labels(), mode=Mode.CONDITION, created_by="test").calibrator
    (tmp_path / "calibrator.json").write_text(to_json(made), encoding="utf-8")
    return tmp_path / "calibrator.json"


@pytest.mark.parametrize(
    ("least", "code"), [("0", 0), ("0.3", 0), ("0.99", 1)], ids=["any", "low", "high"]
)
def test_a_claim_below_the_threshold_is_exit_code_1(check: Check, least: str, code: int) -> None:
    found, _, err = check("--context", "atlas.txt", "--fail-below", least)

    assert found == code
    assert ("1 claim below the threshold" in err) is (code == 1)


def test_a_threshold_says_the_same_in_json(check: Check) -> None:
    code, out, _ = check("--context", "atlas.txt", "--fail-below", "0.99", "--json")

    assert code == 1
    assert len(json.loads(out)["claims"]) == 3


def test_with_a_calibrator_numbers_are_called_probabilities(check: Check, calibrator: Path) -> None:
    code, out, err = check("--context", "atlas.txt", "--calibrator", str(calibrator))

    assert code == 0
    assert "P(true) 0." in out
    assert "3 claims, calibrated probabilities" in err


def test_without_one_nothing_is_called_a_probability(check: Check) -> None:
    _, out, err = check("--context", "atlas.txt")

    assert "P(true)" not in out
    assert "probabilit" not in err
    assert "uncalibrated" in err


def test_a_calibrated_claim_has_its_parts_and_their_mean(check: Check, calibrator: Path) -> None:
    made = printed(check, "--context", "atlas.txt", "--calibrator", str(calibrator))

    assert made["calibrated"] is True
    for claim in made["claims"]:
        f, g, pf = (
            claim[name] for name in ("p_true_if_faithful", "p_true_if_unfaithful", "p_faithful")
        )
        assert claim["p_true"] == pytest.approx(pf * f + (1 - pf) * g)
        assert claim["score"] == claim["p_true"]


def test_with_a_calibrator_the_threshold_is_one_of_probability(
    check: Check, calibrator: Path
) -> None:
    made = printed(check, "--context", "atlas.txt", "--calibrator", str(calibrator))
    lowest = min(claim["p_true"] for claim in made["claims"])
    arguments = ["--context", "atlas.txt", "--calibrator", str(calibrator), "--fail-below"]

    assert check(*arguments, f"{lowest - 0.01}")[0] == 0
    assert check(*arguments, f"{lowest + 0.01}")[0] == 1


# --- what cannot be used ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--context", "nowhere.txt"], ["nowhere.txt", "No such file"], id="missing"),
        pytest.param(["--context", "."], ["cannot be read", "text file"], id="a directory"),
        pytest.param(["--context", "latin.txt"], ["latin.txt", "0xf8", "iconv"], id="latin 1"),
        pytest.param(["--fail-below", "2"], ["--fail-below"], id="no share"),
        pytest.param(["--fail-below", "nan"], ["--fail-below"], id="nan"),
        pytest.param(["--calibrator", "none.json"], ["none.json", "calibrate"], id="no calibrator"),
        pytest.param(["--calibrator", "."], ["The calibrator .", "calibrate"], id="a folder"),
        pytest.param(["--calibrator", "atlas.txt"], ["atlas.txt", "not JSON"], id="a text"),
        pytest.param(["--calibrator", "latin.txt"], ["latin.txt", "not text"], id="bytes"),
        pytest.param(["--calibrator", "other.json"], ["other.json", "format"], id="another object"),
        pytest.param(["--model", "no-such-model"], ["no-such-model"], id="an unknown model"),
        pytest.param(["--faithfulness", "."], ["no judge", "model.onnx"], id="no judge"),
    ],
)
def test_what_cannot_be_used_is_one_message_with_what_to_do(
    check: Check, tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    (tmp_path / "latin.txt").write_bytes("Tromsø is a city.".encode("latin-1"))
    (tmp_path / "other.json").write_text('{"format": "something else"}', encoding="utf-8")

    code, out, err = check(*arguments)

    assert (code, out) == (2, "")
    assert err.count("error:") == 1
    assert [word for word in words if word not in err] == []


@pytest.mark.parametrize(
    ("file", "words"),
    [("nowhere.txt", "nowhere.txt"), (".", "cannot be read"), ("latin.txt", "iconv")],
    ids=["missing", "a directory", "latin 1"],
)
def test_a_text_that_cannot_be_read_is_one_message(
    check: Check, tmp_path: Path, file: str, words: str
) -> None:
    (tmp_path / "latin.txt").write_bytes("Tromsø is a city.".encode("latin-1"))

    code, out, err = check(file=file)

    assert (code, out) == (2, "")
    assert words in err


def test_bytes_from_stdin_that_are_no_text_are_one_message(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Troms\xf8")))

    code, _, err = check(file="-")

    assert code == 2
    assert "not UTF-8" in err


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (
            MadeWith("max_probability", "parametric_knowledge", "lexical-alignment", "tiny"),
            ["uf by 'max_probability'", "'constant'", "model by 'tiny'"],
        ),
        (
            MadeWith("constant", "constant", "another judge", ""),
            ["faithfulness by 'another judge'", "'lexical-alignment'"],
        ),
    ],
    ids=["of a model", "of another judge"],
)
def test_a_calibrator_of_other_estimators_is_refused_by_name(
    check: Check, tmp_path: Path, other: MadeWith, named: list[str]
) -> None:
    made_with = {name: getattr(other, name) for name in ("uf", "uu", "faithfulness", "model")}
    labels = [replace(label, made_by={"made_with": made_with}) for label in some_labels()]
    made = calibrate(labels, mode=Mode.CONDITION, created_by="test").calibrator
    (tmp_path / "other.json").write_text(to_json(made), encoding="utf-8")

    code, out, err = check("--calibrator", "other.json")

    assert (code, out) == (2, "")
    assert [name for name in named if name not in err] == []


def test_a_failure_with_json_is_one_object_on_stderr(check: Check) -> None:
    code, out, err = check("--json", "--calibrator", "none.json")

    assert (code, out) == (2, "")
    assert set(json.loads(err)["error"]) == {"kind", "message", "hint"}


@pytest.mark.parametrize(
    ("setting", "value"),
    [("AVERMENT_FAITHFULNESS", "judge"), ("AVERMENT_EXTRACTOR", "model")],
    ids=["judge", "extractor"],
)
def test_what_needs_a_language_model_says_how_to_name_one(
    index: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    setting: str,
    value: str,
) -> None:
    Path("answer.txt").write_text(OSLO, encoding="utf-8")
    monkeypatch.setenv("AVERMENT_FAITHFULNESS", "lexical")
    monkeypatch.setenv(setting, value)
    capsys.readouterr()

    assert run(["check", "answer.txt", "--index", str(index)]) == 2
    assert "--model NAME" in capsys.readouterr().err


def test_a_context_of_100_000_words_is_read_to_its_end(check: Check, tmp_path: Path) -> None:
    filler = "The harbour was quiet on that grey morning. " * 12_500
    (tmp_path / "long.txt").write_text(filler + OSLO, encoding="utf-8")

    made = printed(check, "--context", "long.txt")

    (evidence,) = made["claims"][0]["evidence"]
    assert made["claims"][0]["p_faithful"] == 1.0
    assert (evidence["text"], evidence["start"]) == (OSLO, len(filler))


@pytest.mark.parametrize("written", ["", " \n", "***"], ids=["empty", "blank", "marks"])
def test_a_context_without_a_word_is_no_evidence(
    check: Check, tmp_path: Path, written: str
) -> None:
    (tmp_path / "empty.txt").write_text(written, encoding="utf-8")

    made = printed(check, "--context", "empty.txt")

    assert numbers(made, "p_faithful") == [0.0] * 3
    assert {claim["reasons"]["p_faithful"] for claim in made["claims"]} == {"no_evidence"}


def test_without_a_model_that_ships_the_lexical_tier_judges_and_is_named(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("averment.wiring.scores._has_shipped_nli", lambda: False)

    report = check_text(OSLO, contexts=[ATLAS])

    assert report.scores.estimators_used == ("lexical-alignment",)


# --- with a language model ----------------------------------------------------------------------


@pytest.mark.model
def test_a_model_rescores_the_words_of_each_claim(
    check: Check, tmp_path: Path, model_path: Path
) -> None:
    (tmp_path / "one.txt").write_text(OSLO, encoding="utf-8")

    made = printed(check, "--context", "one.txt", "--model", str(model_path), file="one.txt")

    assert made["estimators_used"] == [
        "lexical-alignment",
        "max_probability",
        "parametric_knowledge",
    ]
    assert made["notes"] == []
    assert made["claims"][0]["uu"] < made["claims"][0]["uf"] < 0.0
