"""Rewrites of a sentence after which the passage still supports it.

Each takes a sentence and returns another, or None where it does not apply. They err on the side
of not applying. Word substitutions need a `Lexicon`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from lexicon import Lexicon

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
_VERBS = (
    r"(?:was|is|were|are|has|had|later|then|also|became|died|served|won|moved|played|worked|"
    r"received|graduated|starred|appeared|wrote|directed|produced|studied|attended|released|"
    r"reached|features|stars|lives|made|took|held|joined|ran|lies|covers)"
)
_ACTIVE = {
    "directed": "directed",
    "written": "wrote",
    "founded": "founded",
    "produced": "produced",
    "created": "created",
    "designed": "designed",
    "composed": "composed",
    "recorded": "recorded",
    "published": "published",
    "developed": "developed",
    "built": "built",
    "owned": "owned",
    "discovered": "discovered",
    "invented": "invented",
    "painted": "painted",
    "won": "won",
    "led": "led",
    "performed": "performed",
    "established": "established",
    "sung": "sang",
    "released": "released",
    "played": "played",
    "hosted": "hosted",
    "edited": "edited",
    "defeated": "defeated",
    "succeeded": "succeeded",
    "replaced": "replaced",
}
_NAME = r"[A-Z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|of|the|de|von|van|al))*"


def drop_parenthesis(sentence: str) -> str | None:
    """Without what stands in brackets."""
    return _changed(sentence, re.sub(r"\s*[(\[][^()\[\]]*[)\]]", "", sentence))


def drop_apposition(sentence: str) -> str | None:
    """Without a relative clause or apposition between two commas."""
    pattern = r", (?:who|which|a|an|the|whose|also)\b[^,]{5,90},"
    return _changed(sentence, re.sub(pattern, "", sentence, count=1))


def drop_ending(sentence: str) -> str | None:
    """Without a last clause that only adds."""
    pattern = (
        r",? (?:and was|and is|and has|and died|, and|which|where|who|when|while|including|"
        r"such as|starring|based on|along with|as well as|before|after|featuring|published by|"
        r"released in|located in|located on|during|since)\b[^.]{8,}\.?$"
    )
    kept = re.sub(pattern, ".", sentence, count=1)
    return _changed(sentence, kept) if _stands_alone(kept) else None


def drop_opening(sentence: str) -> str | None:
    """Without a first adverbial that ends in a comma."""
    found = re.match(
        r"(?:In|On|At|After|Before|During|Since|From|By|As)\b[^,]{2,60}, (?=\w)", sentence
    )
    if not found or not _stands_alone(sentence[found.end() :]):
        return None
    rest = sentence[found.end() :]
    return rest[0].upper() + rest[1:]


def first_half(sentence: str) -> str | None:
    """The first of two coordinated predicates."""
    found = re.match(rf"(.{{15,}}?) and {_VERBS}\b", sentence)
    kept = found.group(1).rstrip(",") + "." if found else ""
    return kept if _stands_alone(kept) else None


def second_half(sentence: str) -> str | None:
    """The second of two coordinated predicates, with the subject of the first."""
    found = re.match(
        rf"((?:{_NAME}|He|She|It|They|The [\w ]{{2,25}}))(?: \([^)]*\))? "
        rf"(?:was|is|were|are|has|had|\w+ed)\b.{{8,}}? and ({_VERBS}\b.*)$",
        sentence,
    )
    return f"{found.group(1)} {found.group(2)}" if found else None


def to_active(sentence: str) -> str | None:
    """Says "X was directed by Y" as "Y directed X"."""
    found = re.match(rf"(.{{3,60}}?) (?:was|were|is) (\w+) by ({_NAME})\b", sentence)
    if not found or found.group(2) not in _ACTIVE or re.match(r"He|She|It|They", sentence):
        return None
    return f"{found.group(3)} {_ACTIVE[found.group(2)]} {found.group(1)}."


def to_passive(sentence: str) -> str | None:
    """Says "Y directed X" as "X was directed by Y"."""
    verbs = "|".join(sorted(set(_ACTIVE.values()) - {"won", "led", "played"}))
    found = re.match(rf"({_NAME}) ({verbs}) ({_NAME})(?= (?:in|on|at)\b|[.,]|$)", sentence)
    if not found:
        return None
    participle = {"wrote": "written", "sang": "sung"}.get(found.group(2), found.group(2))
    return f"{found.group(3)} was {participle} by {found.group(1)}."


def with_name(sentence: str, title: str) -> str | None:
    """With the page's title for a pronoun that opens the sentence."""
    name = re.sub(r"\s*\(.*\)$", "", title)
    if not re.fullmatch(r"[\w.'’ -]{3,40}", name):
        return None
    owned = re.sub(r"^(?:His|Her|Its|Their)\b", f"{name}'s", sentence)
    return _changed(sentence, re.sub(r"^(?:He|She|It)\b", name, owned))


def number_format(sentence: str) -> str | None:
    """With a number or date written another way."""
    months = "January|February|March|April|May|June|July|August|September|October|November|December"
    for pattern, replacement in (
        (rf"\b(\d{{1,2}}) ({months}) (\d{{4}})\b", r"\2 \1, \3"),
        (rf"\b({months}) (\d{{1,2}}), (\d{{4}})\b", r"\2 \1 \3"),
        (r"\b(\d+)%", r"\1 percent"),
        (r"\b(\d+) percent\b", r"\1%"),
        (r"\b(\d{1,3}),(\d{3})\b", r"\1\2"),
        (r"\bU\.S\.", "United States"),
    ):
        changed = re.sub(pattern, replacement, sentence)
        if changed != sentence:
            return changed
    for value, word in enumerate(_SMALL):
        for old, new in ((rf"\b{word}\b", str(value)), (rf"(?<![\d.,-]){value}(?![\d.,%-])", word)):
            changed = re.sub(old, new, sentence, count=1)
            if changed != sentence and word != "one":
                return changed
    return None


def substitute(sentence: str, table: dict[str, list[str]], rng: random.Random) -> str | None:
    """With one word replaced by an entry of a table."""
    found = [m for m in re.finditer(r"\b[a-z][a-z-]{2,}\b", sentence) if table.get(m.group())]
    if not found:
        return None
    match = rng.choice(found)
    new = rng.choice(table[match.group()])
    before = sentence[: match.start()]
    article = re.search(r"\b(an?) $", before)
    if article:
        before = before[: article.start()] + ("an " if new[0] in "aeiou" else "a ")
    return before + new + sentence[match.end() :]


def rewrite(sentence: str, title: str, lexicon: Lexicon, rng: random.Random) -> str:
    """A sentence after up to three faithful rewrites, drawn at random."""
    named = with_name(sentence, title)
    if named and rng.random() < 0.8:
        sentence = named
    steps: list[Callable[[str], str | None]] = [
        drop_parenthesis,
        drop_apposition,
        drop_ending,
        drop_opening,
        first_half,
        second_half,
        to_active,
        to_passive,
        number_format,
        lambda s: substitute(s, lexicon.same, rng),
        lambda s: substitute(s, lexicon.same, rng),
        lambda s: substitute(s, lexicon.broader, rng),
    ]
    rng.shuffle(steps)
    wanted = rng.choice((0, 1, 1, 2, 2, 3, 3))
    for step in steps:
        if wanted == 0:
            break
        changed = step(sentence)
        if changed:
            sentence, wanted = changed, wanted - 1
    return sentence


def _changed(old: str, new: str) -> str | None:
    return new if new != old and _stands_alone(new) else None


def _stands_alone(sentence: str) -> bool:
    return len(sentence.split()) >= 4 and bool(
        re.search(r"\b(?:was|is|were|are|has|had|have|can|will|did|does|do|\w+ed|\w+s)\b", sentence)
    )
