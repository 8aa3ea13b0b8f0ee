"""Reading a ledger: records one by one, and what of their contents is left.

Nothing here checks the chain; `verifying` does. Nothing here writes: the evidence stays as it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from averment.audit.chain import START, Head, Kind, Record, read_record
from averment.audit.connection import failure, open_for_reading
from averment.audit.contents import is_sealed
from averment.errors import LedgerFormatError, UsageError

_VERIFY = "Look what is wrong: averment audit verify"


class LedgerReader:
    """A ledger that is read.

    Args:
        path: The file.

    Raises:
        NotALedgerError, LedgerFormatError, LedgerUnavailable: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = open_for_reading(path)

    def close(self) -> None:
        """Close the file; may be repeated."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def head(self) -> Head:
        """The place of the last record, as the file has it."""
        with self._in_words():
            query = "SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1"
            row = self._connection.execute(query).fetchone()
        return START if row is None else Head(*row)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """A block in which the ledger stands still for this reader, whoever writes meanwhile."""
        with self._in_words():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def rows(self, *, after: int = 0) -> Iterator[tuple[int, bytes, str]]:
        """Number, body and hash of each record as they stand in the file, in order."""
        query = "SELECT seq, CAST(body AS BLOB), hash FROM records WHERE seq > ? ORDER BY seq"
        with self._in_words():
            for seq, body, digest in self._connection.execute(query, (after,)):
                yield seq, bytes(body), str(digest)

    def content_rows(self) -> Iterator[tuple[int, str, bytes, bytes]]:
        """Record, name, salt and bytes of all contents as they stand in the file, by record."""
        # Cast, since whoever alters a file may leave values of any type in any column.
        query = (
            "SELECT CAST(seq AS INTEGER), name, CAST(salt AS BLOB), CAST(data AS BLOB) "
            "FROM contents ORDER BY seq, name"
        )
        with self._in_words():
            for seq, name, salt, data in self._connection.execute(query):
                yield seq, name, bytes(salt), bytes(data)

    def records(self, *, after: int = 0) -> Iterator[Record]:
        """The records in order.

        Raises:
            LedgerFormatError: One of them cannot be read.
        """
        for seq, body, _ in self.rows(after=after):
            yield self._record(seq, body)

    def find(self, name: str) -> list[Record]:
        """The records that a number or the id of a trace names.

        Raises:
            UsageError: There is none.
        """
        by_number = "SELECT seq, CAST(body AS BLOB) FROM records WHERE seq = ?"
        by_trace = (
            "SELECT seq, CAST(body AS BLOB) FROM records "
            "WHERE json_extract(body, '$.facts.trace_id') = ? ORDER BY seq"
        )
        with self._in_words():
            rows = self._connection.execute(by_trace, (name,)).fetchall()
            if not rows and name.isdecimal() and len(name) < 19:
                rows = self._connection.execute(by_number, (int(name),)).fetchall()
        if not rows:
            raise UsageError(
                f"The ledger {self.path} has no record {name[:100]!r}; it has {self.head().seq:,}.",
                hint="Name a number of `averment audit list`, or the trace id of an answer.",
            )
        return [self._record(seq, bytes(body)) for seq, body in rows]

    def answers_to(self, record: Record) -> list[Record]:
        """The answers to a request that was recorded before them, in order; else none."""
        if record.kind != Kind.REQUEST:
            return []
        found = self._of_kinds(Kind.ANSWER, after=record.seq)
        return [each for each in found if each.facts.get("request") == record.trace_id]

    def later(self, record: Record) -> list[Record]:
        """The overrides of a record and the erasures that name it, in order."""
        return [
            each
            for each in self._of_kinds(Kind.OVERRIDE, Kind.ERASURE, after=record.seq)
            if each.facts.get("of") == record.seq or record.seq in each.facts.get("erased", ())
        ]

    def erasures(self) -> dict[int, int]:
        """Of each record whose contents were erased, the number of the record that says so."""
        erasures = self._of_kinds(Kind.ERASURE)
        return {seq: each.seq for each in erasures for seq in each.facts.get("erased", ())}

    def _of_kinds(self, *kinds: Kind, after: int = 0) -> Iterator[Record]:
        query = (
            "SELECT seq, CAST(body AS BLOB) FROM records WHERE seq > ? AND "
            f"json_extract(body, '$.kind') IN ({', '.join('?' * len(kinds))}) ORDER BY seq"
        )
        with self._in_words():
            for seq, body in self._connection.execute(query, (after, *kinds)):
                yield self._record(seq, bytes(body))

    def contents(self, record: Record) -> dict[str, str]:
        """What of the contents of a record is left, by name.

        Raises:
            LedgerFormatError: Some are not what the record was made of.
        """
        query = "SELECT name, CAST(salt AS BLOB), CAST(data AS BLOB) FROM contents WHERE seq = ?"
        with self._in_words():
            rows = self._connection.execute(query, (record.seq,)).fetchall()
        found = {}
        for name, salt, data in rows:
            if not is_sealed(record.contents.get(name, ""), bytes(salt), bytes(data)):
                raise LedgerFormatError(
                    f"The content {name!r} of record {record.seq} was altered.", hint=_VERIFY
                )
            found[name] = bytes(data).decode()
        return found

    def salt(self, record: Record) -> bytes | None:
        """The salt of a record's contents; None once they are erased."""
        query = "SELECT CAST(salt AS BLOB) FROM contents WHERE seq = ? LIMIT 1"
        with self._in_words():
            row = self._connection.execute(query, (record.seq,)).fetchone()
        return None if row is None else bytes(row[0])

    def _record(self, seq: int, body: bytes) -> Record:
        try:
            return read_record(body)
        except ValueError as error:
            raise LedgerFormatError(
                f"Record {seq} of the ledger {self.path} is damaged: {error}.", hint=_VERIFY
            ) from error

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise failure(self.path, "read", error) from error
