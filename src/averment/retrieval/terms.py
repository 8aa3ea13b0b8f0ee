"""From text to search terms: words, without stop words, as stems, by the language of the text.

Building and asking must call the same function, so it has an identity that is stored with the
index. Words come from `averment.text`. English terms are as they always were. In other languages
full and half width and Arabic's presentation forms are one (NFKC), and scripts written without
spaces give overlapping pairs of characters; those of Han and kana also stand alone, since many of
them are words.

A query over passages of several languages is read in its own, if that can be told and there are
such passages; else, as further forms of names are, in each of theirs (`query_terms`).

What this module does not do: guess the language of a passage (whoever builds the index says it),
cut compound words, translate.

Source: Lucene's English analyser: classic stop words, possessives removed, Snowball stems; its CJK
analyser for pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from averment.languages import (
    ENGLISH,
    FUNCTION_WORDS,
    STEMMERS,
    UNDETERMINED,
    guess_language,
)
from averment.text import TextForm, Word, is_by_character

_STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with".split()
)
_POSSESSIVE = "s"
_TEXT_FORM = TextForm()
_OTHERS_ID = "averment-terms-1; nfkc; pairs of characters"
_LETTERS_UNSPACED = re.compile("[\u0e01-\u0eff\u1780-\u17ff]")
"""Thai, Lao, Khmer: one letter alone says nothing."""


def search_terms(text: str, language: str = ENGLISH) -> list[str]:
    """The stems of a text's words in order, repetitions included, stop words left out.

    Args:
        text: A passage.
        language: ISO 639-1, or "und"; without a stemmer of its own, words stay whole.
    """
    if language == ENGLISH:
        return _english(_TEXT_FORM.words(text))
    stop_words = FUNCTION_WORDS.get(language, frozenset())
    words = [word for word in _words(text) if word not in stop_words]
    stemming = _stemmer(language)
    return words if stemming is None else list(stemming.stemWords(words))


def query_terms(text: str, languages: Sequence[str], forms: Sequence[str] = ()) -> list[str]:
    """The terms of a query over passages in some languages.

    Args:
        text: The query.
        languages: Those of the passages; of one language alone, its terms with repetitions.
        forms: More names that passages may have in its place, in any of the languages.

    Returns:
        Of several languages: terms in the one that the query shows, if passages are in it; else
        each way in which one of them has a word of it, as for the forms. Each once.
    """
    if len(languages) == 1:
        return [term for each in (text, *forms) for term in search_terms(each, languages[0])]
    shown = guess_language(text)
    ours = FUNCTION_WORDS.get(shown or "", frozenset())
    asked = " ".join(word for word in _TEXT_FORM.words(text) if word not in ours)
    found: dict[str, None] = {}
    for each in languages:
        is_read = shown not in languages or each in (shown, UNDETERMINED)
        read = text if each == shown else asked
        texts = (read, *forms) if is_read else forms
        found |= dict.fromkeys(term for one in texts for term in search_terms(one, each))
    return list(found)


def _english(words: Sequence[str]) -> list[str]:
    import Stemmer  # not at the top: a C extension that only retrieval needs

    # A stemmer must not be shared between threads; making one costs less than a lock.
    stemmer = Stemmer.Stemmer("english")
    stems: list[str] = stemmer.stemWords(
        [word for word in words if word not in _STOP_WORDS and word != _POSSESSIVE]
    )
    return stems


def _words(text: str) -> list[str]:
    """The words of a text, those of one character in a row as pairs."""
    text = unicodedata.normalize("NFKC", text)
    if not any(map(is_by_character, text)):
        return _TEXT_FORM.words(text)
    return list(_paired(_TEXT_FORM.words_with_spans(text)))


def _paired(words: Sequence[Word]) -> Iterator[str]:
    run: list[Word] = []
    for word in words:
        if run and not (is_by_character(word.form) and run[-1].end == word.start):
            yield from _pairs(run)
            run = []
        if is_by_character(word.form):
            run.append(word)
        else:
            yield word.form
    yield from _pairs(run)


def _pairs(run: Sequence[Word]) -> Iterator[str]:
    for word in run:
        if len(run) == 1 or not _LETTERS_UNSPACED.match(word.form):
            yield word.form
    for one, next_one in pairwise(run):
        yield one.form + next_one.form


def _stemmer(language: str) -> Any:
    """A new stemmer; None for a language that this installation has none for."""
    import Stemmer

    algorithm = STEMMERS.get(language)
    return Stemmer.Stemmer(algorithm) if algorithm in _algorithms() else None


@cache
def _algorithms() -> frozenset[str]:
    import Stemmer

    return frozenset(Stemmer.algorithms())


def terms_identity(languages: Sequence[str] = (ENGLISH,)) -> str:
    """What must be equal for an index to be asked: the text form and the stemmer's generation.

    Args:
        languages: Those of the passages.
    """
    import Stemmer

    generation = Stemmer.version().split(".")[0]
    if tuple(languages) == (ENGLISH,):
        return f"{_TEXT_FORM.identity}; english stop words; snowball english {generation}"
    stems = (STEMMERS.get(each, "") for each in languages)
    told = (
        f"{each} {name if name in _algorithms() else 'whole words'}"
        for each, name in zip(languages, stems, strict=True)
    )
    return f"{_TEXT_FORM.identity}; {_OTHERS_ID}; snowball {generation}: {', '.join(told)}"
