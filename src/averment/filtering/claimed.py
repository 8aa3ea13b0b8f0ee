"""What texts claim, and what the corpus says of it: many rows at once, by counts alone.

The claims of a batch of rows are extracted together, and each pair and each name is asked for once
a batch; those of earlier batches are remembered, up to a bound. No model is run. A pair that never
occurs is looked at again: numbers and dates are compared by value, and where the corpus has no
document about the head it is not covered. What this module does not do: judge, or decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Generic, TypeVar

from averment.checking import short_answer_part
from averment.claims.in_context import extractions
from averment.claims.pronouns import self_contained
from averment.claims.split import Part, PartKind, split_text
from averment.engine import Edges, carry_out
from averment.errors import ExtractionError
from averment.filtering.fields import RowTexts
from averment.filtering.findings import (
    EXTRACTION_FAILED,
    ClaimFound,
    Findings,
    PairFound,
    documents_of,
)
from averment.policies.final_answers import NOT_NAMED
from averment.policies.loop import worst
from averment.policies.pairs import PairCheck, one_contains_other
from averment.ports import AliasResolver
from averment.steps import ExtractTriplets, count
from averment.text import TextForm
from averment.types import Entity, Extraction, Question, Support, SurfaceForm, Triplet

_K = TypeVar("_K")
_V = TypeVar("_V")
_REMEMBERED = 2**16
_NO_PAIR = "no_claim"


class Remembered(Generic[_K, _V]):
    """Answers by question, the newest of them: the older half goes when there are too many."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._most = most
        self._answers: dict[_K, _V] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def of(
        self, questions: Iterable[_K], ask: Callable[[list[_K]], Sequence[_V]]
    ) -> Mapping[_K, _V]:
        """The answers to some questions; those that are new are asked together, each once."""
        each = dict.fromkeys(questions)
        known = {one: self._answers[one] for one in each if one in self._answers}
        new = [one for one in each if one not in known]
        found = dict(zip(new, ask(new), strict=True)) if new else {}
        if len(self._answers) + len(found) > self._most:
            kept = islice(self._answers.items(), len(self._answers) // 2, None)
            self._answers = dict(kept)
        self._answers.update(found)
        return {**known, **found}


class RememberedForms:
    """An `AliasResolver` that asks another once for each name, as long as it remembers.

    Args:
        resolver: Who knows the forms.
    """

    def __init__(self, resolver: AliasResolver) -> None:
        self._resolver = resolver
        self._forms: Remembered[str, tuple[SurfaceForm, ...]] = Remembered()

    def forms(self, names: Sequence[str]) -> list[tuple[SurfaceForm, ...]]:
        """The forms that may be counted as each name."""
        found = self._forms.of(names, self._resolver.forms)
        return [found[name] for name in names]


@dataclass(frozen=True, slots=True)
class _Claimed:
    """A claim of a text: where it stands, and in words that can be read alone."""

    part: Part
    words: str
    question: str = ""


class Counting:
    """Says of texts what the corpus says of their names and pairs.

    Args:
        edges: An extractor of claims and an index; nothing else is asked.
        window_words: Largest distance of a pair, in words.
    """

    def __init__(self, edges: Edges, *, window_words: int) -> None:
        self._edges = edges
        self._check = PairCheck(window_words)
        self._closer = replace(self._check, compare_values=True, require_article=True, n_windows=1)
        self._pairs: Remembered[Triplet, PairFound] = Remembered()
        self._names: Remembered[str, int | None] = Remembered()

    def __call__(self, rows: Sequence[RowTexts]) -> list[Findings]:
        """What is found about each row, in order."""
        claimed = [_claimed(row) for row in rows]
        flat = list(chain.from_iterable(claimed))
        extracted = [_usable(each) for each in self._extracted(flat)]
        named = [_names(found) for found in self._entities(flat)]
        pairs = self._pairs.of((t for some in extracted for t in some.triplets), self._held)
        names = self._names.of((name for some in named for name in some), self._counted)
        findings = []
        at = 0
        for some in claimed:
            of_row = slice(at, at := at + len(some))
            findings.append(
                Findings(
                    tuple(map(_found, some, extracted[of_row], [pairs] * len(some))),
                    tuple({t: pairs[t] for e in extracted[of_row] for t in e.triplets}.values()),
                    tuple((n, names[n]) for n in dict.fromkeys(chain(*named[of_row]))),
                )
            )
        return findings

    def documents(self, names: Sequence[str]) -> list[tuple[str, int | None]]:
        """In how many documents each name occurs, each once; None: unknown."""
        return list(self._names.of(names, self._counted).items())

    def names_in(self, texts: Sequence[str]) -> list[str]:
        """The names in some texts, each once."""
        found = self._named(texts)
        return list(dict.fromkeys(chain(*map(_names, found))))

    def _extracted(self, claims: Sequence[_Claimed]) -> list[Extraction]:
        steps = [ExtractTriplets(each.words, question=each.question) for each in claims]
        try:
            return extractions(steps, self._edges.extractor)
        except ExtractionError:
            return [self._extracted_alone(step) for step in steps]

    def _extracted_alone(self, step: ExtractTriplets) -> Extraction:
        try:
            return extractions([step], self._edges.extractor)[0]
        except ExtractionError as error:
            return Extraction((), failed=error.message)

    def _entities(self, claims: Sequence[_Claimed]) -> list[tuple[Entity, ...]]:
        return self._named(
            [f"{each.question} {each.words}" if each.question else each.words for each in claims]
        )

    def _named(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The named things of each text; none where they could not be found, as its claims say."""
        try:
            return self._edges.extractor.entities(texts)
        except ExtractionError:
            if len(texts) == 1:
                return [()]
            return [named for text in texts for named in self._named([text])]

    def _held(self, triplets: list[Triplet]) -> list[PairFound]:
        checks = carry_out(self._check.run(triplets), self._edges)
        found = [PairFound.of(check) for check in checks]
        absent = [at for at, pair in enumerate(found) if pair.support is Support.ABSENT]
        again = self._closer.run([triplets[at] for at in absent])
        for at, check in zip(absent, carry_out(again, self._edges), strict=True):
            found[at] = PairFound.of(check)
        return found

    def _counted(self, names: list[str]) -> list[int | None]:
        return [documents_of(found) for found in carry_out(count(names), self._edges)]


def _claimed(row: RowTexts) -> list[_Claimed]:
    """The claims of a text; an answer of a few words is one, together with its question."""
    parts = split_text(row.text)
    if row.question:
        short = short_answer_part(row.text, parts, Question("row", row.question))
        if short is not None:
            is_claim = short.kind is PartKind.CLAIM
            return [_Claimed(short, short.text, row.question)] if is_claim else []
    claims = [part for part in parts if part.kind is PartKind.CLAIM]
    told = self_contained([part.text for part in claims])
    return [_Claimed(part, each.text) for part, each in zip(claims, told, strict=True)]


def _usable(extraction: Extraction) -> Extraction:
    """Without pairs that their spelling alone puts together: these say nothing."""
    apart = [t for t in extraction.triplets if not one_contains_other(t.head, t.tail)]
    return Extraction(tuple(apart), failed=extraction.failed)


def _names(entities: Sequence[Entity]) -> list[str]:
    named = [entity.text for entity in entities if entity.kind not in NOT_NAMED]
    return [name for name in named if TextForm().words(name)]


def _found(
    claim: _Claimed, extraction: Extraction, pairs: Mapping[Triplet, PairFound]
) -> ClaimFound:
    supports = [pairs[triplet].support for triplet in extraction.triplets]
    reason = None if supports else _NO_PAIR
    if extraction.failed is not None:
        supports, reason = [Support.UNKNOWN], EXTRACTION_FAILED
    return ClaimFound(claim.part.start, claim.part.end, worst(supports), reason)
