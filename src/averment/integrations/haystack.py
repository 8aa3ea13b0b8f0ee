"""averment in Haystack: a component that checks replies against documents.

Importing this module needs the extra [haystack].
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

try:
    from haystack import Document as HaystackDocument
    from haystack import GeneratedAnswer, component
    from haystack.dataclasses import ChatMessage
except ImportError as error:
    from averment.errors import MissingExtraError

    raise MissingExtraError("Components for Haystack", "haystack") from error

from averment.integrations.verifier import Verification, Verifier, document
from averment.shapes import place_object
from averment.types import Document, Passage


@component
class AvermentVerifier:
    """Checks replies claim by claim, against the documents of the pipeline or else an index.

    It stands where an `AnswerBuilder` would. An answer holds all documents, each with
    ``source_index`` and ``referenced`` in its metadata (whether a claim stands on it), and under
    ``averment`` in its own metadata the claims with their verdicts, scores and evidence.

    Args:
        index: The directory of an index; None: there is no corpus.
        settings: averment's, such as ``{"calibrator": "calibrator.json"}``. Plain values, so that
            a pipeline can be written down.
    """

    def __init__(self, index: str | None = None, settings: dict[str, Any] | None = None) -> None:
        self.index = index
        self.settings = settings
        self._verifier: Verifier | None = None

    def warm_up(self) -> None:
        """Open index and judge; errors are those of `Verifier`."""
        self._opened()

    @component.output_types(answers=list[GeneratedAnswer], verdicts=list[str])
    def run(
        self,
        replies: list[str] | list[ChatMessage],
        query: str = "",
        documents: list[HaystackDocument] | None = None,
    ) -> dict[str, Any]:
        """Check replies.

        Args:
            replies: What a generator wrote.
            query: What it answers.
            documents: What its claims are held against; none: passages of the index.

        Returns:
            ``answers``, one a reply, and ``verdicts``, of each ``answered``, ``warned`` or
            ``abstained``, for a router.
        """
        verifier, given = self._opened(), documents or []
        held = _ours(given)
        texts = [_text(reply) for reply in replies]
        return _outputs(texts, query, given, [verifier.check(each, query, held) for each in texts])

    @component.output_types(answers=list[GeneratedAnswer], verdicts=list[str])
    async def run_async(
        self,
        replies: list[str] | list[ChatMessage],
        query: str = "",
        documents: list[HaystackDocument] | None = None,
    ) -> dict[str, Any]:
        """As `run`; checks run in a thread, one after the other."""
        verifier, given = self._opened(), documents or []
        held = _ours(given)
        texts = [_text(reply) for reply in replies]
        found = [await verifier.acheck(each, query, held) for each in texts]
        return _outputs(texts, query, given, found)

    def _opened(self) -> Verifier:
        if self._verifier is None:
            self._verifier = Verifier(self.index, **(self.settings or {}))
        return self._verifier


def _outputs(
    texts: list[str], query: str, given: list[HaystackDocument], found: list[Verification]
) -> dict[str, Any]:
    answers = [
        GeneratedAnswer(
            data=text,
            query=query,
            documents=_referenced(given, each),
            meta={"averment": each.as_object()},
        )
        for text, each in zip(texts, found, strict=True)
    ]
    return {"answers": answers, "verdicts": [each.verdict.value for each in found]}


def _referenced(given: list[HaystackDocument], found: Verification) -> list[HaystackDocument]:
    """The documents that were read, as copies that say whether a claim stands on them."""
    read = given or [_theirs(each) for each in (found.report.passages if found.report else ())]
    cited = {each.passage_id for each in found.citations()}
    return [
        replace(each, meta={**each.meta, "source_index": number, "referenced": each.id in cited})
        for number, each in enumerate(read, start=1)
    ]


def _ours(documents: list[HaystackDocument]) -> list[Document]:
    return [
        document(each.content or "", each.meta, each.id, number=number)
        for number, each in enumerate(documents, start=1)
    ]


def _theirs(passage: Passage) -> HaystackDocument:
    place = {"start": passage.start, "end": passage.end, **place_object(passage)}
    told = {"document_id": passage.document_id, "title": passage.title, **place}
    return HaystackDocument(id=passage.passage_id, content=passage.text, meta=told)


def _text(reply: str | ChatMessage) -> str:
    return reply if isinstance(reply, str) else reply.text or ""
