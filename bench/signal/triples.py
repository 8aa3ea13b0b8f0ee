"""True triples of 2WikiMultihopQA and three ways of making them false.

True ones are the `evidences` of its questions. *Random*: a tail of the same relation from another
triple. *Co-occurring*: something of the same kind that stands near the head in the corpus.
*Swap*: the relation of another triple of the same head; as few heads have two, also the
*counterpart* of the relation (birth for death, father for mother). What is drawn depends on the
seed and the triple alone, so that a table can be made again.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from averment.dates import Date
from averment.index.embedded import EmbeddedIndex
from averment.policies.relation_reading import Tail
from averment.policies.relations import TailKind, kind_of, sense_of
from averment.quantities import quantities
from averment.text import TextForm, capitalised_names, one_holds_other
from averment.types import Phrase, Triplet

FILES = {
    "train": "qa_multihop/2wiki_train_ctx_triples_migres.jsonl.gz",
    "dev": "qa_multihop/2wiki_dev_ctx_migres.jsonl.gz",
}
KINDS = ("true", "random", "co-occurring", "swap", "counterpart")
_COUNTERPARTS = {
    "date of birth": ("date of death",),
    "date of death": ("date of birth",),
    "place of birth": ("place of death",),
    "place of death": ("place of birth",),
    "father": ("mother", "spouse", "child"),
    "mother": ("father", "spouse", "child"),
    "spouse": ("father", "mother", "sibling"),
    "child": ("father", "mother", "spouse"),
    "sibling": ("father", "mother", "spouse"),
    "director": ("composer", "cast member"),
    "composer": ("director", "cast member"),
}
WINDOW_WORDS = 1000
_IS_PERSON = re.compile(
    r"\bborn\b|\d{4}\s?[–-]|\b(?:actor|actress|director|singer|king|queen|writer|politician"
    r"|composer|producer|player|musician|daughter|son) "
)
_IS_PLACE = re.compile(
    r"\bis (?:an?|the) .{0,60}(?:city|town|village|commune|municipality|capital|district|province"
    r"|county|state|region|suburb|borough)\b"
)


@dataclass(frozen=True)
class Case:
    """A triple, true or not, and the question that it is from."""

    question_id: str
    kind: str
    triplet: Triplet
    same_kind_of_tail: bool = True


@dataclass(frozen=True)
class Question:
    """A question with its gold triples and the titles of its gold passages."""

    question_id: str
    text: str
    triplets: tuple[Triplet, ...]
    titles: tuple[str, ...]


def read_questions(data: Path, split: str) -> list[Question]:
    """The questions of a file that have evidences."""
    with gzip.open(data / FILES[split], "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Question(
            row["_id"],
            row["question"],
            tuple(Triplet(*evidence) for evidence in row["evidences"]),
            tuple(dict.fromkeys(title for title, _ in row["supporting_facts"])),
        )
        for row in rows
        if row["evidences"]
    ]


def cases(
    questions: Sequence[Question],
    kinds_of: KindsOfNames,
    index: EmbeddedIndex,
    *,
    forms: Forms,
    seed: int,
) -> list[Case]:
    """The true triples, each once, and what can be made of each.

    `forms` are as many as are known, so that nothing true passes for false.
    """
    owners: dict[Triplet, str] = {}
    for question in questions:
        for triplet in question.triplets:
            if _is_usable(triplet):
                owners.setdefault(triplet, question.question_id)
    true = _Facts(list(owners), forms)
    made = []
    for triplet, owner in owners.items():
        made.append(Case(owner, "true", triplet))
        draw = random.Random(f"{seed} {triplet}")
        for name, corrupt in (
            ("random", true.random_tails),
            ("co-occurring", lambda t: true.present(_near_tails(t, kinds_of, index), index)),
            ("swap", true.other_relations),
            ("counterpart", _counterparts),
        ):
            wrong = true.first_false(corrupt(triplet), draw)
            if wrong is not None:
                made.append(Case(owner, name, wrong, _same_kind(triplet, wrong)))
    return made


def _is_usable(triplet: Triplet) -> bool:
    head, tail = TextForm().words(triplet.head), TextForm().words(triplet.tail)
    return bool(head and tail) and not one_holds_other(head, tail)


def _same_kind(triplet: Triplet, wrong: Triplet) -> bool:
    """Whether the wrong relation wants such a tail, so that its kind does not give it away."""
    wanted = sense_of(wrong.relation, wrong.tail)
    own = sense_of(triplet.relation, triplet.tail)
    return (
        wanted is None
        or own is None
        or wanted.kind is own.kind
        or (wanted.kind.is_name and own.kind.is_name)
    )


class _Facts:
    """The true triples, and what does not follow from them."""

    def __init__(self, true: Sequence[Triplet], forms: Forms) -> None:
        self._true = true
        self._forms = forms
        self._by_relation: dict[tuple[str, str], list[Triplet]] = defaultdict(list)
        for one in true:
            self._by_relation[one.head, one.relation].append(one)

    def random_tails(self, triplet: Triplet) -> list[Triplet]:
        """The tails of the relation in other triples."""
        tails = dict.fromkeys(one.tail for one in self._true if one.relation == triplet.relation)
        return [replace(triplet, tail=tail) for tail in tails]

    def other_relations(self, triplet: Triplet) -> list[Triplet]:
        """The other relations of the head."""
        relations = dict.fromkeys(one.relation for one in self._true if one.head == triplet.head)
        return [replace(triplet, relation=other) for other in relations]

    def present(self, wrong: Sequence[Triplet], index: EmbeddedIndex) -> list[Triplet]:
        """Those whose pair occurs."""
        usable = [one for one in wrong if _is_usable(one)]
        pairs = [(one.head, one.tail) for one in usable]
        found = index.exists(pairs, window_words=WINDOW_WORDS) if pairs else []
        return [one for one, is_there in zip(usable, found, strict=True) if is_there]

    def first_false(self, wrong: Sequence[Triplet], draw: random.Random) -> Triplet | None:
        """One of those that do not follow from what is true."""
        for triplet in draw.sample(wrong, len(wrong)):
            if _is_usable(triplet) and not self._holds(triplet):
                return triplet
        return None

    def _holds(self, triplet: Triplet) -> bool:
        claimed = self._tail(triplet)
        return any(
            claimed.is_stated(form) or self._tail(one).is_stated(own)
            for one in self._by_relation[triplet.head, triplet.relation]
            for form in self._tail(one).forms
            for own in claimed.forms
        )

    def _tail(self, triplet: Triplet) -> Tail:
        return tail_of(triplet, self._forms)


def tail_of(triplet: Triplet, forms: Forms) -> Tail:
    """The tail with its forms and the kind that the relation wants."""
    sense = sense_of(triplet.relation, triplet.tail)
    own = kind_of(triplet.tail)
    kind = sense.kind if sense is not None and own.is_name and sense.kind.is_name else own
    phrase = forms(triplet.tail)
    return Tail((phrase,) if isinstance(phrase, str) else tuple(sorted(phrase)), kind)


def _counterparts(triplet: Triplet) -> list[Triplet]:
    others = _COUNTERPARTS.get(triplet.relation, ())
    return [replace(triplet, relation=other) for other in others]


def _near_tails(triplet: Triplet, kinds_of: KindsOfNames, index: EmbeddedIndex) -> list[Triplet]:
    sense = sense_of(triplet.relation, triplet.tail)
    assert sense is not None
    [windows] = index.nearest_windows(
        [(triplet.head, triplet.head)], window_words=0, context_words=100, limit=5
    )
    near = dict.fromkeys(
        name for window in windows for name in kinds_of.among(window.text, sense.kind)
    )
    # A year is no rival of a day, nor a day of a year.
    exact = [name for name in near if _is_day(name) == _is_day(triplet.tail)]
    return [replace(triplet, tail=name) for name in exact or near]


def _is_day(text: str) -> bool:
    return any(isinstance(one, Date) and one.day is not None for one in quantities(text))


class KindsOfNames:
    """Which names are persons, places or countries: by their articles, tails and a list."""

    def __init__(self, data: Path, questions: Sequence[Question]) -> None:
        self._names: dict[TailKind, set[str]] = defaultdict(set)
        for title, text in _articles(data / "corpus/wiki_passages.jsonl.gz"):
            if _IS_PERSON.search(text[:200]):
                self._names[TailKind.PERSON].add(title)
            elif _IS_PLACE.search(text[:200]):
                self._names[TailKind.PLACE].add(title)
        for question in questions:
            for triplet in question.triplets:
                sense = sense_of(triplet.relation, triplet.tail)
                if sense is not None:
                    self._names[sense.kind].add(triplet.tail)
        self._names[TailKind.COUNTRY] |= set(country_forms(data))

    def among(self, text: str, kind: TailKind) -> Iterator[str]:
        """The dates, or the names of a kind, in a text."""
        if not kind.is_name:
            for one in quantities(text):
                if kind_of(text[one.start : one.end]) is kind:
                    yield text[one.start : one.end]
            return
        known = self._names[kind]
        for name in capitalised_names(text):
            if kind is TailKind.NAME or name.text in known:
                yield name.text


def _articles(path: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["title"].split(" (")[0], row["text"]


# --- forms of names -------------------------------------------------------------------------------

Forms = Callable[[str], Phrase]
"""From a name to what is counted for it."""


def country_forms(data: Path) -> dict[str, frozenset[str]]:
    """The names and peoples of each country, by each of them."""
    with gzip.open(data / "aliases/countries.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    forms: dict[str, frozenset[str]] = {}
    for row in rows:
        names = {row["name"]["common"], row["name"]["official"]}
        people = (row.get("demonyms") or {}).get("eng") or {}
        names |= {name for name in people.values() if name}
        for name in names:
            forms[name] = forms.get(name, frozenset()) | names
    return forms


_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_DISAMBIGUATOR = re.compile(r"\s*\([^()]*\)")


def by_rules(data: Path) -> Forms:
    """Dates in both orders, names without what is in brackets, countries and their peoples.

    Stands in for a resolver of aliases until one is passed.
    """
    countries = country_forms(data)

    def forms(name: str) -> Phrase:
        found = {name, _DISAMBIGUATOR.sub("", name).strip() or name}
        found |= countries.get(name, frozenset())
        for one in quantities(name):
            if isinstance(one, Date) and one.month and one.day and one.first_year is not None:
                month = _MONTHS[one.month - 1]
                found |= {
                    f"{one.day} {month} {one.first_year}",
                    f"{month} {one.day} {one.first_year}",
                }
        return frozenset(found)

    return forms
