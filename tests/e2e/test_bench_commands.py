"""`averment bench` on a small world: run, compared, reported and scored."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from averment.cli.app import run
from averment.evaluation.rows import FILE_NAME
from averment.settings import Settings
from averment.wiring import deciding_settings
from contracts.model_server import ModelServer
from evaluation.bench_world import river, said, write_bench

N_QUESTIONS = 12


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    (tmp_path / "world").mkdir()
    return write_bench(tmp_path / "world", N_QUESTIONS)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(said) as running:
        yield running


def asked(bench: Path, server: ModelServer, *more: str) -> int:
    """Run the bench with this server."""
    named = ["--base-url", server.url, "--model", "tiny", "--timeout", "5"]
    return run(["bench", "run", str(bench), *named, *more])


@pytest.fixture
def made(bench: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]) -> Path:
    """The folder of a whole run, in the home directory."""
    assert asked(bench, server, "--json") == 0
    return Path(json.loads(capsys.readouterr().out)["run"])


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_list_names_benches_and_data_sets(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "list", "--json"]) == 0

    found = printed(capsys)
    assert "quco-2wiki" in [bench["name"] for bench in found["benches"]]
    assert "hotpotqa" in [each["name"] for each in found["data_sets"]]


def test_a_run_lies_in_the_home_directory_with_its_table(made: Path, tmp_path: Path) -> None:
    table = [json.loads(line) for line in (made / "table.jsonl").read_text().splitlines()]

    assert made == tmp_path / "home" / "runs" / "towns-tiny"
    assert [(line["contestant"], line["n"]) for line in table] == [
        ("none", N_QUESTIONS),
        ("single", N_QUESTIONS),
        ("quco", N_QUESTIONS),
    ]
    assert table[1]["grades"]["f1"]["value"] > table[0]["grades"]["f1"]["value"]


def test_a_run_prints_its_table_on_stdout_and_its_progress_on_stderr(
    bench: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(bench, server, "--limit", "2", "--policy", "none", "--policy", "single") == 0

    told = capsys.readouterr()
    assert re.search(r"single +2 +\d\.\d{3} \[\d\.\d\d, \d\.\d\d\]", told.out)
    assert "quco" not in told.out
    assert "4 of 4 rows" in told.err


def test_a_set_that_the_bench_lacks_is_refused_before_a_run_is_made(
    bench: Path, server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(bench, server, "--set", "twons") == 2
    assert not (tmp_path / "home" / "runs").exists()
    assert "Did you mean towns?" in capsys.readouterr().err

    assert asked(bench, server, "--set", "towns", "--limit", "1", "--policy", "none") == 0


def test_what_a_paper_reports_is_printed_apart_and_as_the_papers(
    bench: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.write_text(
        bench.read_text()
        + '[[paper]]\nset = "towns"\npolicy = "quco"\nmodel = "large"\nsource = "arXiv 1"\n'
        + "f1 = 0.5\nrouge_l = 0.25\n"
    )

    assert asked(bench, server, "--limit", "1", "--policy", "none") == 0

    told = capsys.readouterr().out
    assert "In the paper, with its own model and corpus:" in told
    assert "towns quco: F1 0.500, ROUGE-L 0.250 (large, arXiv 1)" in told


def test_rows_are_exported_as_parquet(bench: Path, server: ModelServer, tmp_path: Path) -> None:
    folder = tmp_path / "here"

    assert asked(bench, server, "--limit", "1", "--parquet", "-o", str(folder), "--json") == 0

    assert (folder / "rows.parquet").read_bytes().startswith(b"PAR1")


def test_rows_of_another_model_are_not_mixed_in(
    bench: Path, server: ModelServer, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.models = ("tiny", "other")

    code = run(
        ["bench", "run", str(bench), "--base-url", server.url, "--model", "other", "-o", str(made)]
    )

    assert code == 2
    assert "model identity is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "now", "was"), [("aliases", "False", "True"), ("language", "de", "auto")]
)
def test_rows_of_another_setting_are_not_mixed_in(
    name: str,
    now: str,
    was: str,
    made: Path,
    bench: Path,
    server: ModelServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(f"AVERMENT_{name.upper()}", now)

    assert asked(bench, server) == 2

    told = " ".join(capsys.readouterr().err.split())
    assert f"was made otherwise: {name} is '{now}' and was '{was}'. " in told


def test_a_run_that_wrote_fewer_settings_down_goes_on(
    made: Path, bench: Path, server: ModelServer
) -> None:
    record = json.loads((made / "run.json").read_text())
    del record["settings"]["language"]
    (made / "run.json").write_text(json.dumps(record))

    assert asked(bench, server) == 0


def test_a_model_of_a_setting_is_told_by_its_contents_wherever_it_lies(tmp_path: Path) -> None:
    def told(folder: str, contents: str, retriever: Literal["bm25", "dense"] = "dense") -> str:
        (tmp_path / folder / "minilm").mkdir(parents=True)
        (tmp_path / folder / "minilm" / "model.onnx").write_text(contents)
        settings = Settings(embedder=tmp_path / folder / "minilm", retriever=retriever)
        return deciding_settings(settings)["embedder"]

    assert told("a", "weights") == told("b", "weights")
    assert told("c", "weights").startswith("minilm ")
    assert told("d", "others") != told("e", "weights")
    assert told("f", "weights", "bm25") == "None"


def test_a_changed_data_file_is_refused(
    bench: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.write_text(bench.read_text() + f'sha256 = "{"0" * 64}"\n')

    assert asked(bench, server) == 2
    assert "the bench means the file with" in capsys.readouterr().err


def test_another_prompt_than_the_bench_says_is_refused(
    bench: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.write_text(bench.read_text().replace("answer-f34abe79", "answer-00000000"))

    assert asked(bench, server) == 2
    assert "compared on one prompt" in capsys.readouterr().err


def varied(bench: Path, parameter: str) -> None:
    """Give the bench one policy of its own."""
    policies = re.compile(r"policies = .*")
    own = f'policies = [{{ name = "mine", preset = "quco", {parameter} }}]'
    bench.write_text(policies.sub(own, bench.read_text()).replace("expect", "#"))


def test_a_variant_has_rows_under_its_own_name_and_its_parameters_in_them(
    bench: Path, server: ModelServer, tmp_path: Path
) -> None:
    varied(bench, "window_words = 50")

    assert asked(bench, server, "--limit", "1", "-o", str(tmp_path / "here"), "--json") == 0

    (row,) = map(json.loads, (tmp_path / "here" / "rows.jsonl").read_text().splitlines())
    assert row["policy"] == "mine"
    assert "window_words=50," in row["settings"]


def test_rows_of_a_variant_that_was_another_one_are_not_mixed_in(
    bench: Path, server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    varied(bench, "aliases = true")
    assert asked(bench, server, "--limit", "1", "-o", str(tmp_path / "here"), "--json") == 0
    varied(bench, "aliases = false")

    assert asked(bench, server, "--limit", "1", "-o", str(tmp_path / "here")) == 2

    assert "the policy 'mine' is another one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("parameter", "why"),
    [
        ("windw_words = 50", "no parameter of the policy quco named 'windw_words'"),
        ('window_words = "50"', "'window_words' of the policy 'quco' cannot be used: expected int"),
        ('aggregation = "median"', "'median' is not a valid Aggregation"),
        ('trigger = "single"', "no parameter of the policy quco named 'trigger'"),
    ],
    ids=["unknown", "another type", "no such value", "the trigger"],
)
def test_a_parameter_that_a_preset_does_not_have_is_refused_before_anything_is_asked(
    parameter: str,
    why: str,
    bench: Path,
    server: ModelServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    varied(bench, parameter)

    assert asked(bench, server) == 2

    assert why in " ".join(capsys.readouterr().err.split())


def test_a_data_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "run", "quco-2wiki"]) == 2

    told = capsys.readouterr().err
    assert "2wiki_dev_ctx_migres.jsonl.gz is not there" in told
    assert "--data DIR" in told


def test_a_run_of_which_every_question_failed_exits_3(
    bench: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.garbles = lambda before: "Question:" in before

    assert asked(bench, server, "--limit", "1") == 3

    told = capsys.readouterr().err
    assert "Every question failed. The first: MalformedReply" in told


def test_without_duckdb_a_run_is_refused_before_it_begins(
    bench: Path,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)

    assert asked(bench, server) == 2

    assert "pip install 'averment[bench]'" in capsys.readouterr().err
    assert server.requests == []


def test_an_expectation_that_is_met_exits_0(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "compare", "towns-tiny", "--json"]) == 0

    found = printed(capsys)
    assert [(each["expectation"], each["met"]) for each in found["expectations"]] == [
        ("single > none in f1", True)
    ]
    assert {(each["contestant"], each["baseline"]) for each in found["differences"]} == {
        ("single", "none"),
        ("quco", "none"),
        ("quco", "single"),
    }


def test_an_expectation_of_a_policy_that_was_not_run_is_not_judged_unless_it_is_asked_for(
    bench: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(bench, server, "--policy", "single") == 0
    capsys.readouterr()

    assert run(["bench", "compare", "towns-tiny"]) == 0
    assert "not judged: single > none in f1, since the run lacks none" in capsys.readouterr().err

    assert run(["bench", "compare", "towns-tiny", "--expect", "single > none in f1"]) == 2
    assert "There is no contestant named 'none'" in capsys.readouterr().err


def test_an_expectation_that_is_not_met_exits_1(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", "compare", str(made), "--expect", "none > single in exact_match"]) == 1

    assert "not met: none > single in exact_match on towns" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param('{"set": "towns", "id": "1"}', "lacks 'question'", id="no policy, no grades"),
        pytest.param('{"set": "tow', "Unterminated string", id="cut"),
        pytest.param("7", "expected an object, found 7", id="a number"),
    ],
)
def test_a_line_that_is_no_row_is_named_with_what_to_do(
    made: Path, line: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = made / FILE_NAME
    lines = rows.read_text("utf-8").splitlines()
    rows.write_text("\n".join([lines[0], line, *lines[1:]]), "utf-8")
    capsys.readouterr()
    assert run(["bench", "compare", str(made)]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert f"{FILE_NAME}:2 is no row of a run" in told
    assert why in told
    assert "Delete the line; its question is then asked again." in told


def test_answers_of_another_system_are_graded_and_compared_like_a_run(
    bench: Path, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "theirs.jsonl"
    given = [{"id": f"q{at:02}", "answer": f"The {river(at)}." if at else None} for at in range(10)]
    answers.write_text("".join(json.dumps(each) + "\n" for each in given))
    questions = str(bench.parent / "towns.jsonl")

    scored = ["bench", "score", str(answers), "--dataset", "hotpotqa", "--questions", questions]
    assert run([*scored, "--json"]) == 0
    found = printed(capsys)
    (line,) = found["table"]
    assert (line["contestant"], line["n"], line["abstained"]) == ("theirs", 10, 1)
    assert line["grades"]["exact_match"]["value"] == 0.9
    assert line["retrievals"]["value"] is None
    assert found["warnings"] == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"id": "q00"}', "KeyError"),
        ("[1, 2]", "is no answer"),
        ('{"id": "q00", "answer": 7}', "answer 7"),
        ('{"id": "q00", "answer": "x"}\n{"id": "q00", "answer": "y"}', "was there before"),
        ('{"id": "nobody", "answer": "x"}', "None of 1 answers"),
        ("", "holds no answer"),
    ],
    ids=["no answer", "a list", "a number", "twice", "no question", "empty"],
)
def test_answers_that_cannot_be_graded_are_refused_with_their_line(
    line: str, why: str, bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "theirs.jsonl").write_text(line + "\n")
    questions = str(bench.parent / "towns.jsonl")

    code = run(
        ["bench", "score", "theirs.jsonl", "--dataset", "hotpotqa", "--questions", questions]
    )

    assert code == 2
    assert why in capsys.readouterr().err


def test_the_report_is_one_page_beside_the_run_that_fetches_nothing(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", "report", "towns-tiny", "--json"]) == 0

    page = Path(printed(capsys)["page"])
    text = page.read_text(encoding="utf-8")
    assert page == made / "report.html"
    assert text.count("<svg") == 3
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//|<script|@import""", text)


def test_a_folder_that_is_no_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", "report", str(tmp_path)]) == 2

    assert "averment bench run" in capsys.readouterr().err
