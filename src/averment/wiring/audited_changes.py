"""The records of what changes: documents, aliases, calibrators, verdicts that are overridden.

A change is recorded behind it, with the ledger opened before it: what cannot be recorded is not
begun. A process that dies between the two leaves an index generation that no record names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from averment.audit.chain import Head, Kind, Record
from averment.errors import AvermentError, UnknownNameError, UsageError
from averment.index.manifest import read_manifest
from averment.settings import Settings, resolve_settings
from averment.types import ClaimVerdict, CorpusInfo, Document, Verdict
from averment.wiring.auditing import Auditor, index_facts, open_auditor, texts_of

if TYPE_CHECKING:
    from averment.calibrating import Calibration
    from averment.claims.aliases.book import AliasRow

_MOST_LISTED = 100_000
"""Documents of one ingestion that are listed one by one; of more there is the digest alone."""


@contextmanager
def recording(settings: Settings | None = None) -> Iterator[Auditor | None]:
    """Who records in a block, as the settings say; None: nobody.

    Args:
        settings: None: those of environment and files.
    """
    with ExitStack() as stack:
        auditor = open_auditor(settings or resolve_settings())
        yield None if auditor is None else stack.enter_context(auditor)


# --- documents ------------------------------------------------------------------------------------


class DocumentLog:
    """Which documents came in: each with the SHA-256 of its text, and a digest over all rows."""

    def __init__(self) -> None:
        self.n_documents = 0
        self.n_left_out = 0
        self._rows: list[str] = []
        self._digest = hashlib.sha256()

    def add(self, document: Document) -> None:
        """Note a document that was added."""
        digest = hashlib.sha256(document.text.encode()).hexdigest()
        row = texts_of([{"id": document.document_id, "sha256": digest}])
        self._digest.update(row.encode())
        self.n_documents += 1
        if self.n_documents <= _MOST_LISTED:
            self._rows.append(row)

    @property
    def is_whole(self) -> bool:
        """Whether all of them are listed."""
        return self.n_documents <= _MOST_LISTED

    @property
    def digest(self) -> str:
        """SHA-256 over the rows of all documents, in the order in which they came."""
        return self._digest.hexdigest()

    @property
    def text(self) -> str:
        """The rows, one a line; those of the first documents where there are too many."""
        return "".join(self._rows)


def index_before(path: Path) -> CorpusInfo | None:
    """The generation that is about to be changed or replaced, if it can be read."""
    try:
        return read_manifest(path).info(path.absolute().name)
    except AvermentError:
        return None


def record_ingestion(
    auditor: Auditor,
    documents: DocumentLog,
    *,
    action: str,
    before: CorpusInfo | None,
    after: CorpusInfo,
) -> Head:
    """Record that documents came in.

    Args:
        auditor: Who writes.
        documents: Which.
        action: ``build``, ``add`` or ``replace``.
        before: The generation that was there.
        after: The generation that has them.
    """
    facts = {
        "action": action,
        "index": index_facts(after),
        "previous": index_facts(before),
        "n_documents": documents.n_documents,
        "n_left_out": documents.n_left_out,
        "documents_sha256": documents.digest,
        "documents_listed": documents.is_whole,
    }
    return auditor.record(Kind.INGESTION, facts, {"documents": documents.text})


def record_deletion(
    auditor: Auditor, document_ids: Sequence[str], *, before: CorpusInfo | None, after: CorpusInfo
) -> Head:
    """Record that documents were deleted."""
    facts = {
        "index": index_facts(after),
        "previous": index_facts(before),
        "n_documents": len(document_ids),
    }
    rows = texts_of([{"id": document_id} for document_id in document_ids])
    return auditor.record(Kind.DELETION, facts, {"documents": rows})


def record_merge(auditor: Auditor, *, before: CorpusInfo | None, after: CorpusInfo) -> Head:
    """Record that segments were merged, and what had been deleted went."""
    facts = {"index": index_facts(after), "previous": index_facts(before)}
    return auditor.record(Kind.MERGE, facts)


# --- aliases, calibrators, overrides --------------------------------------------------------------


def record_alias_change(auditor: Auditor, action: str, rows: Sequence[AliasRow]) -> Head:
    """Record that the user's aliases changed: ``add`` or ``remove``."""
    told = [{"canonical": row.canonical, "form": row.form} for row in rows]
    facts = {"action": action, "n_forms": len(rows)}
    return auditor.record(Kind.ALIAS_CHANGE, facts, {"aliases": texts_of(told)})


def record_calibration(auditor: Auditor, made: Calibration, *, text: str, labels: str) -> Head:
    """Record that a calibrator was fitted.

    Args:
        auditor: Who writes.
        made: The calibrator and what is reported of it.
        text: Of its file.
        labels: The text of the labelled claims.
    """
    calibrator = made.calibrator
    facts = {
        "calibrator": hashlib.sha256(text.encode()).hexdigest(),
        "fingerprint": calibrator.fingerprint,
        "mode": calibrator.mode.value,
        "faithfulness": calibrator.made_with.faithfulness,
        "n_rows": made.n_rows,
        "labels_sha256": hashlib.sha256(labels.encode()).hexdigest(),
    }
    return auditor.record(Kind.CALIBRATION, facts, {"calibrator": text})


def record_override(
    auditor: Auditor, of: Record, *, verdict: str, reason: str, by: str, claim: int | None
) -> Head:
    """Record that a person holds a verdict to be wrong; the record of it stays as it is.

    Args:
        auditor: Who writes.
        of: The record of the answer or check.
        verdict: What it should have been.
        reason: In words; it can be erased.
        by: Who says so.
        claim: The number of the claim, from 1; None: of the answer as a whole.

    Raises:
        UsageError: The record has no verdict, no such claim, or there is no such verdict.
    """
    was = _verdict_of(of, claim)
    known = [each.value for each in (Verdict if claim is None else ClaimVerdict)]
    if verdict not in known:
        raise UnknownNameError("verdict", verdict, known)
    facts = {
        "of": of.seq,
        "of_sha256": of.digest,
        "trace_id": of.trace_id,
        "claim": claim,
        "verdict": verdict,
        "was": was,
    }
    return auditor.record(Kind.OVERRIDE, facts, {"reason": reason}, by=by)


def _verdict_of(record: Record, claim: int | None) -> str:
    claims = record.facts.get("claims", ())
    if claim is not None:
        if not 1 <= claim <= len(claims):
            raise UsageError(f"Record {record.seq} has no claim {claim}; it has {len(claims)}.")
        return str(claims[claim - 1]["verdict"])
    found = record.facts.get("verdict")
    if record.kind != Kind.ANSWER or found is None:
        raise UsageError(
            f"Record {record.seq} ({record.kind}) has no verdict on the whole.",
            hint="Name one of its claims: --claim 1" if claims else "Name the record of an answer.",
        )
    return str(found)
