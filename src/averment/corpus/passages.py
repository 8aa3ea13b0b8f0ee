"""From a document to passages: whole sentences in a row, about a hundred words each.

Passages do not overlap and leave nothing out but blanks, so that every word can be retrieved and
none twice; a first line that is the title stands in `Passage.title` already. A blank line and the
end of a heading close a sentence whatever the splitter says. No passage goes over the bounds of a
section, none holds its headings, which stand in `Passage.place`, and none is cut out of references.
What this module does not do: index or rank (`averment.index`, `averment.retrieval`).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from averment.languages import ENGLISH, UNDETERMINED, document_language
from averment.places import Role
from averment.text import TextForm, sentence_spans
from averment.types import Document, Passage

_BREAK = re.compile(r"\n[^\S\n]*\n\s*|^#{1,6}[ \t].*\n\s*", re.MULTILINE)
_LONGEST_SENTENCE = 2.0  # in passages: what is longer is cut between two words
_LONGEST_WITH_TAIL = 1.3  # in passages: how long the last one may grow to take up a short rest


class _Piece(NamedTuple):
    """What stays together: from `start` to the start of the next piece."""

    start: int
    n_words: int


def cut_passages(document: Document, *, words: int = 100, language: str = ENGLISH) -> list[Passage]:
    """Cut a document into passages.

    A sentence goes to the passage that it brings nearer to `words`; one longer than twice that is
    cut between words; a rest that fits into 1.3 passages with the one before joins it.

    Args:
        document: Any document.
        words: Words a passage should have, at least 1.
        language: Of a document that does not say its own, or "auto".

    Returns:
        Passages in order: ``passage.text == document.text[passage.start : passage.end]``, ids
        ``document_id#0``, ``document_id#1``, …; none if the text is blank.
    """
    text = document.text
    bodies = _bodies(document)
    title_line = f"{document.title}\n\n"
    n_title = len(title_line) if document.title and text.startswith(title_line) else 0
    spoken = document_language(document.language, text, language)
    spoken = ENGLISH if spoken == UNDETERMINED else spoken
    found = _pieces(text, spoken, words, bounds=[n_title, *sum(bodies, ())])
    passages: list[Passage] = []
    for low, high in bodies:
        first, beyond = (bisect_left(found, (at,)) for at in (max(low, n_title), high))
        starts = _passage_starts(found[first:beyond], words)
        for start, end in pairwise([*starts, high]):
            passages += _passage(document, len(passages), start, end)
    return passages


def whole_sections(document: Document) -> list[Passage]:
    """Each section of a body as one passage; all of the text where the document has no layout.

    Args:
        document: Any document.
    """
    passages: list[Passage] = []
    for start, end in _bodies(document):
        passages += _passage(document, len(passages), start, end)
    return passages


def _passage(document: Document, number: int, start: int, end: int) -> list[Passage]:
    """The passage of a span without the blanks around it; none of blanks alone."""
    body = document.text[start:end].strip()
    if not body:
        return []
    start = document.text.index(body, start)
    end = start + len(body)
    name = document.document_id
    place = document.layout.place(start, end) if document.layout else None
    date = document.date
    return [Passage(f"{name}#{number}", name, document.title, body, start, end, place, date)]


def _bodies(document: Document) -> list[tuple[int, int]]:
    """What passages may be cut out of: each section of a body by itself; or all of the text.

    Without its headings, which stand in `Passage.place`, unless there is nothing else; the title of
    the document by itself is no passage.
    """
    text = document.text
    if document.layout is None:
        return [(0, len(text))]
    bodies = [each for each in document.layout.sections if each.role is Role.BODY]
    found = []
    for each in bodies:
        is_bare = not text[each.body_start : each.end].strip()
        if not is_bare or each.heading or len(bodies) == 1:
            found.append((each.start if is_bare else each.body_start, each.end))
    return found


def _pieces(text: str, language: str, words: int, bounds: Iterable[int]) -> list[_Piece]:
    """Sentences, and parts of those that are too long for one passage; each bound begins one."""
    found = TextForm().words_with_spans(text)
    word_starts = [word.start for word in found]
    cuts = {span.start for span in sentence_spans(text, language)}
    cuts.update(gap.end() for gap in _BREAK.finditer(text))
    # A mark belongs to the character before it ("?" with an accent), so no sentence begins there.
    cuts = {at for at in cuts if unicodedata.category(text[at : at + 1] or " ")[0] != "M"}
    ordered = sorted({0, len(text), *bounds, *cuts})
    pieces = []
    for start, end in pairwise(ordered):
        first = bisect_left(word_starts, start)
        beyond = bisect_left(word_starts, end)
        step = words if beyond - first > _LONGEST_SENTENCE * words else max(beyond - first, 1)
        pieces.append(_Piece(start, min(step, beyond - first)))
        for at in range(first + step, beyond, step):
            gap = text[found[at - 1].end : found[at].start]
            # After the last blank, so that an opening bracket stays with its word.
            blank = max((i for i, c in enumerate(gap) if c.isspace()), default=len(gap) - 1)
            pieces.append(_Piece(found[at - 1].end + blank + 1, min(step, beyond - at)))
    return pieces


def _passage_starts(pieces: list[_Piece], words: int) -> list[int]:
    starts: list[int] = []
    sizes: list[int] = []
    for start, n_words in pieces:
        nearer = sizes and abs(sizes[-1] + n_words - words) < abs(sizes[-1] - words)
        if nearer or (sizes and not n_words):
            sizes[-1] += n_words
        else:
            starts.append(start)
            sizes.append(n_words)
    if len(sizes) > 1 and sizes[-2] + sizes[-1] <= _LONGEST_WITH_TAIL * words:
        starts.pop()
    return starts
