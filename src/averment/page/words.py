"""What a check found, in words for a reader: the same on the page and in the terminal.

What this module does not do: count, judge, or style. A reader is told what was found and where,
and never that it is so.
"""

from __future__ import annotations

from averment.types import Check, Count, RelationOutcome

_SHOWN_FORMS = 3
_CONTRADICTED = {
    "other_kind": "“{tail}” is no such thing",
    "states_another": "{window} says it of something else{rivals}",
    "rival_stronger": "{window} says it of something else more often{rivals}",
    "judged_contradicted": "{window} says otherwise",
}
_OUTCOMES = {
    RelationOutcome.SUPPORTED: "{window} says so",
    RelationOutcome.NOT_FOUND: "nothing near them says so{rivals}",
    RelationOutcome.UNKNOWN: "nobody could tell whether it says so",
}


def relation_in_words(check: Check) -> str:
    """What the windows of a pair say of its relation; empty where nobody looked."""
    found = check.relation
    if found is None:
        return ""
    template = _OUTCOMES.get(found.outcome) or _CONTRADICTED[found.reason]
    window = found.window
    names = [rival.text for rival in found.rivals or ()]
    return template.format(
        tail=check.triplet.tail,
        window=f"“{window.title or window.document_id}”" if window else "the corpus",
        rivals=f" ({', '.join(names)})" if names else "",
    )


def forms_in_words(check: Check) -> str:
    """How else the names of a pair were counted; empty where they were counted as written."""
    told = (
        _also(check.triplet.head, check.head_count),
        _also(check.triplet.tail, check.tail_count),
    )
    return "; ".join(part for part in told if part)


def _also(name: str, count: Count) -> str:
    others = [form.text for form in count.forms if form.text != name]
    if not others:
        return ""
    more = f" and {len(others) - _SHOWN_FORMS} more" if len(others) > _SHOWN_FORMS else ""
    return f"{name}, also as {', '.join(others[:_SHOWN_FORMS])}{more}"
