"""Acronyms that a text explains itself: "World Health Organization (WHO)".

Without such evidence an acronym is never made of a name: too many names have the same letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from averment.claims.aliases.book import DOCUMENT, AliasRow
from averment.claims.aliases.rules import is_acronym
from averment.types import Passage

_SHORT = re.compile(r"\(\s?(?P<short>[A-Z](?:[A-Z]|[&.](?=[A-Z.)]))+)s?\s?\)")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_REACH = 160
_MOST_SMALL_WORDS = 3


def acronyms_in(text: str) -> Iterator[tuple[str, str]]:
    """The (long form, acronym) pairs that a text explains, in order."""
    for found in _SHORT.finditer(text):
        before = text[max(0, found.start() - _REACH) : found.start()].rstrip()
        words = list(_WORD.finditer(before))
        n_letters = sum(map(str.isalpha, found["short"]))
        for n_words in range(2, n_letters + _MOST_SMALL_WORDS + 1):
            long = before[words[-n_words].start() :] if n_words <= len(words) else ""
            if long and is_acronym(found["short"], of=long):
                yield " ".join(long.split()), found["short"]
                break


def acronym_rows(passages: Iterable[Passage]) -> list[AliasRow]:
    """What documents say of acronyms, each pair once, with the first document as its source."""
    rows: dict[tuple[str, str], AliasRow] = {}
    for passage in passages:
        for long, short in acronyms_in(passage.text):
            source = DOCUMENT + passage.document_id
            rows.setdefault((long.casefold(), short), AliasRow(long, short, source))
    return list(rows.values())
