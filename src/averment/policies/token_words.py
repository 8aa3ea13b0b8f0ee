"""The words of a text and the tokens that make them up, and which words have content.

Tokens are matched by the places they cover, so that no marker of a tokenizer for blanks is needed:
a token belongs to the word that its first character other than a blank stands in.

The papers keep words by part of speech (nouns, adjectives, verbs, proper nouns, numerals), which
takes a tagger. Here a word has content if it holds a letter or a digit and is no function word of
English: `NO_FUNCTION_WORDS`, an approximation that policies name in their description. It keeps
adverbs and interjections, which the papers drop, and it only knows English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from averment.text import Span, TextForm
from averment.types import Token

NO_FUNCTION_WORDS = "no_function_words"
"""The name of the rule by which words have content."""

_RUNS = re.compile(r"\S+")
_RUNS_OR_MARKS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_FUNCTION_WORDS = frozenset(
    "a an the this that these those some any no none all each every both either neither such same "
    "i me my mine we us our ours you your yours he him his she her hers it its they them their "
    "theirs who whom whose which what where when why how there here one ones "
    "am is are was were be been being do does did done doing have has had having "
    "can could may might must shall should will would ought "
    "and or but nor so yet if then than because since as while although though unless until "
    "whether of in on at by for from with without to into onto over under above below between "
    "among through during before after about against within along across behind beyond near off "
    "out up down upon toward towards per via "
    "not don doesn didn isn wasn aren weren hasn haven hadn won wouldn couldn shouldn "
    "also too very just only even still already again ever never thus hence therefore however s t "
    "answer".split()
)
_Item = TypeVar("_Item")


def runs(text: str) -> list[Span]:
    """The parts of a text between blanks, with the marks that cling to them."""
    return [Span(*found.span()) for found in _RUNS.finditer(text)]


def runs_and_marks(text: str) -> list[Span]:
    """The words of a text, and each mark by itself."""
    return [Span(*found.span()) for found in _RUNS_OR_MARKS.finditer(text)]


def has_content(word: str) -> bool:
    """Whether a word is more than grammar; see the module."""
    forms = TextForm().words(word)
    return bool(forms) and not all(form in _FUNCTION_WORDS for form in forms)


def spans_of(tokens: Iterable[Token]) -> list[Span]:
    """The places of tokens in the text that they join to."""
    spans = []
    at = 0
    for token in tokens:
        spans.append(Span(at, at + len(token.text)))
        at += len(token.text)
    return spans


def by_word(
    text: str, words: Sequence[Span], spans: Sequence[tuple[int, int]], items: Sequence[_Item]
) -> list[list[_Item]]:
    """What the tokens of each word have.

    Args:
        text: What the places are places of.
        words: In order, without overlaps.
        spans: The place of each token; a blank in front belongs to it.
        items: One for each token.

    Returns:
        One list a word, empty for a word in which no token begins.
    """
    parts: list[list[_Item]] = [[] for _ in words]
    for (start, end), item in zip(spans, items, strict=True):
        held = text[start:end]
        first = start + len(held) - len(held.lstrip())
        at = next((n for n, word in enumerate(words) if word.start <= first < word.end), None)
        if at is not None and held.strip():
            parts[at].append(item)
    return parts


def best_words(text: str, words: Sequence[Span], weights: Sequence[float], top_k: int) -> str:
    """The words with content of most weight, at most `top_k`, in the order of the text."""
    kept = [at for at, word in enumerate(words) if has_content(text[word.start : word.end])]
    weight: Callable[[int], float] = weights.__getitem__
    best = sorted(sorted(kept, key=weight, reverse=True)[:top_k])
    return " ".join(_bare(text[words[at].start : words[at].end]) for at in best)


def _bare(word: str) -> str:
    """A word without the marks around it."""
    found = TextForm().words_with_spans(word)
    return word[found[0].start : found[-1].end]
