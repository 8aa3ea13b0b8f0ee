"""Rules from a name to other ways of writing it: each with an id, each testable alone.

A rule knows spelling, not the world: it never says that two names mean one thing, only that one is
also written so. What loses a part ("Paris, Texas" as "Paris") can mean something else as well;
`averment.claims.aliases.book` holds it against the names that it knows.

What this module does not do: what the text form of an index does already. Case, blanks, hyphens
and punctuation never need a form of their own: "J.R.R. Tolkien" and "J. R. R. Tolkien" are the
same words, "JRR Tolkien" is not. Dates and numbers are in `averment.claims.aliases.values`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from averment.claims.aliases.values import date_orders, number_formats
from averment.claims.aliases.words import (
    ABBREVIATIONS,
    GIVEN_NAMES,
    HONORIFICS,
    NO_PLACE,
    PEERAGE,
    POST_NOMINALS,
    STOP_WORDS,
)
from averment.text import TextForm

Rewriting: TypeAlias = Callable[[str], Iterator[str]]
"""The other ways in which a name is written, after one rule; none where it does not apply."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule.

    Args:
        rule_id: What `SurfaceForm.source` says of it.
        rewrite: From a name to other ways of writing it.
        leaves_a_name: What it makes of "Mumbai, India" is a name though it is one word; elsewhere
            a word of a longer name is none.
    """

    rule_id: str
    rewrite: Rewriting
    leaves_a_name: bool = False


_BRACKETED = re.compile(r"(?P<name>.*\S)\s*\((?P<inside>[^()]+)\)\s*")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?)+(?<=\.)")
_JOINED_INITIALS = re.compile(r"[A-Z]{2,3}")
_NAME_PART = re.compile(r"[^\W\d_][\w'’.-]*")
_WORDS = TextForm().words
_TITLES_BEHIND = PEERAGE | POST_NOMINALS
_ABBREVIATED = frozenset(
    word for short, long in ABBREVIATIONS for word in (short, short[:-1], long)
)
_SPECIAL_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ı": "i"}
    | {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "þ": "th", "Þ": "Th"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


class Rewritten(NamedTuple):
    """A form, the rules that made it of a name, and whether it is a name even as one word."""

    text: str
    rule_ids: str
    is_name: bool


def rewritings(name: str, rules: Sequence[Rule] | None = None) -> list[Rewritten]:
    """Everything that some rules make of a name, also after one another.

    Args:
        name: A name.
        rules: Those to use; None: all of them.

    Returns:
        Those that fewer rules have made first, each sequence of words once, without the name's
        own. Ids of rules that worked one after another are joined by ``+``.
    """
    seen = {tuple(_WORDS(name))}
    found: list[Rewritten] = []
    for rule in RULES if rules is None else rules:
        # What a rule makes is for those behind it only: they stand in the order in which a name is
        # taken apart, and none may undo another.
        for text, ids, is_name in [Rewritten(name, "", True), *found]:
            for form in rule.rewrite(text):
                if form == text:
                    continue  # as most rules leave most names
                words = tuple(_WORDS(form))
                if words and words not in seen:
                    seen.add(words)
                    path = f"{ids}+{rule.rule_id}".lstrip("+")
                    found.append(Rewritten(form, path, is_name and rule.leaves_a_name))
    return sorted(found, key=lambda made: made.rule_ids.count("+"))


# --- what stands around a name ------------------------------------------------------------------


def without_disambiguator(name: str) -> Iterator[str]:
    """The name without what tells it apart: "Amistad (film)" is "Amistad" in a text."""
    found = _BRACKETED.fullmatch(name)
    if found:
        yield found["name"].strip()


def bracketed_acronym(name: str) -> Iterator[str]:
    """The acronym of a name that says so itself: "World Health Organization (WHO)"."""
    found = _BRACKETED.fullmatch(name)
    if found and is_acronym(found["inside"], of=found["name"]):
        yield found["inside"].strip()


def is_acronym(short: str, *, of: str) -> bool:
    """Whether some capitals are the first letters of a longer name; small words may be skipped."""
    letters = short.replace(".", "").replace("&", "").strip()
    if not (2 <= len(letters) <= 10 and letters.isalpha() and letters.isupper()):
        return False
    words = re.findall(r"[^\W_]+", of)
    every = "".join(word[0] for word in words).upper()
    content = "".join(word[0] for word in words if word.lower() not in STOP_WORDS).upper()
    return letters in (every, content)


def without_possessive(name: str) -> Iterator[str]:
    """Whom a possessive names: "Tolkien's" is "Tolkien"."""
    found = re.fullmatch(r"(.*\w)['’]s", name.strip())
    if found:
        yield found[1]


def without_article(name: str) -> Iterator[str]:
    """The name without its article, if two words are left: "Prairie King"."""
    found = re.fullmatch(r"(?:The|A|An)\s+(\S+\s.*)", name)
    if found:
        yield found[1]


def without_title(name: str) -> Iterator[str]:
    """The name without titles: of "Sir Ronald Ross", "Ronald Ross, KCB", "Otto, Count of Marl"."""
    words = name.split()
    if len(words) > 2 and words[0].rstrip(".").lower() in HONORIFICS:
        yield " ".join(words[1:])
    head, comma, rest = name.partition(",")
    if comma and len(_WORDS(head)) > 1 and not _TITLES_BEHIND.isdisjoint(_WORDS(rest)):
        yield head.strip()


def without_place(name: str) -> Iterator[str]:
    """The place without where it is: "Mumbai, Maharashtra, India" is also "Mumbai"."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) < 2 or not all(map(_is_place_part, parts)):
        return
    for n_parts in range(len(parts) - 1, 0, -1):
        yield ", ".join(parts[:n_parts])


def _is_place_part(part: str) -> bool:
    """A few capitalised words without a title, a number or a word of a sentence."""
    words = part.split()
    if not 1 <= len(words) <= 5 or not part[0].isupper():
        return False
    folded = {word.lower() for word in _WORDS(part)}
    if folded & (PEERAGE | POST_NOMINALS | NO_PLACE) or re.search(r"[\d&]", part):
        return False
    return not folded & (STOP_WORDS - {"of", "and", "the"}) and words[0].lower() not in STOP_WORDS


# --- what stands inside a name ------------------------------------------------------------------


def initials_together_or_apart(name: str) -> Iterator[str]:
    """Initials written as one word or apart: "JRR Tolkien", "USA" for "U.S.A."."""
    if "." in name:
        yield _with_initials_together(name)
    first, _, rest = name.partition(" ")
    if _JOINED_INITIALS.fullmatch(first) and rest[:1].isupper() and not rest.isupper():
        yield f"{'. '.join(first)}. {rest}"


def _with_initials_together(name: str) -> str:
    joined: list[str] = []
    run = ""
    for word in [*name.split(), ""]:
        if word and _INITIALS.fullmatch(word):
            run += word.replace(".", "")
            continue
        joined += [run] if run else []
        run = ""
        joined += [word] if word else []
    return " ".join(joined)


def middle_names_as_initials(name: str) -> Iterator[str]:
    """Given names as initials: "John R. R. Tolkien" and "J. R. R. Tolkien" of all four names."""
    parts = _person(name)
    if len(parts) < 3:
        return
    first, *middle, last = parts
    short = " ".join(f"{part[0]}." for part in middle)
    yield f"{first} {short} {last}"
    yield f"{first[0]}. {short} {last}"


def without_middle_initials(name: str) -> Iterator[str]:
    """First and last name: "Edward Cline" of "Edward F. Cline".

    Whole middle names stay: John Quincy Adams is no John Adams.
    """
    parts = name.split()
    if len(parts) < 3 or not _NAME_PART.fullmatch(parts[0]) or _INITIALS.fullmatch(parts[0]):
        return
    if all(map(_INITIALS.fullmatch, parts[1:-1])) and parts[-1][0].isupper():
        yield f"{parts[0]} {parts[-1]}"


def _person(name: str) -> list[str]:
    """The parts of a name that begins with a given name; empty for any other."""
    parts = name.split()
    if not parts or parts[0].lower() not in GIVEN_NAMES or _INITIALS.fullmatch(parts[-1]):
        return []
    if not all(_NAME_PART.fullmatch(part) and part[0].isupper() for part in parts):
        return []
    return [] if parts[-1].rstrip(".").lower() in NO_PLACE else parts


def ampersand(name: str) -> Iterator[str]:
    """The sign and the word: "Hall & Oates", "Hall and Oates"."""
    if " & " in name:
        yield name.replace(" & ", " and ")
    if " and " in name:
        yield name.replace(" and ", " & ")


def abbreviated_words(name: str) -> Iterator[str]:
    """Words of places in short and in full: "St. Louis", "Saint Louis"."""
    words = name.split()
    if _ABBREVIATED.isdisjoint(words):
        return
    for short, long in ABBREVIATIONS:
        swapped = [
            long if word in (short, short[:-1]) else short if word == long else word
            for word in words
        ]
        if swapped != words:
            yield " ".join(swapped)


def joined_parts(name: str) -> Iterator[str]:
    """Without hyphens and apostrophes inside: "Spiderman", "OBrien"."""
    yield re.sub(r"(?<=\w)[-'’](?=\w)", "", name)


_WITH_ACCENTS = re.compile("[A-Za-z\u0370-\u03ff\u05d0-\u05ea\u0620-\u064a\u0671-\u06d3]")
"""Letters of Latin, Greek, Hebrew and Arabic: without its mark "が" or "й" is another letter."""
_CYRILLIC_YO = ("е\u0308", "Е\u0308")


def without_diacritics(name: str) -> Iterator[str]:
    """In plain letters: "Zurich" and "Zuerich"; an index that folds accents knows the former."""
    if name.isascii():
        return
    kept, base = [], ""
    for c in unicodedata.normalize("NFD", name.translate(_SPECIAL_LETTERS)):
        if unicodedata.category(c) != "Mn":
            base = c
        elif _WITH_ACCENTS.match(base) or base + c in _CYRILLIC_YO:
            continue
        kept.append(c)
    yield unicodedata.normalize("NFC", "".join(kept))
    yield unicodedata.normalize("NFC", name).translate(_UMLAUTS)


def in_usual_letters(name: str) -> Iterator[str]:
    """Full and half width, Arabic's presentation forms and tatweel as they are usually written."""
    if not name.isascii():
        yield unicodedata.normalize("NFKC", name).replace("\u0640", "")


RULES: tuple[Rule, ...] = (
    Rule("acronym", bracketed_acronym, leaves_a_name=True),
    Rule("disambiguator", without_disambiguator, leaves_a_name=True),
    Rule("possessive", without_possessive, leaves_a_name=True),
    Rule("place", without_place, leaves_a_name=True),
    Rule("title", without_title),
    Rule("article", without_article),
    Rule("middle_name", without_middle_initials),
    Rule("middle_initial", middle_names_as_initials),
    Rule("initials", initials_together_or_apart, leaves_a_name=True),
    Rule("ampersand", ampersand),
    Rule("abbreviation", abbreviated_words),
    Rule("joined", joined_parts, leaves_a_name=True),
    Rule("width", in_usual_letters, leaves_a_name=True),
    Rule("diacritics", without_diacritics, leaves_a_name=True),
    Rule("number", number_formats, leaves_a_name=True),
    Rule("date", date_orders, leaves_a_name=True),
)
"""All rules, in the order in which they take a name apart."""
