"""Corpus evidence of short answers: the entities of the question beside the answer and its rivals.

A claim has one triple for each entity of its question: the entity is the head, the answer the tail,
and the other answers among the samples, which are of the same type by construction, its rivals.
Questions in lower case have no names that rules can find; there the heads are the longest runs of
words that the corpus knows, without function words at their ends, at most two of them, the rarest.

The passages that the model was shown are taken out of the counts. Corrupted passages are in no
corpus; the ones that they were made of are taken out, unless `keep_originals`: then the corpus has
the document as it was before somebody tampered with what was retrieved, which helps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from questions import Item
from records import Row, why_no_attempt

from averment.claims.rules import RulesExtractor
from averment.franq.evidence import CorpusSize, TripleCounts, claim_features
from averment.franq.retrieved import pairs_in_passages, without_retrieved
from averment.text import TextForm, contains_words, one_holds_other
from averment.types import Cooccurrence, Passage, Phrase, SurfaceForm
from averment.uq.ccp import FUNCTION_WORDS

WINDOW_WORDS = 1000
NAMING = frozenset({"name", "title"})
_FORM = TextForm()
_MOST_HEADS = 2
_MOST_HEAD_WORDS = 6


@dataclass(frozen=True, slots=True)
class CorpusEvidence:
    """Features of a claim, and the counts of its weakest pair.

    `n_overdrawn` pairs occur in more retrieved passages than corpus documents: such a passage is
    not in the corpus, or two of them are of one document.
    """

    features: Mapping[str, float | None]
    counts: Mapping[str, int]
    n_heads: int
    n_overdrawn: int


class CorpusCounter:
    """Counts of an index, for answers to questions.

    Args:
        index: Opened by `averment.open_index`.
        window_words: How near head and tail must be.
    """

    def __init__(self, index: Any, *, window_words: int = WINDOW_WORDS) -> None:
        info = index.info
        self._index = index
        self._window_words = window_words
        self._size = CorpusSize(info.n_documents, info.n_words, window_words)
        self._extractor = RulesExtractor()
        self._heads: dict[str, list[str]] = {}

    @property
    def name(self) -> str:
        """The index as it is reported."""
        info = self._index.info
        of = f"{info.n_documents} documents, {info.n_words} words, digest {info.digest[:12]}"
        return f"{of}, window {self._window_words} words"

    def evidence(
        self, row: Row, question: str, taken_out: Sequence[tuple[str, str]]
    ) -> CorpusEvidence:
        """The evidence for the answer of a row.

        Args:
            row: With answer and samples.
            question: What it answers.
            taken_out: The passages that do not count (`passages_taken_out`).
        """
        answer = row["answer"].strip()
        heads = [head for head in self.heads(question) if not overlap(head, answer)]
        tails = [answer, *rivals(answer, [s["text"] for s in row["samples"]])]
        pairs = [(head, tail) for head in heads for tail in tails]
        found = self._index.cooccurrence(pairs, window_words=self._window_words) if pairs else []
        passages = [Passage(f"{t}\n{x}", f"{t}\n{x}", t, x, 0, len(x)) for t, x in taken_out]
        left, n_overdrawn = [], 0
        for pair, together in zip(pairs, found, strict=True):
            inside = pairs_in_passages(
                _counted(pair[0], together.a_forms),
                _counted(pair[1], together.b_forms),
                passages=list(dict.fromkeys(passages)),
                window_words=self._window_words,
                form=_FORM,
            )
            n_overdrawn += (inside.documents or 0) > (together.documents or 0)
            left.append(without_retrieved(together, retrieved=inside))
        triples = self._triples(heads, answer, left, len(tails))
        features = claim_features(triples, corpus=self._size) if triples else {}
        return CorpusEvidence(features, _counts(triples), len(heads), n_overdrawn)

    def _triples(
        self, heads: Sequence[str], answer: str, found: Sequence[Cooccurrence], n_tails: int
    ) -> list[TripleCounts]:
        if not heads:
            return []
        tail, *of_heads = self._index.count([answer, *heads])
        return [
            TripleCounts(of_heads[at], tail, own, tuple(rest))
            for at in range(len(heads))
            for own, *rest in [found[at * n_tails : (at + 1) * n_tails]]
        ]

    def heads(self, question: str) -> list[str]:
        """What the question asks about."""
        if question not in self._heads:
            (entities,) = self._extractor.entities([question])
            named = [entity.text for entity in entities if entity.kind in NAMING]
            is_cased = any(word[:1].isupper() for word in question.split()[1:])
            self._heads[question] = named or ([] if is_cased else self._known_runs(question))
        return self._heads[question]

    def _known_runs(self, question: str) -> list[str]:
        runs = content_runs(_FORM.words(question))
        if not runs:
            return []
        counts = self._index.count([" ".join(run) for run in runs])
        known = [(run, c.documents) for run, c in zip(runs, counts, strict=True) if c.documents]
        known.sort(key=lambda each: (-len(each[0]), each[1]))
        chosen: list[tuple[tuple[str, ...], int]] = []
        for run, documents in known:
            if not any(contains_words(other, run) for other, _ in chosen):
                chosen.append((run, documents))
        rarest = sorted(chosen, key=lambda each: each[1])[:_MOST_HEADS]
        return [" ".join(run) for run, _ in rarest]


def passages_taken_out(
    item: Item, clean: Item, *, keep_originals: bool
) -> Sequence[tuple[str, str]]:
    """What was shown; of corrupted passages what they were made of, or nothing.

    Args:
        item: What the model was shown.
        clean: The same question under the clean condition.
        keep_originals: Whether the corpus keeps what the corrupted passages were made of.
    """
    if item.condition != "corrupted":
        return item.passages
    return () if keep_originals else clean.passages


def content_runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Runs of two and more words that neither begin nor end with a function word.

    Example:
        >>> content_runs("who sang land of hope".split())
        [('sang', 'land'), ('sang', 'land', 'of', 'hope'), ('land', 'of', 'hope')]
    """
    return [
        tuple(words[start:end])
        for start in range(len(words))
        for end in range(start + 2, min(start + _MOST_HEAD_WORDS, len(words)) + 1)
        if words[start] not in FUNCTION_WORDS and words[end - 1] not in FUNCTION_WORDS
    ]


def rivals(answer: str, samples: Sequence[str]) -> list[str]:
    """The sampled answers that say something else than the answer, each once.

    One that holds the answer or is held by it ("Paris", "Paris, France") is no rival.
    """
    found: dict[tuple[str, ...], str] = {}
    for sample in samples:
        words = tuple(_FORM.words(sample))
        if why_no_attempt(sample) is None and not overlap(sample, answer):
            found.setdefault(words, sample.strip())
    return list(found.values())


def overlap(one: str, other: str) -> bool:
    """Whether one text holds the words of the other in a row."""
    return one_holds_other(_FORM.words(one), _FORM.words(other))


def _counted(name: str, forms: Sequence[SurfaceForm]) -> Phrase:
    """What a name was counted by: what leaves the counts must be what came into them."""
    return frozenset(form.text for form in forms) or name


def _counts(triples: Sequence[TripleCounts]) -> dict[str, int]:
    """Documents of the pair that is the rarest, of its head and of the tail, where exact."""
    known = [t for t in triples if t.together.documents is not None]
    if not known:
        return {}
    weakest = min(known, key=lambda t: (t.together.documents, t.head.documents))
    columns = {
        "head": weakest.head.documents,
        "tail": weakest.tail.documents,
        "together": weakest.together.documents,
    }
    return {name: n for name, n in columns.items() if n is not None}
