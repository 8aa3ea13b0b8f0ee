"""Snippets: a little of the text around a phrase, for a person to read.

What this module does not do: mark the phrase, which is a matter of whoever shows it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from averment.text import Span, Word

WIDTH_CHARACTERS = 160
"""About how long a snippet is; longer only where the phrases themselves are."""


def snippet(text: str, words: Sequence[Word], phrases: Sequence[Span]) -> str:
    """Cut the surroundings of one phrase or two out of a text.

    Phrases that lie too far apart for one snippet get one half each, joined by an ellipsis.

    Args:
        text: The text of the document.
        words: All its words; it is cut between two of them only.
        phrases: Where the phrases stand, in order of their starts.

    Returns:
        One line, blanks collapsed, with an ellipsis wherever something was left out.
    """
    whole = Span(phrases[0].start, max(phrase.end for phrase in phrases))
    if whole.end - whole.start <= WIDTH_CHARACTERS:
        parts = [_surroundings(text, words, whole, WIDTH_CHARACTERS)]
    else:
        width = WIDTH_CHARACTERS // len(phrases)
        parts = _joined([_surroundings(text, words, phrase, width) for phrase in phrases])
    pieces = [" ".join(text[part.start : part.end].split()) for part in parts]
    before = "… " if text[: parts[0].start].strip() else ""
    after = " …" if text[parts[-1].end :].strip() else ""
    return before + " … ".join(pieces) + after


def _surroundings(text: str, words: Sequence[Word], phrase: Span, width: int) -> Span:
    margin = max(width - (phrase.end - phrase.start), 0) // 2
    start = max(phrase.start - margin, 0)
    end = min(phrase.end + margin, len(text))
    if start > 0:
        first = bisect_left(words, start, key=lambda word: word.start)
        start = min(words[first].start, phrase.start)
    if end < len(text):
        last = bisect_right(words, end, key=lambda word: word.end) - 1
        end = max(words[last].end, phrase.end)
    return Span(start, end)


def _joined(parts: Sequence[Span]) -> list[Span]:
    """Parts that overlap become one."""
    joined = [parts[0]]
    for part in parts[1:]:
        if part.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, part.end))
        else:
            joined.append(part)
    return joined


def joined_words(words: Sequence[str]) -> tuple[str, list[Word]]:
    """Words as a text, and where they stand in it."""
    placed, start = [], 0
    for word in words:
        placed.append(Word(word, start, start + len(word)))
        start += len(word) + 1
    return " ".join(words), placed
