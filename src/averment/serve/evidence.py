"""What of a chat request is evidence, what is the question, and what no policy can express.

Evidence is what the client says is evidence: parts of type ``grounding_source``, messages of
tools, or a top-level list ``documents``. It reaches a model fenced as data. A policy answers one
question from the index; a request that asks for more than that goes to the model's server as it
is, and its answer is checked afterwards. Nothing of a conversation is dropped to make it fit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from averment.prompts import load
from averment.types import Document

_FENCE_CHARACTERS = 16
_BEYOND_A_POLICY = (
    *("tools", "tool_choice", "functions", "function_call", "response_format"),
    *("stop", "logprobs", "top_logprobs", "logit_bias", "modalities", "audio", "prediction"),
)
_UNDERSTOOD = frozenset({"model", "messages", "stream", "stream_options", "n", "averment"})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an answer is held against, where it was found, and under which address it is cited."""

    documents: tuple[Document, ...] = ()
    sources: tuple[str, ...] = ()
    """Of ``grounding_source``, ``tool_message`` and ``documents`` those that there were."""

    @property
    def urls(self) -> dict[str, str]:
        """The address of each document that came with one."""
        return {each.document_id: each.source for each in self.documents if each.source}


def evidence_of(request: Mapping[str, Any]) -> Evidence:
    """All evidence of a request, in the order of the sources above."""
    messages = request["messages"]
    tagged = [
        Document(f"source {number}", text)
        for number, text in enumerate(_parts(messages, "grounding_source"), start=1)
    ]
    tools = [
        Document(f"tool message {number}", text)
        for number, text in enumerate(
            (text_of(message) for message in messages if message["role"] == "tool"), start=1
        )
        if text
    ]
    given = [_document(number, each) for number, each in enumerate(_given(request), start=1)]
    found = {"grounding_source": tagged, "tool_message": tools, "documents": given}
    documents = tuple(each for some in found.values() for each in some)
    return Evidence(documents, tuple(name for name, some in found.items() if some))


def question_of(request: Mapping[str, Any]) -> str:
    """What is asked: the text of the last message of a user; parts of type ``query`` go first."""
    users = [message for message in request["messages"] if message["role"] == "user"]
    if not users:
        return ""
    asked = _parts(users[-1:], "query")
    return "\n".join(asked).strip() if asked else text_of(users[-1]).strip()


def beyond_a_policy(request: Mapping[str, Any], evidence: Evidence) -> list[str]:
    """Why a policy cannot answer a request: names of what it asks for, empty if one can."""
    reasons = [name for name in _BEYOND_A_POLICY if _asks_for(request, name)]
    if (request.get("n") or 1) > 1:
        reasons.append("n")
    reasons += evidence.sources
    messages = request["messages"]
    if any(message["role"] in ("system", "developer") for message in messages):
        reasons.append("system_message")
    if [m["role"] for m in messages if m["role"] not in ("system", "developer")] != ["user"]:
        reasons.append("several_turns")
    if any(_is_other(part) for message in messages for part in _list_of_parts(message)):
        reasons.append("parts_without_text")
    return reasons


def ignored_by_a_policy(request: Mapping[str, Any]) -> list[str]:
    """Fields of a request that have no effect on a policy, which decodes greedily."""
    return sorted(name for name, value in request.items() if name not in _UNDERSTOOD and value)


def upstream_messages(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages as a model server takes them: tagged parts as text, evidence fenced as data."""
    messages = [{**message, **_plain_content(message)} for message in request["messages"]]
    given = [_document(number, each) for number, each in enumerate(_given(request), start=1)]
    if not given:
        return messages
    block = {"type": "text", "text": fenced([_shown(each) for each in given])}
    last = max((at for at, m in enumerate(messages) if m["role"] == "user"), default=None)
    if last is None:
        return [{"role": "user", "content": [block]}, *messages]
    content = messages[last].get("content") or ""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    messages[last] = {**messages[last], "content": _joined([block, *parts])}
    return messages


def fenced(texts: Sequence[str]) -> str:
    """Texts as a block of data for a model.

    Each stands between two lines that hold a digest of all of them, which no text can contain, so
    none can end the block; and the block says that nothing in it is an instruction.
    """
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    fence = digest[:_FENCE_CHARACTERS]
    blocks = "\n".join(
        f"[document {number} {fence}]\n{text}\n[end {number} {fence}]"
        for number, text in enumerate(texts, start=1)
    )
    return load("documents").fill(fence=fence, documents=blocks)


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, evidence left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in _list_of_parts(message) if part.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def _asks_for(request: Mapping[str, Any], name: str) -> bool:
    value = request.get(name)
    if name == "response_format" and isinstance(value, Mapping):
        return value.get("type") != "text"
    return bool(value)


def _given(request: Mapping[str, Any]) -> Sequence[Mapping[str, Any] | str]:
    return request.get("documents") or ()


def _document(number: int, given: Mapping[str, Any] | str) -> Document:
    if isinstance(given, str):
        return Document(f"document {number}", given)
    return Document(
        document_id=id_of(given.get("id"), number),
        text=str(given.get("text") or ""),
        title=str(given.get("title") or ""),
        source=str(given.get("url") or ""),
    )


def id_of(given: object, number: int) -> str:
    """The id of a document as it was given, 0 included, or by its number where there is none."""
    return f"document {number}" if given in (None, "") else str(given)


def _shown(document: Document) -> str:
    return f"{document.title}\n{document.text}".strip()


def _plain_content(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return {}
    return {"content": _joined([_plain(part) for part in content])}


def _plain(part: Mapping[str, Any]) -> dict[str, Any]:
    match part.get("type"):
        case "grounding_source":
            return {"type": "text", "text": fenced([str(part.get("text") or "")])}
        case "query":
            return {"type": "text", "text": str(part.get("text") or "")}
        case _:
            return dict(part)


def _joined(parts: Sequence[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Parts that are all text, as the one text that every server takes."""
    if all(
        part.keys() == {"type", "text"} and part["type"] == "text" and isinstance(part["text"], str)
        for part in parts
    ):
        return "\n\n".join(part["text"] for part in parts)
    return list(parts)


def _parts(messages: Sequence[Mapping[str, Any]], kind: str) -> list[str]:
    return [
        part["text"]
        for message in messages
        for part in _list_of_parts(message)
        if part.get("type") == kind and isinstance(part.get("text"), str)
    ]


def _list_of_parts(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _is_other(part: Mapping[str, Any]) -> bool:
    return part.get("type") not in ("text", "query", "grounding_source")
