"""Pairs of names held against the corpus: do they stand near each other, and does it say why?

1. Counts: zero co-occurrence is a warning, and is ``not_covered`` where the corpus hardly knows
   the head. Co-occurrence proves nothing.
2. Windows of the pair and of the head: numbers and dates are found by value, the relation is read
   off by patterns, and a judge of faithfulness may have the last word where patterns find nothing.
3. Rivals: other tails that the windows give the same relation, with their own counts.

Every signal beyond the counts can be left out. What this module does not do: decide what follows
from a check (`averment.policies.quco`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from averment import steps
from averment.errors import AvermentError
from averment.findings import entails, opposes
from averment.policies.relation_reading import (
    Tail,
    has_value,
    is_about,
    reads,
)
from averment.policies.relations import Sense, fits, kind_of, sense_of
from averment.steps import Flow, Forms
from averment.text import TextForm, one_holds_other
from averment.types import (
    Check,
    Cooccurrence,
    Count,
    Passage,
    RelationCheck,
    RelationOutcome,
    Rival,
    Support,
    Triplet,
)

_NEAR_WORDS = 200
"""A pair that stands further apart is in no window that could say anything of both."""
_CONTEXT_WORDS = 120
_MOST_RIVALS = 3


@dataclass(frozen=True, slots=True)
class PairCheck:
    """How pairs are held against the corpus.

    Args:
        window_words: Largest distance of a pair, in words.
        cooccurrence_threshold: A pair that occurs less often is absent.
        check_relations: Read windows of the pair for the claimed relation.
        judge_relations: Where patterns find nothing, let the judge of faithfulness read them.
        contrast: Count the rivals of the tail; a clearly stronger one contradicts.
        compare_values: Numbers and dates are looked for by value where their words do not occur.
        require_article: A head without a document about it is not covered, and only windows of
            such a document contradict.
        n_windows: Windows that are read of each pair and of its head.
    """

    window_words: int
    cooccurrence_threshold: int = 1
    check_relations: bool = False
    judge_relations: bool = False
    contrast: bool = False
    compare_values: bool = False
    require_article: bool = False
    n_windows: int = 5

    def run(self, triplets: Sequence[Triplet], said: str = "") -> Flow[tuple[Check, ...]]:
        """Hold triplets against the corpus; pairs that their spelling alone puts together are not.

        Args:
            triplets: What is claimed; a pair without a relation is counted only.
            said: The sentence that claims it, for the judge; empty: the triplet in words.
        """
        asked = [t for t in triplets if not one_contains_other(t.head, t.tail)]
        if not asked:
            return ()
        heads = yield from steps.count([t.head for t in asked])
        tails = yield from steps.count([t.tail for t in asked])
        found = yield from steps.cooccurrence([(t.head, t.tail) for t in asked], self.window_words)
        checks = [
            Check(t, self._support(head, pair), head, tail, pair, self.window_words)
            for t, head, tail, pair in zip(asked, heads, tails, found, strict=True)
        ]
        if self._reads_windows:
            checks = yield from self._read(checks, said)
        return tuple(checks)

    def why(self, failed: Support | RelationOutcome) -> str:
        """What is wrong with a pair, in words."""
        if failed is RelationOutcome.CONTRADICTED:
            return "the corpus says this of something else"
        if failed is RelationOutcome.NOT_FOUND:
            return "they stand near each other, but nothing says this of them"
        if failed is Support.ABSENT:
            seldom = "never" if self.cooccurrence_threshold == 1 else "too seldom"
            return f"{seldom} near each other in the corpus"
        if failed is Support.NOT_COVERED:
            return "the corpus hardly knows the first"
        return "the corpus could not tell"

    @property
    def _reads_windows(self) -> bool:
        return self.check_relations or self.compare_values or self.require_article

    def _support(self, head: Count, pair: Cooccurrence) -> Support:
        support = pair.support(at_least=self.cooccurrence_threshold)
        if support is Support.ABSENT and head.support() is Support.ABSENT:
            return Support.NOT_COVERED
        return support

    # --- windows --------------------------------------------------------------------------------

    def _read(self, checks: Sequence[Check], said: str) -> Flow[list[Check]]:
        """The checks with what the windows say of them."""
        pairs = [pair for check in checks for pair in _pairs_to_read(check)]
        shown = yield from steps.windows(
            pairs, window_words=_NEAR_WORDS, context_words=_CONTEXT_WORDS, limit=self.n_windows
        )
        if shown is None:  # pragma: no cover - tested; the tracer loses a frame behind a throw
            no_text = RelationCheck(RelationOutcome.UNKNOWN, "no_text")
            return [
                replace(check, relation=no_text) if _has_windows(check) else check
                for check in checks
            ]
        left = iter(shown)
        read = []
        for check in checks:
            mine = [next(left) for _ in _pairs_to_read(check)]
            read.append((yield from self._read_one(check, mine, said)) if mine else check)
        return read

    def _read_one(
        self, check: Check, shown: Sequence[tuple[Passage, ...]], said: str
    ) -> Flow[Check]:
        claim = _Claim.of(check, with_sense=self.check_relations)
        found = dict.fromkeys(passage for some in reversed(shown) for passage in some)
        # What an article says of its own subject comes first.
        about = [window for window in found if is_about(window, claim.head)]
        windows = [*about, *(window for window in found if window not in about)]
        is_covered = bool(about)
        stands = self.compare_values and any(has_value(claim.tail, each) for each in windows)
        if stands and check.support is Support.ABSENT:
            check = replace(check, support=Support.PRESENT)
        if self.require_article and check.support is Support.ABSENT and not is_covered:
            check = replace(check, support=Support.NOT_COVERED)
        if not self.check_relations or claim.sense is None:
            return check
        relation, rivals = self._relation(claim, claim.sense, windows, is_covered=is_covered)
        if self.judge_relations and relation.reason in _UNREAD and check.support is Support.PRESENT:
            relation = yield from _judged(relation, said or claim.in_words, windows)
        if self.contrast:
            relation = replace(relation, rivals=(yield from self._counted(claim, rivals)))
        return replace(check, relation=relation)

    def _relation(
        self, claim: _Claim, sense: Sense, windows: Sequence[Passage], *, is_covered: bool
    ) -> tuple[RelationCheck, list[str]]:
        """What the windows say of the relation by patterns, and the other tails that they give."""
        if not fits(sense.kind, claim.tail.kind):
            return RelationCheck(RelationOutcome.CONTRADICTED, "other_kind"), []
        read = [(window, reads(sense, claim.head, claim.tail, window)) for window in windows]
        saying = [window for window, each in read if each.is_stated]
        # Elsewhere a name may be somebody else's.
        trusted = [
            (window, each)
            for window, each in read
            if not self.require_article or is_about(window, claim.head)
        ]
        denying = [window for window, each in trusted if each.others]
        others = Counter(one for _, each in trusted for one in dict.fromkeys(each.others))
        rivals = [text for text, _ in others.most_common(_MOST_RIVALS)]
        said_of_head = [window for window in saying if is_about(window, claim.head)]
        if saying and not (self.contrast and _is_outweighed(saying, said_of_head, others, sense)):
            return RelationCheck(RelationOutcome.SUPPORTED, "states_relation", saying[0]), rivals
        if denying and sense.is_single:
            reason = "rival_stronger" if saying else "states_another"
            return RelationCheck(RelationOutcome.CONTRADICTED, reason, denying[0]), rivals
        if denying and self.contrast:
            return RelationCheck(RelationOutcome.NOT_FOUND, "states_others", denying[0]), rivals
        near = [window for window, each in read if each.is_near]
        if near:
            return RelationCheck(RelationOutcome.UNKNOWN, "words_nearby", near[0]), rivals
        if self.require_article and not is_covered:
            return RelationCheck(RelationOutcome.UNKNOWN, "head_not_covered"), rivals
        return RelationCheck(RelationOutcome.NOT_FOUND, "not_stated"), rivals

    def _counted(self, claim: _Claim, rivals: Sequence[str]) -> Flow[tuple[Rival, ...]]:
        usable = [one for one in rivals if not one_contains_other(claim.triplet.head, one)]
        pairs = [(claim.triplet.head, one) for one in usable]
        counts = yield from steps.cooccurrence(pairs, self.window_words)
        return tuple(Rival(one, count) for one, count in zip(usable, counts, strict=True))


_UNREAD = frozenset(("not_stated", "words_nearby", "head_not_covered"))


@dataclass(frozen=True, slots=True)
class _Claim:
    """A triplet, ready to be looked for."""

    triplet: Triplet
    head: Forms
    tail: Tail
    sense: Sense | None

    @classmethod
    def of(cls, check: Check, *, with_sense: bool) -> _Claim:
        triplet = check.triplet
        sense = sense_of(triplet.relation, triplet.tail) if with_sense else None
        kind = kind_of(triplet.tail)
        if sense is not None and fits(sense.kind, kind):
            kind = sense.kind
        tail = Tail(forms_of(check.tail_count, triplet.tail), kind)
        return cls(triplet, forms_of(check.head_count, triplet.head), tail, sense)

    @property
    def in_words(self) -> str:
        """The triplet as a sentence, more or less."""
        return f"{self.triplet.head} {self.triplet.relation} {self.triplet.tail}."


def forms_of(count: Count, name: str) -> Forms:
    """The spellings that were counted as one name, or the name alone."""
    return tuple(form.text for form in count.forms) or (name,)


def _has_windows(check: Check) -> bool:
    return check.support in (Support.PRESENT, Support.ABSENT)


def _pairs_to_read(check: Check) -> list[tuple[Forms, Forms]]:
    """The head with itself, which gives the documents about it first, and with the tail."""
    if not _has_windows(check):
        return []
    head = forms_of(check.head_count, check.triplet.head)
    tail = forms_of(check.tail_count, check.triplet.tail)
    return [(head, head), (head, tail)] if check.support is Support.PRESENT else [(head, head)]


def _is_outweighed(
    saying: Sequence[Passage], of_head: Sequence[Passage], others: Counter[str], sense: Sense
) -> bool:
    """Whether a rival stands in clearly more windows, or in the head's own article."""
    strongest = max(others.values(), default=0)
    return sense.is_single and strongest >= (2 * len(saying) if of_head else 1)


def _judged(relation: RelationCheck, said: str, windows: Sequence[Passage]) -> Flow[RelationCheck]:
    """What the judge of faithfulness finds in the windows; as it was if there is no judge."""
    try:
        [found] = yield from steps.judge_faithfulness([said], [each.text for each in windows])
    except AvermentError:
        return relation
    if found.passage is None:
        return relation
    window = windows[found.passage]
    if opposes(found):
        return RelationCheck(RelationOutcome.CONTRADICTED, "judged_contradicted", window)
    if entails(found):
        return RelationCheck(RelationOutcome.SUPPORTED, "judged_faithful", window)
    return relation


def one_contains_other(a: str, b: str) -> bool:
    """Whether a pair would co-occur by its spelling alone ("Mumbai" / "Mumbai, India")."""
    return one_holds_other(TextForm().words(a), TextForm().words(b))
