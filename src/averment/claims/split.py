"""Any text as parts: what claims something, and why the rest claims nothing.

A part is a sentence, a list item's sentence, a heading, a block of code. Every character that is
not blank belongs to exactly one part, but for the marks before list items and quotations; so that
nothing is dropped without a name for why. Rules are small and err towards `CLAIM`: a heading that
is checked costs a line, a claim that is not checked costs the user's trust.

What this module does not do: cut a sentence into single facts, resolve pronouns, judge. Greetings
and refusals are known in English only; those of other languages are claims.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from averment.claims.declarative import is_fragment
from averment.claims.languages.answers import says
from averment.claims.reading import read
from averment.text import Span, TextForm, ends_like_a_sentence, sentence_spans


class PartKind(StrEnum):
    """That a part claims something, or why it does not."""

    CLAIM = "claim"
    QUESTION = "question"
    GREETING = "greeting"
    """A salutation, thanks, an offer of help: words to the reader, not about the world."""
    REFUSAL = "refusal"
    """Says that there is no answer."""
    CODE = "code"
    HEADING = "heading"
    """A title, or a line that announces what follows."""
    NO_WORDS = "no_words"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text: ``text`` equals ``whole[start:end]``, without blanks around it."""

    text: str
    start: int
    end: int
    kind: PartKind


def split_text(text: str) -> list[Part]:
    """The parts of a text, in order.

    Args:
        text: Any text: an answer, a page of Markdown, nothing at all.

    Returns:
        Parts that do not overlap; none for a text of blanks. Soft breaks end no sentence.

    Example:
        >>> [(part.kind.value, part.text) for part in split_text("Hello! Oslo lies in Norway.")]
        [('greeting', 'Hello!'), ('claim', 'Oslo lies in Norway.')]
    """
    parts = []
    for block in _Lines(text).blocks():
        inside = text[block.start : block.end]
        spans = [Span(0, len(inside))] if block.kind else sentence_spans(inside)
        for start, end in spans:
            kind = block.kind or sentence_kind(inside[start:end])
            parts.append(Part(inside[start:end], block.start + start, block.start + end, kind))
    return parts


# --- sentences ----------------------------------------------------------------------------------

_QUESTION_MARKS = "?？؟"
_CLOSING = "\"'”’»)]*_ "
_OPENING = "\"'“‘«([*_ "

_SALUTATION = re.compile(
    r"(?:hello|hi|hey|greetings|welcome|dear|good (?:morning|afternoon|evening|day))"
    r"(?:,? [\w']+){0,3}"
)
_COURTESY = re.compile(
    r"(?:sure(?: thing)?|of course|certainly|absolutely|(?:great|good|interesting) question"
    r"|you'?re (?:very )?welcome|no problem|my pleasure|(?:happy|glad) to help"
    r"|(?:many )?thanks?(?: you)?(?: so much| very much| a lot)?"
    r"(?: for (?:your|the|asking) ?[\w ]*)?"
    r"|(?:i|we) hope (?:this|that|it|these) .*(?:helps?|useful|clear|clarifies|enough)[\w ]*"
    r"|(?:please )?(?:let (?:me|us) know|feel free to|(?:do not|don't) hesitate to)\b.*"
    r"|i(?:'d| would) be (?:happy|glad|pleased) to .*|have a (?:nice|great|good|wonderful) \w+"
    r"|(?:best|kind|warm) regards|goodbye|bye|cheers)"
)
_ANNOUNCEMENT = re.compile(r"(?:[\w ]+[,!] )?here(?:'s| is| are)\b[^.]*")
_LACKED = r"(?:information|access|knowledge|details?|data|context|answers?|evidence|records?)"
_SOURCE = r"(?:context|passages?|text|documents?|sources?)"
_REFUSAL = re.compile(
    r"\b(?:(?:i|we) (?:\w+ )?(?:cannot|can't|can not|could not|couldn't|won't|will not)\b"
    r"|(?:i'm|i am|i was|we're|we are|we were) (?:\w+ )?"
    r"(?:unable|not (?:able|sure|certain|aware))\b"
    r"|(?:i|we) (?:\w+ )?(?:do not|don't|did not|didn't) (?:\w+ )?(?:know|recall)\b"
    rf"|(?:i|we) (?:\w+ )?(?:do not|don't) (?:\w+ )?have (?:\w+ ){{0,4}}{_LACKED}\b"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)\b"
    rf"|{_SOURCE}(?: \w+){{0,2}} (?:does not|doesn't|do not|don't) (?:\w+ )?"
    r"(?:say|mention|state|specify|contain|provide|include|tell|indicate)\b"
    rf"|(?:not enough|insufficient|no) {_LACKED} (?:is |was )?(?:\w+ )?"
    r"(?:to (?:answer|say|determine|tell)|given|provided|available)\b)"
    r"|^(?:i'm |i am |we're |we are )?(?:very |so )?sorry(?: about that)?$"
    r"|^(?:my apologies|i apologi[sz]e)$"
)
_EXCEPTION = re.compile(r"\b(?:but|however)\b")


def sentence_kind(sentence: str) -> PartKind:
    """What a sentence is: the first rule that holds, or a claim."""
    for kind, rule in _SENTENCE_RULES:
        if rule(sentence):
            return kind
    return PartKind.CLAIM


def has_no_words(sentence: str) -> bool:
    """Whether there is no letter and no digit in it: "***", an emoji, a line of a table."""
    return not any(map(str.isalnum, sentence)) and not TextForm().words(sentence)


def asks(sentence: str) -> bool:
    """Whether it ends in a question mark; one inside a closing quotation is that of somebody else.

    "He asked 'Who?'" tells; "'Who?'" asks.
    """
    if sentence[:1] in _OPENING:
        sentence = sentence.rstrip(_CLOSING)
    return sentence.endswith(tuple(_QUESTION_MARKS))


def greets(sentence: str) -> bool:
    """Whether it is nothing but a salutation or a courtesy; "Hello Kitty is …" is none."""
    spoken = _spoken(sentence)
    if _SALUTATION.fullmatch(spoken):
        return is_fragment(read(sentence))
    return bool(_COURTESY.fullmatch(spoken)) or says(spoken, "greeting")


def refuses(sentence: str) -> bool:
    """Whether it says that there is no answer, and does not go on with "but" to give one."""
    spoken = _spoken(sentence)
    found = _REFUSAL.search(spoken)
    if found is None and says(spoken, "no_answer"):
        return True
    return bool(found) and not _EXCEPTION.search(spoken, found.end() if found else 0)


def announces(sentence: str) -> bool:
    """Whether it only says that something follows: "Sure, here are the facts:"."""
    return sentence.endswith(":") and bool(_ANNOUNCEMENT.fullmatch(_spoken(sentence)))


_SENTENCE_RULES = (
    (PartKind.NO_WORDS, has_no_words),
    (PartKind.QUESTION, asks),
    (PartKind.GREETING, greets),
    (PartKind.REFUSAL, refuses),
    (PartKind.HEADING, announces),
)


def _spoken(sentence: str) -> str:
    """In lower case, with straight apostrophes, without marks around it."""
    return sentence.lower().replace("’", "'").strip(_OPENING + _CLOSING + ".!¡…:,。！，")


# --- lines --------------------------------------------------------------------------------------

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARKED_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_UNDERLINE = re.compile(r"\s{0,3}(?:={3,}|-{3,})\s*")
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•‣◦–]|\d{1,3}[.)]|\(?[a-zA-Z\d]\))\s+")
_ROW = re.compile(r"\s*\|")
_MAX_TITLE_WORDS, _MAX_COLON_WORDS = 4, 10
_WRAPPED_CODE_POINTS = 40  # a shorter line was not broken for its length

_STATEMENT = re.compile(  # a line that is hardly anything but code
    r".*(?:=|\w\().*;\s*|.*[)\w=] ?\{\s*|\s*[{}\])]+[;,]?\s*"
    r"|\s*(?:async )?def \w+\(.*|\s*class \w+[(:].*|\s*(?:for \w+ in|while|if|elif|with) .*:\s*"
    r"|\s*import [\w.]+(?: as \w+)?\s*|\s*from [\w.]+ import\b.*|\s*#include\b.*"
    r"|\s*[\w.]+\(.*\)\s*|\s*(?:\$|>>>|#!/)\s*\S.*|\s*(?:</?\w+[^>]*>\s*)+|\s*SELECT .* FROM .*"
)
_NEAR_STATEMENTS = re.compile(  # a line that is code beside code
    r"\s{2,}\S.*|\s*[\w.\[\]\"']+\s*(?:[-+*/]?=|:=)\s*\S.*|\s*(?:return|pass|break|else|try)\b.*"
    r"|\s*[)\]}].*"
)


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together; without a kind, text that is yet to be cut into sentences."""

    start: int
    end: int
    kind: PartKind | None = None


class _Lines:
    """The lines of a text, cut into blocks."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = _line_spans(text)
        self._is_code = _code_lines([text[span.start : span.end] for span in self._spans])

    def blocks(self) -> Iterator[_Block]:
        at = 0
        while at < len(self._spans):
            start, until, kind = self._block(at)
            end = self._spans[until - 1].end
            body = self._text[start:end]
            if body.strip():
                start += len(body) - len(body.lstrip())
                yield _Block(start, start + len(body.strip()), kind)
            at = until

    def _block(self, at: int) -> tuple[int, int, PartKind | None]:
        """Where the block of a line starts, after which line it ends, and its kind."""
        start, line = self._spans[at].start, self._line(at)
        if self._is_code[at]:
            return start, self._end(at, lambda line: self._is_code[line]), PartKind.CODE
        if _MARKED_HEADING.match(line):
            return start, at + 1, PartKind.HEADING
        if line.strip() and self._is_underlined(at):
            return start, at + 2, PartKind.HEADING
        marker = _ITEM.match(line) or _QUOTE.match(line)
        if marker and marker.end() == len(line):
            marker = None  # "B) " may be the whole answer
        start += marker.end() if marker else 0
        until = self._end(at, self._goes_on)
        end = self._spans[until - 1].end
        is_alone = not (marker or _ROW.match(line))
        stands_above = is_alone and bool(self._text[end:].strip())
        is_title = until == at + 1 and titles(self._text[start:end], stands_above=stands_above)
        return start, until, PartKind.HEADING if is_title else None

    def _line(self, at: int) -> str:
        return self._text[self._spans[at].start : self._spans[at].end]

    def _end(self, at: int, goes_on: Callable[[int], bool]) -> int:
        until = at + 1
        while until < len(self._spans) and goes_on(until):
            until += 1
        return until

    def _is_underlined(self, at: int) -> bool:
        is_sentence = ends_like_a_sentence(self._line(at))
        underline = self._line(at + 1) if at + 1 < len(self._spans) else ""
        return not is_sentence and bool(_UNDERLINE.fullmatch(underline))

    def _goes_on(self, at: int) -> bool:
        """Whether a line continues the one before it: a soft break, not a new statement."""
        line, before = self._line(at), self._line(at - 1)
        if not line.strip() or not before.strip() or self._is_code[at]:
            return False
        if any(mark.match(line) for mark in (_MARKED_HEADING, _ITEM, _ROW)):
            return False
        if self._is_underlined(at) or bool(_QUOTE.match(line)) > bool(_QUOTE.match(before)):
            return False
        first = line.lstrip("> \t")[:1]
        return not (first.isupper() or first.isdigit()) or len(before) >= _WRAPPED_CODE_POINTS


def titles(line: str, *, stands_above: bool) -> bool:
    """Whether a line is a title: without a verb, and a few words above text or before a colon.

    Verbs are known by a list and by "-ed", so that titles above text must be shorter still, and
    begin like one.

    Args:
        line: One line, without the mark of a list item.
        stands_above: Whether more text follows that it could be the title of; only then is a line
            without a colon a title, so that "Paris" alone stays an answer.
    """
    shown = line.strip(_OPENING)
    has_colon = shown.rstrip(_CLOSING).endswith(":")
    is_above = stands_above and not ends_like_a_sentence(shown) and not shown[:1].islower()
    longest = _MAX_COLON_WORDS if has_colon else _MAX_TITLE_WORDS if is_above else 0
    if not longest:
        return False
    return 0 < len(TextForm().words(shown)) <= longest and is_fragment(read(shown))


def _line_spans(text: str) -> list[Span]:
    spans = []
    start = 0
    for line in text.splitlines(keepends=True):
        spans.append(Span(start, start + len(line.rstrip("\r\n"))))
        start += len(line)
    return spans


def _code_lines(lines: Sequence[str]) -> list[bool]:
    """Which lines are code: those of a fence, statements, and what stands beside statements."""
    fenced = _fenced(lines)
    is_code = [a or bool(_STATEMENT.fullmatch(line)) for a, line in zip(fenced, lines, strict=True)]
    for order in (range(1, len(lines)), range(len(lines) - 2, -1, -1)):
        for at in order:
            beside = at - order.step
            near = not lines[at].strip() or bool(_NEAR_STATEMENTS.fullmatch(lines[at]))
            is_code[at] = is_code[at] or (near and is_code[beside] and not fenced[beside])
    return is_code


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Which lines a fence and what it encloses are; one that is not closed goes to the end."""
    fenced = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        inside = bool(fence) or bool(found)
        if found and not fence:
            fence = found.group(1)
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        fenced.append(inside)
    return fenced
