"""What a tail is: person, place, date, number, title, or something else.

Dates, numbers and titles show it themselves. A name is a person or a place by the words that lead
to it ("directed by", "born in") or by a word of its own ("Babol County"); without either it is
``other``, which claims nothing.

What this module does not do: know names. A rival of the same kind is looked for among what the
corpus has, so a kind that is missing costs more than one that is vague.
"""

from __future__ import annotations

import re

from averment.claims.vocabulary import PROFESSIONS

_ROLES = (
    r"(?:father|mother|parents?|son|daughter|child|children|brother|sister|siblings?|wife|husband"
    r"|spouse|widow|uncle|aunt|nephew|niece|cousin|grand(?:son|daughter|father|mother|child)"
    r"|partner|mentor|student|pupil|successor|predecessor|founder|creator|owner|leader|chairman"
    rf"|ceo|king|queen|{'|'.join(sorted(PROFESSIONS))})"
)
_BEFORE_PERSON = re.compile(
    r"\b(?:directed|written|produced|composed|founded|created|designed|invented|discovered|painted"
    r"|built|played|portrayed|performed|sung|recorded|narrated|edited|hosted|coached|led|defeated"
    r"|succeeded|preceded|killed|taught|raised|married|voiced|authored|penned|scored|choreographed"
    r"|co-\w+) by$"
    r"|\bborn(?: […\w]+)* to$"
    r"|\b(?:starring|stars|starred|married(?: to)?|succeeded|wed|alongside|opposite)$"
    rf"|\b{_ROLES}(?: (?:is|was|are|were|of|named|called))?$"
)
_BEFORE_PLACE = re.compile(
    r"\b(?:born|died|dies|buried|located|situated|based|lies|lived|lives|raised|headquartered"
    r"|settled|resided|resides|grew up|set|held|filmed|shot|set|happened|occurred|stands|sits"
    r"|returned|moved|emigrated|fled|travell?ed|relocated|exiled|flows|town|city|village|river|lake"
    r"|municipality|district|county|province|region|island|mountain|suburb|neighbou?rhood|commune)"
    r"(?: […\w]+)* (?:in|at|near|to|from|into|through)$"
    r"|\b(?:capital|city|town|village|province|region|state|country|district|county|island|borough"
    r"|suburb|outskirts|north|south|east|west|part|parts|coast|centre|center)(?: city)? of$"
    r"|^(?:is|was|are|were|comes|came) (?:in|from)$"
    r"|\b(?:northern|southern|eastern|western|central)$"
)
_IN_A_WORK = re.compile(
    r"\b(?:appear|star|featur|play|perform|compet|role|career|debut|stake|character|novel|published"
    r"|sang|won|award|officer|cast|introduced|credited)"
)
_PLACE_WORDS = frozenset(
    "county district province river lake island islands city town village street avenue road park "
    "mountain mountains mount valley bay peninsula republic kingdom territory municipality "
    "prefecture region beach desert sea ocean gulf forest bridge square airport harbour "
    "harbor".split()
)
_ORGANISATION_WORDS = frozenset(
    "university college school company inc ltd corporation club fc party band records studios "
    "committee association league academy institute museum church army navy council society "
    "orchestra group bank court union team airlines press magazine award prize cup championship "
    "olympics games war battle festival act treaty".split()
)


def tail_kind(mention_kind: str, relation: str, words: list[str]) -> str:
    """The kind of a tail.

    Args:
        mention_kind: What its look tells, as `averment.claims.mentions` gives it.
        relation: The words between head and tail.
        words: The forms of the tail's words.
    """
    if mention_kind in ("date", "number", "title"):
        return mention_kind
    if not _ORGANISATION_WORDS.isdisjoint(words):
        return "other"
    if not _PLACE_WORDS.isdisjoint(words[:1] + words[-1:]):
        return "place"
    if _BEFORE_PERSON.search(relation):
        return "person"
    is_in = relation.endswith(" in") and not _IN_A_WORK.search(relation)
    return "place" if is_in or _BEFORE_PLACE.search(relation) else "other"
