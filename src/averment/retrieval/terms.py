"""From text to search terms: words, without stop words, as English stems.

Building and asking must call the same function, so it has an identity that is stored with the
index. Words come from `averment.text`; scripts written without spaces give one term a character.

What this module does not do: other languages than English are neither stemmed nor freed of stop
words (their words pass through the English stemmer, on both sides alike).

Source: Lucene's English analyser: classic stop words, possessives removed, Snowball stems.
"""

from __future__ import annotations

from averment.text import TextForm

_STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with".split()
)
_POSSESSIVE = "s"
_TEXT_FORM = TextForm()


def search_terms(text: str) -> list[str]:
    """The stems of a text's words in order, repetitions included, stop words left out."""
    import Stemmer  # not at the top: a C extension that only retrieval needs

    # A stemmer must not be shared between threads; making one costs less than a lock.
    stemmer = Stemmer.Stemmer("english")
    words = [
        word for word in _TEXT_FORM.words(text) if word not in _STOP_WORDS and word != _POSSESSIVE
    ]
    stems: list[str] = stemmer.stemWords(words)
    return stems


def terms_identity() -> str:
    """What must be equal for an index to be asked: the text form and the stemmer's generation."""
    import Stemmer

    generation = Stemmer.version().split(".")[0]
    return f"{_TEXT_FORM.identity}; english stop words; snowball english {generation}"
