"""Short answers, refusals and courtesies in the languages that are read beside English.

"Haneef" claims something together with "Wer hat Kumbasaram gedreht?"; "Ja" and "是的" what was
asked, which no rule here puts into a statement. What this module does not do: guess languages.
"""

from __future__ import annotations

from collections.abc import Iterator

from averment.claims.languages.readers import CasedReader, HanReader
from averment.claims.languages.vocabulary import vocabulary
from averment.languages import FUNCTION_WORDS
from averment.text import TextForm, one_holds_other
from averment.types import Triplet

OTHERS = ("de", "es", "zh")
_MOST_WORDS = 12
_MOST_RELATION_WORDS = 8
_AROUND = " \t\n.!。！…\"'“”‘’*`"


def says(sentence: str, kind: str) -> bool:
    """Whether a sentence is a ``greeting`` or says that there is ``no_answer``, in any of them.

    Args:
        sentence: In lower case, without marks around it.
        kind: The name of the pattern.
    """
    patterns = (vocabulary(code).patterns[kind] for code in OTHERS)
    if kind == "greeting":
        return any(pattern.fullmatch(sentence) for pattern in patterns)
    return any(pattern.search(sentence) for pattern in patterns)


def is_yes(answer: str, code: str) -> bool:
    """Whether an answer is "yes" and nothing more."""
    return bool(vocabulary(code).patterns["yes"].fullmatch(answer.strip(_AROUND).lower()))


def is_no(answer: str, code: str) -> bool:
    """Whether an answer is "no" and nothing more."""
    return bool(vocabulary(code).patterns["no"].fullmatch(answer.strip(_AROUND).lower()))


def is_unknown(answer: str, code: str) -> bool:
    """Whether an answer begins by saying that it is not known."""
    return bool(vocabulary(code).patterns["unknown"].match(answer.strip(_AROUND).lower()))


def is_short(answer: str, reader: CasedReader | HanReader) -> bool:
    """Whether an answer is a name, a date or an amount, and no sentence."""
    if len(TextForm().words(answer)) > _MOST_WORDS:
        return False
    return not reader.stated(answer) and not reader.has_verb(answer)


def pairs(question: str, answer: str, reader: CasedReader | HanReader) -> Iterator[Triplet]:
    """A short answer with every name of the question that is not part of it."""
    words = TextForm().words(answer)
    names = [each for each in reader.entities(question) if each.kind in ("name", "title")]
    if not words or any(TextForm().words(name.text) == words for name in names):
        return  # it is one of the things that were to be chosen from
    for name in names:
        held = TextForm().words(name.text)
        rest = TextForm().words(question[: name.start] + " " + question[name.end :])
        said = [word for word in rest if word not in FUNCTION_WORDS.get(reader.code, ())]
        if said and not one_holds_other(words, held):
            yield Triplet(name.text, " ".join(said[:_MOST_RELATION_WORDS]), answer.strip(_AROUND))
