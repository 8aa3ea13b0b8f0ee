"""From a document to passages: whole sentences in a row, about a hundred words each.

Passages do not overlap and leave nothing out but blanks, so that every word can be retrieved and
none twice; a first line that is the title stands in `Passage.title` already. A blank line and the
end of a heading close a sentence whatever the splitter says.
What this module does not do: index or rank (`averment.index`, `averment.retrieval`).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from itertools import pairwise
from typing import NamedTuple

from averment.text import TextForm, sentence_spans
from averment.types import Document, Passage

_BREAK = re.compile(r"\n[^\S\n]*\n\s*|^#{1,6}[ \t].*\n\s*", re.MULTILINE)
_LONGEST_SENTENCE = 2.0  # in passages: what is longer is cut between two words
_LONGEST_WITH_TAIL = 1.3  # in passages: how long the last one may grow to take up a short rest


class _Piece(NamedTuple):
    """What stays together: from `start` to the start of the next piece."""

    start: int
    n_words: int


def cut_passages(document: Document, *, words: int = 100) -> list[Passage]:
    """Cut a document into passages.

    A sentence goes to the passage that it brings nearer to `words`; one longer than twice that is
    cut between words; a rest that fits into 1.3 passages with the one before joins it.

    Args:
        document: Any document.
        words: Words a passage should have, at least 1.

    Returns:
        Passages in order: ``passage.text == document.text[passage.start : passage.end]``, ids
        ``document_id#0``, ``document_id#1``, …; none if the text is blank.
    """
    text = document.text
    title_line = f"{document.title}\n\n"
    n_title = len(title_line) if document.title and text.startswith(title_line) else 0
    found = _pieces(text, document.language or "en", words)
    pieces = [piece for piece in found if piece.start >= n_title]
    starts = [*_passage_starts(pieces, words), len(text)]
    passages: list[Passage] = []
    for start, end in pairwise(starts):
        body = text[start:end].strip()
        if body:
            start = text.index(body, start)
            passages.append(
                Passage(
                    passage_id=f"{document.document_id}#{len(passages)}",
                    document_id=document.document_id,
                    title=document.title,
                    text=body,
                    start=start,
                    end=start + len(body),
                    date=document.date,
                )
            )
    return passages


def _pieces(text: str, language: str, words: int) -> list[_Piece]:
    """Sentences, and parts of those that are too long for one passage."""
    found = TextForm().words_with_spans(text)
    word_starts = [word.start for word in found]
    cuts = {span.start for span in sentence_spans(text, language)}
    cuts.update(gap.end() for gap in _BREAK.finditer(text))
    # A mark belongs to the character before it ("?" with an accent), so no sentence begins there.
    cuts = {0, *(at for at in cuts if unicodedata.category(text[at : at + 1] or " ")[0] != "M")}
    ordered = [*sorted(cuts), len(text)]
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
