"""Which sentences claim nothing that a corpus could be asked about.

Questions, conclusions, comparisons, negations, refusals, talk, lists and fragments have no
triplets: a conclusion follows from earlier sentences, "older than" is computed rather than written
anywhere, and what did not happen leaves no trace to count. Each rule is a function of its own with
a name (`SILENT_RULES`) by which extractors switch it; a rule sees the outline of a sentence
(`averment.claims.reading.outline`), so words inside names and titles do not trigger it.

What this module does not do: judge whether a claim is true, or worth checking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from averment.claims.reading import Piece, outline

_QUESTION_WORDS = frozenset("who whose whom what which why how".split())
_AUXILIARY_OPENERS = frozenset("is are was were did does do can could has have".split())
_CONCLUSION = re.compile(
    r"^(?:so|thus|hence|therefore|consequently|accordingly|as a result|in (?:conclusion|summary)"
    r"|to (?:conclude|summarize|sum up)|overall)\b"
    r"|\b(?:the|final|correct|my) answer\b"
)
_RATHER = r"(?!rather than|other than|more than <number>|less than <number>|later than <date>)"
_COMPARED = (
    rf"\b{_RATHER}(?:\w{{2,}}er|more|less|worse|elder)(?: \w+){{0,3}} than (?!<number>|<date>)"
)
_IN_ORDER = (
    r"\b(?:born|died|dies|released|founded|formed|published|established|opened|started|began"
    r"|built|ended|made|came out|lived|ruled) (?:\w+ )?"
    r"(?:(?:before|after) (?:the )?(?:\w+ )?(?:\w+ of )?(?:<name>|<title>)"
    r"|(?:first|earlier|later|last|longer)(?: \.| ,|$))"
)
_LIKENED = (
    r"\b(?:shares?|shared|of|from|in|have|has|had|are|were|with) (?:\w+ )?the same\b(?! name)"
    r"|\bsame [\w ]*?\bas\b|\bof the two\b"
    r"|\b(?:are|were|have|had|come|came) (?:\w+ ){0,2}different\b"
)
_WITHOUT_THAN = (
    r"\b(?:older|younger|earlier|later|longer|shorter|larger|smaller|bigger|taller|higher)"
    r"(?: \.|$)"
)
_COMPARISON = re.compile(f"{_IN_ORDER}|{_LIKENED}|{_WITHOUT_THAN}")
_COMPARISON_THAN = re.compile(f"{_COMPARED}|{_COMPARISON.pattern}")
_NEGATION = re.compile(
    r"(?<!\S)(?:not|never|(?!^no <)no(?! \.)|none|neither|nor|nobody|nothing|cannot|\w+n't)(?!\S)"
)
_REFUSAL = re.compile(
    r"\b(?:unknown|unclear|uncertain|unavailable|unspecified|unanswerable|insufficient"
    r"|sorry|apologi[sz]e|unable to|as an ai|language model)\b"
)
_TALK = re.compile(
    r"(?<!\S)(?:(?<!> )i(?! \.)|i'm|i'll|i'd|we|we're|you|let's|let us|here (?:is|are)|sure ,"
    r"|of course ,"
    r"|to (?:answer|determine|find(?: out)?|figure out|identify)"
    r"|according to the (?:context|passage|text|question))(?!\S)"
)


def is_question(pieces: Sequence[Piece], sketch: str) -> bool:
    """Whether it asks: a question mark at the end, or a question word in front."""
    if sketch.rstrip("\"'”’) ").endswith("?"):
        return True
    opener = pieces[0].form if pieces and pieces[0].is_word else ""
    return opener in _QUESTION_WORDS | _AUXILIARY_OPENERS


def is_conclusion(pieces: Sequence[Piece], sketch: str) -> bool:
    """Whether it draws a conclusion ("Thus …") or names the answer ("the answer is …")."""
    return bool(_CONCLUSION.search(sketch))


def is_comparison(pieces: Sequence[Piece], sketch: str) -> bool:
    """Whether it compares two things: "older than", "died before", "the same … as"."""
    pattern = _COMPARISON_THAN if " than " in sketch else _COMPARISON
    return bool(pattern.search(sketch))


def is_negated(pieces: Sequence[Piece], sketch: str) -> bool:
    """Whether it says what is not so ("did not", "never", "no …"; "No. 1" is none)."""
    return bool(_NEGATION.search(sketch))


def is_refusal(pieces: Sequence[Piece], sketch: str) -> bool:
    """Whether it says that an answer is missing ("unknown", "unable to", "insufficient")."""
    return bool(_REFUSAL.search(sketch))


def is_talk(pieces: Sequence[Piece], sketch: str) -> bool:
    """Whether it is about answering rather than the world ("I", "let's", "to find …")."""
    return bool(_TALK.search(sketch))


def is_fragment(pieces: Sequence[Piece]) -> bool:
    """Whether it has no verb: a heading, a list item, a short answer."""
    return not any(piece.is_verb for piece in pieces)


def is_list(pieces: Sequence[Piece], sketch: str) -> bool:
    """Whether it has no verb and lists things: "Haneef, Arjun Nair and Vijay"."""
    if not is_fragment(pieces):
        return False
    n_mentions = sum(piece.entity is not None for piece in pieces)
    joined = any(piece.is_word and piece.form in ("and", "or") for piece in pieces)
    return n_mentions > 2 or (n_mentions == 2 and joined)


def _is_fragment(pieces: Sequence[Piece], sketch: str) -> bool:
    return is_fragment(pieces)


_RULES: dict[str, Callable[[Sequence[Piece], str], bool]] = {
    "question": is_question,
    "conclusion": is_conclusion,
    "comparison": is_comparison,
    "negation": is_negated,
    "refusal": is_refusal,
    "talk": is_talk,
    "list": is_list,
    "fragment": _is_fragment,
}

SILENT_RULES = tuple(_RULES)
"""The names of all rules, in the order in which they are tried."""
BY_WORDING = tuple(name for name in _RULES if name not in ("list", "fragment"))
"""Those that do not hang on whether a verb is in our lists."""


def silent_rule(pieces: Sequence[Piece], rules: Collection[str] = SILENT_RULES) -> str | None:
    """The first of some rules by which a sentence claims nothing, or None if it claims something.

    Args:
        pieces: The sentence, as `averment.claims.reading.read` gives it.
        rules: Names out of `SILENT_RULES`; a rule that is not among them is switched off.
    """
    sketch = outline(pieces)
    return next((n for n, holds in _RULES.items() if n in rules and holds(pieces, sketch)), None)


def checked_rules(rules: Iterable[str]) -> frozenset[str]:
    """The names as a set.

    Raises:
        ValueError: One of them names no rule.
    """
    unknown = sorted(set(rules) - set(_RULES))
    if unknown:
        raise ValueError(f"No rules: {', '.join(unknown)}. There are: {', '.join(_RULES)}.")
    return frozenset(rules)
