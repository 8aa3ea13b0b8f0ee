"""Files of ledgers: older ones are brought up to date, newer and other ones refused."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from audit.ledgers_by_hand import event, verified, written
from averment.audit.chain import START, Prepared, digest_of
from averment.audit.migrations import APPLICATION_ID, MIGRATIONS, SCHEMA
from averment.audit.reading import LedgerReader
from averment.audit.store import Ledger
from averment.errors import LedgerFormatError, LedgerUnavailable, NotALedgerError, UsageError


def of_first_schema(path: Path) -> None:
    """A ledger as the first schema had it, with one record."""
    prepared = Prepared(event(1))
    body = prepared.body(START, "2026-11-30T09:00:00.000000Z")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(MIGRATIONS[0])
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("INSERT INTO records VALUES (1, ?, ?)", (body.decode(), digest_of(body)))
        for name, text in prepared.contents.texts.items():
            row = (1, name, prepared.contents.salt, text)
            connection.execute("INSERT INTO contents VALUES (?, ?, ?, ?)", row)


def schema(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_a_ledger_of_the_first_schema_is_read_as_it_is(tmp_path: Path) -> None:
    of_first_schema(tmp_path / "l.sqlite")

    assert verified(tmp_path / "l.sqlite").bad is None
    with LedgerReader(tmp_path / "l.sqlite") as reader:
        assert [each.seq for each in reader.find("trace-1")] == [1]
    assert schema(tmp_path / "l.sqlite") == 1


def test_a_ledger_of_the_first_schema_is_brought_up_to_date_when_it_is_written(
    tmp_path: Path,
) -> None:
    of_first_schema(tmp_path / "l.sqlite")

    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(event(2))

    assert schema(tmp_path / "l.sqlite") == SCHEMA
    found = verified(tmp_path / "l.sqlite")
    assert (found.bad, found.head.seq) == (None, 2)


@pytest.mark.parametrize("opened", [Ledger, LedgerReader])
def test_a_newer_schema_is_refused_and_left_as_it_is(tmp_path: Path, opened: type) -> None:
    written(tmp_path / "l.sqlite", 1)
    with closing(sqlite3.connect(tmp_path / "l.sqlite")) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")

    with pytest.raises(LedgerFormatError, match=f"schema {SCHEMA + 1}; this averment knows"):
        opened(tmp_path / "l.sqlite")
    assert schema(tmp_path / "l.sqlite") == SCHEMA + 1


@pytest.mark.parametrize("opened", [Ledger, LedgerReader])
def test_another_database_is_refused_and_left_as_it_is(tmp_path: Path, opened: type) -> None:
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE mine (x)")
    before = (tmp_path / "other.sqlite").read_bytes()

    with pytest.raises(NotALedgerError, match="another database"):
        opened(tmp_path / "other.sqlite")
    assert (tmp_path / "other.sqlite").read_bytes() == before


@pytest.mark.parametrize("opened", [Ledger, LedgerReader])
def test_a_text_file_is_refused_and_left_as_it_is(tmp_path: Path, opened: type) -> None:
    (tmp_path / "notes.txt").write_text("no ledger, a text of some length" * 40)

    with pytest.raises(NotALedgerError, match=r"no audit ledger|another database"):
        opened(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text().startswith("no ledger")


def test_reading_makes_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(NotALedgerError, match=r"no ledger .*absent.sqlite"):
        LedgerReader(tmp_path / "absent.sqlite")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(NotALedgerError, match="is empty"):
        LedgerReader(tmp_path / "empty.sqlite")


def test_a_ledger_is_readable_for_its_owner_alone(tmp_path: Path) -> None:
    written(tmp_path / "new" / "l.sqlite", 1)

    assert (tmp_path / "new" / "l.sqlite").stat().st_mode & 0o077 == 0


def test_a_place_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(LedgerUnavailable, match="cannot be written"):
        Ledger(tmp_path / "file" / "l.sqlite")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_ledger_on_a_medium_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite", 2)
    tmp_path.chmod(0o555)
    try:
        assert verified(tmp_path / "l.sqlite").bad is None
    finally:
        tmp_path.chmod(0o755)


def test_records_are_found_by_number_and_by_trace(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite", 3)
    with LedgerReader(tmp_path / "l.sqlite") as reader:
        assert [each.seq for each in reader.find("2")] == [2]
        assert [each.seq for each in reader.find("trace-3")] == [3]
        for name in ("4", "trace-4", "9" * 30):
            with pytest.raises(UsageError, match="it has 3"):
                reader.find(name)


def test_a_text_that_was_altered_is_not_handed_out(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite", 1)
    with closing(sqlite3.connect(tmp_path / "l.sqlite")) as connection, connection:
        connection.execute("DROP TRIGGER contents_are_not_altered")
        connection.execute("UPDATE contents SET data = 'another answer' WHERE name = 'result'")

    with LedgerReader(tmp_path / "l.sqlite") as reader:
        (record,) = reader.records()
        with pytest.raises(LedgerFormatError, match="'result' of record 1 was altered"):
            reader.contents(record)


def test_what_guards_against_mistakes_refuses_them(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite", 2)
    with closing(sqlite3.connect(tmp_path / "l.sqlite")) as connection:
        for statement in (
            "UPDATE records SET body = '{}'",
            "DELETE FROM records",
            "UPDATE contents SET data = ''",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="are not"):
                connection.execute(statement)
