"""Names and triplets in Chinese, which has neither capitals nor blanks.

A name is what brackets of titles hold (《…》), a run of Latin letters, a run of the characters with
which foreign names are spelt ("马里奥·爱迪生"), a stretch between particles that ends as names of
places and bodies do ("黑豹队"), what somebody who knows names has told, or what stands as subject
or object in one of few frames: "X出生于Y", "X由Y执导", "X是Y的首都", "Y的首都是X", "X执导了Y",
"X于1990年成立". A further clause behind a comma speaks of the subject of the first.

What this module does not do: segment words, or read a sentence that has none of the frames. Short
Chinese names without any of these marks are found in frames only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from averment.claims.languages.vocabulary import Vocabulary, vocabulary
from averment.text import Span
from averment.types import Entity, Triplet

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_QUOTED = re.compile(
    r"[《〈](?P<a>[^《》〈〉\n]{1,40})[》〉]|[“「『](?P<b>[^“”「」『』，。！？\n]{1,20})[”」』]"
)
_NUMERAL = "[0-9〇一二三四五六七八九十百千零]"
_DATE = re.compile(
    rf"(?:公元前?)?{_NUMERAL}{{2,4}}\s?年(?:\s?{_NUMERAL}{{1,3}}\s?月(?:\s?{_NUMERAL}{{1,3}}\s?[日号號])?)?"
    rf"|{_NUMERAL}{{1,3}}\s?月\s?{_NUMERAL}{{1,3}}\s?[日号號]|[12]\d{{3}}-\d\d-\d\d"
)
_NUMBER = re.compile(
    r"[$€£¥]?\d+(?:,\d{3})*(?:\.\d+)?\s?(?:%|(?:[十百千万萬亿億]+)?(?:平方)?(?:公里|千米|米|厘米|公斤|吨|噸|人"
    r"|年|岁|歲|天|小时|分钟|分|次|美元|欧元|元|个|個|座|名|位|枚|届|届)?)"
)
_LATIN = re.compile(r"[A-Za-zÀ-ɏ][\dA-Za-zÀ-ɏ.'’&-]*(?: [A-ZÀ-Þ\d][\dA-Za-zÀ-ɏ.'’&-]*)*")
_END = "。！？!?；;"
_MOST_NAME_CHARACTERS = 14


class _Frames(NamedTuple):
    """What a clause behind its subject may say, and the subject before it."""

    subject: re.Pattern[str]
    said: tuple[re.Pattern[str], ...]


def mentions(text: str) -> list[Entity]:
    """Every mention in order of appearance; kinds as `averment.claims.mentions` gives them."""
    return list(_mentions(text))


@lru_cache(maxsize=2**11)  # a sentence is read by several who know nothing of each other
def _mentions(text: str) -> tuple[Entity, ...]:
    words = vocabulary("zh")
    found: list[Entity] = []
    for quoted in _QUOTED.finditer(text):
        name = "a" if quoted["a"] is not None else "b"
        if len(quoted[name]) > 1:
            found.append(Entity(quoted[name], *quoted.span(name), "title"))
    found += _apart(text, _DATE, "date", found)
    for subject, _, tail in _clauses(text, words):
        found += [
            Entity(text[span.start : span.end], *span, "name")
            for span in (subject, tail)
            if not _overlaps(span, found) and _looks_like_name(text[span.start : span.end], words)
        ]
    for pattern in (_LATIN, _spelt(), _stretches(), _known()):
        found += [
            each
            for each in _apart(text, pattern, "name", found)
            if not (pattern is _stretches() and words.has("not_names", each.text))
            and len(each.text) > 1
        ]
    found += _apart(text, _NUMBER, "number", found)
    return tuple(sorted(found, key=lambda entity: entity.start))


def triplets(sentence: str, words: Vocabulary) -> Iterator[Triplet]:
    """The triplets of a sentence, in order of their tails."""
    for subject, relation, tail in _clauses(sentence, words):
        yield Triplet(
            sentence[subject.start : subject.end], relation, sentence[tail.start : tail.end]
        )


def says_nothing(name: str) -> bool:
    """Whether a tail is a kind of people or things and nothing more."""
    return vocabulary("zh").has("professions", name)


def _apart(text: str, pattern: re.Pattern[str], kind: str, taken: list[Entity]) -> list[Entity]:
    return [
        Entity(found.group(), found.start(), found.end(), kind)
        for found in pattern.finditer(text)
        if not _overlaps(Span(*found.span()), taken)
    ]


def _overlaps(span: Span, taken: list[Entity]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in taken)


@cache
def _spelt() -> re.Pattern[str]:
    """Three characters of foreign names in a row, or parts with a dot between."""
    one = "".join(sorted(vocabulary("zh").lists["spelling"])).replace(" ", "")
    last = f"(?:[{one}]|生(?![于於在]))*"  # "爱迪生", but not "生于"
    return re.compile(f"[{one}]+(?:[·・•‧][{one}{_HAN}]{{1,2}}{last})+|[{one}]{{3,}}")


@cache
def _known() -> re.Pattern[str]:
    return re.compile(vocabulary("zh").alternatives("known"))


@cache
def _stretches() -> re.Pattern[str]:
    """A stretch between particles that ends as names of places and bodies do."""
    words = vocabulary("zh")
    apart = words.alternatives("particles", "boundaries", "placed", "active")
    part = f"(?!{words.alternatives('counted')})(?:(?!{apart})[{_HAN}]){{2,8}}?"
    after = words.alternatives("particles", "boundaries", "placed")
    return re.compile(f"{part}(?:{words.alternatives('suffixes')})(?=[^{_HAN}]|$|{after})")


# --- frames -------------------------------------------------------------------------------------


@cache
def _frames() -> _Frames:
    words = vocabulary("zh")
    particles = words.alternatives("particles")
    acts = words.alternatives("active")
    placed = words.alternatives("placed")
    happened = words.alternatives("happened")
    stop = f"(?!{particles}|{placed}|[，。、；！？])"
    # "共和国" holds the word for "and".
    one = f"(?:(?<=共)和|{stop}[{_HAN}·・•‧])"
    plain = f"{one}{{1,{_MOST_NAME_CHARACTERS}}}"
    name = rf"(?:[《〈][^》〉]{{1,40}}[》〉]|{_LATIN.pattern}|{plain})"
    tail = rf"(?P<tail>{_DATE.pattern}|{name})"
    date = rf"(?P<tail>{_DATE.pattern})"
    end = "(?=[，。、；！？,;.]|$|的|并|並)"
    doer = rf"(?P<tail>(?:(?!(?:所)?(?:{acts}|著|建))[^，。、；！？的])+)"
    said = (
        rf"(?P<relation>{placed})\s?{tail}{end}",
        rf"(?:是|为|為)?由\s?{doer}所?(?P<relation>{acts}|著|建造|建)",
        rf"被\s?{doer}(?P<relation>{acts})",
        rf"(?:于|於|在)\s?{date}\s?(?:正式|在[{_HAN}]{{1,6}})?(?P<relation>{happened})",
        rf"(?:是|为|為)\s?(?P<tail>{plain})的(?P<relation>(?:{stop}[{_HAN}]){{2,10}}){end}",
        rf"的(?P<relation>(?:{stop}[{_HAN}]){{2,8}})(?:是|为|為)\s?{tail}{end}",
        rf"(?P<relation>{acts})(?:了|过)?\s?{tail}{end}",
    )
    before = rf"(?:{placed}|{acts}|的|是|为|為|由|被|于|於|在)"
    subject = (
        rf"\s*(?P<subject>[《〈][^》〉]{{1,40}}[》〉]|{_LATIN.pattern}"
        rf"|(?:(?!{placed}|{acts}){one}){{1,{_MOST_NAME_CHARACTERS}}})(?:（[^）]*）|\([^)]*\))?\s?(?={before})"
    )
    return _Frames(re.compile(subject), tuple(map(re.compile, said)))


def _clauses(text: str, words: Vocabulary) -> Iterator[tuple[Span, str, Span]]:
    """Subject, relation and tail of each clause that has one of the frames."""
    frames = _frames()
    subject: Span | None = None
    for clause in re.finditer(rf"[^，,{_END}]+", text):
        start = clause.start()
        opened = frames.subject.match(text, start, clause.end())
        at = start
        if opened and not words.has("professions", opened["subject"]):
            subject = _inside(text, Span(*opened.span("subject")))
            at = opened.end()
        elif opened or not start or text[start - 1] in _END:
            subject = None
        if subject is None:
            continue
        for frame in frames.said:
            found = frame.match(text, at, clause.end())
            if found:
                yield subject, found["relation"], _inside(text, Span(*found.span("tail")))
                break


def _inside(text: str, span: Span) -> Span:
    """The title without its brackets."""
    has_brackets = text[span.start] in "《〈"
    return Span(span.start + 1, span.end - 1) if has_brackets else span


def _looks_like_name(name: str, words: Vocabulary) -> bool:
    return not words.has("professions", name) and not _DATE.fullmatch(name)
