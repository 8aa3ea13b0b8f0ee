"""Where the title of a work begins and ends, when only the sentence around it tells.

Capitals alone cut titles in pieces: "Let's Make It Legal", "Messieurs les enfants", "The Devil's
Bondwoman", "Mad Max: Fury Road". What stands around a title says more: "… is a 1951 comedy film",
"the director of the film … is", "… was released in". Each of these is a rule of its own here.

What this module does not do: know any title, read titles in quotation marks
(`averment.claims.mentions`), or find a title that nothing announces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from averment.claims.vocabulary import DETERMINERS, OPENERS, PREPOSITIONS, is_verb
from averment.text import Span

WORKS = (
    r"(?:film noir|film|movie|documentary|sitcom|miniseries|telenovela|anime|manga|song|ballad"
    r"|single|album|EP|soundtrack|musical|opera|symphony|novel|novella|book|memoir|poem|play|sequel|prequel"
    r"|(?:tv|television|web|radio|film|book|drama|comedy|animated) series"
    r"|(?:tv|television|radio|game|reality) show|short story|video game)"
)
"""What a work is called, as a pattern."""
_MADE = (
    r"(?:released|directed|written|produced|published|composed|recorded|performed|filmed|shot"
    r"|adapted|premiered|broadcast|banned|remade|dubbed)"
)
_CLASS = rf"(?:the |The )?(?:\d{{4}} )?(?:[a-z-]+ )?{WORKS} "
_BRACKETS = r"(?: ?\((?:[^()]|\([^()]*\))*\))"
_FIRST = r"[^\W_a-z¡¿]"
_TITLE = rf"(?P<title>[¡¿]?(?:[A-Z]|\d|{_FIRST})[^()\"“”\n]{{0,80}}?)"

_IS_A_WORK = re.compile(
    rf"(?:{_CLASS})?{_TITLE}{_BRACKETS}?,? (?:is|was) (?:a|an|the) "
    rf"(?P<kind>(?:[\w'’.-]+,? ){{0,9}}?){WORKS}(?=[.,;:(]| \(|$| [a-z-]+(?:ed|en|ing|de)\b"
    r"| (?:by|from|in|of|about|on|for|set|shot|that|which|with|and|based)\b)"
)
_ROLE_OF = re.compile(
    r"(?:Yes, |No, )?[Tt]he (?P<role>[a-z]+(?: of [a-z]+)?(?: [a-z]+)?) of "
    rf"(?P<class>{_CLASS})?{_TITLE}(?P<brackets>{_BRACKETS})? (?:is|was|are|were) "
    r"(?:the |an? )?[\"“]?(?:[A-Z]|\d|[^\W_a-z])(?!.* (?:is|was|are|were) )"
)
_WAS_MADE = re.compile(
    rf"(?P<class>{_CLASS})?{_TITLE}(?P<brackets>{_BRACKETS})? (?:was|is) {_MADE}\b"
)
# A title is long in coming to an end: what must stand behind it is looked for first.
_SAYS_WHAT = re.compile(r" (?:is|was) (?:an?|the) ")
_SAYS_MADE = re.compile(rf" (?:was|is) {_MADE}\b")
_OTHER_VERBS = re.compile(r" (?:is|are|was|were|has|had|who|which|whose|and was|by)(?= )")
_POSSESSED_NOUN = re.compile(r"['’]s? [a-z]")
_DESCRIBED = re.compile(r", (?=[a-z])")  # "Zizek!, sometimes written as …"
_SMALL_WORDS = PREPOSITIONS | frozenset("a an and & de la le les des del du el of or the y".split())


def title_spans(text: str) -> list[Span]:
    """The titles of a sentence that its other words announce.

    Args:
        text: One sentence.

    Returns:
        At most one span, as the rules look at the subject; the first rule that holds counts.
    """
    for rule in (_subject_that_is_a_work, _holder_of_a_role, _subject_that_was_made):
        for span in rule(text):
            return [span]
    return []


def _subject_that_is_a_work(text: str) -> Iterator[Span]:
    """All before the verb: "Messieurs les enfants is a 1997 French comedy film"."""
    found = _SAYS_WHAT.search(text) and _IS_A_WORK.match(text)
    if found and not _speaks(found["kind"].split()):
        start = found.start("title")
        title = _DESCRIBED.split(found["title"])[0]
        if _is_title(title):
            yield Span(start, start + len(title))


def _holder_of_a_role(text: str) -> Iterator[Span]:
    """All up to the last verb: "the director of the film It Happened Then is Haneef"."""
    found = _ROLE_OF.match(text)
    if found is None or found["title"].endswith(","):
        return
    title = found["title"]
    is_named = bool(found["class"] or found["brackets"])
    if is_named or not (
        _OTHER_VERBS.search(title) or " and " in title or _POSSESSED_NOUN.search(title)
    ):
        yield Span(*found.span("title"))


def _subject_that_was_made(text: str) -> Iterator[Span]:
    """Title case, or behind what it is: "In the Company of Men was released in 1997"."""
    found = _SAYS_MADE.search(text) and _WAS_MADE.match(text)
    if not found or "," in found["title"] or not _is_title(found["title"]):
        return
    words = found["title"].split(" ")
    in_title_case = all(not word[:1].islower() or word in _SMALL_WORDS for word in words)
    is_dated = len(words) > 1 and words[1][:1].isdigit()  # "In 1997 Vetham was released"
    is_owned = re.search(r"['’]s [A-Z]", found["title"])  # "Haneef's Vetham" is by Haneef
    if found["class"] or (in_title_case and not is_dated and not is_owned):
        yield Span(*found.span("title"))


def _is_title(phrase: str) -> bool:
    """Whether a subject is a name as a whole, not a description of something."""
    words = phrase.split(" ")
    first = words[0].lower()
    if len(words) == 1:
        return False  # capitals show it as well, and better
    if (first in DETERMINERS or first == "the") and words[1][:1].islower():
        return False  # "Her second film", "The sequel to Vetham"
    if ", " in phrase and (first in OPENERS | PREPOSITIONS or is_verb(first)):
        return False  # "Directed by Haneef, Vetham"
    return not (_POSSESSED_NOUN.search(phrase) or _OTHER_VERBS.search(phrase))


def _speaks(words: list[str]) -> bool:
    """Whether there is a verb or a preposition where only adjectives should be."""
    return any(word in PREPOSITIONS or word in ("who", "that", "is", "was") for word in words)
