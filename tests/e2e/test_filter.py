"""`averment filter` as it is typed: rows in, kept and rejected out, and runs that were killed."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from averment.cli.app import run
from averment.filtering.running import Pace
from averment.wiring.filters import open_filter
from contracts.disk import disk_without_fsync  # noqa: F401

DOCUMENTS = {
    "sorlandia": "The ferry Sorlandia was built in Kristiansand and sails from Hirtshals.",
    "hirtshals": "Hirtshals lies in Denmark. The port of Hirtshals is large.",
    "norway": "Kristiansand lies in Norway. Norway has many fjords.",
}
RIGHT = "The ferry Sorlandia was built in Kristiansand."
WRONG = "The ferry Sorlandia was built in Denmark."
UNCOVERED = "The ferry Sorlandia was built in Zanzibar."
FILES = ("kept.jsonl", "rejected.jsonl", "report.json", "filter.json")
Run = Callable[..., tuple[int, str, str]]
Row = dict[str, Any]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    rows = [json.dumps({"id": key, "text": text}) for key, text in DOCUMENTS.items()]
    (tmp_path / "documents.jsonl").write_text("\n".join(rows), encoding="utf-8")
    assert run(["index", "build", "documents.jsonl", "--index", "idx"]) == 0
    return tmp_path / "idx"


@pytest.fixture
def filtered(index: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command over the index: (exit code, stdout, stderr)."""

    def filtered(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["filter", *arguments, "--index", str(index)])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return filtered


def written(path: str, rows: list[Row | str]) -> str:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    Path(path).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def rows_of(path: str | Path) -> list[Row]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_an_absent_pair_rejects_and_a_name_that_is_not_covered_does_not(filtered: Run) -> None:
    written("data.jsonl", [{"answer": text} for text in (RIGHT, WRONG, UNCOVERED)])

    code, out, err = filtered("data.jsonl", "-o", "out")

    kept, rejected = rows_of("out/kept.jsonl"), rows_of("out/rejected.jsonl")
    assert code == 0
    assert [row["answer"] for row in kept] == [RIGHT, UNCOVERED]
    assert [row["answer"] for row in rejected] == [WRONG]
    found = rejected[0]["averment"]
    assert (found["verdict"], found["reason"]) == ("reject", "absent_pair")
    assert [(p["head"], p["tail"]) for p in found["absent_pairs"]] == [("Sorlandia", "Denmark")]
    assert kept[1]["averment"]["flags"] == ["not_covered", "rare_name"]
    assert kept[1]["averment"]["least_documents"] == 0
    assert kept[1]["averment"]["least_documents_of"] == "Zanzibar"
    assert "2 of 3 rows" in out
    assert "Zanzibar  (0 documents)" in out
    assert "Checked: 'answer'" in err


def test_without_a_judge_nothing_is_supported_and_nothing_is_zero(filtered: Run) -> None:
    written("data.jsonl", [{"answer": RIGHT}])
    filtered("data.jsonl", "-o", "out")

    found = rows_of("out/kept.jsonl")[0]["averment"]

    for name in ("n_supported", "n_contradicted", "n_unverified", "lowest_p_true"):
        assert found[name] is None
        assert found["reasons"][name] == "statistics_only"
    assert found["n_claims"] == 1
    assert found["claims"][0]["support"] == "present"
    assert RIGHT[found["claims"][0]["start"] : found["claims"][0]["end"]] == RIGHT


def test_a_row_stays_as_it_was_written_and_keeps_its_place(filtered: Run) -> None:
    odd = f'{{"n":1.50,  "answer" :"{RIGHT}","o":{{"é":"\\u00e9"}} }}'
    written("data.jsonl", [odd, {"answer": WRONG}, {"answer": RIGHT, "id": 3}])
    filtered("data.jsonl", "-o", "out")

    first, second = Path("out/kept.jsonl").read_text(encoding="utf-8").splitlines()

    assert first.startswith(odd[:-2] + ', "averment": {"verdict": "keep"')
    assert json.loads(second)["id"] == 3


def test_rows_that_cannot_be_read_are_rejected_with_line_and_reason(filtered: Run) -> None:
    bad = ["{not json", '["a list"]', '{"other": 1}', '{"answer": 7}', '{"answer": " "}', "{}"]
    written("data.jsonl", [{"answer": RIGHT}, *bad, "", {"answer": RIGHT}])
    with Path("data.jsonl").open("ab") as stream:
        stream.write(b'{"answer": "\xff"}\n')

    code, _, _ = filtered("data.jsonl", "-o", "out", "--field", "answer")

    rejected = rows_of("out/rejected.jsonl")
    assert code == 0
    assert len(rows_of("out/kept.jsonl")) == 2
    assert [row["averment"]["line"] for row in rejected] == [2, 3, 4, 5, 6, 7, 10]
    assert {row["averment"]["reason"] for row in rejected} == {"malformed"}
    assert rejected[0]["raw"] == "{not json"
    details = [row["averment"]["detail"] for row in rejected]
    assert details[0].startswith("invalid JSON")
    assert details[2] == "no field 'answer' (found: other)"
    assert details[3] == "'answer' is not a string but int"
    assert details[6].startswith("not UTF-8")


def test_a_chat_is_checked_by_its_last_answer(filtered: Run) -> None:
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "In which country was Sorlandia built?"},
        {"role": "assistant", "content": "Denmark"},
    ]
    written("data.jsonl", [{"messages": chat}, {"messages": chat[:2]}, {"messages": ["x"]}])

    _, _, err = filtered("data.jsonl", "-o", "out")

    absent, unanswered, broken = [row["averment"] for row in rows_of("out/rejected.jsonl")]
    assert "Checked: 'messages'" in err
    assert absent["reason"] == "absent_pair"
    assert absent["absent_pairs"][0]["tail"] == "Denmark"
    assert unanswered["detail"] == "'messages' has no message of the assistant"
    assert broken["detail"] == "'messages' holds str where a message is expected"


def test_compressed_rows_are_read(filtered: Run) -> None:
    with gzip.open("data.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.write(json.dumps({"answer": RIGHT}) + "\n")

    filtered("data.jsonl.gz", "-o", "out")

    assert len(rows_of("out/kept.jsonl")) == 1


def test_parquet_goes_in_and_out_with_its_types(filtered: Run) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table(
        {
            "answer": [RIGHT, WRONG, None],
            "raw": pyarrow.array([b"\x00", b"\x01", None], pyarrow.binary()),
        }
    )
    parquet.write_table(table, "data.parquet")

    code, _, _ = filtered("data.parquet", "-o", "out")

    kept, rejected = (parquet.read_table(f"out/{name}.parquet") for name in ("kept", "rejected"))
    assert code == 0
    assert kept.column("raw").to_pylist() == [b"\x00"]
    assert kept.schema.field("raw").type == pyarrow.binary()
    assert [each["reason"] for each in rejected.column("averment").to_pylist()] == [
        "absent_pair",
        "malformed",
    ]
    found = kept.column("averment").to_pylist()[0]
    assert found["n_claims"] == 1
    assert ("lowest_p_true", "statistics_only") in found["reasons"]
    before = {path.name: path.read_bytes() for path in Path("out").glob("*.parquet")}
    assert filtered("data.parquet", "-o", "out")[0] == 0
    assert {path.name: path.read_bytes() for path in Path("out").glob("*.parquet")} == before


def test_labels_tell_precision_and_recall(filtered: Run) -> None:
    rows = [(RIGHT, "true"), (WRONG, "false"), (WRONG, "true"), (UNCOVERED, "no"), (RIGHT, None)]
    written("data.jsonl", [{"answer": text, "ok": label} for text, label in rows])

    _, out, _ = filtered("data.jsonl", "-o", "out", "--labels", "ok", "--json")

    labels = json.loads(out)["labels"]
    assert (labels["n_labelled"], labels["n_wrong"], labels["n_rejected"]) == (4, 2, 2)
    assert labels["precision"]["value"] == labels["recall"]["value"] == 0.5
    assert 0 <= labels["f1"]["low"] <= 0.5 <= labels["f1"]["high"] <= 1


def test_a_label_that_is_none_is_told_with_what_is_expected(filtered: Run) -> None:
    written("data.jsonl", [{"answer": RIGHT, "ok": "maybe"}])

    filtered("data.jsonl", "-o", "out", "--labels", "ok")

    detail = rows_of("out/rejected.jsonl")[0]["averment"]["detail"]
    assert detail == "'ok' is 'maybe'; a label is true or false (or 1, 0, yes, no)"


def test_keep_decides_over_documented_fields(filtered: Run) -> None:
    written("data.jsonl", [{"answer": text} for text in (RIGHT, WRONG, UNCOVERED, "Hello!")])

    filtered("data.jsonl", "-o", "out", "--keep", "least_documents >= 1")

    kept = [row["answer"] for row in rows_of("out/kept.jsonl")]
    reasons = [row["averment"]["reason"] for row in rows_of("out/rejected.jsonl")]
    assert kept == [RIGHT, WRONG]
    assert reasons == ["keep_expression", "unknown_least_documents"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "out", "--keep", "n_claim > 1"), "There is no field of --keep named 'n_claim'"),
        (("-o", "out", "--keep", "p_true > 0.9"), "lowest_p_true is not known without a judge"),
        (("-o", "out", "--keep", "n_claims >"), "cannot be read"),
        (("-o", "out", "--field", "text"), "No row has the field 'text' of --field"),
        (("-o", "out", "--labels", "ok"), "No row has the field 'ok' of --labels"),
        (("-o", "out", "--context", "answer"), "--context is for a run that judges"),
        (("-o", "out", "--faithfulness", "lexical"), "--faithfulness is for a run that judges"),
        ((), "Where do the rows go?"),
        (("-o", "data.jsonl"), "data.jsonl is the input"),
        (("-o", "documents.jsonl"), "documents.jsonl is no folder"),
    ],
)
def test_what_cannot_be_used_is_refused(
    filtered: Run, arguments: tuple[str, ...], said: str
) -> None:
    written("data.jsonl", [{"answer": RIGHT}])

    code, _, err = filtered("data.jsonl", *arguments)

    assert code == 2
    assert said in err
    assert not Path("out").exists()


def test_fields_that_could_be_meant_are_named_and_not_guessed(filtered: Run) -> None:
    written("two.jsonl", [{"answer": RIGHT, "text": RIGHT}])
    written("none.jsonl", [{"body": RIGHT}])

    both, neither = filtered("two.jsonl", "-o", "a"), filtered("none.jsonl", "-o", "b")

    assert both[0] == neither[0] == 2
    assert "answer or text" in both[2]
    assert "There are: body." in neither[2]


def test_files_that_are_no_rows_are_refused(filtered: Run) -> None:
    Path("data.csv").write_text("answer\n", encoding="utf-8")

    assert filtered("data.csv", "-o", "out")[0] == 2
    assert filtered("missing.jsonl", "-o", "out")[0] == 2


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("data.jsonl", b"\n", "no row that can be read: it is empty"),
        ("data.jsonl", b"\n[]\n", "no row that can be read: line 2 is not a JSON object but list"),
        ("data.jsonl.gz", b"{}", "no row that can be read: line 1 is damaged or cut short"),
    ],
)
def test_a_file_without_a_row_says_so(filtered: Run, name: str, content: bytes, said: str) -> None:
    Path(name).write_bytes(content)

    code, _, err = filtered(name, "-o", "out", "--field", "answer")

    assert code == 2
    assert said in err
    assert not Path("out").exists()


def test_a_dry_run_estimates_and_writes_nothing(filtered: Run, tmp_path: Path) -> None:
    written("data.jsonl", [{"answer": text} for text in (RIGHT, WRONG) * 20])
    before = set(tmp_path.iterdir())

    code, out, _ = filtered("data.jsonl", "--dry-run", "10")
    _, told, _ = filtered("data.jsonl", "--dry-run", "40", "--json")

    assert code == 0
    assert "All 40 rows: about" in out
    assert "No row was written" in out
    assert "n_absent_pairs" in out
    assert "####" in out
    assert set(tmp_path.iterdir()) == before
    made = json.loads(told)
    assert made["sample"]["n_kept"] == 20
    assert made["estimate"]["share_kept_low"] < 0.5 < made["estimate"]["share_kept_high"]


def test_a_share_below_the_one_that_was_asked_for_is_exit_1(filtered: Run) -> None:
    written("data.jsonl", [{"answer": text} for text in (RIGHT, WRONG)])

    assert filtered("data.jsonl", "-o", "out", "--fail-below", "0.5")[0] == 0
    assert filtered("data.jsonl", "-o", "out", "--fail-below", "0.6")[0] == 1


def test_a_folder_takes_one_way_to_filter_and_one_input(filtered: Run) -> None:
    written("data.jsonl", [{"answer": RIGHT}, {"answer": WRONG}])
    assert filtered("data.jsonl", "-o", "out")[0] == 0

    otherwise = filtered("data.jsonl", "-o", "out", "--keep", "n_claims > 0")
    written("data.jsonl", [{"answer": WRONG}, {"answer": WRONG}])
    other_rows = filtered("data.jsonl", "-o", "out")
    written("data.jsonl", [])
    no_rows = filtered("data.jsonl", "-o", "out", "--field", "answer")

    assert otherwise[0] == other_rows[0] == no_rows[0] == 2
    assert "filtered otherwise: keep was None and is now 'n_claims > 0'" in otherwise[2]
    assert "its rows are others now" in other_rows[2]
    assert len(rows_of("out/kept.jsonl")) == 1


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"as_of": "2020", "undated": "include"}, "as_of was None and is now '2020'"),
        ({"language": "de"}, "language was 'auto' and is now 'de'"),
        ({"damaged_segments": "lower_bound"}, "damaged_segments was 'fail'"),
    ],
)
def test_a_folder_takes_one_way_to_count(
    filtered: Run, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], told: str
) -> None:
    written("data.jsonl", [{"answer": RIGHT}])
    assert filtered("data.jsonl", "-o", "out")[0] == 0
    for name, value in settings.items():
        monkeypatch.setenv(f"AVERMENT_{name.upper()}", value)

    code, _, err = filtered("data.jsonl", "-o", "out")

    assert code == 2
    assert f"filtered otherwise: {told}" in err


def test_rows_that_were_added_to_the_input_are_filtered_next_time(filtered: Run) -> None:
    written("data.jsonl", [{"answer": RIGHT}, ""])
    filtered("data.jsonl", "-o", "out")
    with Path("data.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("\n" + json.dumps({"answer": UNCOVERED}) + "\n")

    _, _, err = filtered("data.jsonl", "-o", "out")

    assert "Goes on after 1 row." in err
    assert [row["answer"] for row in rows_of("out/kept.jsonl")] == [RIGHT, UNCOVERED]


def test_a_folder_of_something_else_is_left_alone(filtered: Run) -> None:
    written("data.jsonl", [{"answer": RIGHT}])
    Path("mine").mkdir()
    written("mine/kept.jsonl", [{"precious": 1}])
    filtered("data.jsonl", "-o", "out")
    Path("out/kept.jsonl").write_bytes(b"")
    Path("bad").mkdir()
    Path("bad/filter.json").write_text("{", encoding="utf-8")

    assert "holds kept.jsonl, but no filter.json" in filtered("data.jsonl", "-o", "mine")[2]
    assert rows_of("mine/kept.jsonl") == [{"precious": 1}]
    assert "has 0 bytes, but" in filtered("data.jsonl", "-o", "out")[2]
    assert "filter.json cannot be read" in filtered("data.jsonl", "-o", "bad")[2]


@pytest.mark.parametrize("name", ["kept.parquet", "report.json"])
def test_a_folder_with_a_file_of_a_name_of_ours_is_left_alone(filtered: Run, name: str) -> None:
    written("data.jsonl", [{"answer": RIGHT}])
    Path("mine").mkdir()
    data = "data.jsonl"
    if name == "kept.parquet":
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table({"answer": [RIGHT, WRONG]})
        pytest.importorskip("pyarrow.parquet").write_table(table, "mine/kept.parquet")
        data = "mine/kept.parquet"  # the input itself
    else:
        written("mine/report.json", [{"precious": 1}])
    before = Path("mine", name).read_bytes()

    code, _, err = filtered(data, "-o", "mine")

    assert code == 2
    assert f"mine holds {name}, but no filter.json" in err
    assert Path("mine", name).read_bytes() == before


def test_a_run_killed_in_the_middle_ends_with_the_same_bytes(filtered: Run, index: Path) -> None:
    texts = (RIGHT, WRONG, UNCOVERED, "Hello!", "The ferry Sorlandia was built in Hirtshals.")
    rows: list[Row | str] = [
        "{broken" if at % 97 == 0 else {"id": at, "answer": texts[at % 5].replace("Z", f"Z{at}")}
        for at in range(12_000)
    ]
    written("data.jsonl", rows)
    assert filtered("data.jsonl", "-o", "whole")[0] == 0
    command = [sys.executable, "-c", "from averment.cli import main; main()", "filter"]
    command += ["data.jsonl", "--index", str(index)]

    n_killed = 0
    for _ in range(3):
        with subprocess.Popen([*command, "-o", "killed"], stderr=subprocess.DEVNULL) as process:
            _wait_for_more(Path("killed/filter.json"), process)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                n_killed += 1
    _, _, err = filtered("data.jsonl", "-o", "killed")

    assert n_killed >= 1
    assert "Goes on after" in err
    for name in FILES:
        assert Path("killed", name).read_bytes() == Path("whole", name).read_bytes(), name


def _wait_for_more(journal: Path, process: subprocess.Popen[bytes]) -> None:
    """Until the run has got further than it had, or has ended."""

    def line() -> int:
        done: int = json.loads(journal.read_bytes())["line"] if journal.exists() else 0
        return done

    before = line()
    while process.poll() is None and line() == before:
        time.sleep(0.005)


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_run_that_ends_among_its_first_rows_goes_on(
    filtered: Run, index: Path, suffix: str
) -> None:
    def stop(_: Pace) -> None:
        raise KeyboardInterrupt

    data = written("data.jsonl", [{"answer": text} for text in (RIGHT, WRONG) * 150])
    if suffix == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table({"answer": [RIGHT, WRONG] * 150})
        pytest.importorskip("pyarrow.parquet").write_table(table, data := "data.parquet")
    with pytest.raises(KeyboardInterrupt):
        open_filter(Path(data), index=index).run(Path("out"), on_pace=stop)
    assert sum(file.stat().st_size for file in Path("out").glob("*.jsonl"))

    assert filtered(data, "-o", "out")[0] == 0
    assert filtered(data, "-o", "whole")[0] == 0

    made = {file.name: file.read_bytes() for file in Path("whole").iterdir()}
    assert {file.name: file.read_bytes() for file in Path("out").iterdir()} == made


def test_a_judge_rejects_what_the_context_contradicts(tmp_path: Path, filtered: Run) -> None:
    context = "The ferry Sorlandia was built in 1993. It carries 60 cars."
    texts = ("It carries 60 cars.", "It carries 40 cars.", "Oslo is large.")
    written("data.jsonl", [{"answer": text, "context": [context]} for text in texts])
    asked = ("data.jsonl", "--full", "--faithfulness", "lexical")

    code, _, err = filtered(*asked, "-o", "out")
    strict = filtered(*asked, "-o", "strict", "--keep", "n_supported == n_claims")
    unknown = filtered(*asked, "-o", "none", "--keep", "p_true >= 0.9")

    kept, rejected = rows_of("out/kept.jsonl"), rows_of("out/rejected.jsonl")
    assert (code, strict[0], unknown[0]) == (0, 0, 2)
    assert "against 'context'" in err
    assert [row["answer"] for row in kept] == [texts[0], texts[2]]
    assert rejected[0]["averment"]["reason"] == "contradicted_claim"
    assert rejected[0]["averment"]["reasons"]["lowest_p_true"] == "uncalibrated"
    assert kept[0]["averment"]["n_supported"] == 1
    assert kept[0]["averment"]["lowest_p_faithful"] > 0.5
    assert [row["answer"] for row in rows_of("strict/kept.jsonl")] == [texts[0]]
    assert "lowest_p_true is not known without a calibrator" in unknown[2]


def test_a_judge_needs_no_index_and_then_nothing_is_counted(tmp_path: Path) -> None:
    written("data.jsonl", [{"answer": "It carries 40 cars.", "context": "It carries 60 cars."}])

    code = run(["filter", "data.jsonl", "-o", "out", "--full", "--faithfulness", "lexical"])

    found = rows_of("out/rejected.jsonl")[0]["averment"]
    assert code == 0
    assert found["n_absent_pairs"] is None
    assert found["reasons"]["n_absent_pairs"] == found["reasons"]["least_documents"] == "no_corpus"
    assert found["index"] == ""


def test_counting_without_an_index_is_refused(tmp_path: Path) -> None:
    written("data.jsonl", [{"answer": RIGHT}])

    assert run(["filter", "data.jsonl", "-o", "out"]) == 2


def test_a_row_that_was_filtered_before_gets_one_column(filtered: Run) -> None:
    written("data.jsonl", [{"answer": RIGHT}])
    filtered("data.jsonl", "-o", "once")

    filtered("once/kept.jsonl", "-o", "twice")

    (line,) = Path("twice/kept.jsonl").read_text(encoding="utf-8").splitlines()
    assert line.count('"verdict": "keep"') == 1
    assert rows_of("twice/kept.jsonl") == rows_of("once/kept.jsonl")


def test_a_row_that_was_filtered_before_stays_as_it_was_written(filtered: Run) -> None:
    numbers = '"a":1e999, "b" : 0.10,"c":12345678901234567890.5'
    text = json.dumps({"answer": RIGHT})[1:-1]
    written("data.jsonl", [f'{{ "averment": {{"x": []}} , {text},{numbers} }}', "{broken"])

    assert filtered("data.jsonl", "-o", "once")[0] == 0
    assert filtered("once/kept.jsonl", "-o", "twice")[0] == 0

    (line,) = Path("twice/kept.jsonl").read_text(encoding="utf-8").splitlines()
    members = ", ".join((text, *numbers.replace(", ", ",").split(",")))
    assert line.startswith(f'{{{members}, "averment": {{"verdict": "keep"')


def test_a_page_shows_what_a_run_rejected_and_is_the_same_when_it_goes_on(filtered: Run) -> None:
    bad = ["{not <json>", '{"answer": 7}', '["a"]']
    written("data.jsonl", [{"answer": RIGHT}, *bad, *({"answer": WRONG} for _ in range(20))])

    code, _, err = filtered("data.jsonl", "-o", "out", "--html", "pages/report.html")
    page = Path("pages/report.html").read_bytes()
    filtered("data.jsonl", "-o", "out", "--html", "pages/report.html")

    told = page.decode()
    assert code == 0
    assert "Page: pages/report.html" in err
    assert told.count(f"<mark>{WRONG}</mark>") == 6
    assert "<b>Sorlandia</b> was built in <b>Denmark</b>" in told
    for raw in ("{not &lt;json&gt;", "{&quot;answer&quot;: 7}", "[&quot;a&quot;]"):
        assert f"<blockquote>{raw}</blockquote>" in told
    assert "line 1 of rejected.jsonl · invalid JSON" in told
    assert Path("pages/report.html").read_bytes() == page


def test_a_dry_run_has_a_page_that_says_that_it_is_an_estimate(filtered: Run) -> None:
    chat = [{"role": "user", "content": "Where was it built?"}]
    chat += [{"role": "assistant", "content": WRONG}]
    written("data.jsonl", [{"messages": chat}, "{broken"] * 10)

    code, _, _ = filtered("data.jsonl", "--dry-run", "9", "--html", "report.html", "--json")

    told = Path("report.html").read_text(encoding="utf-8")
    assert code == 0
    assert "9 rows of 20, drawn at random" in told
    assert "Where was it built?" in told
    assert "<blockquote>{broken</blockquote>" in told
    assert " of data.jsonl" in told


def test_a_page_of_parquet_shows_rejected_rows(filtered: Run) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"answer": [RIGHT, WRONG, None]}), "data.parquet")
    parquet.write_table(pyarrow.table({"answer": pyarrow.array([], "string")}), "none.parquet")

    assert filtered("data.parquet", "-o", "out", "--html", "report.html")[0] == 0
    assert filtered("none.parquet", "-o", "none", "--html", "none.html")[0] == 0

    told = Path("report.html").read_text(encoding="utf-8")
    assert f"<mark>{WRONG}</mark>" in told
    assert "line 2 of rejected.parquet · no field" in told
    assert "Some of the rejected rows" not in Path("none.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "said"),
    [("data.jsonl", "the input"), (".", "a folder"), ("./out/kept.jsonl", "a file of the run")],
)
def test_a_page_goes_over_neither_the_input_nor_a_folder_nor_the_rows(
    filtered: Run, target: str, said: str
) -> None:
    written("data.jsonl", [{"answer": RIGHT}])

    code, _, err = filtered("data.jsonl", "-o", "out", "--html", target)

    assert code == 2
    assert f"{Path(target)} is {said}." in err
    assert rows_of("data.jsonl") == [{"answer": RIGHT}]
    assert not Path("out").exists()
