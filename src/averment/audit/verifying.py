"""Whether a ledger is what was written: every hash, every link, every content.

The first record that is not is named, with why. What was erased is told apart from what is gone:
an erasure is a record itself. What nobody can see from inside is that records were cut off at the
end, or that somebody wrote the whole chain anew; for that, give the head that was kept elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from averment.audit.chain import START, Head, Kind, digest_of, read_fields
from averment.audit.contents import is_sealed
from averment.audit.reading import LedgerReader
from averment.errors import LedgerError

_Content = tuple[int, str, bytes, bytes]


@dataclass(frozen=True, slots=True)
class BadRecord:
    """The first record that is not as it was written, and why: a code and the words for it."""

    seq: int
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found.

    Args:
        head: The last record that was read.
        bad: The first bad record; None: all are as they were written.
        erased: Of each record whose contents were erased, the number of the erasure.
        anchor: The head that was given, if one was.
    """

    head: Head
    bad: BadRecord | None
    erased: dict[int, int] = field(default_factory=dict)
    anchor: Head | None = None


class _Bad(Exception):
    def __init__(self, seq: int, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.bad = BadRecord(seq, reason, detail)


def verify(reader: LedgerReader, *, anchor: Head | None = None) -> Verification:
    """Read every record and every content.

    Args:
        reader: Of the ledger.
        anchor: A head that somebody kept elsewhere; the ledger must have that record, unaltered.
    """
    found = _Verifier(reader)
    bad: BadRecord | None = None
    try:
        with reader.snapshot():
            found.read_all(anchor)
    except _Bad as stopped:
        bad = stopped.bad
    except LedgerError as error:
        bad = BadRecord(found.end.seq + 1, "unreadable", f"the file is damaged: {error.message}")
    first_missing = min(found.missing, default=None)
    if first_missing is not None and (bad is None or first_missing < bad.seq):
        name = found.missing[first_missing][0]
        detail = f"its content {name!r} is gone, and no erasure says so"
        bad = BadRecord(first_missing, "content_missing", detail)
    return Verification(found.end, bad, found.erased, anchor)


class _Verifier:
    """How far the chain was read, and what of its contents was not there."""

    def __init__(self, reader: LedgerReader) -> None:
        self._reader = reader
        self.end = START
        self.missing: dict[int, list[str]] = {}
        self.erased: dict[int, int] = {}
        self._partly: set[int] = set()

    def read_all(self, anchor: Head | None) -> None:
        contents = _Contents(self._reader.content_rows())
        for seq, body, digest in self._reader.rows():
            fields = self._linked(seq, body, digest)
            self._check_contents(seq, fields["contents"], contents.of(seq))
            if fields["kind"] == Kind.ERASURE:
                self._note_erasure(seq, fields["facts"].get("erased"))
            self.end = Head(seq, digest)
            if anchor is not None and anchor.seq == seq and anchor.digest != digest:
                raise _Bad(seq, "not_the_head", f"its hash is not that of the head {anchor}")
        if (left := contents.rest()) is not None:
            raise _Bad(left, "content_unnamed", "there are contents of a record that is not there")
        if anchor is not None and anchor.seq > self.end.seq:
            detail = f"the ledger ends at record {self.end.seq}, and had record {anchor.seq}"
            raise _Bad(self.end.seq + 1, "cut_off", detail)

    def _linked(self, seq: int, body: bytes, digest: str) -> dict[str, Any]:
        """The fields of a record that follows the one before it."""
        expected = self.end.seq + 1
        if seq != expected:
            raise _Bad(expected, "record_missing", f"record {expected} is gone: {seq} comes next")
        if digest_of(body) != digest:
            raise _Bad(seq, "altered", "it has other bytes than its hash is of")
        try:
            fields = read_fields(body)
        except ValueError as error:
            raise _Bad(seq, "no_record", f"{error}") from error
        if fields["seq"] != seq:
            raise _Bad(seq, "moved", f"it was written as record {fields['seq']}")
        if fields["previous"] != self.end.digest:
            raise _Bad(seq, "unlinked", "it was not written behind the record before it")
        return fields

    def _check_contents(self, seq: int, digests: dict[str, Any], rows: list[_Content]) -> None:
        there = set()
        for _, name, salt, data in rows:
            if name not in digests:
                raise _Bad(seq, "content_unnamed", f"it does not speak of {name!r}")
            if not is_sealed(digests[name], salt, data):
                raise _Bad(seq, "content_altered", f"its content {name!r} was altered")
            there.add(name)
        if absent := sorted(digests.keys() - there):
            self.missing[seq] = absent
            if there:
                self._partly.add(seq)

    def _note_erasure(self, seq: int, erased: object) -> None:
        if not isinstance(erased, list):
            raise _Bad(seq, "not_erased", "it does not say of which records")
        for each in erased:
            if type(each) is not int or each not in self.missing or each in self._partly:
                detail = f"it says that the contents of record {each} were erased, which are there"
                raise _Bad(seq, "not_erased", detail)
            del self.missing[each]
            self.erased[each] = seq


class _Contents:
    """Contents in the order of their records, read along with these."""

    def __init__(self, rows: Iterator[_Content]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def of(self, seq: int) -> list[_Content]:
        """Those of a record; of records that are not there, those before it are told of first."""
        if self._next is not None and self._next[0] < seq:
            raise _Bad(self._next[0], "content_unnamed", "there are contents of no record")
        found = []
        while self._next is not None and self._next[0] == seq:
            found.append(self._next)
            self._next = next(self._rows, None)
        return found

    def rest(self) -> int | None:
        """The first record that has contents and is not there."""
        return None if self._next is None else self._next[0]
