"""One claim about Oslo, what was counted of it, and a calibrator whose numbers are known."""

from __future__ import annotations

from averment.franq.calibration import fit
from averment.franq.calibrator import Calibrator, MadeWith, Mode
from averment.franq.evidence import CorpusSize
from averment.franq.rows import Row
from averment.prompts import load
from averment.scoring.claims import ScorableClaim
from averment.steps import JudgeFaithfulness, Rescore
from averment.types import (
    Check,
    Cooccurrence,
    Count,
    Faithfulness,
    Passage,
    Prompt,
    Question,
    Support,
    Token,
    Triplet,
)
from doubles import Exchange, exact, passage, together

QUESTION = Question("q", "Of which country is Oslo the capital?")
TEXT = "Oslo is the capital of Norway."
TRIPLET = Triplet("Oslo", "is the capital of", "Norway")
CLAIM = ScorableClaim(TEXT, 0, len(TEXT))
PASSAGE = passage(TEXT, title="Oslo", passage_id="d1")
ELSEWHERE = passage("Bergen is a city in Norway.", title="Bergen", passage_id="d2")
CORPUS = CorpusSize(n_documents=100, n_words=10_000, window_words=1000)
LEXICAL = "lexical-alignment"
MODEL = "tiny"
PLAIN = MadeWith("constant", "constant", LEXICAL, "")
RESCORED = MadeWith("max_probability", "parametric_knowledge", LEXICAL, MODEL)
ENTAILED = Faithfulness(0.75, passage=0, start=0, end=len(TEXT))
WORDS = (" Oslo", " is", " the", " capital", " of", " Norway.")


def checked(
    found: Cooccurrence | None = None,
    *,
    triplet: Triplet = TRIPLET,
    head: Count | None = None,
    tail: Count | None = None,
) -> Check:
    """A relation held against the corpus; head and tail are in 10 documents, together in 4."""
    pair = together(4) if found is None else found
    return Check(triplet, Support.PRESENT, head or exact(10), tail or exact(10), pair, 1000)


def judged(
    *found: Faithfulness, claims: tuple[str, ...] = (TEXT,), passages: tuple[Passage, ...] = ()
) -> Exchange:
    """Claims held against passages."""
    return JudgeFaithfulness(claims, tuple(each.text for each in passages)), list(found)


def prompt(context: str = "", question: str = QUESTION.text) -> Prompt:
    """What the text is re-scored after."""
    return Prompt(load("answer").fill(context=context, question=question))


def rescored(after: Prompt, *logprobs: float | None, words: tuple[str, ...] = WORDS) -> Exchange:
    """A text re-scored, word by word; one log-probability stands for all words."""
    each = logprobs if len(logprobs) > 1 else logprobs * len(words)
    tokens = [Token(word, value) for word, value in zip(words, each, strict=True)]
    return Rescore(after, "".join(words)), tokens


def calibrator(made_with: MadeWith = PLAIN) -> Calibrator:
    """Of faithful claims 3 of 4 are true, of others 1 of 4, whatever the confidence."""
    rows = [
        Row(p_faithful, None, None, is_true=number % 4 < n_true)
        for p_faithful, n_true in ((1.0, 3), (0.0, 1))
        for number in range(40)
    ]
    return fit(rows, mode=Mode.CONDITION, made_with=made_with, created_by="test")
