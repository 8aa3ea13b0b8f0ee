"""Acronyms that a text explains itself: "World Health Organization (WHO)".

Without such evidence an acronym is never made of a name: too many names have the same letters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

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
    return rows_of_acronyms(explained_in(passages), least_documents=least_documents)


class Explained(NamedTuple):
    """An acronym that a document explains."""

    document_id: str
    long: str
    short: str


def explained_in(passages: Iterable[Passage]) -> Iterator[Explained]:
    """The acronyms that passages explain, in order."""
    for passage in passages:
        for long, short in acronyms_in(passage.text):
            yield Explained(passage.document_id, long, short)


def rows_of_acronyms(found: Iterable[Explained], *, least_documents: int = 1) -> list[AliasRow]:
    """What all explanations say together; see `acronym_rows`."""
    said: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in found:
        said[each.long.casefold(), each.short].setdefault(each.document_id, each.long)
    return [
        AliasRow(next(iter(by.values())), short, DOCUMENT + next(iter(by)))
        for (_, short), by in said.items()
        if len(by) >= least_documents
    ]
