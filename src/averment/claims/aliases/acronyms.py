"""Acronyms that a text explains itself: "World Health Organization (WHO)".

Without such evidence an acronym is never made of a name: too many names have the same letters.
"""

from __future__ import annotations

import re
from collections import defaultdict
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


def acronym_rows(passages: Iterable[Passage], *, least_documents: int = 1) -> list[AliasRow]:
    """What documents say of acronyms, each pair once, with the first document as its source.

    Args:
        passages: Texts.
        least_documents: How many must explain a pair; what one of many says is its own
            abbreviation, and may mean something else in the next.
    """
    said: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for passage in passages:
        for long, short in acronyms_in(passage.text):
            said[long.casefold(), short].setdefault(passage.document_id, long)
    return [
        AliasRow(next(iter(by.values())), short, DOCUMENT + next(iter(by)))
        for (_, short), by in said.items()
        if len(by) >= least_documents
    ]
