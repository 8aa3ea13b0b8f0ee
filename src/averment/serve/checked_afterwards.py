"""A request that no policy can express: the model's server answers, and its answer is checked.

What the server says passes through, fields that nobody here knows included; nothing of it is
rewritten. With each choice goes what its claims stand on: the evidence of the request, or where
there is none passages of the index. In a stream with ``hold-sentence`` a sentence is checked
together with those before it and waits for that; the last piece has the verdicts over the whole.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from averment.serve.completions import Identity
from averment.serve.details import DETAILS, CheckedAfterwards, Cited, checked_details, cited
from averment.serve.evidence import Evidence
from averment.serve.gate import in_thread
from averment.serve.upstream import Upstream
from averment.shapes import claim_object
from averment.text import first_sentence_end
from averment.types import Claim, Document
from averment.wiring.audited import Checked

Checker = Callable[[str, str | None, Sequence[Document]], Checked]
Recorder = Callable[
    [Mapping[str, Any], Sequence[Checked | None], Sequence[Mapping[str, Any]]], object
]
"""Is told the details, the check of each choice, and what each says."""


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """What goes to the server, and how its answer is checked.

    Args:
        upstream: The server.
        request: As the server gets it.
        check: Checks a text.
        question: What is asked, or an empty string.
        evidence: What the client brought.
        route: Why no policy answers, and what the details say of it.
        identity: Of the completion.
        record: Told of the answer before it is given out, or before a stream of it ends.
    """

    upstream: Upstream
    request: Mapping[str, Any]
    check: Checker
    question: str
    evidence: Evidence
    route: CheckedAfterwards
    identity: Identity
    record: Recorder | None = None

    async def body(self) -> dict[str, Any]:
        """The completion as a whole."""
        found = await self.upstream.complete(self.request)
        checked = await self._checked([choice["message"] for choice in found["choices"]])
        for choice, each in zip(found["choices"], checked.cited, strict=True):
            message = choice["message"]
            own = message.get("annotations")
            message["annotations"] = [*(own if isinstance(own, list) else ()), *each.annotations]
        return {**self.identity.fields, **found, **self._renamed, **checked.extra()}

    async def pieces(self) -> AsyncIterator[dict[str, Any]]:
        """The completion in pieces."""
        choices: dict[int, _Choice] = {}
        afterwards: list[dict[str, Any]] = []
        empty = self.identity.chunk([])
        last = empty
        async for found in self.upstream.pieces(self.request):
            chunk = {**empty, **found, **self._renamed}
            if not chunk["choices"]:
                afterwards.append(chunk)
                continue
            last = chunk
            for piece in _of_each_choice(chunk):
                index = piece["choices"][0]["index"]
                choice = choices.setdefault(index, _Choice(self.route.mode))
                n_before = len(choice.text)
                for leaving in choice.add(piece):
                    yield leaving
                if len(choice.text) > n_before:
                    async for leaving in self._sentences(choice):
                        yield leaving
        made = [choices[index] for index in sorted(choices)]
        checked = await self._checked([{"content": choice.text} for choice in made])
        envelope = {key: last[key] for key in empty} | {"choices": []}
        for piece in _closing(made, checked, envelope, sorted(choices)):
            yield piece
        for chunk in afterwards:
            yield chunk

    @property
    def _renamed(self) -> dict[str, Any]:
        """The model goes by the name that it was asked for by."""
        return {"model": self.identity.model}

    async def _sentences(self, choice: _Choice) -> AsyncIterator[dict[str, Any]]:
        """The pieces of the sentences that are complete, each with its claims."""
        while (end := choice.sentence_end()) is not None:
            checked = await self._check(choice.text[:end])
            claims = checked.report.claims if checked else ()
            for piece in choice.release(end, [c for c in claims if c.start >= choice.n_checked]):
                yield piece

    async def _check(self, text: str) -> Checked | None:
        if not text.strip():
            return None
        return await in_thread(self.check, text, self.question or None, self.evidence.documents)

    async def _checked(self, said: Sequence[Mapping[str, Any]]) -> _Told:
        """What is told of an answer, once it is recorded."""
        texts = [_text(message) for message in said]
        checks = [await self._check(text) for text in texts]
        reports = [None if checked is None else checked.report for checked in checks]
        urls = self.evidence.urls
        details = checked_details(self.route, reports)
        if self.record is not None:
            await in_thread(self.record, details, checks, said)
        return _Told(
            cited=[
                cited(report.claims if report else (), urls, within=len(text))
                for report, text in zip(reports, texts, strict=True)
            ],
            details=details,
        )


@dataclass(frozen=True, slots=True)
class _Told:
    cited: list[Cited]
    details: dict[str, Any]

    def extra(self) -> dict[str, Any]:
        """The top-level keys that are ours."""
        results: list[dict[str, Any]] = []
        for each in self.cited:
            results += [result for result in each.results if result not in results]
        addresses = [result["url"] for result in results]
        return {"citations": addresses, "search_results": results, DETAILS: self.details}


@dataclass(slots=True)
class _Choice:
    """A choice that grows: its text, the pieces that wait, and how much has left."""

    mode: str
    text: str = ""
    n_left: int = 0
    n_checked: int = 0
    waiting: list[dict[str, Any]] = field(default_factory=list)
    finish: dict[str, Any] | None = None

    def add(self, piece: dict[str, Any]) -> list[dict[str, Any]]:
        """Take a piece; returns what leaves at once."""
        (choice,) = piece["choices"]
        if choice.get("finish_reason") is not None:
            self.finish = {**piece, "choices": [{**choice, "delta": {}, "logprobs": None}]}
            piece = {**piece, "choices": [{**choice, "finish_reason": None}]}
            if not any(choice["delta"].values()) and not choice.get("logprobs"):
                return []
        text = _text(choice["delta"])
        self.text += text
        if self.mode == "annotate" or not (text or self.waiting):
            self.n_left += len(text)
            return [piece]
        self.waiting.append(piece)
        return []

    def sentence_end(self) -> int | None:
        """Where the next sentence ends that has not been checked, if it is known."""
        if self.mode != "hold-sentence":
            return None
        end = first_sentence_end(self.text[self.n_checked :])
        return None if end is None else self.n_checked + end

    def release(self, end: int, claims: Sequence[Claim] = ()) -> list[dict[str, Any]]:
        """What waits up to a place in the text, the claims of it with the first piece."""
        leaving = []
        while self.waiting and self.n_left < end:
            piece = self.waiting.pop(0)
            delta = piece["choices"][0]["delta"]
            text = _text(delta)
            room = end - self.n_left
            if len(text) > room:
                if not isinstance(delta["content"], str):  # parts stay together
                    self.waiting.insert(0, piece)
                    break
                piece, rest = _cut(piece, room)
                self.waiting.insert(0, rest)
            self.n_left += min(len(text), room)
            leaving.append(piece)
        if leaving:
            held = [claim_object(claim) for claim in claims]
            leaving[0] = {**leaving[0], DETAILS: {"claims": held}}
        self.n_checked = end
        return leaving

    def rest(self) -> list[dict[str, Any]]:
        """Everything that waits."""
        rest, self.waiting = self.waiting, []
        return rest


def _cut(piece: dict[str, Any], at: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A piece with more text than the sentence, in two; what else it holds goes with the rest."""
    (choice,) = piece["choices"]
    text = choice["delta"]["content"]
    delta = {key: choice["delta"][key] for key in ("role",) if key in choice["delta"]}
    head = {"index": choice["index"], "delta": {**delta, "content": text[:at]}}
    tail = {**choice, "delta": {**choice["delta"], "content": text[at:]}}
    first = {**piece, "choices": [{**head, "logprobs": None, "finish_reason": None}]}
    return first, {**piece, "choices": [tail]}


def _of_each_choice(chunk: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for choice in chunk["choices"]:
        yield {**chunk, "choices": [{**choice, "index": choice.get("index") or 0}]}


def _closing(
    choices: Sequence[_Choice],
    checked: _Told,
    envelope: Mapping[str, Any],
    indices: Sequence[int],
) -> Iterator[dict[str, Any]]:
    """What waits, the citations, and the ends of all choices; the last has the details."""
    for choice in choices:
        yield from choice.rest()
    for index, each in zip(indices, checked.cited, strict=True):
        said = {"index": index, "delta": {"annotations": each.annotations}, "finish_reason": None}
        yield {**envelope, "choices": [said]}
    ends = [choice.finish for choice in choices if choice.finish is not None]
    yield from ends[:-1]
    last = ends[-1] if ends else envelope
    yield {**last, **checked.extra()}


def _text(said: Mapping[str, Any]) -> str:
    """What is said in words: the content, or those of its parts that are text."""
    content = said.get("content")
    if isinstance(content, str):
        return content
    parts = (
        [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    )
    texts = [part.get("text") for part in parts if part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))
