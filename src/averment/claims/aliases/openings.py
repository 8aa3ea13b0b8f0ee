"""Full names that documents open with: evidence for how a name is written elsewhere.

An article titled "Frank Capra" that opens "Frank Russell Capra (born …" says how else its subject
is written, and no rule could have guessed it. The opening is a form if it has all words of the
title in their order, and at most a few more. Where several titles differ only in what stands in
brackets, the bare name is claimed by all of them, so that nobody takes them for one.

What this module does not do: nicknames, names at birth, redirects. They come from tables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from averment.claims.aliases.book import DOCUMENT, AliasRow
from averment.claims.aliases.rules import without_disambiguator
from averment.text import TextForm, contains_words
from averment.types import Passage

_MOST_WORDS_MORE = 4
_OPENING_CHARACTERS = 160
_END = re.compile(r"\s*(?:[,;:()\[\]–—]|[.](?=\s+[A-Z]\w\w)|\s(?:is|was|are|were)\b)")
_QUOTED = re.compile(r"[\"“”].*?[\"“”]")
_PARTICLES = frozenset(
    "de da di du del della der den von van la le of the and y e al bin ibn".split()
)
_WORDS, _KEY = TextForm().words, TextForm().key


def opening_rows(passages: Iterable[Passage]) -> list[AliasRow]:
    """What the openings of documents say of their titles.

    Args:
        passages: Those of a corpus; only the first of a document is looked at.

    Returns:
        Rows with the source ``document:ID``. The canonical name is the title, and also the title
        without its disambiguator if no other document has that name.
    """
    return rows_of_openings(openings_in(passages))


class Opening(NamedTuple):
    """What a document is called, and what it opens with; None: with nothing that is longer."""

    document_id: str
    title: str
    title_key: str
    bare_key: str
    opening: str | None


def openings_in(passages: Iterable[Passage]) -> Iterator[Opening]:
    """The openings of documents, in order; of each only the first passage is looked at."""
    previous = None
    for passage in passages:
        if passage.document_id == previous or not _WORDS(passage.title):
            continue
        previous = passage.document_id
        title = passage.title
        bare = next(without_disambiguator(title), title)
        opening = opening_name(bare, passage.text)
        yield Opening(passage.document_id, title, _KEY(title), _KEY(bare), opening)


def rows_of_openings(found: Iterable[Opening]) -> list[AliasRow]:
    """What all openings of a corpus say together; see `opening_rows`."""
    titles: defaultdict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    openings: dict[str, str] = {}
    for each in found:
        titles[each.bare_key].setdefault(each.title_key, (each.title, each.document_id))
        if each.opening is not None:
            openings.setdefault(each.document_id, each.opening)
    return [row for bare in titles.values() for row in _rows(list(bare.values()), openings)]


def _rows(namesakes: list[tuple[str, str]], openings: dict[str, str]) -> Iterator[AliasRow]:
    """The rows of the titles that have one name in common."""
    for title, document_id in namesakes:
        source = DOCUMENT + document_id
        bare = next(without_disambiguator(title), title)
        names = [title] if len(namesakes) > 1 or bare == title else [title, bare]
        if len(namesakes) > 1 and bare != title:
            yield AliasRow(title, bare, source)
        if document_id in openings:
            for name in names:
                yield AliasRow(name, openings[document_id], source)


def opening_name(title: str, text: str) -> str | None:
    """The longer name that a document opens with; None if it opens otherwise.

    Args:
        title: The title, without its disambiguator; two words or more.
        text: The beginning of the document.
    """
    short = _WORDS(title)
    beginning = _QUOTED.sub("", text[:_OPENING_CHARACTERS])
    beginning = re.sub(rf"{re.escape(title)}\s+(?=[A-Z])", "", beginning, count=1)  # a heading
    end = _END.search(beginning)
    if len(short) < 2 or end is None:
        return None
    opening = " ".join(beginning[: end.start()].split())
    long = _WORDS(opening)
    if long == short or len(long) > len(short) + _MOST_WORDS_MORE or contains_words(long, short):
        return None  # the same, a sentence, or found by the title alone
    if not all(word[0].isupper() or word in _PARTICLES for word in opening.split()):
        return None
    return opening if _stand_in_order(short, long) else None


def _stand_in_order(short: list[str], long: list[str]) -> bool:
    """Whether all words of a title come in the opening; an initial comes as any such name."""
    rest = iter(long)
    return all(
        any(other == word or (len(word) == 1 and other.startswith(word)) for other in rest)
        for word in short
    )
