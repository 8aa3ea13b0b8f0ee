"""From which document frequency on a name counts as common, judged by the corpus itself.

A corpus of a hundred articles and one of a billion need other thresholds, so the first guess is
read off the names in a sample of the text: a quarter of the mentions are of names rarer than it.
What this module does not do: calibrate; that takes labelled answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from averment.index.parts import Part
from averment.text import TextForm, capitalised_names

SAMPLE_DOCUMENTS = 2000
"""How many documents are looked at, at most."""

SAMPLE_CHARACTERS = 1000
"""How much of each, so that the work is bounded for books too."""

_QUANTILE = 0.25
LEAST_DOCUMENTS = 2
"""The lowest threshold: 1 would call nothing rare that is there at all."""


class TextSample:
    """The beginnings of documents at equal steps through a corpus that comes one by one.

    The step is the smallest power of two with which no more than `SAMPLE_DOCUMENTS` are kept.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._step = 1
        self._n = 0

    def offer(self, text: str) -> None:
        """Look at the next document."""
        if self.wants_next:
            self.texts.append(text[:SAMPLE_CHARACTERS])
        self.pass_over()

    @property
    def wants_next(self) -> bool:
        """Whether the next document is one to look at, as far as that is known now."""
        return self._n % self._step == 0

    def pass_over(self) -> None:
        """Go past the next document."""
        self._n += 1
        if len(self.texts) > SAMPLE_DOCUMENTS:
            self._step *= 2
            del self.texts[1::2]

    def offer_parts(self, parts: Iterable[Part]) -> None:
        """Look at the next documents: those of some parts, which keep their text."""
        for part in parts:
            assert part.store is not None
            for number in np.flatnonzero(part.meant).tolist():
                if self.wants_next:
                    self.offer(part.store.document(number).text)
                else:
                    self.pass_over()


def sampled_texts(parts: Sequence[Part]) -> Iterator[str]:
    """What a `TextSample` of the documents of some parts, which keep their text, would hold."""
    n_documents = sum(int(part.meant.sum()) for part in parts)
    step = 1
    while -(-n_documents // step) > SAMPLE_DOCUMENTS:
        step *= 2
    ahead = 0  # documents up to the next one of the sample
    for part in parts:
        assert part.store is not None
        numbers = np.flatnonzero(part.meant)
        for number in numbers[ahead::step].tolist():
            yield part.store.document(number).text[:SAMPLE_CHARACTERS]
        ahead = (ahead - len(numbers)) % step


def mentioned_names(texts: Iterable[str]) -> Counter[str]:
    """How often each capitalised name is mentioned.

    A single word that opens a sentence is left out, as any word is capitalised there.
    """
    names: Counter[str] = Counter()
    for text in texts:
        for name in capitalised_names(text):
            if not (name.opens_sentence and len(TextForm().words(name.text)) == 1):
                names[name.text] += 1
    return names


def entity_threshold(names: Counter[str], documents_of: Callable[[str], int]) -> int | None:
    """The 25 % quantile of the document frequencies of names as they are mentioned.

    A name that is mentioned ten times counts ten times.

    Args:
        names: Mentions of each name.
        documents_of: Gives the document frequency of a name.

    Returns:
        Documents, rounded down, at least 2; None if there are no names.
    """
    if not names:
        return None
    frequencies = np.repeat([documents_of(name) for name in names], list(names.values()))
    return max(int(np.quantile(frequencies, _QUANTILE)), LEAST_DOCUMENTS)
