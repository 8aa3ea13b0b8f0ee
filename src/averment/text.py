"""Words, sentences and spans: the one text form in which a corpus is built and asked.

A *word* is a maximal run of Unicode letters, marks and numbers (general categories L, M, N) in
NFC text; Han, Hiragana, Katakana, Thai, Lao and Khmer, which write no spaces, count by character.
Its *form* is NFC(full casefold(run)), so that "STRASSE" is asked as "straße" is written; accents
stay unless `TextForm.fold_accents`. Building and asking call the same function, and its identity
is stored with an index, since another form would count 0 without anybody noticing.

Offsets are code points of the text as given, also where that text was not NFC.

What this module does not do: stemming, stop words (a matter of retrieval), tell languages apart
(`averment.languages`).

Source: Unicode Standard Annex 15 (NFC), chapter 3.13 (default caseless matching).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

_FUNCTION_ID = "averment-words-1"

# Scripts written without spaces between words: each character is a word of its own.
_BY_CHARACTER = (
    "\u3005\u3007\u3021-\u3029\u3031-\u3035\u303b"  # Han marks and numerals, kana repeat marks
    "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003fffd"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59"  # Thai
    "\u0e81-\u0ebd\u0ec0-\u0ec4\u0ec6\u0ec8-\u0ece\u0ed0-\u0ed9\u0edc-\u0edf"  # Lao
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9\u17f0-\u17f9"  # Khmer
)
_ASCII_WORDS = re.compile("[0-9A-Za-z]+")
_MOST_REMEMBERED_CHARACTERS = 64
"""A longer text is no name."""


class Word(NamedTuple):
    """A word in its normal form, and where it stands in the text as given."""

    form: str
    start: int
    end: int


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextForm:
    """The function from text to words, as a value that an index carries.

    Args:
        fold_accents: Drop nonspacing marks after canonical decomposition ("Zürich" = "Zurich").
    """

    fold_accents: bool = False

    @property
    def identity(self) -> str:
        """What must be equal for counts to be comparable."""
        accents = "folded" if self.fold_accents else "kept"
        return f"{_FUNCTION_ID}; unicode {unicodedata.unidata_version}; accents {accents}"

    def words(self, text: str) -> list[str]:
        """The forms of all words of a text, in order."""
        if len(text) > _MOST_REMEMBERED_CHARACTERS:
            return self._words(text)
        return list(_remembered_words(text, self.fold_accents))

    def _words(self, text: str) -> list[str]:
        if text.isascii():
            return _ASCII_WORDS.findall(text.lower())
        runs = _runs().findall(unicodedata.normalize("NFC", text))
        return [form for form in map(self._form, runs) if form]

    def key(self, text: str) -> str:
        """The words as one text: the same for texts that count as the same phrase."""
        return " ".join(self.words(text))

    def words_with_spans(self, text: str) -> list[Word]:
        """The words of a text with their places in it; the same forms as `words` gives."""
        if text.isascii():
            return [Word(it.group().lower(), *it.span()) for it in _ASCII_WORDS.finditer(text)]
        return [
            Word(form, start, end)
            for run, start, end in _placed_runs(text)
            if (form := self._form(run))
        ]

    def _form(self, run: str) -> str:
        if run.isascii():
            return run.lower()
        folded = unicodedata.normalize("NFC", run.casefold())
        if not self.fold_accents:
            return folded
        decomposed = unicodedata.normalize("NFD", folded)
        # A run of nothing but marks leaves no word; the caller drops the empty form.
        kept = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
        return unicodedata.normalize("NFC", kept)


@lru_cache(maxsize=2**14)  # names are read again wherever they are compared
def _remembered_words(text: str, fold_accents: bool) -> tuple[str, ...]:
    return tuple(TextForm(fold_accents)._words(text))


def _placed_runs(text: str) -> Iterator[tuple[str, int, int]]:
    """The runs that may be words, composed, with their places in the text as given."""
    if text.isascii():
        for found in _ASCII_WORDS.finditer(text):
            yield found.group(), *found.span()
        return
    composed, origins = _compose(text)
    for found in _runs().finditer(composed):
        start, end = found.span()
        if origins:
            start, end = origins[start].start, origins[end - 1].end
        yield found.group(), start, end


@cache
def _one_by_character() -> re.Pattern[str]:
    return re.compile(f"[{_BY_CHARACTER}]")


def is_by_character(character: str) -> bool:
    """Whether a character is of a script written without blanks, where each counts as a word."""
    return not character.isascii() and bool(_one_by_character().fullmatch(character))


@cache
def _runs() -> re.Pattern[str]:
    """Built at the first text that is not ASCII: `re` knows no Unicode categories."""
    word = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c)[0] in "LMN"]
    in_runs = re.sub(f"[{_BY_CHARACTER}]", "", "".join(word))
    basic, further = (_ranges(re.findall(c, in_runs)) for c in ("[\0-\uffff]", "[^\0-\uffff]"))
    # The further planes stand apart: `re` goes through their ranges one by one.
    return re.compile(f"(?:[{basic}]+|(?=[^\0-\uffff])[{further}]+)+|[{_BY_CHARACTER}]")


def _ranges(characters: Iterable[str]) -> str:
    """Characters in their order, as the inside of a character class."""
    ranges: list[list[int]] = []
    for code in map(ord, characters):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)


@cache
def _composing() -> frozenset[str]:
    """Starters that can merge into the character before them (NFC_Quick_Check = Maybe)."""
    seconds = set()
    for c in map(chr, range(0x20000)):  # ideographs and planes without letters come behind
        parts = unicodedata.decomposition(c)
        if parts and not parts.startswith("<"):
            codes = parts.split()
            if len(codes) == 2:
                seconds.add(chr(int(codes[1], 16)))
    jamo = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    # Three vowel signs are starters that decompose into marks, which may be reordered.
    vowel_signs = {"\u0f73", "\u0f75", "\u0f81"}
    return frozenset({c for c in seconds if not unicodedata.combining(c)} | jamo | vowel_signs)


def _compose(text: str) -> tuple[str, list[Span]]:
    """NFC of a text, and for each character of it the span it came from ([] if unchanged)."""
    if unicodedata.is_normalized("NFC", text):
        return text, []
    composed: list[str] = []
    origins: list[Span] = []
    for span in _composition_units(text):
        unit = unicodedata.normalize("NFC", text[span.start : span.end])
        composed.append(unit)
        origins.extend([span] * len(unit))
    return "".join(composed), origins


def _composition_units(text: str) -> Iterator[Span]:
    """Cut where no composition or reordering can reach across, so that NFC works by pieces."""
    start = 0
    for at in range(1, len(text)):
        c = text[at]
        if c.isascii() or not (unicodedata.combining(c) or c in _composing()):
            yield Span(start, at)
            start = at
    yield Span(start, len(text))


# --- sentences ----------------------------------------------------------------------------------

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDE_BLANK_BEFORE_PERIOD = re.compile(r"[^\S\x00-\x7f](?=\.)")
_ORDINAL = re.compile(r"(?<!\d)\d{1,2}\.\s*$")
_NUMBERED = re.compile(
    r"(?:Jahrhundert|Jahrtausend|Jahrestag|Geburtstag|Bezirk|Platz|Rang|Auflage|Mal|Lebensjahr"
    r"|Armee|Division|Kongress|Spieltag|Staffel|Januar|Februar|März|April|Mai|Juni|Juli|August"
    r"|September|Oktober|November|Dezember)"
)
_SENTENCE_END = re.compile(r"[.!?…。！？]['\"”’)\]]*\s*$|\n\s*$")


def sentence_spans(text: str, language: str | None = None) -> list[Span]:
    """The sentences of a text, without the blanks around them.

    Args:
        text: Any text.
        language: ISO 639-1 code for the abbreviations; None: the language that the text shows.
            Where it shows none, and for unknown codes, it is English.

    Returns:
        Spans in order that do not overlap; `text[start:end]` has no blank at either end. Thai, Lao
        and Khmer, which mark no end of a sentence, are cut at blank lines only.
    """
    import sentencex  # not at the top: most of the package never splits a sentence

    # Neither is this: the tables of the core are made from this file before there is a package.
    from averment.languages import ENGLISH, guess_language

    language = language or guess_language(text) or ENGLISH
    # Half a surrogate pair, which JSON can hold, is no text to the splitter, and it breaks down at
    # "plan B ." with a blank that is not ASCII. The length stays.
    readable = text
    if not text.isascii():
        readable = _WIDE_BLANK_BEFORE_PERIOD.sub(" ", _LONE_SURROGATE.sub("\ufffd", text))
    spans: list[Span] = []
    for boundary in sentencex.get_sentence_boundaries(language, readable):
        piece = text[boundary["start_index"] : boundary["end_index"]]
        start = boundary["start_index"] + len(piece) - len(piece.lstrip())
        end = start + len(piece.strip())
        if end <= start:
            continue
        if language == "de" and spans and _is_one_in_german(text, spans[-1], start):
            start = spans.pop().start
        spans.append(Span(start, end))
    return spans


def _is_one_in_german(text: str, before: Span, start: int) -> bool:
    """Whether a period made an ordinal: "das 19. Jahrhundert", where the noun has a capital."""
    written = text[before.start : before.end]
    return bool(_ORDINAL.search(written) and _NUMBERED.match(text, start))


def sentences(text: str, language: str | None = None) -> list[str]:
    """The sentences of a text as strings; see `sentence_spans`."""
    return [text[span.start : span.end] for span in sentence_spans(text, language)]


def first_sentence_end(text: str) -> int | None:
    """Where the first sentence of a growing text ends, or None while that cannot be known yet.

    A period may belong to an abbreviation, so a sentence is known to be complete only when the
    start of the next one is there; a line break settles it too.
    """
    body = text.lstrip()
    offset = len(text) - len(body)
    newline = body.find("\n")
    if newline >= 0:
        body = body[:newline]
    spans = sentence_spans(body)
    if len(spans) > 1 or (newline >= 0 and spans):
        return offset + spans[0].end
    return None


def ends_like_a_sentence(text: str) -> bool:
    """Whether a text closes with a mark that ends sentences."""
    return bool(_SENTENCE_END.search(text))


# --- names --------------------------------------------------------------------------------------

_INSIDE_NAMES = frozenset(
    "of the de la le les du des del della di da do dos van von der den zu al el bin ibn".split()
)
_NOT_NAMES = frozenset(
    "a an the this that these those he she it they we you i his her its their our my "
    "who whom whose what which where when why how is are was were be been did does do has have had "
    "can could may might will would shall should must in on at by for from with to of into over "
    "under after before since during between among about against and or but nor so thus hence "
    "therefore however although though because while if as than then there here both either "
    "neither each every all some any no not yes only also first second third last one two three "
    "according answer question according name list give tell".split()
)


class Name(NamedTuple):
    """A capitalised name at `text[start:end]`.

    `opens_sentence`: its capital may be that of the sentence rather than that of a name.
    """

    text: str
    start: int
    end: int
    opens_sentence: bool


def capitalised_names(text: str) -> list[Name]:
    """Runs of capitalised words: what looks like a name in scripts that have capitals.

    "Bay of Biscay", "J. R. R. Tolkien", "O'Brien", "Apollo 11" are one name each; "and" and commas
    part names; articles, pronouns, question words and prepositions at the front do not belong.
    No model and no list of names: good for thresholds and as a first guess, wrong for German nouns.
    """
    starts = {span.start for span in sentence_spans(text)}
    names = []
    for run in _capitalised_runs(text):
        while run and (run[0].form in _NOT_NAMES or not text[run[0].start].isupper()):
            run = run[1:]
        while run and run[-1].form in _NOT_NAMES:  # "Henry V. He …"
            run = run[:-1]
        if run:
            start, end = run[0].start, run[-1].end
            names.append(Name(text[start:end], start, end, start in starts))
    return names


def _capitalised_runs(text: str) -> Iterator[list[Word]]:
    run: list[Word] = []  # ends with a capitalised word or a number
    inner: list[Word] = []  # lower-case words that belong to the name if a capital follows
    form_of = TextForm()._form
    for letters, start, end in _placed_runs(text):
        if not run and not text[start].isupper():
            continue  # no name begins here, and none is under way
        word = Word(form_of(letters), start, end)
        previous = inner[-1] if inner else (run[-1] if run else None)
        gap = text[previous.end : word.start] if previous else None
        surface = text[word.start : word.end]
        adjacent = gap in (" ", "-", "'", "’", "–") or (
            gap in (". ", ".") and previous is not None and _is_initial(text, previous)
        )
        numeral = surface.isdecimal() and len(surface) <= 3 and not inner
        if surface[0].isupper() or (numeral and gap in (" ", "-")):
            if run and not adjacent:
                yield run
                run = []
                inner = []
            run += [*inner, word]
            inner = []
        elif gap == " " and word.form in _INSIDE_NAMES:
            inner.append(word)
        else:
            yield run
            run, inner = [], []
    if run:
        yield run


def _is_initial(text: str, word: Word) -> bool:
    return word.end - word.start == 1 and text[word.start].isupper()


# --- phrases ------------------------------------------------------------------------------------


def one_holds_other(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether the words of one of both stand in a row inside the other, or are the same."""
    return contains_words(a, b) or contains_words(b, a)


def contains_words(outer: Sequence[str], inner: Sequence[str]) -> bool:
    """Whether the words of `inner` stand in a row inside `outer`."""
    if not inner or len(inner) > len(outer):
        return not inner
    # No word has a blank in it, so that words stand in a row as their texts do.
    return f" {' '.join(inner)} " in f" {' '.join(outer)} "


# --- for people ---------------------------------------------------------------------------------


def shortened(text: str, n_characters: int = 160) -> str:
    """The text on one line, cut at a length; what was cut off shows as an ellipsis."""
    flat = " ".join(text.split())
    return flat if len(flat) <= n_characters else f"{flat[: n_characters - 1]}…"


def n_of(number: int | None, noun: str) -> str:
    """A number and its noun: "1 document", "2 documents", "? documents"."""
    if number is None:
        return f"? {noun}s"
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """A time in words: 42 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
