"""Sentences as the student learns them: entities, which of them are linked, and by which words.

Four sources, each with what it knows and no more; what it does not know is masked, never "no":

- *redocred*: every entity with its type and every relation; no words of the relations.
- *2wiki*: the pairs of evidence triples; of other pairs of the sentence nothing but that a
  reversed one is wrong. Entities are also what the look shows. Questions: entities alone.
- *teacher*: rows of `label.py`; what the teacher did not link is not linked.
- *rules*: the deterministic extractor on drawn sentences that the teacher has not reached.

Which pages are kept for choosing is decided by `is_validation`, from the title alone. The sets of
split ``report`` (`bench/extraction_sets.py`) are the gold test set; nothing here reads them.

What this module does not do: know of tokens; all places are code points.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extraction_sets import End, GoldSentence, read_sentences

from averment.claims.mentions import mentions
from averment.claims.rules import RulesExtractor
from label import placed, places
from sentences import Drawn, digest, drawn, records

VALIDATION_SHARE = 0.15
KINDS = ("name", "date", "number")
_KIND_OF = {"date": "date", "number": "number"}
_DISAMBIGUATOR = re.compile(r"\s*\([^()]*\)$")
Place = tuple[int, int]


@dataclass(slots=True)
class Example:
    """A sentence with what is known of it.

    Args:
        text: The sentence.
        source: ``redocred``, ``2wiki``, ``question``, ``teacher`` or ``rules``.
        document: By which it falls to training or validation.
        entities: Kind of each, by place; none overlap.
        links: (head, tail) to the place or the words of the relation, None where unknown.
        complete: Whether pairs that are not in `links` are known to be unrelated.
    """

    text: str
    source: str
    document: str
    entities: dict[Place, str]
    links: dict[tuple[Place, Place], Place | str | None] = field(default_factory=dict)
    complete: bool = False


def is_validation(document: str) -> bool:
    """Whether a page is kept for choosing (15 % of them, by the hash of the title)."""
    number = int(hashlib.sha256(f"extractor {document}".encode()).hexdigest()[:8], 16)
    return number < VALIDATION_SHARE * 2**32


def validation(data: Path, name: str) -> list[GoldSentence]:
    """The sentences of `choose` that are kept for choosing."""
    return [each for each in read_sentences(data, name, "choose") if is_validation(each.document)]


def training(data: Path, labels: Path | None, n_drawn: int, seed: int) -> list[Example]:
    """All examples whose page is not kept for choosing.

    Args:
        data: The folder of the data sets.
        labels: The teacher's rows; None if there are none.
        n_drawn: How many of the drawn sentences the rules label where the teacher has not.
        seed: By which `label.py` drew them.
    """
    every = drawn(data, seed, n_drawn)
    by_teacher = list(taught(data, labels)) if labels else []
    known = {each.text for each in by_teacher}
    found = [
        *(_redocred(each) for each in read_sentences(data, "redocred", "choose")),
        *(_wiki(each) for each in read_sentences(data, "2wiki", "choose")),
        *_questions(data),
        *by_teacher,
        *_ruled([each for each in every if each.text not in known]),
    ]
    return [each for each in found if not is_validation(each.document)]


# --- gold ---------------------------------------------------------------------------------------


def _redocred(sentence: GoldSentence) -> Example:
    where = {
        end: [tuple(place) for form in end for place in places(sentence.text, form)]
        for end in sentence.entities
    }
    kinds = {
        place: _KIND_OF.get(sentence.kinds[end], "name") for end in where for place in where[end]
    }
    entities = _apart(kinds)
    example = Example(sentence.text, "redocred", sentence.document, entities, complete=True)
    for pair in sentence.pairs:
        # Most relations are listed both ways; the claim is one, said of what stands first.
        both_ways = pair[::-1] in sentence.pairs
        for head in where[pair[0]]:
            for tail in where[pair[1]]:
                if head in entities and tail in entities and (head < tail or not both_ways):
                    example.links[head, tail] = None
    return example


def _wiki(sentence: GoldSentence) -> Example:
    looked = {(each.start, each.end): _kind(each.kind) for each in mentions(sentence.text)}
    ends: dict[End, Place] = {}
    for end in sentence.entities:
        if (place := _place_of(sentence, end, looked)) is not None:
            ends[end] = place
    entities = _apart({place: looked.get(place, "name") for place in ends.values()}, looked)
    example = Example(sentence.text, "2wiki", sentence.document, entities)
    for head, tail in sentence.pairs:
        if head in ends and tail in ends and ends[head] != ends[tail]:
            example.links[ends[head], ends[tail]] = None
    return example


def _place_of(sentence: GoldSentence, end: End, looked: Iterable[Place]) -> Place | None:
    for start, stop in looked:
        if sentence.is_end(sentence.text[start:stop], end):
            return start, stop
    found = places(sentence.text, _DISAMBIGUATOR.sub("", end[0]))
    return (found[0][0], found[0][1]) if found else None


def _questions(data: Path) -> Iterator[Example]:
    path = data / "qa_multihop" / "2wiki_train_ctx_triples_migres.jsonl.gz"
    for record in records(path):
        text = record["question"]
        looked = {(each.start, each.end): _kind(each.kind) for each in mentions(text)}
        yield Example(text, "question", record["_id"], _apart(looked))


# --- silver -------------------------------------------------------------------------------------


def taught(data: Path, labels: Path) -> Iterator[Example]:
    """What the teacher labelled; its sentences are read from the corpora.

    Raises:
        ValueError: A corpus is not the one that was labelled.
    """
    rows = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if not row.get("failed")]
    corpora = {row["corpus"] for row in rows}
    texts = {
        (corpus, record["id"]): record["text"]
        for corpus in sorted(corpora)
        for record in records(data / "corpus" / f"{corpus}.jsonl.gz")
    }
    for row in rows:
        text = texts[row["corpus"], row["id"]][row["start"] : row["end"]]
        if digest(text) != row["digest"]:
            raise ValueError(
                f"{row['id']} of {row['corpus']} is not the text that was labelled; label it anew "
                "(label.py), or take the corpus that the labels were made of."
            )
        yield _linked(text, "teacher", row["id"], row["triplets"])


def _ruled(sentences: Sequence[Drawn]) -> Iterator[Example]:
    rules = RulesExtractor()
    for each, found in zip(sentences, rules.triplets([s.text for s in sentences]), strict=True):
        triplets = [placed(each.text, triplet) for triplet in found.triplets]
        yield _linked(each.text, "rules", each.document, triplets)


def _linked(text: str, source: str, document: str, triplets: Sequence[Sequence]) -> Example:  # type: ignore[type-arg]
    looked = {(each.start, each.end): _kind(each.kind) for each in mentions(text)}
    ends = {tuple(place): "name" for head, _, tail, _ in triplets for place in (head, tail)}
    entities = _apart({place: looked.get(place, kind) for place, kind in ends.items()}, looked)
    example = Example(text, source, document, entities, complete=True)
    for head, relation, tail, _ in triplets:
        if tuple(head) in entities and tuple(tail) in entities:
            said = relation if isinstance(relation, str) else tuple(relation)
            example.links.setdefault((tuple(head), tuple(tail)), said)
    return example


def _kind(kind: str) -> str:
    return _KIND_OF.get(kind, "name")


def _apart(first: dict[Place, str], second: dict[Place, str] | None = None) -> dict[Place, str]:
    """Those that overlap none before them; longer ones come first."""
    kept: dict[Place, str] = {}
    for group in (first, second or {}):
        for place, kind in sorted(group.items(), key=lambda each: each[0][0] - each[0][1]):
            if not any(place[0] < end and start < place[1] for start, end in kept):
                kept[place] = kind
    return dict(sorted(kept.items()))
