"""What a model cannot have learned: names and pairs the corpus knows only from after its cutoff.

A model whose training data end on a day may still write about what came later, out of nothing. So
an entity of the question, or a claimed pair, that the corpus knows only from documents dated after
that day is looked up. A pair that stands in a passage which the model has read is not: it was
looked up already. Where documents without a date, or with a vague one, leave open whether something
was known before, nobody knows, which is a reason to look too.

What this module does not do: say that a claim is false, or find out when a model's data end.

Source: design/0029, after the idea of counts by date in QuCo-RAG (arXiv 2512.19134).
"""

from __future__ import annotations

from collections.abc import Sequence

from averment import steps
from averment.dating import Dates
from averment.policies.ledger import Ledger
from averment.policies.loop import Query
from averment.steps import Flow
from averment.text import TextForm, contains_words
from averment.types import Check, Cooccurrence, Count, CountKind, Support

AFTER_CUTOFF = "after_cutoff"
"""The trigger of a search for what the corpus knows only from after the cutoff."""
UNCLEAR_CUTOFF = "unclear_cutoff"
"""The trigger of a search for what it may have known before, which no date says."""


def search_for_late(
    question: str, names: Sequence[str], counts: Sequence[Count], cutoff: str
) -> Flow[Query | None]:
    """The search for a question that names what is not known from before the cutoff, if it does.

    Args:
        question: The question.
        names: Its entities.
        counts: Of these in the whole corpus; one that is not in it has no date.
        cutoff: The last day, month or year that the model has learned from.
    """
    known = {name: n for name, n in zip(names, counts, strict=True) if n.documents != 0}
    until = yield from steps.count(list(known), dates=Dates(until=cutoff))
    after = yield from steps.count(list(known), dates=Dates(after=cutoff))
    triggers: dict[str, list[str]] = {}
    for (name, every), before, later in zip(known.items(), until, after, strict=True):
        if (trigger := _trigger(every, before, later)) is not None:
            triggers.setdefault(trigger, []).append(name)
    for trigger in (AFTER_CUTOFF, UNCLEAR_CUTOFF):
        if trigger in triggers:
            return Query(question, trigger, _told(trigger, ", ".join(triggers[trigger]), cutoff))
    return None


def late_pairs(
    checks: Sequence[Check], ledger: Ledger, cutoff: str
) -> Flow[list[tuple[Check, str, str]]]:
    """Pairs that are not known from before the cutoff and were not read: trigger and detail.

    Args:
        checks: Of a sentence; what is not present fails by itself.
        ledger: What the model has read.
        cutoff: As in `search_for_late`.
    """
    late = []
    for check in checks:
        if check.support is not Support.PRESENT or _is_read(check, ledger):
            continue
        pair = [(check.triplet.head, check.triplet.tail)]
        until = yield from steps.cooccurrence(pair, check.window_words, dates=Dates(until=cutoff))
        after = yield from steps.cooccurrence(pair, check.window_words, dates=Dates(after=cutoff))
        if (trigger := _trigger(check.cooccurrence, until[0], after[0])) is not None:
            named = f"{check.triplet.head} and {check.triplet.tail}"
            late.append((check, trigger, _told(trigger, named, cutoff)))
    return late


def _trigger(
    every: Count | Cooccurrence, until: Count | Cooccurrence, after: Count | Cooccurrence
) -> str | None:
    """Why something is looked up; None: documents from before the cutoff have it."""
    if until.support() is Support.PRESENT:
        return None
    kinds = {every.kind, until.kind, after.kind}
    is_late = kinds == {CountKind.EXACT} and after.documents == every.documents
    return AFTER_CUTOFF if is_late else UNCLEAR_CUTOFF


def _told(trigger: str, named: str, cutoff: str) -> str:
    if trigger == AFTER_CUTOFF:
        return f"the corpus knows {named} only from after {cutoff}, when the model's data end"
    return f"no date says whether the corpus knew {named} by {cutoff}, when the model's data end"


def _is_read(check: Check, ledger: Ledger) -> bool:
    form = TextForm()
    ends = form.words(check.triplet.head), form.words(check.triplet.tail)
    texts = (form.words(f"{each.title} {each.text}") for each in ledger.passages)
    return any(all(contains_words(text, end) for end in ends) for text in texts)
