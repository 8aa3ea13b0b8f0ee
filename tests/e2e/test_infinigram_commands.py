"""An index of infini-gram by the same commands: infinigram:NAME, and directories in its format."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.cli.app import run
from averment.engine import replay
from averment.policies.quco import CountUnit, QuCo
from averment.shapes import cooccurrence_object, counts_object
from averment.types import Document, Support, Verdict
from averment.wiring import make_policy, open_index
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.infinigram_server import InfiniGramServer
from doubles import RecitingModel

DOCUMENTS = [
    Document("hardy", "In 1867 Silas Hardy came to Reno. There Silas Hardy died."),
    Document("forth", "The Forth Bridge was opened in 1890."),
]
QUESTION = "When did Silas Hardy come to Reno?"
WITH_ENGINE = pytest.mark.skipif(
    importlib.util.find_spec("infini_gram") is None, reason="infini-gram is not installed"
)


@pytest.fixture
def server() -> Iterator[InfiniGramServer]:
    with InfiniGramServer({"ours": DOCUMENTS}) as running:
        yield running


@pytest.fixture
def address(server: InfiniGramServer) -> str:
    return f"infinigram:ours@{server.url}"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


# --- an API -------------------------------------------------------------------------------------


def test_info_says_what_is_unknown(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(capsys, "index", "info", "--index", address)
    assert run(["index", "info", "--index", address]) == 0
    shown = capsys.readouterr().out

    assert (told["n_documents"], told["n_words"], told["counts_bytes"]) == (None, None, None)
    assert told["entity_threshold_documents"] is None
    assert "documents   unknown" in shown
    assert "size        unknown" in shown
    assert "case and punctuation as written" in shown


def test_count_and_cooccur_give_what_is_known(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = printed(capsys, "index", "count", "Silas Hardy", "silas", "x" * 1001, "--index", address)
    pair = printed(capsys, "index", "cooccur", "Silas Hardy", "Reno", "--index", address)
    assert run(["index", "count", "x" * 1001, "Silas Hardy", "--index", address]) == 0
    shown = capsys.readouterr().out

    first, second, third = told["counts"]
    assert (first["count"], first["documents"], first["kind"]) == (2, None, "exact")
    assert [each["document_id"] for each in first["occurrences"]] == ["hardy", "hardy"]
    assert (second["count"], second["documents"]) == (0, 0)
    assert (third["count"], third["kind"]) == (None, "unavailable")
    assert "1,000 characters" in third["reason"]
    assert (pair["exists"], pair["pairs"], pair["nearest_words"]) == (True, 2, 2)
    assert "unknown (unavailable: longer than the 1,000 characters" in shown
    assert "Silas Hardy: 2 times in ? documents (exact)" in shown


def test_agents_are_told_why_something_was_not_counted(address: str) -> None:
    results = pytest.importorskip("averment.serve.tool_results", reason="[server] is not installed")
    index = open_index(address)
    phrases = ["x" * 1001, "Reno"]
    counts = counts_object(phrases, index.count(phrases), index.info)
    [found] = index.cooccurrence([(phrases[0], "Reno")], window_words=9)
    pair = cooccurrence_object(*phrases, found, window_words=9, occurrences=())

    too_long, reno = results.PhraseCounts(**counts).counts

    assert (too_long.count, reno.count, reno.reason) == (None, 1, None)
    assert too_long.reason == results.CountedPair(**pair).reason == found.reason
    assert "1,000 characters" in too_long.reason


def test_an_estimate_is_told_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    documents = [Document(f"d{n}", "a b " + "x " * 30) for n in range(30)]
    with InfiniGramServer({"ours": documents}) as server:
        address = f"infinigram:ours@{server.url}"
        assert run(["index", "cooccur", "a", "b", "--window", "20", "--index", address]) == 0
        assert run(["index", "cooccur", "a", "y", "--window", "20", "--index", address]) == 0

    shown = capsys.readouterr().out
    assert "a and b: about 30 pairs within 20 words, surely there (estimate)" in shown
    assert "a and y: never in one document (exact)" in shown


def test_a_question_is_answered_over_it(address: str) -> None:
    model = RecitingModel(
        {QUESTION: ["Silas Hardy came to Reno in 1867.", "So the answer is 1867."]}
    )

    with averment.open_engine(index=address, model=model, policy="quco", scores=False) as engine:
        answer = engine.ask(QUESTION)
        again = replay(answer.trace, engine.policy)

    checks = [check for claim in answer.claims for check in claim.checks]
    assert checks
    assert all(check.support is Support.PRESENT for check in checks)
    assert answer.verdict is Verdict.ANSWERED
    assert [hit.passage.document_id for hit in answer.answer.retrievals[0].retrieval.hits] == [
        "hardy"
    ]
    assert again.text == answer.text


def test_a_text_is_checked_against_it(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Silas Hardy came to Reno in 1867. The Forth Bridge was opened in 1867.")

    told = printed(capsys, "check", str(text), "--index", address, "--faithfulness", "lexical")

    assert [claim["support"] for claim in told["claims"]] == ["present", "absent"]


def test_passages_come_from_an_index_of_ones_own_where_one_is_named(
    address: str, tmp_path: Path
) -> None:
    own = Document("own", "Silas Hardy arrived at Reno in the year 1867.", title="Hardy")
    averment.build_index([own], tmp_path / "own")
    model = RecitingModel({QUESTION: ["So the answer is 1867."]})

    with averment.open_engine(
        index=address, model=model, scores=False, passages=tmp_path / "own"
    ) as engine:
        answer = engine.ask(QUESTION)

    found = [hit.passage.document_id for hit in answer.answer.retrievals[0].retrieval.hits]
    assert found == ["own"]


def test_what_the_server_said_is_remembered(
    server: InfiniGramServer, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = printed(capsys, "index", "count", "Reno", "--index", address)
    n_asked = len(server.requests)
    second = printed(capsys, "index", "count", "Reno", "--index", address)

    assert first == second
    assert len(server.requests) == n_asked


def test_a_server_that_is_not_there_and_a_name_that_is_not_there_are_told(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("averment.index.infinigram.http._PAUSE_S", 0.0)
    unknown = run(["index", "count", "a", "--index", address.replace("ours", "theirs")])
    told = capsys.readouterr().err
    with InfiniGramServer({}) as gone:
        nowhere = f"infinigram:ours@{gone.url}"
    down = run(["index", "count", "a", "--index", nowhere])

    assert unknown == 2
    assert "Known: ours" in told
    assert down == 3
    assert "cannot be asked" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["delete", "hardy"], id="delete"),
        pytest.param(["merge"], id="merge"),
        pytest.param(["verify"], id="verify"),
        pytest.param(["export", "--format", "parquet", "--output", "x"], id="export"),
    ],
)
def test_what_would_change_it_is_refused(
    address: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["index", *command, "--index", address]) == 2
    assert "no averment index" in capsys.readouterr().err


def test_nothing_is_built_at_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("a")

    assert run(["index", "build", str(tmp_path / "a.txt"), "--index", "infinigram:ours"]) == 2
    assert "nothing can be built" in capsys.readouterr().err
    assert not Path("infinigram:ours").exists()


def test_forms_of_a_name_are_counted_there_too(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["alias", "add", "Silas Hardy", "S. Hardy", "x" * 1200]) == 0
    capsys.readouterr()

    assert run(["alias", "test", "Silas Hardy", "--index", address]) == 0
    shown = capsys.readouterr().out

    assert "at least        2 in ? documents" in shown
    assert "not counted: longer than the 1,000 characters" in shown


def test_documents_of_one_language_cannot_be_asked(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["index", "count", "a", "--language", "en", "--index", address]) == 2
    assert "cannot be restricted" in capsys.readouterr().err


# --- policies -----------------------------------------------------------------------------------


def test_rarity_goes_by_occurrences_where_documents_are_not_told(address: str) -> None:
    info = open_index(address).info
    quco, paper, chosen = (
        make_policy("quco", info).trigger,
        make_policy("quco-paper", info).trigger,
        make_policy("quco", info, {"entity_threshold": 7}).trigger,
    )

    for trigger in (quco, paper, chosen):
        assert isinstance(trigger, QuCo)
        assert trigger.entity_unit is CountUnit.OCCURRENCES
    assert (quco.entity_threshold, chosen.entity_threshold) == (1000, 7)


# --- a directory --------------------------------------------------------------------------------


@WITH_ENGINE
def test_an_index_goes_to_infini_gram_and_counts_the_same_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, theirs = str(tmp_path / "own"), str(tmp_path / "theirs")
    averment.build_index(DOCUMENTS, own)
    made = printed(
        capsys, "index", "export", "--index", own, "--format", "infinigram", "--output", theirs
    )

    ours, there = (
        printed(capsys, "index", "count", "silas hardy", "1867", "Kumbasaram", "--index", each)
        for each in (own, theirs)
    )
    pairs = [
        printed(capsys, "index", "cooccur", "Reno", "Hardy", "--index", each)
        for each in (own, theirs)
    ]

    def numbers(told: Any) -> list[Any]:
        return [(row["count"], row["documents"], row["kind"]) for row in told["counts"]]

    assert (made["documents"], made["tokens"]) == (2, 18)
    assert numbers(ours) == numbers(there) == [(2, 1, "exact"), (1, 1, "exact"), (0, 0, "exact")]
    assert ours["normalization"] == there["normalization"]
    assert [pair["pairs"] for pair in pairs] == [2, 2]
    assert [pair["nearest_words"] for pair in pairs] == [3, 3]


def test_without_the_engine_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in ("tokenized", "table", "offset"):
        (tmp_path / f"{part}.0").touch()
    monkeypatch.setitem(__import__("sys").modules, "infini_gram.engine", None)

    assert run(["index", "info", "--index", str(tmp_path)]) == 2
    assert "pip install 'averment[infinigram]'" in capsys.readouterr().err


# --- counts as a table --------------------------------------------------------------------------


def test_counts_are_written_as_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    own, output = str(tmp_path / "own"), tmp_path / "counts.parquet"
    averment.build_index(DOCUMENTS, own)
    command = ["index", "export", "--index", own, "--format", "parquet", "--output", str(output)]

    made = printed(capsys, *command)

    table = parquet.read_table(output)
    rows = {row["word"]: (row["occurrences"], row["documents"]) for row in table.to_pylist()}
    assert made["words"] == table.num_rows == len(rows)
    assert (rows["silas"], rows["in"], rows["1890"]) == ((2, 1), (2, 2), (1, 1))
    assert sum(n for n, _ in rows.values()) == averment.open_index(own).info.n_words
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert metadata["averment.digest"] == averment.open_index(own).info.digest


def test_counts_alone_are_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    averment.build_index(DOCUMENTS, tmp_path / "own", counts_only=True)
    command = ["index", "export", "--format", "parquet", "--output", "counts.parquet"]

    assert run([*command, "--index", str(tmp_path / "own")]) == 2
    assert "--keep-tokens" in capsys.readouterr().err
    assert not Path("counts.parquet").exists()


def test_a_tokenizer_is_for_infini_gram(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    averment.build_index(DOCUMENTS, tmp_path / "own")
    command = ["index", "export", "--format", "parquet", "--output", "c", "--tokenizer", "t.json"]

    assert run([*command, "--index", str(tmp_path / "own")]) == 2
    assert "--tokenizer" in capsys.readouterr().err
