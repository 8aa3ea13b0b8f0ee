"""averment in LangChain: a retriever, and a verifier to be piped behind a model.

Citations are annotations of standard content blocks; everything else that a check found stands
under ``averment`` in the metadata of the message. Asked asynchronously, both work in a thread.
Agents: `averment.integrations.langchain_agents`. Importing this module needs the extra
[langchain].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

try:
    from langchain_core.documents import Document as LangChainDocument
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.messages.content import create_citation
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableConfig
    from pydantic import Field, PrivateAttr
except ImportError as error:
    from averment.errors import MissingExtraError

    raise MissingExtraError("Adapters for LangChain", "langchain") from error

from averment.errors import UsageError
from averment.integrations.verifier import Verification, Verifier, document, metadata_of
from averment.types import Document, Retrieval


class AvermentRetriever(BaseRetriever):
    """Finds passages of an index; metadata say whence they are (document, offsets, score).

    Args:
        index: The directory of an index.
        k: How many passages are found at most.
        settings: averment's, such as ``{"retriever": "fusion"}``.
    """

    index: str
    k: int = Field(default=4, ge=1)
    settings: dict[str, Any] = Field(default_factory=dict)
    _verifier: Verifier = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Open the index; errors are those of `Verifier`."""
        super().model_post_init(context)
        self._verifier = Verifier(self.index, **self.settings)

    def _get_relevant_documents(self, query: str, **_: Any) -> list[LangChainDocument]:
        return _documents(self._verifier.search(query, self.k))


class AvermentVerifier(Runnable):
    """Checks a text claim by claim; gives it back as a message with citations and verdicts.

    It takes a text, a message of a model, or a mapping with ``answer`` (either of these) and, if
    there are, ``question`` and ``documents``. Without documents claims are held against the index.

    Args:
        index: The directory of an index; None: there is no corpus.
        **settings: averment's, such as ``calibrator``; errors are those of `Verifier`.
    """

    def __init__(self, index: str | None = None, **settings: Any) -> None:
        self._verifier = Verifier(index, **settings)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> AIMessage:  # noqa: A002
        """Check a text."""

        def checked(given: Any) -> AIMessage:
            message, question, documents = _given(given)
            found = self._verifier.check(text_of(message), question, documents)
            return annotated(message, found)

        return self._call_with_config(checked, input, config)


def annotated(message: AIMessage, found: Verification) -> AIMessage:
    """A message with its citations in standard content blocks; offsets are those of a block."""
    blocks, at = [], 0
    for block in message.content_blocks:
        if block["type"] == "text":
            end = at + len(block["text"])
            cited = [
                create_citation(
                    url=each.url,
                    title=each.title,
                    start_index=max(each.start, at) - at,
                    end_index=min(each.end, end) - at,
                    cited_text=each.cited_text,
                    document_id=each.document_id,
                )
                for each in found.citations()
                if each.start < end and each.end > at
            ]
            block = {**block, "annotations": [*block.get("annotations", ()), *cited]}
            at = end
        blocks.append(block)
    # "v1" says that the blocks are the standard ones, so that they go back to a model as such.
    return noted(message, found.as_object(), content=blocks, output_version="v1")


def noted(message: AIMessage, found: Mapping[str, Any], *, content: Any, **more: Any) -> AIMessage:
    """A message that says something, with what was found in its metadata."""
    told = {**message.response_metadata, **more, "averment": dict(found)}
    return message.model_copy(update={"content": content, "response_metadata": told})


def text_of(message: BaseMessage) -> str:
    """The words of a message, its blocks in a row as `annotated` counts them."""
    return "".join(block["text"] for block in message.content_blocks if block["type"] == "text")


def ours(documents: Sequence[Any]) -> list[Document]:
    """Documents of LangChain, or texts, as averment takes them."""
    return [
        document(each, number=number)
        if isinstance(each, str)
        else document(each.page_content, each.metadata, each.id, number=number)
        for number, each in enumerate(documents, start=1)
    ]


def _given(given: Any) -> tuple[AIMessage, str | None, list[Document]]:
    asked = given if isinstance(given, Mapping) else {"answer": given}
    answer = asked.get("answer")
    if not isinstance(answer, (str, BaseMessage)):
        raise UsageError(
            f"A verifier checks a text or a message, not {type(answer).__name__}.",
            hint='Give it one, or {"answer": …, "question": …, "documents": […]}.',
        )
    if not isinstance(answer, AIMessage):
        answer = AIMessage(answer if isinstance(answer, str) else text_of(answer))
    return answer, asked.get("question"), ours(asked.get("documents") or ())


def _documents(found: Retrieval) -> list[LangChainDocument]:
    return [
        LangChainDocument(
            hit.passage.text, id=hit.passage.passage_id, metadata=metadata_of(hit, found.retriever)
        )
        for hit in found.hits
    ]
