"""Names in a claim that is written without capitals: "paris is the capital of france".

People type so, and small models answer so. Without capitals only the frame of a sentence shows
what is a name, so that four frames are read and nothing else: "the ROLE of X is Y", "X's ROLE is
Y", "X is the … of Y" and "X was …ed by Y (in Z)", in sentences of at most fifteen words. In a text
that has one capital, a word without one is no name.

What this module does not do: tell "paris" from "water" where a frame fits both, so that a pair of
common words is found now and then (measured in ``bench/README.md``).
"""

from __future__ import annotations

import re

from averment.claims.titles import WORKS
from averment.claims.vocabulary import (
    DETERMINERS,
    OPENERS,
    PREPOSITIONS,
    VERB_FORM,
    says_nothing,
)
from averment.text import Span

_MOST_WORDS = 15
_NEVER = sorted(
    DETERMINERS
    | (PREPOSITIONS - {"of"})
    | OPENERS
    | frozenset(
        "the is are was were be been has have had do does did yes no not who which whose that when "
        "where because so thus if and or but than as patients people women men children".split()
    )
)
_WORD = rf"(?!(?:{'|'.join(_NEVER)})\b)(?!{VERB_FORM})[^\W_](?:[\w&-]|['’](?!s\b)|\.(?=\s\S|\w))*"
_INSIDE = r"(?:(?:of the|of|and|the|de|la|von|van) )?"
_NAME = rf"{_WORD}(?: {_INSIDE}{_WORD}){{0,4}}?"
_TAIL = rf"(?P<tail>[a-z]+ \d{{1,2}}, \d{{3,4}}|{_NAME})"
_HEAD = rf"(?P<head>{_NAME})(?:, {_NAME})?(?: \([^()]*\))?(?: also| originally| first)?"
_MORE = rf"(?:,? (?:in|on|by|at|from|to|and) (?P<more>{_NAME}))?"
_END = r"[.!]?\s*$"
_FRAMES = [
    re.compile(frame)
    for frame in (
        r"\s*(?:yes, )?the [a-z]+(?: of (?:birth|death|origin|citizenship))?(?: [a-z]+)? of "
        rf"(?:the )?(?:{WORKS} )?(?P<head>[^()]{{2,60}}?)(?: \([^()]*\))? (?:is|was) {_TAIL}{_END}",
        rf"\s*(?P<head>{_NAME})['’]s [a-z ]{{2,30}}? (?:is|was)(?: on| in)? {_TAIL}{_END}",
        rf"\s*{_HEAD} (?:is|was|are|were) (?:the|an?) [a-z -]{{2,40}}? "
        rf"(?:of|in|from|by) {_TAIL}{_MORE}{_END}",
        rf"\s*(?:yes, )?(?:the (?:{WORKS}) )?{_HEAD} (?:(?:is|was|were|are|has|had)(?: also)? )?"
        rf"{VERB_FORM}(?: out)? (?:(?:in|on|by|at|to|from|for) )?{_TAIL}{_MORE}{_END}",
    )
]


def is_without_capitals(text: str) -> bool:
    """Whether there are letters, in a script with capitals, and none of them is one."""
    return text.islower()


def lower_case_names(text: str) -> list[Span]:
    """The names of a claim, in order; meant for texts without capitals only."""
    if len(text.split()) > _MOST_WORDS:
        return []
    for frame in _FRAMES:
        found = frame.match(text)
        if found:
            groups = ("head", "tail", "more") if "more" in found.groupdict() else ("head", "tail")
            spans = [Span(*found.span(group)) for group in groups if found[group]]
            return [span for span in spans if not _is_common(text[span.start : span.end])]
    return []


def _is_common(words: str) -> bool:
    return says_nothing(words.split()) or words[0].isdigit()
