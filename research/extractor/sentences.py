"""Which sentences the teacher labels: drawn by document from corpora, never those of a bench.

The order is fixed by the seed, and every stretch of it mixes the corpora by `SHARES`, so that a
run which was stopped early has labelled the same mixture. Kept out are the pages of 2Wiki
questions and of Re-DocRED, the documents that were labelled by hand, and the sentences of CaRB,
since `bench/extraction.py` measures on them.

What this module does not do: label, or write texts anywhere.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from averment.claims.declarative import BY_WORDING, silent_rule
from averment.claims.mentions import mentions
from averment.claims.reading import read
from averment.text import TextForm, sentence_spans

SHARES = {
    "wiki_passages": 0.45,
    "timeqa_pages": 0.15,
    "world_factbook": 0.15,
    "classic_books": 0.10,
    "medquad": 0.08,
    "pubmedqa_abstracts": 0.07,
}
_LEAST_WORDS, _MOST_WORDS = 5, 45
_LEAST_MENTIONS = 2
_IN_LOWER_CASE = frozenset({"medquad", "pubmedqa_abstracts"})
"""Their names (drugs, diseases) have no capitals, so that no look of them is asked for."""
_MOST_OF_A_DOCUMENT = {"timeqa_pages": 12, "world_factbook": 3, "pubmedqa_abstracts": 3}
_FORM = TextForm(fold_accents=True)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sentence and its place: code points in the text of a document of a corpus."""

    corpus: str
    document: str
    start: int
    end: int
    text: str

    @property
    def digest(self) -> str:
        """By which a label file knows that its corpus is the one that was labelled."""
        return digest(self.text)


def digest(text: str) -> str:
    """The first 16 digits of the SHA-256 of a sentence."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a packed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def drawn(data: Path, seed: int, n: int) -> list[Drawn]:
    """The first `n` sentences of the order that `seed` gives, fewer if the corpora have fewer.

    Args:
        data: The folder with ``corpus``, ``qa_multihop`` and ``triples``.
        seed: Of the hash by which documents and sentences are ordered.
        n: How many.
    """
    held_out = _HeldOut(data)
    streams = {name: _of_corpus(data, name, seed, held_out) for name in SHARES}
    taken = dict.fromkeys(SHARES, 0)
    found: list[Drawn] = []
    while streams and len(found) < n:
        # Whoever is furthest behind its share is next.
        name = min(streams, key=lambda each: (taken[each] + 1) / SHARES[each])
        sentence = next(streams[name], None)
        if sentence is None:
            del streams[name]
            continue
        taken[name] += 1
        found.append(sentence)
    return found


def _of_corpus(data: Path, name: str, seed: int, held_out: _HeldOut) -> Iterator[Drawn]:
    documents = [
        (_rank(seed, record["id"]), record["id"], record["text"])
        for record in records(data / "corpus" / f"{name}.jsonl.gz")
        if not held_out.has_page(record["id"], record["title"])
    ]
    for _, document, text in sorted(documents):
        spans = [span for span in sentence_spans(text) if held_out.allows(text[slice(*span)])]
        spans.sort(key=lambda span: _rank(seed, f"{document} {span.start}"))
        kept = 0
        for start, end in spans:
            if kept < _MOST_OF_A_DOCUMENT.get(name, 2) and _is_fit(text[start:end], name):
                kept += 1
                yield Drawn(name, document, start, end, text[start:end])


def _rank(seed: int, what: str) -> str:
    return hashlib.sha256(f"{seed} {what}".encode()).hexdigest()


def _is_fit(sentence: str, corpus: str) -> bool:
    """Whether it is one line of prose that says something of at least two names."""
    if "\n" in sentence or not sentence.rstrip("\"')”").endswith((".", "!")):
        return False
    if not _LEAST_WORDS <= len(_FORM.words(sentence)) <= _MOST_WORDS:
        return False
    if silent_rule(read(sentence), BY_WORDING) is not None:
        return False  # no extractor looks at it
    return corpus in _IN_LOWER_CASE or len(mentions(sentence)) >= _LEAST_MENTIONS


class _HeldOut:
    """What the benches measure on: pages by title, documents by id, sentences by their words."""

    def __init__(self, data: Path) -> None:
        self._titles = {
            title_key(title)
            for file in ("2wiki_dev_ctx_migres", "2wiki_train_ctx_triples_migres")
            for record in records(data / "qa_multihop" / f"{file}.jsonl.gz")
            for title, _ in record.get("context") or []
        } | {
            title_key(record["title"])
            for file in ("redocred_dev", "redocred_test")
            for record in records(data / "triples" / f"{file}.jsonl.gz")
        }
        labels = Path(__file__).parents[2] / "bench" / "extraction_labels.jsonl"
        self._documents = {
            json.loads(line)["id"] for line in labels.read_text(encoding="utf-8").splitlines()
        }
        self._sentences = set(
            _keys(
                record["sentence"]
                for file in ("carb_dev", "carb_test")
                for record in records(data / "triples" / f"{file}.jsonl.gz")
            )
        )

    def has_page(self, document: str, title: str) -> bool:
        return document in self._documents or title_key(title) in self._titles

    def allows(self, sentence: str) -> bool:
        return " ".join(_FORM.words(sentence)) not in self._sentences


def title_key(title: str) -> str:
    """A title without its disambiguator: "Up (film)" and "Up" are held out together."""
    return " ".join(_FORM.words(re.sub(r"\s*\([^()]*\)$", "", title) or title))


def _keys(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        yield " ".join(_FORM.words(sentence))
