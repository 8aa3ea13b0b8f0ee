"""Writing a ledger: records are appended, contents erased, and nothing else.

`Ledger.append` returns once its records are on disk. Threads that append at the same time share
one commit: while one writes, those that come wait, and the next of them writes for all that have
come meanwhile. Processes take turns by the lock of the file; the place in the chain is read under
that lock, so no record is lost and the chain never forks.

What this module does not do: decide what is recorded, or read (`reading`).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Self

from averment.audit.chain import START, Event, Head, Kind, Prepared, digest_of
from averment.audit.connection import BUSY_TIMEOUT_S, failure, open_for_writing
from averment.audit.contents import Contents
from averment.errors import UsageError

_ROWS_A_STATEMENT = 200
_MOST_ERASED = 500
"""Records whose contents one erasure names."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased.

    Args:
        records: The numbers of the records whose contents went.
        written: The records that say so.
        is_overwritten: Whether their bytes are out of the file's journal as well; if not, another
            process was reading, and they go with its next writer.
    """

    records: tuple[int, ...]
    written: tuple[Head, ...]
    is_overwritten: bool


class _Batch:
    """What one caller waits for."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.prepared = [Prepared(event) for event in events]
        self.heads: list[Head] | None = None
        self.error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        """Whether it was written, or failed."""
        return self.heads is not None or self.error is not None


class Ledger:
    """A ledger that is written; may be used by several threads, and by several processes.

    Args:
        path: The file; it is made if it is not there.
        busy_timeout_s: How long to wait for another process.

    Raises:
        NotALedgerError, LedgerFormatError, LedgerUnavailable: It cannot be used.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self.path = path
        self._connection = open_for_writing(path, busy_timeout_s=busy_timeout_s)
        self._turn = threading.Condition()
        self._waiting: list[_Batch] = []
        self._is_writing = False

    def close(self) -> None:
        """Close the file; may be repeated."""
        with self._alone():
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def append(self, *events: Event) -> list[Head]:
        """Append records, all of them or none; on disk when this returns.

        Returns:
            Their places.

        Raises:
            LedgerUnavailable, LedgerFormatError: Nothing was recorded.
        """
        mine = _Batch(events)
        with self._turn:
            self._waiting.append(mine)
            while self._is_writing and not mine.is_done:
                self._turn.wait()
            if not mine.is_done:
                self._is_writing = True
                batches, self._waiting = self._waiting, []
        if not mine.is_done:
            try:
                self._commit(batches)
            finally:
                self._end_turn()
        if mine.error is not None:
            raise mine.error
        assert mine.heads is not None
        return mine.heads

    def erase(self, seqs: Iterable[int], *, by: str | None, reason: str) -> Erased:
        """Erase the contents of records; the records stay, and one more says what went.

        Args:
            seqs: Numbers of records; those without contents are passed over.
            by: Who asks for it.
            reason: Why; it stays for good, so no word of what is erased belongs into it.

        Raises:
            UsageError: There is no such record.
            LedgerUnavailable, LedgerFormatError: Nothing was erased.
        """
        asked = sorted(set(seqs))
        with self._alone():
            with _Transaction(self._connection, self.path) as transaction:
                end = transaction.head()
                if unknown := [seq for seq in asked if not 1 <= seq <= end.seq]:
                    raise UsageError(
                        f"The ledger has no record {unknown[0]}; it has {end.seq:,}.",
                        hint="See: averment audit list",
                    )
                erased, written = self._erase(transaction, asked, by=by, reason=reason)
            return Erased(erased, written, bool(erased) and self._overwrite())

    def retain(self, days: float, *, by: str | None = None, now: datetime | None = None) -> Erased:
        """Erase the contents of all records that are older than so many days.

        Args:
            days: How long contents are kept; longer than the calendar reaches back: for ever.
            by: Who asks for it; None: the policy of the settings.
            now: In UTC; None: the present.
        """
        end = now or datetime.now(UTC)
        before = _time(end - timedelta(days=min(days, end.toordinal() - 1)))
        with self._alone():
            with _Transaction(self._connection, self.path) as transaction:
                rows = self._connection.execute(
                    "SELECT DISTINCT seq FROM contents JOIN records USING (seq) "
                    "WHERE json_extract(body, '$.time') < ? ORDER BY seq",
                    (before,),
                )
                erased, written = self._erase(
                    transaction,
                    [seq for (seq,) in rows],
                    by=by,
                    reason=f"retention: contents are kept for {days:g} days",
                )
            return Erased(erased, written, bool(erased) and self._overwrite())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Be the only thread that writes."""
        with self._turn:
            while self._is_writing:
                self._turn.wait()
            self._is_writing = True
        try:
            yield
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        with self._turn:
            self._is_writing = False
            self._turn.notify_all()

    def _erase(
        self, transaction: _Transaction, seqs: Sequence[int], *, by: str | None, reason: str
    ) -> tuple[tuple[int, ...], tuple[Head, ...]]:
        holding = [seq for seq in seqs if transaction.has_contents(seq)]
        written: list[Head] = []
        for first in range(0, len(holding), _MOST_ERASED):
            some = holding[first : first + _MOST_ERASED]
            facts = {"erased": some, "reason": reason}
            event = Event(Kind.ERASURE, by, facts, Contents())
            written += transaction.write([Prepared(event)])
            transaction.delete_contents(some)
        return tuple(holding), tuple(written)

    def _overwrite(self) -> bool:
        """Let the journal go, which holds the old pages; False while somebody reads."""
        try:
            row = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:
            return False
        return not row[0]

    def _commit(self, batches: Sequence[_Batch]) -> None:
        """Write for all who wait; what goes wrong goes wrong for all."""
        try:
            with _Transaction(self._connection, self.path) as transaction:
                written = iter(transaction.write([each for b in batches for each in b.prepared]))
        except BaseException as error:
            for batch in batches:
                batch.error = error
            if isinstance(error, Exception):
                return
            raise  # an interrupt is of this thread; the others hear of it too, and wait no longer
        for batch in batches:
            batch.heads = list(islice(written, len(batch.prepared)))


class _Transaction:
    """One turn at writing: begun under the lock of the file, committed or taken back as a whole."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._end = START

    def __enter__(self) -> Self:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise failure(self._path, "written", error) from error
        try:
            self._end = self._read_head()
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        try:
            if kind is None:
                self._connection.execute("COMMIT")
                return
        except sqlite3.Error as failed:
            self._roll_back()
            raise failure(self._path, "written", failed) from failed
        self._roll_back()
        if isinstance(error, sqlite3.Error):
            raise failure(self._path, "written", error) from error

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def head(self) -> Head:
        """The last record, what this turn has written included."""
        return self._end

    def _read_head(self) -> Head:
        query = "SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1"
        row = self._connection.execute(query).fetchone()
        return START if row is None else Head(*row)

    def write(self, prepared: Sequence[Prepared]) -> list[Head]:
        """Append records; returns their places."""
        heads, records, contents = [], [], []
        for each in prepared:
            body = each.body(self._end, _time(datetime.now(UTC)))
            self._end = Head(self._end.seq + 1, digest_of(body))
            heads.append(self._end)
            records.append((self._end.seq, body.decode(), self._end.digest))
            texts, salt = each.contents.texts, each.contents.salt
            contents += [(self._end.seq, name, salt, text) for name, text in texts.items()]
        self._insert("records", records)
        self._insert("contents", contents)
        return heads

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows by few statements: each is a moment in which other threads may run first."""
        for first in range(0, len(rows), _ROWS_A_STATEMENT):
            some = rows[first : first + _ROWS_A_STATEMENT]
            marks = f"({','.join('?' * len(some[0]))})"
            self._connection.execute(
                f"INSERT INTO {table} VALUES {','.join([marks] * len(some))}",
                [value for row in some for value in row],
            )

    def has_contents(self, seq: int) -> bool:
        """Whether a record has contents that are not erased."""
        query = "SELECT 1 FROM contents WHERE seq = ? LIMIT 1"
        return self._connection.execute(query, (seq,)).fetchone() is not None

    def delete_contents(self, seqs: Sequence[int]) -> None:
        """Delete the contents of records."""
        self._connection.executemany("DELETE FROM contents WHERE seq = ?", [(seq,) for seq in seqs])


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
