"""Names, titles, dates and numbers in a text, by the look of them.

Built on `averment.text.capitalised_names`, which sees capitals; added here are what quotation
marks, months and digits tell, and when the capital of a sentence's first word is only that.

What this module does not do: tell a person from a place (kind ``name`` is all that capitals
show), find names in scripts without capitals, resolve pronouns or aliases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from averment.claims.lowercase import is_without_capitals, lower_case_names
from averment.claims.titles import title_spans
from averment.claims.vocabulary import OPENERS, PREPOSITIONS, is_verb, says_nothing
from averment.text import Name, Span, TextForm, capitalised_names
from averment.types import Entity

_QUOTED = re.compile(
    r'"(?P<straight>[^"\n]{1,80})"|“(?P<double>[^“”\n]{1,80})”|‘(?P<single>[^‘\n]{1,80}?)’(?!\w)'
)
_MAX_TITLE_WORDS = 10  # a longer quotation is speech
_MAX_TITLE_CHARACTERS = 80

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)"
)
_DAY = r"(?<!\d)\d{1,2}(?:st|nd|rd|th)?"
_UNITS = (
    r"(?:kilometres|kilometers|metres|meters|miles|feet|inches|acres|hectares|km|cm|mm|m|ft|kg|g"
    r"|tonnes|tons|pounds|people|inhabitants|residents|copies|years|months|days|hours|minutes"
    r"|seconds|percent|dollars|euros|goals|episodes|seats|votes)"
)
_DATE = re.compile(
    r"(?=[\dJFMASOND])(?:"  # where a date can begin: most characters are none of these
    rf"{_DAY} (?:of )?{_MONTH},? \d{{3,4}}(?!\d)"
    rf"|\b{_MONTH} {_DAY},? \d{{3,4}}(?!\d)"
    rf"|\b{_MONTH},? [12]\d{{3}}(?!\d)"
    rf"|{_DAY} (?:of )?{_MONTH}\b"
    rf"|\b{_MONTH} {_DAY}(?![\d,]*\d)\b"
    r"|(?<!\d)[12]\d{3}-\d\d-\d\d(?!\d)"
    rf"|(?<![\w.,])(?:1\d|20)\d\ds?(?!\w|[.,]\d| {_UNITS}\b))"
)
_LOWER_DATE = re.compile(_DATE.pattern, re.IGNORECASE)  # "june 9, 1956"
_NUMBER = re.compile(
    r"(?=[$€£\d])(?<![\w.,])[$€£]?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)"
    rf"(?:\s?%| (?:thousand|million|billion|trillion)\b)?(?: {_UNITS}\b)?"
)
_DISAMBIGUATOR = re.compile(
    r"\s?\((?:\d{4} )?(?:[\w-]+ )?(?:film|movie|novel|book|play|album|song|single|band|group"
    r"|tv series|series|magazine|newspaper|company|actor|actress|author|writer|director|producer"
    r"|musical|musician|singer|composer|politician|footballer|athlete|basketball|baseball|cricketer"
    r"|river|city|town|village|disambiguation)\)",
    re.IGNORECASE,
)
_SAINTS = frozenset({"St", "Mt", "Ft", "Ste"})
_HONORIFICS = frozenset("Mr Mrs Ms Dr Prof Rev Gen Col Capt Lt Sgt Sen Gov".split())
_STYLES = frozenset("Sir Dame Reverend Professor Colonel Lieutenant Archbishop Cardinal".split())
"""Stand before whole names, which occur without them as well."""
_INSIDE_NAMES = frozenset({" ", " of a ", " of an ", " & "})
_PLACES_WITH_AND = frozenset(
    {
        *("Bosnia and Herzegovina", "Antigua and Barbuda", "Trinidad and Tobago"),
        *("Tyne and Wear", "Newfoundland and Labrador", "Jammu and Kashmir", "Castile and León"),
        *("Brighton and Hove", "Serbia and Montenegro", "Wallis and Futuna"),
    }
)
_CAPITAL_POSSESSIVE = re.compile(r"['’]S$")
# What `capitalised_names` cuts off, as it starts in lower case: "Je-kyoon", "Ze'ev".
_LOWER_PART = re.compile(r"(?:-[a-z]+|['’](?!ll\b|re\b|ve\b)[a-z]{2,})(?![\w'’-])")
_COMPOUND_ENDS = frozenset("born language speaking style era".split())
_FIRST_OF_NAME = re.compile(
    r" I(?![\w'’]|\.[A-Z])"
)  # "World War I", which is taken for the pronoun
_YEAR_OF_EVENT = re.compile(r"[Tt]he (?P<year>[12]\d{3}(?:[–-]\d\d)? )$")
# What it leaves out in front, as it is no name by itself: "We Are the World", "No Country".
_CAPITALS_BEFORE = re.compile(r"(?:(?<![\w.'’-])[A-Z][a-z]* (?:the )?)+$")
_ARTICLES_BEFORE = re.compile(r"(?:(?:The|A|An) )+")
_TITLE_OPENERS = frozenset("We I You He She It My Our Your Her His No Not".split())
_TITLE_SUBJECT = re.compile(
    r" (?P<link>[a-z]+) (?:(?:the|an?) )?(?:[A-Z][\w'’-]* )+(?P<verb>[a-z]+)\b"
)
_ADVERB = r"(?:(?:also|never|later|first|then|once|still|now|soon|again|often|[a-z]+ly) )?"
_NEXT = re.compile(rf"\s*{_ADVERB}(?:(?P<word>[a-z]+)|(?P<mark>[^\w\s]))")


def mentions(text: str) -> list[Entity]:
    """Every mention in order of appearance, repetitions included.

    Returns:
        Entities that do not overlap, of kind ``title`` (in quotation marks, given without them),
        ``date``, ``number`` (with its unit) or ``name``; `text[start:end]` is the entity's text.
    """
    return list(_mentions(text))


@lru_cache(maxsize=2048)  # a sentence is read by several who know nothing of each other
def _mentions(text: str) -> tuple[Entity, ...]:
    brackets = [Span(found.start(), found.end()) for found in _DISAMBIGUATOR.finditer(text)]
    announced = [
        Entity(text[span.start : span.end], span.start, span.end, "title")
        for span in title_spans(text)
    ]
    quoted = [each for each in _titles(text) if not _overlaps(each.start, each.end, announced)]
    titles = [*announced, *quoted]
    date = _LOWER_DATE if is_without_capitals(text) else _DATE
    dates = list(_matches(text, date, kind="date", taken=[*brackets, *titles]))
    names = [
        Entity(text[span.start : span.end], span.start, span.end, "name")
        for span in _names(text, [*brackets, *titles, *dates])
    ]
    found = _with_nicknames(text, _with_years(text, [*titles, *dates, *names]))
    numbers = _matches(text, _NUMBER, kind="number", taken=[*brackets, *found])
    return tuple(sorted([*found, *numbers], key=lambda entity: entity.start))


def distinct(entities: list[Entity]) -> tuple[Entity, ...]:
    """The first mention of each entity, up to case."""
    first: dict[str, Entity] = {}
    for entity in entities:
        first.setdefault(entity.text.casefold(), entity)
    return tuple(first.values())


def _overlaps(start: int, end: int, taken: Sequence[Entity | Span]) -> bool:
    return any(start < other.end and other.start < end for other in taken)


def _matches(
    text: str, pattern: re.Pattern[str], *, kind: str, taken: Sequence[Entity | Span]
) -> Iterator[Entity]:
    for found in pattern.finditer(text):
        if not _overlaps(found.start(), found.end(), taken):
            yield Entity(found.group(), found.start(), found.end(), kind)


def _titles(text: str) -> Iterator[Entity]:
    for found in _QUOTED.finditer(text):
        inner = next(group for group in found.groups() if group is not None)
        title = inner.strip(" ,.;")
        opens = title[:1]
        if (opens.isupper() or opens.isdigit()) and len(title.split()) <= _MAX_TITLE_WORDS:
            start = found.start() + 1 + inner.index(title)
            yield Entity(title, start, start + len(title), "title")


# --- names --------------------------------------------------------------------------------------


def _names(text: str, reserved: Sequence[Entity | Span]) -> list[Span]:
    if is_without_capitals(text):
        return [each for each in lower_case_names(text) if not _overlaps(*each, reserved)]
    candidates = [
        name for name in capitalised_names(text) if not _overlaps(name.start, name.end, reserved)
    ]
    inner = {name.text for name in candidates if not name.opens_sentence}
    is_question = text.rstrip().endswith("?")
    names = [
        _trimmed(name, text)
        for name in candidates
        if is_question or name.text in inner or not _is_ordinary_opener(name, text)
    ]
    return [span for span in _joined(text, names) if not _is_no_name(text, span)]


def _is_no_name(text: str, span: Span) -> bool:
    """An honorific, a letter such as the P of a test, or the label of a section ("RESULTS:")."""
    name = text[span.start : span.end]
    is_label = span.start == 0 and name.isupper() and text[span.end : span.end + 2] == ": "
    return name in _HONORIFICS or len(name) == 1 or (is_label and name.isalpha())


def _is_ordinary_opener(name: Name, text: str) -> bool:
    """Whether a word owes its capital to the sentence that it opens.

    English puts an article before a single common noun, so a bare word right before a verb, a
    possessive, a bracket or "and" is a name; before another noun ("Modern art") it is not.
    """
    if not name.opens_sentence or not name.text.isalpha():
        return False
    if len(name.text) > 1 and name.text.isupper():
        return False
    title = _TITLE_SUBJECT.match(text, name.end)
    if title and title["link"] in PREPOSITIONS and is_verb(title["verb"]):
        return False  # "Gone with the Wind was"
    if name.text.casefold() in OPENERS or is_verb(name.text.lower()):
        return True
    follows = _NEXT.match(text, name.end)
    if follows is None:  # the text ends, or another capital follows at a distance
        return False
    word = follows["word"]
    if word is not None:
        return not (is_verb(word) or word in ("and", "or", "by"))
    return follows["mark"] == "," and name.text.endswith("ly")


def _trimmed(name: Name, text: str) -> Span:
    """The name with the parts that its capitals do not show, without what is not of it."""
    start, end = name.start, name.start + len(_CAPITAL_POSSESSIVE.sub("", name.text))
    first = name.text.split(" ")[0]
    if first in _STYLES and name.text.count(" ") > 1:
        return Span(start + len(first) + 1, end)
    if name.opens_sentence and len(first) < end - start and first.casefold() in OPENERS:
        return Span(start + len(first) + 1, end)
    tail = _LOWER_PART.match(text, end)
    if tail and not is_verb(tail.group()[1:]) and tail.group()[1:] not in _COMPOUND_ENDS:
        end = tail.end()
    numeral = _FIRST_OF_NAME.match(text, end)
    return Span(_title_start(text, start), numeral.end() if numeral else end)


def _title_start(text: str, start: int) -> int:
    """Where a title begins whose first words are no names ("My Nights Are …")."""
    word = text[: max(0, start - 1)].rpartition(" ")[2]
    if word.islower() and word != "the":  # before most names
        return start
    found = _CAPITALS_BEFORE.search(text, max(0, start - _MAX_TITLE_CHARACTERS), start)
    if found is None:
        return start
    articles = _ARTICLES_BEFORE.match(text, found.start(), start)
    begin = articles.end() if articles else found.start()
    before = text[:begin].rstrip()
    opens_sentence = not before or before[-1] in ".!?:"
    if opens_sentence and text[begin:start].split(" ")[0] not in _TITLE_OPENERS:
        return start
    return begin


def _joined(text: str, names: list[Span]) -> list[Span]:
    """Join "St" with "Louis", "Anatomy" with "Murder" over "of a", "Ze'ev" with "Revach"."""
    joined: list[Span] = []
    for name in names:
        before = joined[-1] if joined else None
        gap = text[before.end : name.start] if before else ""
        last_word = text[before.start : before.end].split(" ")[-1] if before else ""
        saint = gap == ". " and last_word in _SAINTS
        is_place = before is not None and text[before.start : name.end] in _PLACES_WITH_AND
        if before is not None and (saint or is_place or gap in _INSIDE_NAMES):
            joined[-1] = Span(before.start, name.end)
        else:
            joined.append(name)
    return joined


def _with_years(text: str, entities: list[Entity]) -> list[Entity]:
    """Join "2006" with "Winter Olympics" in "the 2006 Winter Olympics": years tell events apart."""
    joined = []
    for entity in entities:
        before = _YEAR_OF_EVENT.search(text, max(0, entity.start - 12), entity.start)
        if before and entity.kind == "name":
            words = TextForm().words(entity.text)
            if len(words) > 1 and not says_nothing(words):
                start = before.start("year")
                entity = Entity(text[start : entity.end], start, entity.end, "name")
        joined.append(entity)
    names = [each for each in joined if each.kind == "name"]
    return [
        each for each in joined if each.kind != "date" or not _overlaps(each.start, each.end, names)
    ]


def _with_nicknames(text: str, entities: list[Entity]) -> list[Entity]:
    """Join ``William``, ``"Bill"`` and ``Smith``: quotation marks inside a name."""
    joined: list[Entity] = []
    for entity in sorted(entities, key=lambda each: each.start):
        if len(joined) >= 2 and entity.kind == "name":
            first, nick = joined[-2:]
            parts = (first.kind, nick.kind, " " in nick.text)
            gaps = text[first.end : nick.start] + "|" + text[nick.end : entity.start]
            if parts == ("name", "title", False) and re.fullmatch(r' ["“‘]\|["”’] ', gaps):
                whole = text[first.start : entity.end]
                joined[-2:] = [Entity(whole, first.start, entity.end, "name")]
                continue
        joined.append(entity)
    return joined
