"""What the adapters of frameworks share: one index and one judge, kept open, and what they say.

Each framework has a module that only turns its own documents and messages into ours and back
(`averment.integrations.langchain`, `llamaindex`, `haystack`). What this module does not do: run a
model, or decide what becomes of an answer; it says which claims have no support, and in which
words a model is told so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from averment.errors import UnknownNameError, UsageError
from averment.places import cited
from averment.prompts import load
from averment.serve.details import address_of, decision_on
from averment.settings import resolve_settings
from averment.shapes import place_object, report_object
from averment.types import Claim, ClaimVerdict, Document, Report, Retrieval, ScoredPassage, Verdict
from averment.wiring import open_index, read_calibrator
from averment.wiring.audited import record_check
from averment.wiring.open_corpus import OpenCorpus
from averment.wiring.retrievers import has_passages

ACTIONS = ("annotate", "regenerate", "abstain")


class Citation(NamedTuple):
    """A claim's place in the text, in code points, and the span of a document that supports it."""

    start: int
    end: int
    passage_id: str
    document_id: str
    title: str
    url: str
    cited_text: str


@dataclass(frozen=True, slots=True)
class Verification:
    """A text that was checked; `report` is None where there was no text."""

    report: Report | None
    urls: Mapping[str, str]

    @property
    def verdict(self) -> Verdict:
        """Warned, if one claim lacks support; abstained, if the text itself refuses."""
        return decision_on(self.report)[0]

    def as_object(self) -> dict[str, Any]:
        """What ``check --json`` prints, with the verdict on the whole and its reason."""
        verdict, reason = decision_on(self.report)
        told: dict[str, Any] = {"claims": []} if self.report is None else report_object(self.report)
        return {"verdict": verdict.value, "reason": reason, **told}

    def citations(self) -> Iterator[Citation]:
        """The evidence of every claim that is supported, in the order of the text."""
        for claim in self.report.claims if self.report else ():
            for span in claim.evidence if claim.verdict is ClaimVerdict.SUPPORTED else ():
                name = span.document_id
                url = self.urls.get(name) or address_of(name)
                title = cited(span)
                yield Citation(claim.start, claim.end, span.passage_id, name, title, url, span.text)

    def complaint(self) -> str:
        """What a model is told before it answers once more: the claims without support."""
        claims = self.report.claims if self.report else ()
        lacking = [claim for claim in claims if claim.verdict is not ClaimVerdict.SUPPORTED]
        return load("regenerate").fill(claims="\n".join(map(_complained, lacking)))


class Verifier:
    """Checks texts and finds passages; safe to use from several threads.

    Args:
        index: The directory of an index; None: there is no corpus.
        **settings: Any field of averment's settings, such as ``retriever``, ``faithfulness`` and
            ``calibrator``.

    Raises:
        NotAnIndexError, IndexFormatError: No usable index is there.
        UnknownNameError: There is no such setting.
        UsageError: A setting or a calibrator that cannot be used.
        CalibrationError: The calibrator is damaged.
        MissingExtraError, ModelFileError: The judge or the sentence model cannot be opened.
        NotALedgerError, LedgerUnavailable: A ledger was asked for and cannot be written.
    """

    def __init__(self, index: str | Path | None = None, **settings: Any) -> None:
        resolved = resolve_settings(**settings)
        opened = None
        if index is not None:
            opened = open_index(
                index, damaged_segments=resolved.damaged_segments, settings=resolved
            )
        self._corpus = corpus = OpenCorpus(resolved, indexed=opened is not None, index=opened)
        # What cannot be opened is to be found now, not at an answer.
        self._has_passages = opened is not None and has_passages(opened)
        if self._has_passages:
            _ = corpus.retriever
        if opened is not None and resolved.aliases:
            _ = corpus.aliases
        if resolved.calibrator is not None:
            read_calibrator(resolved.calibrator)
        _ = corpus.scorer, corpus.auditor

    def search(self, query: str, k: int) -> Retrieval:
        """At most k passages of the index, best first.

        Raises:
            UsageError: There is no index, or one of counts only.
        """
        if not self._has_passages:
            raise UsageError(
                "There are no passages to retrieve: no index was named, or one of counts only.",
                hint="Build one from documents: averment index build PATHS -o DIR",
            )
        [found] = self._corpus.retriever.search([query], k=k)
        return found

    async def asearch(self, query: str, k: int) -> Retrieval:
        """As `search`, in a thread."""
        return await asyncio.to_thread(self.search, query, k)

    def check(
        self, text: str, question: str | None = None, documents: Sequence[Document] = ()
    ) -> Verification:
        """Check a text claim by claim, against documents, or without any the index.

        With documents and an index, names are counted in the index, and evidence is that of the
        documents alone.
        """
        report = None
        if text.strip():
            made = self._corpus.check(text, question or None, documents)
            report = made.report
            if self._corpus.auditor is not None:
                verdict, reason = decision_on(report)
                record_check(self._corpus.auditor, made, verdict=verdict.value, reason=reason)
        return Verification(report, {each.document_id: each.source for each in documents})

    async def acheck(
        self, text: str, question: str | None = None, documents: Sequence[Document] = ()
    ) -> Verification:
        """As `check`, in a thread."""
        return await asyncio.to_thread(self.check, text, question, documents)


def checked_action(action: str) -> str:
    """The name of what is done about an answer with claims that lack support.

    Raises:
        UnknownNameError: There is no such action.
    """
    if action not in ACTIONS:
        raise UnknownNameError("action", action, ACTIONS)
    return action


def document(
    text: str,
    metadata: Mapping[str, Any] | None = None,
    document_id: str | None = None,
    *,
    number: int,
) -> Document:
    """A document of a framework as one of ours, under the id by which the framework knows it.

    Args:
        text: What it says.
        metadata: Its title is under ``title``; its address under ``url`` or ``source``, or made of
            ``document_id``, which our retrievers write.
        document_id: Its id, if it has one.
        number: Its place among those that came with it, for one that has none.
    """
    given = metadata or {}
    addresses = (str(given.get(key) or "") for key in ("url", "source"))
    address = next((each for each in addresses if each.startswith(("http://", "https://"))), "")
    if not address and given.get("document_id"):
        address = address_of(str(given["document_id"]))
    return Document(
        document_id=str(document_id or given.get("document_id") or f"document {number}"),
        text=text,
        title=str(given.get("title") or ""),
        source=address,
    )


def metadata_of(hit: ScoredPassage, retriever: str) -> dict[str, Any]:
    """Whence a passage is: its document, its place there in code points, rank and score."""
    passage = hit.passage
    return {
        "document_id": passage.document_id,
        "title": passage.title,
        "start": passage.start,
        "end": passage.end,
        "date": passage.date,
        **place_object(passage),
        "rank": hit.rank,
        "score": hit.score,
        "retriever": retriever,
    }


def _complained(claim: Claim) -> str:
    reason = claim.reasons.get("verdict")
    return f"- {claim.text} ({claim.verdict.value}{f': {reason}' if reason else ''})"
