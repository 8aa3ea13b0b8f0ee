"""AT-15: a flipped byte, a dropped record, two that changed places: the first bad record is named;
a replay reproduces verdicts without network; an export validates against the published schema.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import averment
from audit.ledgers_by_hand import behind_its_back
from audit.recorded_by_hand import records_of
from averment.cli.app import run
from contracts.disk import disk_without_fsync  # noqa: F401
from towns_by_hand import QUESTION, build_rivers, scripted

CHECKED = "Prague is the capital of Bohemia. Vienna lies on the Vltava."
Audit = Callable[..., tuple[int, str, str]]


@pytest.fixture
def audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Audit:
    """Runs a command on a ledger of five records: ingestion, three answers, a check."""
    index = build_rivers(tmp_path / "idx")
    monkeypatch.setenv("AVERMENT_AUDIT", str(tmp_path / "l.sqlite"))
    monkeypatch.setenv("AVERMENT_AUDIT_BY", "ann")
    averment.build_index([averment.Document("graz", "Graz lies on the Mur.")], index, add=True)
    with averment.open_engine(index, scripted(), policy="single", faithfulness="lexical") as engine:
        for _ in range(3):
            engine.ask(QUESTION)
    averment.check(CHECKED, index=index, faithfulness="lexical")
    capsys.readouterr()

    def tell(*arguments: str) -> tuple[int, str, str]:
        code = run(["audit", *arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return tell


def ledger() -> Path:
    return Path("l.sqlite")


def of_json(told: tuple[int, str, str]) -> Any:
    return json.loads(told[1])


# --- verify ---------------------------------------------------------------------------------------


def test_an_untouched_ledger_verifies_and_prints_its_head(audit: Audit) -> None:
    head = str(records_of(ledger())[-1].head)

    code, out, _ = audit("verify")

    assert code == 0
    assert out.splitlines() == [
        "5 records: all are as they were written.",
        "Whether records were cut off at the end shows only with --head HASH@NUMBER.",
        f"head {head}",
    ]
    assert audit("verify", "--head", head)[0] == 0
    assert of_json(audit("verify", "--json")) == {
        "ledger": str(Path.cwd() / "l.sqlite"),
        "records": 5,
        "head": head,
        "bad": None,
        "erased": [],
        "anchored": False,
    }


def flip(connection: sqlite3.Connection) -> None:
    query = 'UPDATE records SET body = replace(body, \'"by":"ann"\', \'"by":"amn"\') WHERE seq = 3'
    connection.execute(query)


def drop(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM records WHERE seq = 3")


def swap(connection: sqlite3.Connection) -> None:
    for table in ("records", "contents"):
        for old, new in ((3, 99), (4, 3), (99, 4)):
            connection.execute(f"UPDATE {table} SET seq = ? WHERE seq = ?", (new, old))


def flip_text(connection: sqlite3.Connection) -> None:
    query = "UPDATE contents SET data = replace(data, 'Vltava', 'Vltawa') WHERE seq = 3"
    connection.execute(query)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [(flip, "altered"), (drop, "record_missing"), (swap, "moved"), (flip_text, "content_altered")],
)
def test_the_first_bad_record_is_named(
    audit: Audit, spoil: Callable[[sqlite3.Connection], None], reason: str
) -> None:
    with behind_its_back(ledger()) as connection:
        spoil(connection)

    code, out, _ = audit("verify")

    assert code == 1
    assert out.startswith(f"Record 3 is bad ({reason}): ")
    assert of_json(audit("verify", "--json"))["bad"]["seq"] == 3


def test_records_cut_off_at_the_end_show_against_the_head_that_was_kept(audit: Audit) -> None:
    head = of_json(audit("list", "--json"))["head"]
    with behind_its_back(ledger()) as connection:
        for table in ("records", "contents"):
            connection.execute(f"DELETE FROM {table} WHERE seq > 3")

    assert audit("verify")[0] == 0
    code, out, _ = audit("verify", "--head", head)

    assert code == 1
    assert out.startswith(
        "Record 4 is bad (cut_off): the ledger ends at record 3, and had record 5"
    )


# --- replay ---------------------------------------------------------------------------------------


def test_a_replay_reproduces_the_verdicts_without_network(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_socket(*_: object) -> None:
        raise AssertionError("a replay opens no socket")

    monkeypatch.setattr("socket.socket.__init__", no_socket)
    trace_id = records_of(ledger())[1].trace_id
    Path("idx").rename("gone")

    assert audit("replay", str(trace_id)) == (
        0,
        "Record 2: reproduced, with the verdicts of 2 claims.\n",
        "",
    )
    assert of_json(audit("replay", "5", "--json"))["outcome"] == "reproduced"


def test_what_cannot_be_replayed_says_why_and_is_no_success(audit: Audit) -> None:
    audit("erase", "2", "--reason", "asked")

    code, out, _ = audit("replay", "2")
    assert code == 1
    assert out.startswith("Record 2: not replayable (erased): its contents were erased")
    assert audit("replay", "1")[1].startswith("Record 1: not replayable (no_verdicts)")


# --- export, show, erase, override ----------------------------------------------------------------


def test_an_export_validates_against_the_schema_that_is_printed(audit: Audit) -> None:
    schema = jsonschema.Draft202012Validator(of_json(audit("export", "--schema")))
    code, out, err = audit("export")
    audit("export", "-o", "out.jsonl", "--kind", "answer", "--no-texts")

    rows = [json.loads(line) for line in out.splitlines()]
    assert (code, len(rows)) == (0, 5)
    assert err.startswith("5 records; head of the ledger ")
    some = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [row["record"]["seq"] for row in some] == [2, 3, 4]
    for row in (*rows, *some):
        schema.validate(row)
    assert "Vltava" not in Path("out.jsonl").read_text("utf-8")


def test_a_file_that_ends_in_parquet_has_columns_unless_lines_are_asked_for(audit: Audit) -> None:
    read_table = pytest.importorskip("pyarrow.parquet", reason="needs [parquet]").read_table
    code, out, err = audit("export", "-o", "new/out.parquet", "--kind", "answer")
    audit("export", "-o", "lines.parquet", "--format", "jsonl")
    audit("export", "-o", "columns", "--format", "parquet", "--no-texts")

    assert (code, out) == (0, "")
    assert err.startswith("3 records; head of the ledger ")
    assert read_table("new/out.parquet").column("seq").to_pylist() == [2, 3, 4]
    assert len(Path("lines.parquet").read_text("utf-8").splitlines()) == 5
    assert b"Vltava" not in Path("columns").read_bytes()
    assert read_table("columns").num_rows == 5
    assert not list(Path().rglob("*.partial"))


@pytest.mark.parametrize("name", ["out.parquet", "out.jsonl"])
def test_an_export_that_fails_leaves_the_file_of_before(audit: Audit, name: str) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra [parquet]")
    audit("export", "-o", name)
    before = Path(name).read_bytes()
    with behind_its_back(ledger()) as connection:
        flip_text(connection)

    code, _, err = audit("export", "-o", name)

    assert code == 3
    assert "of record 3 was altered" in err
    assert Path(name).read_bytes() == before
    assert not Path(f"{name}.partial").exists()


def test_columns_without_their_extra_are_refused_with_the_line_to_type(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    code, _, err = audit("export", "-o", "out.parquet")

    assert code == 2
    assert "Type: pip install 'averment[parquet]'" in err
    assert not Path("out.parquet").exists()
    assert audit("export", "-o", "out.jsonl")[0] == 0


def test_records_are_listed_by_kind_and_time(audit: Audit) -> None:
    code, out, err = audit("list", "--limit", "2")

    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["4", "5"]
    assert "3 earlier records not shown" in err
    assert len(of_json(audit("list", "--json", "--kind", "answer"))["records"]) == 3
    today = records_of(ledger())[0].time[:10]
    assert len(audit("list", "--from", today, "--to", today)[1].splitlines()) == 5
    assert audit("list", "--to", "2020-01-01")[1] == ""
    assert len(audit("list", "--to", "9999-12-31")[1].splitlines()) == 5
    assert audit("list", "--from", "2999-01-01T00:00:00")[1] == ""


def test_an_erasure_is_on_record_and_the_ledger_still_verifies(audit: Audit) -> None:
    assert audit("override", "2", "--verdict", "abstained", "--reason", "nobody asked")[0] == 0

    code, out, _ = audit("erase", "2", "--reason", "request of a person")

    assert code == 0
    assert out == "Texts of 2 records erased; on record as 7.\n"  # the override's reason as well
    assert audit("erase", "2", "--reason", "again")[1].startswith("Nothing to erase")
    code, out, _ = audit("verify")
    assert code == 0
    assert "The texts of 2 records were erased, on record." in out
    assert audit("list", "--kind", "erasure")[1].endswith(
        "ann           texts of 2 records: request of a person\n"
    )


def test_what_is_older_than_so_many_days_is_erased_at_once(audit: Audit) -> None:
    assert audit("erase", "--older-than", "1e9")[1].startswith("Nothing to erase")
    assert of_json(audit("erase", "--older-than", "0", "--json")) == {
        "erased": [1, 2, 3, 4, 5],
        "records": [6],
        "overwritten": True,
    }


def test_an_override_is_shown_with_the_record_that_stays_as_it_is(audit: Audit) -> None:
    before = records_of(ledger())[4].body
    audit("override", "5", "--claim", "2", "--verdict", "contradicted", "--reason", "the *Danube*")

    code, out, _ = audit("show", "5", "--html", "r.html", "--markdown", "r.md")
    assert (code, out) == (0, "")
    for name in ("r.html", "r.md"):
        told = Path(name).read_text(encoding="utf-8")
        assert "claim 2 is contradicted, and was unsupported" in told
        assert "Vienna lies on the Vltava." in told
        assert "audit verify --head" in told
    assert records_of(ledger())[4].body == before
    assert of_json(audit("show", "5", "--json"))["later"] == [6]


def test_the_report_of_an_answer_is_one_file_that_loads_nothing(audit: Audit) -> None:
    audit("show", "2", "--html", "r.html")

    page = Path("r.html").read_text(encoding="utf-8")
    assert QUESTION in page
    assert "srcdoc=" in page
    for loaded in ("<script", "src=", "<link", "@import", "url("):
        assert loaded not in page.replace("srcdoc=", "")
    assert records_of(ledger())[1].digest in page


def test_the_report_of_an_erased_answer_has_its_numbers_and_no_text(audit: Audit) -> None:
    audit("erase", "2", "--reason", "asked")

    code, out, _ = audit("show", "2")

    assert code == 0
    assert "Erased, and no longer part of this report: result, settings, setup, trace." in out
    assert "(erased)" in out
    assert "Vltava" not in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("show 99", "has no record '99'; it has 5"),
        ("replay nobody", "has no record 'nobody'"),
        ("verify --head abc", "is no head of a ledger"),
        ("verify --audit absent.sqlite", "There is no ledger"),
        ("list --kind rumour", "no kind of record named 'rumour'"),
        ("list --from yesterday", "no day or moment"),
        ("export --format parquet", "Parquet is written into a file, and none is named"),
        ("export --format csv -o out.csv", "There is no format named 'csv'"),
        ("export -o ./l.sqlite", "is the ledger itself, which would be lost"),
        ("export --format parquet -o l.sqlite", "is the ledger itself"),
        ("show 2 --html l.sqlite", "is the ledger itself"),
        ("show 2 --markdown l.sqlite", "is the ledger itself"),
        ("erase", "Name records to erase, or --older-than DAYS"),
        ("erase 2 --older-than 3 --reason x", "one of the two"),
        ("erase 2", "Why is it erased?"),
        ("erase 99 --reason x", "has no record '99'"),
        ("override 2 --verdict supported --reason x", "There is no verdict named 'supported'"),
        ("override 2 --claim 9 --verdict supported --reason x", "no claim 9; it has 2"),
        ("override 5 --verdict answered --reason x", "has no verdict on the whole"),
        ("override 1 --verdict answered --reason x", "has no verdict on the whole"),
        ("override 2 --verdict abstained --reason x --audit new.sqlite", "There is no ledger"),
    ],
)
def test_what_is_named_wrongly_is_told_and_writes_nothing(
    audit: Audit, arguments: str, told: str
) -> None:
    code, out, err = audit(*arguments.split())

    assert (code, out) == (2, "")
    assert told in err
    assert len(records_of(ledger())) == 5
    assert not Path("new.sqlite").exists()


def test_who_erases_or_overrides_has_a_name(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AVERMENT_AUDIT_BY")

    for arguments in ("erase 2 --reason x", "override 2 --verdict abstained --reason x"):
        code, _, err = audit(*arguments.split())
        assert code == 2
        assert "AVERMENT_AUDIT_BY" in err


def test_a_damaged_record_is_told_where_it_is_read(audit: Audit) -> None:
    with behind_its_back(ledger()) as connection:
        connection.execute("UPDATE records SET body = '{}' WHERE seq = 3")

    code, _, err = audit("list")

    assert code == 3
    assert "Record 3 of the ledger" in err
    assert "averment audit verify" in err


def test_a_newer_ledger_is_refused(audit: Audit) -> None:
    with closing(sqlite3.connect(ledger())) as connection:
        connection.execute("PRAGMA user_version = 99")

    code, _, err = audit("verify")

    assert code == 3
    assert "has schema 99" in err


def test_doctor_says_where_is_recorded_and_how_much(
    audit: Audit, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ledger_told(setting: str) -> str:
        monkeypatch.setenv("AVERMENT_AUDIT", setting)
        assert run(["doctor", "--json"]) == 0
        return str(json.loads(capsys.readouterr().out)["ledger"])

    assert ledger_told("l.sqlite") == "l.sqlite: 5 records"
    assert ledger_told("off").startswith("off: nothing is recorded")
    assert ledger_told("new.sqlite") == "new.sqlite: made at the first record"
    Path("notes.txt").write_text("no ledger " * 200)
    assert "no audit ledger" in ledger_told("notes.txt") or "another" in ledger_told("notes.txt")
