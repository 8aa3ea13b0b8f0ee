"""Names, titles, dates and numbers in a language whose names have capitals: German and Spanish.

German gives every noun a capital. A name is told from a noun there by what stands around it: two
capitals in a row are a name, and so are an acronym and what stands alone before a verb or after a
preposition of place; a single word behind an article, a numeral or an adjective is a noun, and so
are what the lists hold, what ends as only nouns do ("-ung", "-keit") and long compounds. That errs
on the side of silence: names with an article ("der Louvre") are lost, but for the listed ones ("die
Schweiz").

What this module does not do: inflections (the genitive "Haneefs" stays as it is written), or tell
a person from a place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from averment.claims.aliases.words import GIVEN_NAMES
from averment.claims.languages.vocabulary import Vocabulary, vocabulary
from averment.languages import FUNCTION_WORDS
from averment.text import Span, TextForm, Word, sentence_spans
from averment.types import Entity

_QUOTED = re.compile(
    r"[„“](?P<a>[^„“”\n]{1,80})[“”]|»(?P<b>[^»«\n]{1,80})«|«(?P<c>[^»«\n]{1,80})»"
    r'|"(?P<d>[^"\n]{1,80})"|“(?P<e>[^“”\n]{1,80})”'
)
_MOST_TITLE_WORDS = 10
_LETTERS_OF_COMPOUNDS = 12
_NUMBER = (
    r"(?<![\w.,])[$€£]?\d+(?:[.  ]\d{3})*(?:,\d+)?(?!\w)(?:\s?%)?"
    r"(?: (?:[Mm]illion\w*|[Mm]illiarde\w*|mil(?:lones)?\b))?"
)
_YEAR = r"(?<![\w.,])(?:1\d|20)\d\d(?!\w|[.,]\d)"
_ISO_DATE = r"(?<!\d)[12]\d{3}-\d\d-\d\d(?!\d)"
_JOINS = frozenset({" ", "-", "–", "'", "’"})


def mentions(text: str, code: str) -> list[Entity]:
    """Every mention in order of appearance; kinds as `averment.claims.mentions` gives them."""
    return list(_mentions(text, code))


@lru_cache(maxsize=2**11)  # a sentence is read by several who know nothing of each other
def _mentions(text: str, code: str) -> tuple[Entity, ...]:
    words = vocabulary(code)
    found = list(_titles(text))
    found += _matches(text, _dates(code), kind="date", taken=found)
    names = (span for span in _names(text, words) if not _overlaps(span.start, span.end, found))
    found += [Entity(text[start:end], start, end, "name") for start, end in names]
    found += _matches(text, _numbers(code), kind="number", taken=found)
    return tuple(sorted(found, key=lambda entity: entity.start))


def is_verb(word: str, words: Vocabulary) -> bool:
    """Whether a word in lower case is a verb form, as far as lists and endings tell."""
    if words.has("auxiliaries", word) or words.has("verbs", word):
        return True
    if words.has("not_verbs", word) or words.has("prepositions", word):
        return False
    return bool(re.fullmatch(words.settings["verb_pattern"], word))


def says_nothing(forms: Sequence[str], code: str) -> bool:
    """Whether these are nationalities or months and nothing more."""
    words = vocabulary(code)
    return all(words.has("nationalities", each) or words.has("months", each) for each in forms)


def _titles(text: str) -> Iterator[Entity]:
    for found in _QUOTED.finditer(text):
        inner = next(group for group in found.groups() if group is not None)
        title = inner.strip(" ,.;")
        is_title = title[:1].isupper() or title[:1].isdigit()
        if is_title and len(title.split()) <= _MOST_TITLE_WORDS:
            start = text.index(title, found.start())
            yield Entity(title, start, start + len(title), "title")


@lru_cache
def _dates(code: str) -> re.Pattern[str]:
    words = vocabulary(code)
    months = words.alternatives("months")
    named = (pattern.replace("{months}", months) for pattern in words.settings["dates"].values())
    whole = "|".join(rf"(?<!\w){pattern}(?!\w)" for pattern in named)
    units = words.alternatives("units")
    return re.compile(f"{whole}|{_ISO_DATE}|{_YEAR}(?! (?i:{units})\\b)", re.IGNORECASE)


@lru_cache
def _numbers(code: str) -> re.Pattern[str]:
    units = vocabulary(code).alternatives("units")
    return re.compile(rf"(?=[$€£\d]){_NUMBER}(?: (?i:{units})\b)?")


def _matches(
    text: str, pattern: re.Pattern[str], *, kind: str, taken: Sequence[Entity]
) -> list[Entity]:
    return [
        Entity(found.group(), found.start(), found.end(), kind)
        for found in pattern.finditer(text)
        if not _overlaps(found.start(), found.end(), taken)
    ]


def _overlaps(start: int, end: int, taken: Sequence[Entity]) -> bool:
    return any(start < other.end and other.start < end for other in taken)


# --- names --------------------------------------------------------------------------------------


def _names(text: str, words: Vocabulary) -> Iterator[Span]:
    starts = {span.start for span in sentence_spans(text, words.code)}
    opening = {
        start + len(text[start:]) - len(text[start:].lstrip("¿¡«»„“\"'(")) for start in starts
    }
    found = TextForm().words_with_spans(text)
    at = 0
    while at < len(found):
        end = _run_end(text, found, at, words)
        if end > at:
            yield from _trimmed(text, found, at, end, words, opening)
        at = max(end, at + 1)


def _run_end(text: str, found: Sequence[Word], first: int, words: Vocabulary) -> int:
    """Behind the last word of the run of capitals that begins at a word; `first` if none does."""
    if not text[found[first].start].isupper():
        return first
    end = at = first + 1
    while at < len(found):
        gap = text[found[at - 1].end : found[at].start]
        initial = gap in (". ", ".") and found[at - 1].end - found[at - 1].start == 1
        if gap not in _JOINS and not initial:
            break
        written = text[found[at].start : found[at].end]
        if written[0].isupper() or (written.isdecimal() and len(written) <= 3 and gap == " "):
            at = end = at + 1
        elif gap == " " and _is_particle(found, first, at, end, words):
            at += 1
        else:
            break
    return end


def _is_particle(found: Sequence[Word], first: int, at: int, end: int, words: Vocabulary) -> bool:
    """Whether a word may stand inside a name: "von" in "Otto von Bismarck", "der" behind it."""
    if at > end:
        return at - end < 2 and words.has("particles_inside", found[at].form)
    if not words.has("particles", found[at].form) or words.has("nouns", found[at - 1].form):
        return False
    is_passive = words.has("passive", found[at].form)
    return not is_passive or any(each.form in GIVEN_NAMES for each in found[first:at])


def _trimmed(
    text: str,
    found: Sequence[Word],
    first: int,
    end: int,
    words: Vocabulary,
    opening: set[int],
) -> Iterator[Span]:
    """The name of a run without what only opens the sentence or says what somebody is."""
    opens = found[first].start in opening or text[: found[first].start].endswith(("¿", "¡"))
    while first < end and _is_no_part(found[first], text, words, opens=opens):
        first += 1
        while first < end and not text[found[first].start].isupper():
            first += 1
        opens = False
    while first < end - 1 and _is_common_end(found, end, words):
        end -= 1
    if first == end:
        return
    span = Span(found[first].start, found[end - 1].end)
    if end - first == 1 and not _is_name_alone(text, found, first, words, opens=opens):
        return
    yield span


def _is_common_end(found: Sequence[Word], end: int, words: Vocabulary) -> bool:
    """Whether a run ends in a noun that is of no name: "Regie", but not in "California del Sur"."""
    is_joined = words.has("particles", found[end - 2].form)
    return words.has("nouns", found[end - 1].form) and not is_joined


def _is_no_part(word: Word, text: str, words: Vocabulary, *, opens: bool) -> bool:
    written = text[word.start : word.end]
    if len(written) > 1 and written.isupper():
        return False
    if opens and (word.form in FUNCTION_WORDS[words.code] or words.has("openers", word.form)):
        return True
    return (
        words.has("titles", word.form)
        or words.has("months", word.form)
        or words.has("units", word.form)
        or words.has("pronouns", word.form)
        or words.has("articles", word.form)
        or (words.settings["nouns_have_capitals"] and words.has("nouns", word.form))
    )


def _is_name_alone(
    text: str, found: Sequence[Word], at: int, words: Vocabulary, *, opens: bool
) -> bool:
    """Whether a single word with a capital is a name."""
    word = found[at]
    written = text[word.start : word.end]
    if len(written) == 1:
        return False
    if not written[1:].islower():
        return True  # an acronym, "McKay", "B2"
    if words.has("nouns", word.form) or words.has("units", word.form):
        return False
    before = found[at - 1] if at and text[found[at - 1].end : word.start] == " " else None
    after = found[at + 1] if at + 1 < len(found) else None
    if opens and not _stands_as_subject(text, word, after, words):
        return False
    if not words.settings["nouns_have_capitals"]:
        return True
    if words.has("names_with_article", word.form):
        return True
    if _is_noun(word.form, words) or words.has("nationalities", word.form):
        return False
    if before is None or opens:
        return True
    if words.has("of_place", before.form) or _is_relative(text, before, words):
        return True
    if words.has("determiners", before.form) or words.has("prepositions", before.form):
        return False
    is_adjective = re.fullmatch(r"\w+(?:e|er|es|en|em)", before.form) is not None
    return is_verb(before.form, words) or before.form in ("und", "oder") or not is_adjective


def _is_noun(form: str, words: Vocabulary) -> bool:
    """Whether a word ends as only nouns do, or is as long as only compounds are."""
    if re.fullmatch(words.settings["noun_pattern"], form):
        return True
    is_long = len(form) >= _LETTERS_OF_COMPOUNDS
    return is_long and not re.fullmatch(words.settings["place_pattern"], form)


def _is_relative(text: str, word: Word, words: Vocabulary) -> bool:
    """Whether a word that may be an article opens a relative clause."""
    return words.has("relatives", word.form) and text[: word.start].rstrip().endswith(",")


def _stands_as_subject(text: str, word: Word, after: Word | None, words: Vocabulary) -> bool:
    """Whether the first word of a sentence stands alone before a verb, a mark or "and"."""
    if after is None:
        return True
    gap = text[word.end : after.start]
    if gap != " ":
        return gap[:1] in (",", "(", " ", "'", "’", "?", ".") and not gap.startswith("-")
    return is_verb(after.form, words) or words.has("conjunctions", after.form)
