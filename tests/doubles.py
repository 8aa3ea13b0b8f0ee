"""Stand-ins for the edges: honest, slow, in memory, over a list of documents.

They keep the contracts of `averment.ports` by the shortest code that can, so that a test can read
what they do. `follow` drives a flow by hand, which needs no stand-in at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from averment import errors
from averment.errors import AvermentError, QueryError
from averment.models.scripted import Script, ScriptedModel
from averment.readings import Attention, Sampling, Spread
from averment.steps import Flow, Step
from averment.text import TextForm, capitalised_names
from averment.types import (
    Capability,
    Cooccurrence,
    CorpusInfo,
    Count,
    CountKind,
    Document,
    Entity,
    Extraction,
    FinishReason,
    Generation,
    GenerationOptions,
    Occurrence,
    Passage,
    Phrase,
    Prompt,
    Retrieval,
    ScoredPassage,
    Triplet,
    Usage,
)

T = TypeVar("T")
Exchange = tuple[Step, object]
"""A step that a flow shall yield, and what it is sent; an exception is raised inside it."""


# --- flows --------------------------------------------------------------------------------------


def next_step(flow: Flow[Any], exchanges: Sequence[Exchange] = ()) -> Step:
    """The step that a flow yields after these exchanges, each of which must come as expected."""
    move: Callable[[], Step] = partial(next, flow)
    for expected, outcome in exchanges:
        step = move()
        assert step == expected
        failed = isinstance(outcome, Exception)
        move = partial(flow.throw, outcome) if failed else partial(flow.send, outcome)
    return move()


def follow(flow: Flow[T], exchanges: Sequence[Exchange] = ()) -> T:
    """What a flow returns after exactly these exchanges."""
    try:
        step = next_step(flow, exchanges)
    except StopIteration as stop:
        value: T = stop.value
        return value
    raise AssertionError(f"the flow does not end; it asks for {step!r}")


def text_of(written: str, *, prompt_tokens: int = 10) -> Generation:
    """What a model is said to have written; a token a word."""
    usage = Usage(prompt_tokens, len(written.split()))
    return Generation(written, (), FinishReason.SENTENCE, usage)


def exact(value: int, documents: int | None = None) -> Count:
    """An exact count; as many documents as occurrences unless said otherwise."""
    return Count(value, value if documents is None else documents, CountKind.EXACT)


def together(pairs: int) -> Cooccurrence:
    """An exact co-occurrence of so many pairs."""
    return Cooccurrence(pairs > 0, pairs, pairs, 1 if pairs else None, CountKind.EXACT)


def passage(text: str, *, title: str = "", passage_id: str = "") -> Passage:
    """A passage that is a whole document, with its text as id unless said otherwise."""
    key = passage_id or text
    return Passage(key, key, title, text, 0, len(text))


def hits(query: str, *passages: Passage) -> Retrieval:
    """A retrieval that found these passages, best first."""
    ranked = [
        ScoredPassage(found, 1.0 / rank, rank) for rank, found in enumerate(passages, start=1)
    ]
    return Retrieval(query, tuple(ranked), "by hand")


# --- errors -------------------------------------------------------------------------------------


def _family(root: type[AvermentError]) -> Iterator[type[AvermentError]]:
    yield root
    for kind in root.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield from _family(kind)


EVERY_ERROR = tuple(_family(AvermentError))
"""The root and all its descendants, in the order of the tree."""


# --- edges --------------------------------------------------------------------------------------


class ListIndex:
    """Counts by scanning the words of every document."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._form = TextForm()
        self._documents = list(documents)
        self._words = [self._form.words(document.text) for document in documents]

    @property
    def info(self) -> CorpusInfo:
        return CorpusInfo(
            name="list",
            format_version=1,
            engine="scan",
            text_form=self._form.identity,
            n_documents=len(self._documents),
            n_words=sum(map(len, self._words)),
            n_terms=len({word for words in self._words for word in words}),
            n_segments=1,
            n_passages=len(self._documents),
            n_deleted_documents=0,
            counts_bytes=0,
            passages_bytes=0,
            generation=1,
            digest="digest of the list",
            built_at="2026-01-01T00:00:00+00:00",
            entity_threshold_documents=1,
        )

    def count(self, phrases: Sequence[str]) -> list[Count]:
        return [
            Count(sum(map(len, starts)), sum(bool(some) for some in starts), CountKind.EXACT)
            for starts in map(self._starts, phrases)
        ]

    def exists(self, pairs: Sequence[tuple[str, str]], *, window_words: int) -> list[bool | None]:
        return [found.exists for found in self.cooccurrence(pairs, window_words=window_words)]

    def cooccurrence(
        self, pairs: Sequence[tuple[str, str]], *, window_words: int
    ) -> list[Cooccurrence]:
        return [self._cooccurrence(a, b, window_words) for a, b in pairs]

    def locate(self, phrase: str, *, limit: int) -> list[Occurrence]:
        raise NotImplementedError("no step asks for it")

    def locate_pair(self, a: str, b: str, *, window_words: int, limit: int) -> list[Occurrence]:
        raise NotImplementedError("no step asks for it")

    def nearest_windows(
        self,
        pairs: Sequence[tuple[Phrase, Phrase]],
        *,
        window_words: int,
        context_words: int,
        limit: int,
    ) -> list[tuple[Passage, ...]]:
        """Whole documents, however few words of context are asked for."""
        return [tuple(self._windows(*pair, window_words)[:limit]) for pair in pairs]

    def _windows(self, a: Phrase, b: Phrase, window_words: int) -> list[Passage]:
        found = []
        for document, starts, others in zip(
            self._documents, self._starts_of_any(a), self._starts_of_any(b), strict=True
        ):
            near = [(abs(i - j), min(i, j)) for i in starts for j in others]
            if near and min(near)[0] <= window_words:
                name, text = document.document_id, document.text
                whole = Passage(f"{name}@0", name, document.title, text, 0, len(text))
                found.append((min(near), whole))
        return [whole for _, whole in sorted(found, key=lambda each: each[0])]

    def _starts_of_any(self, phrase: Phrase) -> list[list[int]]:
        forms = [phrase] if isinstance(phrase, str) else sorted(phrase)
        of_each = [self._starts(form) for form in forms]
        return [
            sorted({at for some in found for at in some}) for found in zip(*of_each, strict=True)
        ]

    def _cooccurrence(self, a: str, b: str, window_words: int) -> Cooccurrence:
        distances = [
            [abs(i - j) for i in some for j in others]
            for some, others in zip(self._starts(a), self._starts(b), strict=True)
        ]
        near = [[d for d in some if d <= window_words] for some in distances]
        pairs, documents = sum(map(len, near)), sum(bool(some) for some in near)
        nearest = min((d for some in distances for d in some), default=None)
        return Cooccurrence(pairs > 0, documents, pairs, nearest, CountKind.EXACT)

    def _starts(self, phrase: str) -> list[list[int]]:
        """The start positions of a phrase in each document."""
        asked = self._form.words(phrase)
        if not asked:
            raise QueryError(f"The phrase {phrase!r} has no word.")
        n = len(asked)
        return [
            [at for at in range(len(words)) if words[at : at + n] == asked] for words in self._words
        ]


class ListRetriever:
    """Ranks documents by how many words of the query stand in title and text."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._form = TextForm()
        self._passages = [
            Passage(f"{d.document_id}#0", d.document_id, d.title, d.text, 0, len(d.text))
            for d in documents
        ]

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> Retrieval:
        asked = set(self._form.words(query))
        scored = [
            (len(asked & set(self._form.words(f"{p.title} {p.text}"))), p) for p in self._passages
        ]
        scored = [(score, p) for score, p in scored if score]
        best = sorted(scored, key=lambda pair: (-pair[0], pair[1].passage_id))[:k]
        ranked = [ScoredPassage(p, float(score), rank) for rank, (score, p) in enumerate(best, 1)]
        return Retrieval(query, tuple(ranked), "word overlap")


class NameExtractor:
    """Entities are capitalised names; a sentence with two of them claims one relation."""

    name = "names"

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        return [
            tuple(
                {n.text: Entity(n.text, n.start, n.end) for n in capitalised_names(text)}.values()
            )
            for text in texts
        ]

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        return [self._triplets(sentence) for sentence in sentences]

    def _triplets(self, sentence: str) -> Extraction:
        names = capitalised_names(sentence)
        if len(names) < 2:
            return Extraction(())
        head, tail = names[0], names[1]
        relation = sentence[head.end : tail.start].strip()
        return Extraction((Triplet(head.text, relation, tail.text),))


class RecitingModel(ScriptedModel):
    """Recites the answer to each question, and notes how many prompts it was given at once.

    Args:
        unaided: The sentences for each question, as long as the prompt has no context.
        informed: The sentences with a context in the prompt; those of `unaided` where missing.
    """

    def __init__(
        self,
        unaided: Mapping[str, Sequence[str]],
        informed: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(
            self._recite, name="reciting", capabilities=frozenset({Capability.SAMPLES})
        )
        self._unaided = unaided
        self._informed = {**unaided, **(informed or {})}
        self.batch_sizes: list[int] = []

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        self.batch_sizes.append(len(prompts))
        return super().generate(prompts, options)

    def _recite(self, prompt: Prompt) -> str:
        *_, before, asked = prompt.text.split("\n\n")
        question = asked.removeprefix("Question: ").removesuffix("\nAnswer:")
        script = self._informed if before.startswith("Context:\n") else self._unaided
        return "".join(f" {sentence}" for sentence in script[question]).removeprefix(prompt.answer)


class LookedInto(ScriptedModel):
    """Says what a script tells it, with the same entropy, attention and spread everywhere.

    Args:
        script: What to answer.
        entropy: Of each token, in nats.
        log_volume: Of the continuations of any prompt.
    """

    def __init__(self, script: Script, *, entropy: float = 1.0, log_volume: float = -9.0) -> None:
        every = frozenset(Capability) - {Capability.GRAMMAR}
        super().__init__(script, name="looked into", capabilities=every)
        self._entropy = entropy
        self._log_volume = log_volume

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        return [self._open(written) for written in super().generate(prompts, options)]

    def attention(self, texts: Sequence[tuple[str, str, int]]) -> list[Attention]:
        """Tokens are words with the blank before; each looks back evenly."""
        return [self._attend(text, rows_from) for _, text, rows_from in texts]

    def spread(self, prompts: Sequence[Prompt], sampling: Sampling) -> list[Spread]:
        usage = Usage(10, sampling.n_samples)
        return [Spread(self._log_volume, sampling.n_samples, usage) for _ in prompts]

    def _open(self, written: Generation) -> Generation:
        tokens = tuple(replace(token, entropy=self._entropy) for token in written.tokens)
        return replace(written, tokens=tokens)

    def _attend(self, text: str, rows_from: int) -> Attention:
        spans = tuple(found.span() for found in re.finditer(r"\s*\S+", text))
        rows = [(1 / (at + 1),) * (at + 1) for at, (_, end) in enumerate(spans) if end > rows_from]
        return Attention(spans, (0.5,) * len(spans), tuple(rows), Usage(len(spans)))


def in_order(answers: Sequence[str]) -> Callable[[Prompt], str]:
    """A script that gives the answers one after the other, but for what the canary asks."""
    left = iter(answers)
    return lambda prompt: " cats, dogs" if "in no order" in prompt.text else next(left)
