"""Whether an answer is right: exact match, token F1, accuracy and ROUGE-L against gold answers.

All are comparisons of strings. They see neither that "the Big Apple" is New York, unless the data
set says so, nor that a sentence around the right name is right too; that is what makes them cheap,
repeatable and comparable with published figures, for which the rules here are those of the SQuAD
script, of HotpotQA and of QuCo-RAG. What this module does not do: ask a model, or find the short
answer of averment's own drafts (``Answer.final_answer`` is that).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from averment.evaluation.examples import AnswerKind, Example
from averment.text import TextForm, sentences

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ALL_OR_NOTHING = frozenset({"yes", "no", "noanswer"})
_LABELS = {
    AnswerKind.YES_NO: ("yes", "no"),
    AnswerKind.YES_NO_MAYBE: ("yes", "no", "maybe"),
}
_MARK = "answer is"
_QUCO_ENDS = ("Question:", "#10000000", "Note:")
_QUCO_STOPS = re.compile(r"(?:\s|\.|</s>|<\|endoftext\|>)+\Z")


@dataclass(frozen=True, slots=True)
class Grades:
    """How right an answer is; each in [0, 1], better when higher."""

    exact_match: float
    """1 if the answer is one of the gold answers after normalisation."""
    f1: float
    """F1 of the words, of the gold answer that is nearest."""
    accuracy: float | None
    """1 if the right one of yes and no (and maybe) is said; None where that is not asked."""
    rouge_l: float | None
    """Of the gold answer that is nearest; None where the answer is no long text."""
    draft_f1: float | None = None
    """F1 of what was drafted, also where it was not given: what a policy is worth that never
    abstains. None where nobody knows."""


def grade(prediction: str, example: Example) -> Grades:
    """Grade an answer.

    Where the example has no answer, an empty prediction (an abstention) is right and anything else
    is wrong, as in SQuAD 2.0.

    Args:
        prediction: The short answer alone, without "The answer is" around it, or a long answer
            where one is asked for. Empty for an abstention.
        example: The question with its gold answers.

    Returns:
        Exact match and F1 for every kind of answer, the others where they apply.
    """
    gold = example.answers or ("",)
    labels = _LABELS.get(example.kind)
    is_long = example.kind is AnswerKind.LONG
    return Grades(
        exact_match=max(exact_match(prediction, answer) for answer in gold),
        f1=max(token_f1(prediction, answer) for answer in gold),
        accuracy=None if labels is None else _accuracy(prediction, example.answers, labels),
        rouge_l=max(rouge_l(prediction, answer) for answer in gold) if is_long else None,
    )


def normalise(answer: str) -> str:
    """An answer without case, ASCII punctuation, articles and superfluous blanks.

    Punctuation is dropped, not replaced: "U.S." is "us", "well-known" is "wellknown". Typographic
    marks and accents stay, since published figures were made so.

    Source: ``normalize_answer`` of the SQuAD evaluation script (Rajpurkar et al. 2016); QuCo-RAG
        and HotpotQA use the same.

    Example:
        >>> normalise("The  Beatles, a band.")
        'beatles band'
    """
    bare = answer.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(prediction: str, answer: str) -> float:
    """1 if both are the same after `normalise`, else 0."""
    return float(normalise(prediction) == normalise(answer))


def token_f1(prediction: str, answer: str) -> float:
    """F1 of the words of both after `normalise`, counted as often as they occur.

    If either is just "yes", "no" or "noanswer", only the same counts: "no" earns nothing from
    "no one". Nothing on both sides is a match.

    Returns:
        In [0, 1], better when higher; 1 wherever the exact match is 1.

    Source: ``f1_score`` of the SQuAD script; the rule for yes and no: the HotpotQA script (Yang et
        al. 2018), which QuCo-RAG follows; nothing on both sides: SQuAD 2.0.
    """
    ours, gold = normalise(prediction), normalise(answer)
    if ours == gold:
        return 1.0
    if {ours, gold} & _ALL_OR_NOTHING:
        return 0.0
    return _f_measure(
        (Counter(ours.split()) & Counter(gold.split())).total(),
        len(ours.split()),
        len(gold.split()),
    )


def rouge_l(prediction: str, answer: str) -> float:
    """F-measure of the longest common subsequence of words.

    With L its length, R = L / |answer|, P = L / |prediction| and F = 2RP / (R + P), which is β = 1.
    Words are those of `averment.text.TextForm`, without stemming; in ASCII texts they are the words
    of the ``rouge-score`` package, and so is the value.

    Returns:
        In [0, 1], better when higher; 0 if either text has no word.

    Source: Lin 2004, “ROUGE: A Package for Automatic Evaluation of Summaries”, section 3.1.
    """
    form = TextForm()
    ours, gold = form.words(prediction), form.words(answer)
    return _f_measure(_common_subsequence(ours, gold), len(ours), len(gold))


def _f_measure(n_common: int, n_ours: int, n_gold: int) -> float:
    return 2 * n_common / (n_ours + n_gold) if n_common else 0.0


def _common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence.

    One bit a word of `a`, which are set where the length does not grow.

    Source: Hyyrö 2004, “Bit-parallel LCS-length computation revisited”.
    """
    places: dict[str, int] = {}
    for at, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << at
    every = (1 << len(a)) - 1
    level = every
    for word in b:
        matches = level & places.get(word, 0)
        level = (level + matches | level - matches) & every
    return len(a) - level.bit_count()


def _accuracy(prediction: str, answers: Sequence[str], labels: Sequence[str]) -> float:
    said = stated_label(prediction, labels)
    return float(said is not None and said in map(normalise, answers))


def stated_label(prediction: str, labels: Sequence[str]) -> str | None:
    """Which of some one-word labels an answer states.

    The first word if it is one, else the only one that occurs: "Yes, it is no secret" says yes,
    "It says no" says no, "neither yes nor no" says nothing.
    """
    words = normalise(prediction).split()
    if words and words[0] in labels:
        return words[0]
    found = {word for word in words if word in labels}
    return found.pop() if len(found) == 1 else None


# --- answers inside a completion ----------------------------------------------------------------


class AnswerRule(StrEnum):
    """How a paper takes the short answer from what its model wrote."""

    QUCO_2WIKI = "quco_2wiki"
    """From the first sentence with "answer is", what follows its last occurrence and one more
    character; the whole text if there is none."""
    QUCO_HOTPOTQA = "quco_hotpotqa"
    """All that follows the first "answer is", so an explanation stays in it; cut at the first
    period only if the word "answer" comes again. Nothing if there is none."""


def answer_span(completion: str, rule: AnswerRule) -> str:
    """The short answer in a completion that somebody else's loop made.

    For figures that are to be compared with a paper's, with the paper's faults: under
    ``quco_hotpotqa`` a name with a period is cut inside ("J" of "J. Smith") where an "answer"
    follows.

    Args:
        completion: What the model wrote.
        rule: Whose rule.

    Source: the evaluation of QuCo-RAG; sentences are those of `averment.text.sentences`, there
        spaCy's.
    """
    for end in _QUCO_ENDS:
        completion = completion.partition(end)[0]
    if rule is AnswerRule.QUCO_2WIKI:
        stating = next((text for text in sentences(completion) if _MARK in text), None)
        span = completion if stating is None else stating.rpartition(_MARK)[2][1:]
        return _QUCO_STOPS.sub("", span.strip())
    span = completion.partition(_MARK)[2]
    return (span.partition(".")[0] if "answer" in span else span).strip()
