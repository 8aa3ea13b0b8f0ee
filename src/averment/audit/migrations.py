"""The tables of a ledger, by numbered steps; a step that was released is never changed.

The number of the last step is the schema (``user_version`` of the file). An older file is brought
up to date when it is opened for writing, and read as it is otherwise; a newer one is refused.
"""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x41564D54
"""In the header of the file, so that other databases are not taken for ledgers: ``AVMT``."""

_RECORDS_AND_CONTENTS = """
CREATE TABLE records (
    seq INTEGER PRIMARY KEY, -- from 1, without a gap
    body TEXT NOT NULL,      -- canonical JSON
    hash TEXT NOT NULL       -- SHA-256 of the body
);
CREATE TABLE contents (
    seq INTEGER NOT NULL,    -- of the record that it belongs to
    name TEXT NOT NULL,
    salt BLOB NOT NULL,
    data TEXT NOT NULL,      -- the record has SHA-256(salt, data)
    PRIMARY KEY (seq, name)
);
CREATE TRIGGER records_are_not_altered BEFORE UPDATE ON records
BEGIN SELECT RAISE(ABORT, 'records are not altered'); END;
CREATE TRIGGER records_are_not_deleted BEFORE DELETE ON records
BEGIN SELECT RAISE(ABORT, 'records are not deleted'); END;
CREATE TRIGGER contents_are_not_altered BEFORE UPDATE ON contents
BEGIN SELECT RAISE(ABORT, 'contents are not altered'); END;
"""
_LOOK_UPS = """
CREATE INDEX records_by_trace ON records (json_extract(body, '$.facts.trace_id'));
"""

MIGRATIONS = (_RECORDS_AND_CONTENTS, _LOOK_UPS)
SCHEMA = len(MIGRATIONS)


def schema_of(connection: sqlite3.Connection) -> int:
    """The schema of a file; 0: it has no tables yet."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file up to date, inside a transaction of the caller that locks it."""
    if schema_of(connection) == 0:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for number, step in enumerate(MIGRATIONS, start=1):
        if number > schema_of(connection):
            for statement in _statements(step):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")


def _statements(step: str) -> list[str]:
    """The statements of a step one by one: `executescript` would end the transaction."""
    found, so_far = [], ""
    for line in step.strip().splitlines(keepends=True):
        so_far += line
        if sqlite3.complete_statement(so_far):
            found.append(so_far)
            so_far = ""
    return found
