"""Baselines by hand: drafts with a probability for each token, and what a trigger says to them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from averment.policies.ledger import Ledger
from averment.policies.loop import Inspection, Progress, Trigger
from averment.prompts import load
from averment.readings import Attention
from averment.steps import Commit, Generate, Step
from averment.types import (
    FinishReason,
    Generation,
    GenerationOptions,
    Prompt,
    Question,
    Sentence,
    Support,
    Token,
    Usage,
)
from doubles import Exchange, follow

QUESTION = Question("q", "In which country is Oslo?")


def written(
    *tokens: tuple[str, float | None], finish: FinishReason = FinishReason.SENTENCE
) -> Generation:
    """What a model is said to have written: each token with its probability."""
    made = tuple(Token(text, None if p is None else math.log(p)) for text, p in tokens)
    text = "".join(token.text for token in made)
    return Generation(text, made, finish, Usage(10, len(made)))


def uncertain(*tokens: tuple[str, float | None]) -> Generation:
    """What a model is said to have written: each token with its entropy."""
    made = tuple(Token(text, -1.0, entropy=entropy) for text, entropy in tokens)
    text = "".join(token.text for token in made)
    return Generation(text, made, FinishReason.SENTENCE, Usage(10, len(made)))


def attention(
    text: str,
    *,
    rows_from: int,
    received: Sequence[float] = (),
    pays: Mapping[tuple[int, int], float] | None = None,
) -> Attention:
    """A reading whose tokens are words with the blank before, and marks.

    `pays` is what a token pays to another, by their numbers; where it says nothing, nothing.
    """
    spans = tuple(found.span() for found in re.finditer(r"\s*\w+|\s*[^\w\s]", text))
    shown = [at for at, (_, end) in enumerate(spans) if end > rows_from]
    rows = tuple(
        tuple((pays or {}).get((at, other), 0.0) for other in range(at + 1)) for at in shown
    )
    return Attention(spans, tuple(received or [0.0] * len(spans)), rows, Usage(len(spans)))


def progress(*committed: str, pieces: Sequence[Generation] = (), repairs: int = 0) -> Progress:
    """An answer so far, and the prompt that its next sentence is written behind."""
    sentences = tuple(Sentence(text, Support.UNKNOWN) for text in committed)
    prompt = Prompt(
        f"Examples.\n\nQuestion: {QUESTION.text}\nAnswer:",
        "".join(f" {text}" for text in committed),
    )
    return Progress(QUESTION, sentences, Ledger(500), tuple(pieces), repairs=repairs, prompt=prompt)


def inspect(
    trigger: Trigger, generation: Generation, at: Progress | None = None, *exchanges: Exchange
) -> Inspection:
    """What a trigger holds of a draft."""
    sentence = generation.text.strip()
    return follow(trigger.inspect(at or progress(), sentence, generation), exchanges)


def draft(*said: str, context: str = "", max_tokens: int = 64) -> Step:
    """The step that asks for what comes next; a text that begins with a blank goes on raw."""
    text = load("answer").fill(context=context, question=QUESTION.text)
    answer = "".join(part if part.startswith(" ") else f" {part}" for part in said)
    options = GenerationOptions(
        max_tokens=max_tokens,
        stop=("\nQuestion:", "\nContext:", "\n\n"),
        until_sentence_end=True,
    )
    return Generate(Prompt(text, answer), options)


def committed(text: str, *pieces: Generation, repairs: int = 0) -> Exchange:
    """The step that lets a sentence of a baseline leave."""
    tokens = tuple(token for piece in pieces for token in piece.tokens)
    if tokens:  # a sentence has no blanks around it
        tokens = (replace(tokens[0], text=tokens[0].text.lstrip()), *tokens[1:])
    sentence = Sentence(text, Support.UNKNOWN, "not_checked", repairs=repairs, tokens=tokens)
    return Commit(sentence), None
