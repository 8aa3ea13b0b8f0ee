"""averment in LangChain's agents: middleware that checks what the model answers.

Evidence is what tools returned (the documents of a retriever tool one by one, other results as
text), or else passages of the index. Tokens that an agent streams have left before the check.
Importing this module needs the extra [langchain].
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.documents import Document as LangChainDocument
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
except ImportError as error:
    from averment.errors import MissingExtraError

    raise MissingExtraError("Adapters for LangChain", "langchain") from error

from averment.answers import ABSTENTION
from averment.integrations.langchain import annotated, noted, ours, text_of
from averment.integrations.verifier import Verification, Verifier, checked_action
from averment.types import Document, Verdict


class _Answer(NamedTuple):
    """What is checked: a text, what it answers, and what it is held against."""

    text: str
    question: str | None
    documents: list[Document]


class AvermentMiddleware(AgentMiddleware):
    """Checks the answers of an agent's model, which are its messages that call no tool.

    Args:
        index: The directory of an index; None: there is no corpus.
        action: What is done where a claim lacks support: ``annotate`` says so; ``regenerate`` tells
            the model which, has it answer once more, and annotates that; ``abstain`` puts "I do
            not know." in place of the answer. Verdicts are in the metadata in any case.
        **settings: averment's, such as ``calibrator``; errors are those of `Verifier`.

    Raises:
        UnknownNameError: There is no such action.
    """

    def __init__(
        self, index: str | None = None, *, action: str = "annotate", **settings: Any
    ) -> None:
        super().__init__()
        self.action = checked_action(action)
        self._verifier = Verifier(index, **settings)

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Have the model answer, and check the answer."""
        response = handler(request)
        if (answer := _answer(request, response)) is None:
            return response
        found = self._verifier.check(*answer)
        if self._is_asked_again(found):
            response = handler(_again(request, response, found))
            if (answer := _answer(request, response)) is None:
                return response
            found = self._verifier.check(*answer)
        return self._told(response, found)

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """As `wrap_model_call`; checks run in a thread."""
        response = await handler(request)
        if (answer := _answer(request, response)) is None:
            return response
        found = await self._verifier.acheck(*answer)
        if self._is_asked_again(found):
            response = await handler(_again(request, response, found))
            if (answer := _answer(request, response)) is None:
                return response
            found = await self._verifier.acheck(*answer)
        return self._told(response, found)

    def _is_asked_again(self, found: Verification) -> bool:
        return self.action == "regenerate" and found.verdict is Verdict.WARNED

    def _told(self, response: ModelResponse, found: Verification) -> ModelResponse:
        message = response.result[-1]
        said = annotated(message, found)
        if self.action == "abstain" and found.verdict is Verdict.WARNED:
            abstained = {**found.as_object(), "verdict": Verdict.ABSTAINED.value}
            said = noted(message, abstained, content=ABSTENTION)
        return ModelResponse([*response.result[:-1], said], response.structured_response)


def _again(request: ModelRequest, response: ModelResponse, found: Verification) -> ModelRequest:
    """The request once more, with the answer and what is wrong with it; the agent keeps neither."""
    said = [*request.messages, *response.result, HumanMessage(found.complaint())]
    return request.override(messages=said)


def _answer(request: ModelRequest, response: ModelResponse) -> _Answer | None:
    """What there is to check of a response; None where it calls tools or says nothing."""
    message = response.result[-1]
    if not isinstance(message, AIMessage) or message.tool_calls or not text_of(message).strip():
        return None
    asked = [text_of(each) for each in request.messages if isinstance(each, HumanMessage)]
    results = [each for each in request.messages if isinstance(each, ToolMessage)]
    returned = [one for each in results if each.status != "error" for one in _returned(each)]
    return _Answer(text_of(message), asked[-1] if asked else None, ours(returned))


def _returned(result: ToolMessage) -> Sequence[LangChainDocument]:
    """The documents that a tool returned, or else its words."""
    artifact = result.artifact if isinstance(result.artifact, list) else []
    documents = [each for each in artifact if isinstance(each, LangChainDocument)]
    name = f"{result.name or 'tool'} {result.tool_call_id}"
    return documents or [LangChainDocument(text_of(result), id=name)]
