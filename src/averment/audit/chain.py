"""Records in a chain: each names the hash of the one before it.

A record is one canonical JSON object, its hash the SHA-256 of these bytes. So no record can be
altered, dropped or moved without every later one being another. The end is what nobody can see
from inside: whoever wants to know whether records were cut off there keeps a `Head` elsewhere.

    {"by": …, "contents": {name: hash}, "facts": {…}, "format": 1, "kind": "answer",
     "previous": "…", "seq": 17, "time": "2026-11-30T09:30:00.123456Z", "versions": {…}}
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from averment.audit.canonical import canonical, read_canonical
from averment.audit.contents import Contents
from averment.errors import UsageError

FORMAT = 1
GENESIS = "0" * 64
"""What the first record names as the hash before it."""
_HEAD = re.compile(r"([0-9a-f]{64})@(0|[1-9][0-9]{0,17})")
_KINDS_OF_FIELDS: Mapping[str, type] = {
    "by": str,
    "contents": dict,
    "facts": dict,
    "format": int,
    "kind": str,
    "previous": str,
    "seq": int,
    "time": str,
    "versions": dict,
}


class Kind(StrEnum):
    """What a record is of."""

    REQUEST = "request"
    """A stream is about to begin; what came of it is a record of its own."""
    ANSWER = "answer"
    VERIFICATION = "verification"
    INGESTION = "ingestion"
    DELETION = "deletion"
    MERGE = "merge"
    ALIAS_CHANGE = "alias_change"
    CALIBRATION = "calibration"
    OVERRIDE = "override"
    """A person says that a verdict is wrong."""
    ERASURE = "erasure"


@dataclass(frozen=True, slots=True)
class Event:
    """What is to be recorded.

    Args:
        kind: What it is.
        by: Who did it or asked for it, as the caller names them; None: nobody was named.
        facts: What stays for good; JSON values, no text that somebody may want erased.
        contents: What can be erased.
        versions: Of the programs.
    """

    kind: Kind
    by: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    contents: Contents = field(default_factory=Contents)
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Head:
    """A place in the chain: a record's number and hash; 0 and zeros before the first."""

    seq: int
    digest: str

    def __str__(self) -> str:
        return f"{self.digest}@{self.seq}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """The head of its text, ``HASH@NUMBER``.

        Raises:
            UsageError: It is no head.
        """
        found = _HEAD.fullmatch(text.strip().lower())
        if found is None:
            raise UsageError(
                f"{text[:100]!r} is no head of a ledger; expected HASH@NUMBER with 64 "
                "hexadecimal digits.",
                hint="`averment audit list` prints the head.",
            )
        return cls(int(found[2]), found[1])


START = Head(0, GENESIS)


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it stands in the ledger."""

    seq: int
    previous: str
    time: str
    """UTC, ISO 8601."""
    kind: str
    by: str | None
    facts: Mapping[str, Any]
    contents: Mapping[str, str]
    versions: Mapping[str, str]
    body: bytes
    digest: str

    @property
    def head(self) -> Head:
        """Its place."""
        return Head(self.seq, self.digest)

    @property
    def trace_id(self) -> str | None:
        """Of the answer or check that it is of, if it is of one."""
        found = self.facts.get("trace_id")
        return found if isinstance(found, str) else None


class Prepared:
    """An event with all that does not depend on its place written already.

    Raises:
        ValueError: Facts that have no form in JSON: a mistake of the program.
    """

    def __init__(self, event: Event) -> None:
        self.contents = event.contents
        first = {
            "by": event.by,
            "contents": event.contents.digests(),
            "facts": event.facts,
            "format": FORMAT,
            "kind": event.kind,
        }
        self._first = canonical(first).removesuffix(b"}")
        self._versions = canonical(event.versions)

    def body(self, before: Head, time: str) -> bytes:
        """The record behind another, at an ISO 8601 time."""
        place = f'"previous":"{before.digest}","seq":{before.seq + 1},"time":"{time}"'
        return b'%b,%b,"versions":%b}' % (self._first, place.encode(), self._versions)


def digest_of(body: bytes) -> str:
    """The hash of a record."""
    return hashlib.sha256(body).hexdigest()


def read_fields(body: bytes) -> dict[str, Any]:
    """The fields of a record by name, of its bytes.

    Raises:
        ValueError: It is no record, or not in canonical form.
    """
    fields = read_canonical(body)
    if not isinstance(fields, dict) or fields.keys() != _KINDS_OF_FIELDS.keys():
        raise ValueError("it is no record")
    for name, kind in _KINDS_OF_FIELDS.items():
        if type(fields[name]) is not kind and not (name == "by" and fields[name] is None):
            raise ValueError(f"its field {name!r} is no {kind.__name__}")
    if fields["format"] != FORMAT:
        raise ValueError("it is of another format")
    return fields


def read_record(body: bytes) -> Record:
    """A record of its bytes.

    Raises:
        ValueError: It is no record, or not in canonical form.
    """
    fields = read_fields(body)
    del fields["format"]
    return Record(**fields, body=body, digest=digest_of(body))
