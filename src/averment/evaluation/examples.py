"""What a data set is once it has been read: questions with their gold answers.

Readers are in `averment.evaluation.datasets`, what counts as correct in
`averment.evaluation.correctness`. This module refuses to know any file format.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AnswerKind(StrEnum):
    """What an answer looks like, which decides how it is compared."""

    SPAN = "span"
    """A name, a date, a number or a few words."""
    YES_NO = "yes_no"
    YES_NO_MAYBE = "yes_no_maybe"
    LONG = "long"
    """Sentences."""


@dataclass(frozen=True, slots=True)
class GoldPassage:
    """A passage that a data set names; `text` is empty where only titles are given."""

    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A question whose answer is known.

    Args:
        id: Unique within its data set.
        question: The question as it is asked.
        answers: Every spelling that counts as right, the one of the data set first. Empty where the
            data set says that there is no answer, so that abstaining is right.
        kind: What an answer looks like.
        gold_passages: The passages that the answer stands on, where the data set says so.
        context: Passages that come with the question, gold ones and distractors.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    kind: AnswerKind = AnswerKind.SPAN
    gold_passages: tuple[GoldPassage, ...] = ()
    context: tuple[GoldPassage, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """Whether there is an answer; otherwise abstaining is right."""
        return bool(self.answers)


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """A record that could not be used, and why.

    `line` is where it starts, from 1; in a JSON array or map and in Parquet, which have no lines to
    speak of, the number of the record.
    """

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Dataset:
    """Questions of one file.

    Args:
        name: The name of the data set, as the command line spells it (``2wiki``).
        examples: In file order.
        digest: SHA-256 of the file's bytes, lower-case hex.
        skipped: The records that were left out.
        aliases_digest: The same of the file with further spellings; empty if none was given.
    """

    name: str
    examples: tuple[Example, ...]
    digest: str
    skipped: tuple[SkippedRecord, ...] = ()
    aliases_digest: str = ""
