"""Reads sentences whose (head, tail) pairs are known, and says when a found pair is one of them.

The matching rule: two names are equal if their words are, after case and accents are folded, dates
are written year-month-day whatever their order was, a disambiguator in brackets at the end is cut
off, and articles are left out ("The Prairie King (film)" is "Prairie King"); where the gold name
has a comma, what stands before it is enough ("Deram, Mazandaran"). Nothing more: a middle name, a
short form or a longer phrase is another name. For CaRB, whose ends are phrases, a found end must
stand within the gold phrase.

`SETS` has two splits each: `choose`, on which rules and prompts may be worked out, and `report`,
for figures. A sentence that is in both is only in `choose`. A gold pair is used where both its ends
stand in the sentence, by the same rule; the lists are not exhaustive, so that a found pair that is
not on them may be right.
"""

from __future__ import annotations

import collections
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from packed import records

from averment.claims.vocabulary import says_nothing
from averment.dates import Date
from averment.quantities import quantities
from averment.text import TextForm, contains_words

LABELS = Path(__file__).with_name("extraction_labels.jsonl")
End = tuple[str, ...]
"""The ways in which one end of a pair is written in the sentence."""
_FORM = TextForm(fold_accents=True)
_DISAMBIGUATOR = re.compile(r"\s*\([^()]*\)$")
_LOWER_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(slots=True)
class GoldSentence:
    """A sentence, its gold pairs, and all names of it that the makers know of."""

    text: str
    pairs: list[tuple[End, End]] = field(default_factory=list)
    entities: list[End] = field(default_factory=list)
    kinds: dict[End, str] = field(default_factory=dict)
    """What each of them is (person, place, date, number, other), where the makers say so."""
    within: bool = False
    """Whether a found end must stand within the gold end rather than be equal to it."""
    document: str = ""
    """The title of its page, where the set has pages; what is split for training is split by it."""

    @property
    def sentence_id(self) -> str:
        """A short name of its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    def is_end(self, found: str, end: End) -> bool:
        """Whether a found head or tail is this one."""
        words = key(found)
        if self.within:
            return bool(words) and any(contains_words(key(form), words) for form in end)
        return any(words in (key(form), key(form.partition(", ")[0])) for form in end)


@cache
def key(name: str) -> tuple[str, ...]:
    """The words of a name by which it is compared."""
    words = _words(_DISAMBIGUATOR.sub("", name) or name)
    return tuple(word for word in words if word not in _ARTICLES)


def _words(text: str) -> list[str]:
    """With every date as one word; what is no whole date stays as it is written."""
    pieces, end = [], 0
    text = _LOWER_MONTH.sub(lambda found: found.group().capitalize(), text)
    for each in quantities(text):
        if isinstance(each, Date) and each.month is not None:
            pieces += _FORM.words(text[end : each.start])
            pieces.append(f"{each.first_year}-{each.month}-{each.day}")
            end = each.end
    return pieces + _FORM.words(text[end:])


def is_generic(pair: tuple[End, End]) -> bool:
    """Whether the tail is a nationality or such, which the span rule refuses on purpose."""
    return all(says_nothing(TextForm().words(form)) for form in pair[1])


def read_sentences(data: Path, name: str, split: str) -> list[GoldSentence]:
    """The sentences of a set, in the order of their makers, each text once."""
    known = {each.text for each in SETS[name](data, "choose")} if split == "report" else set()
    return [each for each in SETS[name](data, split) if each.text not in known]


# --- 2WikiMultihopQA ----------------------------------------------------------------------------

_WIKI = {"choose": "2wiki_train_ctx_triples_migres", "report": "2wiki_dev_ctx_migres"}


def _wiki(data: Path, split: str) -> list[GoldSentence]:
    """Supporting sentences with the evidence triples of their questions."""
    sentences: dict[str, GoldSentence] = {}
    for record in records(data / "qa_multihop" / f"{_WIKI[split]}.jsonl.gz"):
        pages = dict(record.get("context") or [])
        for title, at in record["supporting_facts"]:
            if title in pages and at < len(pages[title]):
                text = untokenised(pages[title][at])
                sentence = sentences.setdefault(text, GoldSentence(text, document=title))
                _add_stated(sentence, record["evidences"])
    return [each for each in sentences.values() if each.pairs]


def _wiki_statements(data: Path, split: str) -> list[GoldSentence]:
    """Answers in one sentence that a language model gave to the hops of 2Wiki questions."""
    sentences: dict[str, GoldSentence] = {}
    for record in records(data / "qa_multihop" / f"{_WIKI[split]}.jsonl.gz"):
        for pair in record.get("qa_pairs") or []:
            text = pair["answer"].rstrip(".") + "."
            _add_stated(sentences.setdefault(text, GoldSentence(text)), record["evidences"])
    return [each for each in sentences.values() if each.pairs]


def _lower_case(data: Path, split: str) -> list[GoldSentence]:
    """The same as a person types: without capitals."""
    return [
        GoldSentence(each.text.lower(), each.pairs, each.entities)
        for each in _wiki_statements(data, split)
    ]


def _add_stated(sentence: GoldSentence, triples: Sequence[Sequence[str]]) -> None:
    words = [word for word in _words(sentence.text) if word not in _ARTICLES]
    for head, _, tail in triples:
        ends = [(name,) for name in (head, tail) if key(name) and contains_words(words, key(name))]
        sentence.entities += [end for end in ends if end not in sentence.entities]
        if len(ends) == 2 and (ends[0], ends[1]) not in sentence.pairs:
            sentence.pairs.append((ends[0], ends[1]))


_SPACES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=\w)\(", " ("),
        (r'"(\w+) "(?=[A-Z])', r'"\1" '),
        (r'(?<=[a-z])" (?=[A-Z])', ' "'),
        (r"([(\[]) +", r"\1"),
        (r" +([,.;:!?)\]])", r"\1"),
        (r"(?<=\w)- (?=\w)", "-"),
        (r"(?<=[a-z]) -(?=(?:e|ye|i)\b)", "-"),
        (r"  +", " "),
    )
]


def untokenised(text: str) -> str:
    """Spaces where people write them: "Sale( born 1911)" and "Mediaș , Romania" have others."""
    for pattern, replacement in _SPACES:
        text = pattern.sub(replacement, text)
    return text.strip()


# --- Re-DocRED ----------------------------------------------------------------------------------


_KINDS = collections.defaultdict(
    lambda: "other", {"PER": "person", "LOC": "place", "TIME": "date", "NUM": "number"}
)


def _redocred(data: Path, split: str) -> list[GoldSentence]:
    """Relations whose two ends are mentioned in the sentence, if that is among their evidence."""
    file = {"choose": "redocred_dev", "report": "redocred_test"}[split]
    found = []
    for record in records(data / "triples" / f"{file}.jsonl.gz"):
        for at, tokens in enumerate(record["sents"]):
            ends = [_forms(vertex, at) for vertex in record["vertexSet"]]
            pairs = {
                (ends[label["h"]], ends[label["t"]]): None
                for label in record["labels"]
                if not label["evidence"] or at in label["evidence"]
            }
            stated = [(head, tail) for head, tail in pairs if head and tail]
            if stated:
                kinds = {
                    end: _KINDS[vertex[0]["type"]]
                    for end, vertex in zip(ends, record["vertexSet"], strict=True)
                    if end
                }
                text, page = _joined(tokens), record["title"]
                found.append(GoldSentence(text, stated, list(kinds), kinds, document=page))
    return list({each.text: each for each in found}.values())


def _forms(vertex: Sequence[dict[str, Any]], sentence: int) -> End:
    names = {_joined(each["name"].split()): None for each in vertex if each["sent_id"] == sentence}
    return tuple(names)


def _joined(tokens: Sequence[str]) -> str:
    text = " ".join("".join(tokens[at]) for at in range(len(tokens)))
    text = re.sub(r" ('s|n't|'\w{1,2})\b", r"\1", re.sub(r" - ", "-", text))
    text = re.sub(r'" ([^"]*?) "', r'"\1"', text.replace("``", '"').replace("''", '"'))
    return untokenised(text)


# --- CaRB ---------------------------------------------------------------------------------------


def _carb(data: Path, split: str) -> list[GoldSentence]:
    """Open tuples: the first argument with each further one."""
    file = {"choose": "carb_dev", "report": "carb_test"}[split]
    sentences: dict[str, GoldSentence] = {}
    for record in records(data / "triples" / f"{file}.jsonl.gz"):
        text = _joined(record["sentence"].split())
        sentence = sentences.setdefault(text, GoldSentence(text, within=True))
        head = (_joined(record["arg1"].split()),)
        sentence.pairs += [(head, (_joined(tail.split()),)) for tail in record["args"]]
    for sentence in sentences.values():
        sentence.entities = list({end: None for pair in sentence.pairs for end in pair})
    return list(sentences.values())


# --- labelled by hand ---------------------------------------------------------------------------


def _labelled(data: Path, split: str, corpus: str) -> list[GoldSentence]:
    """Sentences, every pair of which was marked; only their places are kept here."""
    if split == "choose":
        return []
    every = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    labels = [label for label in every if label["corpus"] == corpus]
    texts = {
        record["id"]: record["text"] for record in records(data / "corpus" / f"{corpus}.jsonl.gz")
    }
    found = []
    for label in labels:
        text = texts[label["id"]]
        pairs = [((text[a:b],), (text[c:d],)) for a, b, c, d in label["pairs"]]
        entities = list({end: None for pair in pairs for end in pair})
        found.append(GoldSentence(text[label["start"] : label["end"]], pairs, entities))
    return found


def _factbook(data: Path, split: str) -> list[GoldSentence]:
    return _labelled(data, split, "world_factbook")


def _pubmed(data: Path, split: str) -> list[GoldSentence]:
    return _labelled(data, split, "pubmedqa_abstracts")


SETS: dict[str, Callable[[Path, str], list[GoldSentence]]] = {
    "2wiki": _wiki,
    "2wiki-statements": _wiki_statements,
    "2wiki-lower-case": _lower_case,
    "redocred": _redocred,
    "carb": _carb,
    "factbook": _factbook,
    "pubmed": _pubmed,
}
