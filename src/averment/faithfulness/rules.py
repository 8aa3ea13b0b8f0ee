"""What speaks against a claim although its words occur: named rules, each of which caps the score.

A rule looks at the run of sentences that covers the claim best. `Rule.cap` is the share of the
score that is left where it applies; the caps were chosen on development data. A rule that
`contradicts` has found something that cannot hold together with the claim, the others miss
something that the claim needs. What this module does not do: understand; the rules are about
words, numbers and capitals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache

from averment.dates import Date, Relation
from averment.faithfulness.alignment import Run
from averment.faithfulness.terms import Sentence, stemmer
from averment.quantities import compare

_QUANTITY_MIN_COVERAGE = 0.5
"""Another number near few of a claim's words is a number of something else."""
_NEGATION_MIN_COVERAGE = 0.8
_NEGATION_MAX_TERMS = 8
"""Negations of longer claims are compared too often with those of something else."""


class Rule(Enum):
    """Why a claim whose words occur is not taken for stated: code, cap, and whether it opposes."""

    NUMBER_DIFFERS = ("number_differs", 0.4, True)
    """Another number of the same unit or the same thing stands there."""
    DATE_DIFFERS = ("date_differs", 0.4, True)
    """Another date stands there."""
    NEGATION_DIFFERS = ("negation_differs", 0.5, True)
    """One of both denies what the other says."""
    OPPOSITE_STATED = ("opposite_stated", 0.5, True)
    """A word of opposite meaning stands there instead."""
    OTHER_QUANTITY = ("other_quantity", 0.4, False)
    """Another number or date stands there, but hardly anything else of the claim."""
    RELATION_MISSING = ("relation_missing", 0.5, False)
    """Its names are mentioned, and nothing of what it says about them."""
    NUMBER_MISSING = ("number_missing", 0.7, False)
    """A number or date of it is nowhere in the passage."""
    NAME_MISSING = ("name_missing", 0.7, False)
    """A name of it is nowhere in the passage."""

    def __init__(self, code: str, cap: float, contradicts: bool) -> None:
        self.code = code
        self.cap = cap
        self.contradicts = contradicts


def broken_rule(claim: Sentence, sentences: Sequence[Sentence], run: Run) -> Rule | None:
    """The rule with the lowest cap that a claim breaks; None if it breaks none.

    Args:
        claim: A sentence of the claim.
        sentences: Of one text.
        run: The one of them that covers the claim best.
    """
    evidence = sentences[run.first : run.last]
    occurring = _polarities(evidence)
    return (
        differing_quantity(claim, evidence, run)
        or _negation_differs(claim, occurring, run)
        or _opposite_stated(claim, occurring, run)
        or _relation_missing(claim, run)
        or _something_missing(claim, run)
    )


def _polarities(evidence: Sequence[Sentence]) -> Mapping[str, int]:
    occurring: dict[str, int] = {}
    for sentence in evidence:
        for stem, polarity in sentence.polarities.items():
            occurring[stem] = occurring.get(stem, 0) | polarity
    return occurring


def differing_quantity(claim: Sentence, evidence: Sequence[Sentence], run: Run) -> Rule | None:
    """The rule that is broken by a number or date of the claim; None if none is.

    Args:
        claim: A sentence of the claim.
        evidence: The sentences of the run.
        run: Where the claim is covered best.
    """
    stated = [quantity for sentence in evidence for quantity in sentence.quantities]
    for at, claimed in enumerate(claim.quantities, start=len(claim.terms)):
        # What stands elsewhere in the passage may well belong to the claim.
        missing = not run.found_anywhere >> at & 1
        if missing and any(compare(claimed, other) is Relation.DIFFERENT for other in stated):
            if _share_of_terms(claim, run) < _QUANTITY_MIN_COVERAGE:
                return Rule.OTHER_QUANTITY
            return Rule.DATE_DIFFERS if isinstance(claimed, Date) else Rule.NUMBER_DIFFERS
    return None


def _share_of_terms(claim: Sentence, run: Run) -> float:
    """How much of a claim the run holds, by weight, its quantities left aside."""
    weights = [term.weight for term in claim.terms]
    held = sum(weight for at, weight in enumerate(weights) if run.found >> at & 1)
    return held / sum(weights) if weights else 1.0


def _negation_differs(claim: Sentence, occurring: Mapping[str, int], run: Run) -> Rule | None:
    if run.coverage <= _NEGATION_MIN_COVERAGE or len(claim.terms) > _NEGATION_MAX_TERMS:
        return None
    turned = any(
        term.stem in occurring and not occurring[term.stem] & term.polarity for term in claim.terms
    )
    return Rule.NEGATION_DIFFERS if turned else None


def _opposite_stated(claim: Sentence, occurring: Mapping[str, int], run: Run) -> Rule | None:
    opposites = _opposites()
    for at, term in enumerate(claim.terms):
        if not run.found >> at & 1 and not opposites.get(term.stem, frozenset()).isdisjoint(
            occurring
        ):
            return Rule.OPPOSITE_STATED
    return None


def _relation_missing(claim: Sentence, run: Run) -> Rule | None:
    # The first word of a sentence has a capital anyway, so it says nothing for sure.
    said = [at for at, term in enumerate(claim.terms) if not term.is_capital]
    if not said or len(said) == len(claim.terms):
        return None
    return None if any(run.found >> at & 1 for at in said) else Rule.RELATION_MISSING


def _something_missing(claim: Sentence, run: Run) -> Rule | None:
    n_terms = len(claim.terms)
    if any(not run.found_anywhere >> n_terms + at & 1 for at in range(len(claim.quantities))):
        return Rule.NUMBER_MISSING
    names = (at for at, term in enumerate(claim.terms) if term.is_name)
    return Rule.NAME_MISSING if any(not run.found_anywhere >> at & 1 for at in names) else None


# --- opposites ----------------------------------------------------------------------------------

_OPPOSITES = (
    "best worst; good bad; large small; big small; largest smallest; high low; higher lower; "
    "highest lowest; long short; longer shorter; longest shortest; old young; older younger; "
    "oldest youngest; early late; earlier later; maximum minimum; majority minority; "
    "increase decrease; increase decline; rise fall; rose fell; grow shrink; gain lose; win lose; "
    "won lost; victory defeat; success failure; successful unsuccessful; popular unpopular; "
    "accept reject; allow ban; support oppose; buy sell; bought sold; import export; begin end; "
    "began ended; start finish; start stop; born died; birth death; alive dead; male female; "
    "man woman; men women; boy girl; son daughter; father mother; brother sister; husband wife; "
    "king queen; actor actress; married divorced; married unmarried; north south; east west; "
    "northern southern; eastern western; left right; inside outside; upper lower; "
    "public private; natural artificial; real fictional; ancient modern; professional amateur; "
    "positive negative; legal illegal; hero villain; rich poor; hot cold; friend enemy; love hate"
)


@cache
def _opposites() -> Mapping[str, frozenset[str]]:
    """From the stem of a word to those of its opposites."""
    stemming = stemmer()
    opposites: dict[str, frozenset[str]] = {}
    for pair in _OPPOSITES.split(";"):
        one, other = stemming.stemWords(pair.split())
        opposites[one] = opposites.get(one, frozenset()) | {other}
        opposites[other] = opposites.get(other, frozenset()) | {one}
    return opposites
