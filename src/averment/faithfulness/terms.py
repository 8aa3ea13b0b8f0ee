"""A text as the lexical tier reads it: its sentences, and of each the content words and quantities.

Content words are stems without function words, each with a weight that does not depend on any
other text: a score must not change because a passage more is read. Words inside a quantity belong
to the quantity; marks of citations, such as "[3]", are no words. What this module does not do:
compare two texts (`averment.faithfulness.alignment`) or read other languages than English well,
whose function words count as content.

Source: Snowball's English stemmer, as retrieval uses it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from averment.quantities import Quantity, quantities
from averment.text import Span, TextForm, Word, sentence_spans

_TEXT_FORM = TextForm()
_FUNCTION_WORDS = frozenset(
    "a about after again all also am an and any are as at be because been before being both but by "
    "can could did do does doing during each either else ever every few for from had has have "
    "having he her hers him himself his how however i if in into is it its itself just less let "
    "many may me might mine more most much must my myself of off oh on one only onto or other our "
    "ours out over own per perhaps quite rather really same shall she should so some such than "
    "that the their theirs them themselves then there these they this those through thus to too "
    "under until up upon us very was we well were what when where whether which while who whom "
    "whose why will with would yeah yes yet you your yours s t re ve ll d m u lrb rrb".split()
)
NEGATORS = frozenset(
    "no not never none nobody nothing neither nor without cannot nt hardly isn aren wasn weren "
    "doesn don didn hasn haven hadn wouldn couldn shouldn".split()
)
"""Words that turn what follows round; the last ones are "isn't" without its end."""
_NEGATORS_BEFORE_T = frozenset("n can won".split())
"""These only with that end: "won't" does and "won" does not, "do n't" and not "Guns N' Roses"."""

AFFIRMED, NEGATED = 1, 2
"""How a word occurs; both bits are set where it occurs in both ways."""

_CITATION = re.compile(r"\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]")
_NEGATED_TERMS = 3
_NAME_WEIGHT, _WORD_WEIGHT = 1.5, 1.0
QUANTITY_WEIGHT = 2.0


class Term(NamedTuple):
    """A content word: its stem, what it weighs, and how it occurs.

    `is_name`: its capital makes it a name. `is_capital`: it has one, be it that of the sentence.
    """

    stem: str
    weight: float
    is_name: bool
    is_capital: bool
    polarity: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence at `text[start:end]`. `polarities` holds how each stem occurs in it."""

    start: int
    end: int
    n_words: int
    terms: tuple[Term, ...]
    polarities: dict[str, int]
    beginnings: frozenset[str]
    quantities: tuple[Quantity, ...]

    @property
    def has_content(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.terms or self.quantities)


def stemmer() -> Any:
    """A stemmer for `read`; not to be shared between threads."""
    import Stemmer  # not at the top: a C extension that few parts need

    return Stemmer.Stemmer("english")


def read(text: str, stemming: Any) -> list[Sentence]:
    """The sentences of a text that have a word, with their content words.

    Args:
        text: Any text.
        stemming: What `stemmer` gave.
    """
    return [each for each in read_spans(text, sentence_spans(text), stemming) if each.n_words]


def read_spans(text: str, spans: Sequence[Span], stemming: Any) -> list[Sentence]:
    """The sentences at some places of a text, one a place, with their content words."""
    return [_sentence(text, span, stemming) for span in spans]


def beginning(stem: str) -> str:
    """What stems of one family share, such as "franc" of France; the stem where it is short."""
    return stem[:5]


def _sentence(text: str, span: Span, stemming: Any) -> Sentence:
    written = text[span.start : span.end]
    marks = [found.span() for found in _CITATION.finditer(written)]
    words = [
        word
        for word in _TEXT_FORM.words_with_spans(written)
        if not any(start <= word.start < end for start, end in marks)
    ]
    found = quantities(written, words)
    terms = _terms(written, _outside(words, found), stemming)
    polarities: dict[str, int] = {}
    for term in terms:
        polarities[term.stem] = polarities.get(term.stem, 0) | term.polarity
    return Sentence(
        start=span.start,
        end=span.end,
        n_words=len(words),
        terms=tuple(terms),
        polarities=polarities,
        beginnings=frozenset(beginning(stem) for stem in polarities if len(stem) > 3),
        quantities=tuple(found),
    )


def _outside(words: Sequence[Word], found: Sequence[Quantity]) -> Sequence[Word]:
    if not found:
        return words
    taken = {at for quantity in found for at in range(quantity.start, quantity.end)}
    return [word for word in words if word.start not in taken]


def _terms(written: str, words: Sequence[Word], stemming: Any) -> list[Term]:
    terms: list[Term] = []
    stems = stemming.stemWords([word.form for word in words])
    negated = 0
    for at, (word, stem) in enumerate(zip(words, stems, strict=True)):
        if _negates(words, at):
            negated = _NEGATED_TERMS
        elif word.form not in _FUNCTION_WORDS:
            is_capital = written[word.start].isupper()
            is_name = is_capital and (at > 0 or _opens_with_name(written, words))
            weight = _NAME_WEIGHT if is_name else _WORD_WEIGHT
            polarity = NEGATED if negated else AFFIRMED
            terms.append(Term(stem, weight, is_name, is_capital, polarity))
            negated = max(0, negated - 1)
    return terms


def _negates(words: Sequence[Word], at: int) -> bool:
    form = words[at].form
    if form in _NEGATORS_BEFORE_T:
        return at + 1 < len(words) and words[at + 1].form == "t"
    return form in NEGATORS


def _opens_with_name(written: str, words: Sequence[Word]) -> bool:
    """Whether the first capital is more than that of the sentence: two in a row are a name."""
    return len(words) > 1 and written[words[1].start].isupper()
