"""Opening the file of a ledger, and its failures in words."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from averment.audit.migrations import APPLICATION_ID, SCHEMA, migrate, schema_of
from averment.errors import LedgerFormatError, LedgerUnavailable, NotALedgerError

BUSY_TIMEOUT_S = 30.0
_RETRY_S = 0.02
_VERIFY = "Look what is wrong: averment audit verify"


def open_for_writing(path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """A connection that may be used by several threads, one at a time.

    The file is made if it is not there, readable for its owner alone. What is committed is on disk
    before the commit returns (``synchronous=FULL``), and what is deleted is overwritten.

    Raises:
        NotALedgerError: Something else is there.
        LedgerFormatError: It is damaged, or of a newer schema.
        LedgerUnavailable: It cannot be made or written.
    """
    with _in_words(path, "opened"):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise LedgerUnavailable(
                f"The ledger {path} cannot be written: {error.strerror}. Nothing was recorded.",
                hint="Name another file: --audit FILE",
            ) from error
        connection = sqlite3.connect(
            path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False
        )
        try:
            _check(connection, path)
            for setting in ("secure_delete = ON", "synchronous = FULL", "journal_mode = WAL"):
                _once_free(connection, f"PRAGMA {setting}", busy_timeout_s)
            connection.execute("BEGIN IMMEDIATE")
            _check(connection, path)  # again: somebody may have made it meanwhile
            migrate(connection)
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, also where nothing can be changed.

    Raises:
        NotALedgerError: There is no file, or something else.
        LedgerFormatError: It is damaged, or of a newer schema.
        LedgerUnavailable: It cannot be read at the moment.
    """
    if not path.is_file():
        raise NotALedgerError(
            f"There is no ledger {path}.",
            hint="Record into one: averment ask … --audit FILE, or AVERMENT_AUDIT=on",
        )
    where = path.absolute().as_uri()
    with _in_words(path, "read"):
        connection = sqlite3.connect(
            f"{where}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None
        )
        try:
            try:
                schema = _check(connection, path)
            except sqlite3.OperationalError:
                # subtle: beside a file that was closed well, on a medium that cannot be written,
                # SQLite cannot make the files that it shares with writers; there are none.
                if Path(f"{path}-wal").exists() or os.access(path.parent, os.W_OK):
                    raise
                connection.close()
                connection = sqlite3.connect(f"{where}?immutable=1", uri=True, isolation_level=None)
                schema = _check(connection, path)
            if schema == 0:
                raise NotALedgerError(f"{path} is empty: it is no ledger.")
        except BaseException:
            connection.close()
            raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> int:
    """The schema of a ledger that can be used."""
    is_within = connection.in_transaction
    if not is_within:
        connection.execute("BEGIN")  # so that all three are of one moment
    schema = schema_of(connection)
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not is_within:
        connection.execute("COMMIT")
    if application != APPLICATION_ID and (application or n_tables):
        raise NotALedgerError(
            f"{path} is another database, not an audit ledger.", hint="Name another file."
        )
    if schema > SCHEMA:
        raise LedgerFormatError(
            f"The ledger {path} has schema {schema}; this averment knows up to {SCHEMA}.",
            hint="Update averment: pip install -U averment",
        )
    return schema


def _once_free(connection: sqlite3.Connection, statement: str, timeout_s: float) -> None:
    """Perform what SQLite itself does not wait for while others are there."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            connection.execute(statement).fetchall()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)


@contextmanager
def _in_words(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise failure(path, what, error) from error


def failure(path: Path, what: str, error: sqlite3.Error) -> Exception:
    """What went wrong with a ledger, as one of our errors.

    Args:
        path: Of the ledger.
        what: What was to be done to it: "read", "written".
        error: What SQLite says.
    """
    told = str(error)
    if "locked" in told or "busy" in told:
        return LedgerUnavailable(
            f"The ledger {path} cannot be {what}: another process has held it for "
            f"{BUSY_TIMEOUT_S:.0f} s. Nothing was recorded.",
            hint="Try again; if it stays so, look for a process that hangs.",
        )
    if "not a database" in told:
        return NotALedgerError(f"{path} is no audit ledger: {told}.", hint="Name another file.")
    if isinstance(error, sqlite3.OperationalError) and "malformed" not in told:
        return LedgerUnavailable(
            f"The ledger {path} cannot be {what}: {told}. Nothing was recorded.",
            hint="Look for space on its disk and for the rights of its folder.",
        )
    return LedgerFormatError(f"The ledger {path} is damaged: {told}.", hint=_VERIFY)
