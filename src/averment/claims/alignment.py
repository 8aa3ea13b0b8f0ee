"""Claims meet tokens: which generated tokens of an answer carry each claim.

A claim that knows where it stands in the answer gets the tokens that overlap it. One that was put
into other words, by a model or a person, is looked for: its content words are matched, in order,
with the parts of the answer (`averment.claims.split`), best part first. Nothing is asked of
anybody, and the same claim gets the same tokens every time.

A claim that cannot be found is returned without tokens and with the reason, so that whatever needs
no tokens can still score it.

What this module does not do: decode. Adapters give each token its text; where a character is split
over tokens, its text is that of the last of them, and all of them carry it here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, groupby

from averment.claims.split import split_text
from averment.errors import MalformedReply
from averment.text import Span, TextForm, Word
from averment.types import Token
from averment.uq.ccp import FUNCTION_WORDS
from averment.uq.records import ClaimSpan

_SHOWN_CODE_POINTS = 20
_ZERO_WIDTH_JOINER = "\u200d"


class Unaligned(StrEnum):
    """Why a claim has no tokens."""

    UNALIGNED = "unaligned"
    """Too few of its words are in the answer."""
    NO_CONTENT_WORDS = "no_content_words"
    """There is nothing in it to look for."""
    OUTSIDE_ANSWER = "outside_answer"
    """Its span is empty, blank, or not within the answer."""
    NO_TOKENS = "no_tokens"
    """The answer came without tokens."""


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim as it is given: its text, and where it stands in the answer if that is known."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """A claim with its tokens.

    ``spans`` are the stretches of the answer that carry it, in order; ``claim.tokens`` the indices
    of the tokens that overlap one of them, ascending. ``unaligned`` says why there are no tokens,
    and is None where there are.
    """

    claim: ClaimSpan
    spans: tuple[Span, ...] = ()
    unaligned: Unaligned | None = None


def align_claims(
    answer: str,
    tokens: Sequence[Token],
    claims: Iterable[StatedClaim],
    *,
    least_share: float = 0.5,
) -> list[Alignment]:
    """The tokens of each claim, in the order of the claims, none left out.

    A token that holds nothing of a span but blanks around it is not of the claim; one that begins
    with a blank and goes on with a letter of the span is.

    Args:
        answer: The answer as it was generated, to the last blank.
        tokens: Its tokens; their texts join to it. Empty where the server gave none.
        claims: Claims of the answer.
        least_share: Least share of a claim's content words that must be found where the claim has
            no span, in (0, 1].

    Raises:
        MalformedReply: The tokens do not join to the answer: they would carry other words.

    Source: FRANQ (arXiv 2505.21072), matching of claims; by common subsequence instead of a model.
    """
    token_spans = _token_spans(answer, tokens) if tokens else []
    words = _AnswerWords(answer)
    alignments = []
    for claim in claims:
        found = words.find(claim.text, least_share) if claim.span is None else _given(answer, claim)
        if isinstance(found, Unaligned):
            alignments.append(Alignment(ClaimSpan((), claim.text), (), found))
        else:
            span = ClaimSpan(_overlapping(token_spans, found), claim.text)
            unaligned = None if tokens else Unaligned.NO_TOKENS
            alignments.append(Alignment(span, tuple(found), unaligned))
    return alignments


# --- tokens -------------------------------------------------------------------------------------


def _token_spans(answer: str, tokens: Sequence[Token]) -> list[Span]:
    """Where each token stands; one without text carries a part of the character that follows."""
    joined = "".join(token.text for token in tokens)
    if joined != answer:
        pairs = enumerate(zip(joined, answer, strict=False))
        at = next((at for at, (a, b) in pairs if a != b), min(len(joined), len(answer)))
        shown = slice(at, at + _SHOWN_CODE_POINTS)
        raise MalformedReply(
            f"At {at} the tokens join to {joined[shown]!r}; the answer has {answer[shown]!r}.",
            hint="Give the answer as it was generated, to the last blank, with its own tokens.",
        )
    ends = accumulate(len(token.text) for token in tokens)
    spans = [Span(end - len(token.text), end) for token, end in zip(tokens, ends, strict=True)]
    return [span if span.start < span.end else Span(span.start, span.start + 1) for span in spans]


def _overlapping(tokens: Sequence[Span], spans: Sequence[Span]) -> tuple[int, ...]:
    return tuple(
        index
        for index, token in enumerate(tokens)
        if any(token.start < span.end and span.start < token.end for span in spans)
    )


def _given(answer: str, claim: StatedClaim) -> list[Span] | Unaligned:
    """The claim's own span, without blanks around it and never through a character."""
    assert claim.span is not None
    start, end = claim.span
    if not 0 <= start < end <= len(answer) or not answer[start:end].strip():
        return Unaligned.OUTSIDE_ANSWER
    start = end - len(answer[start:end].lstrip())
    end = start + len(answer[start:end].strip())
    while start > 0 and _goes_on(answer, start):
        start -= 1
    while end < len(answer) and _goes_on(answer, end):
        end += 1
    return [Span(start, end)]


def _goes_on(text: str, at: int) -> bool:
    """Whether the code point there is a part of the character before it."""
    is_mark = unicodedata.category(text[at]).startswith("M")
    return is_mark or _ZERO_WIDTH_JOINER in text[at - 1 : at + 1]


# --- words --------------------------------------------------------------------------------------


class _AnswerWords:
    """The content words of an answer, part by part, to look for claims in."""

    def __init__(self, answer: str) -> None:
        words = _content_words(answer)
        self._parts = [
            [word for word in words if part.start <= word.start < part.end]
            for part in split_text(answer)
        ]

    def find(self, claim: str, least_share: float) -> list[Span] | Unaligned:
        """The stretches of the answer that carry a claim.

        The part that shares the longest subsequence of content words with the claim comes first;
        what it does not have is then looked for in the same way, nearest parts first.
        """
        missing = [word.form for word in _content_words(claim)]
        if not missing:
            return Unaligned.NO_CONTENT_WORDS
        n_words = len(missing)
        taken: list[set[int]] = [set() for _ in self._parts]
        first: int | None = None
        while missing:
            shared = [
                _common_subsequence(missing, part, without=taken[at])
                for at, part in enumerate(self._parts)
            ]
            at = max(
                range(len(shared)),
                key=lambda at: (len(shared[at]), -abs(at - (first or 0))),
                default=None,
            )
            if at is None or not shared[at]:
                break
            first = at if first is None else first
            taken[at].update(shared[at].values())
            missing = [form for at_claim, form in enumerate(missing) if at_claim not in shared[at]]
        if (n_words - len(missing)) / n_words < least_share:
            return Unaligned.UNALIGNED
        return [
            stretch
            for part, indices in zip(self._parts, taken, strict=True)
            for stretch in _stretches(part, indices)
        ]


def _content_words(text: str) -> list[Word]:
    words = TextForm(fold_accents=True).words_with_spans(text)
    return [word for word in words if word.form not in FUNCTION_WORDS and word.form != "s"]


def _common_subsequence(
    wanted: Sequence[str], words: Sequence[Word], *, without: set[int]
) -> dict[int, int]:
    """The longest one: from indices of what is wanted to indices of words, earliest first."""
    forms = frozenset(wanted)
    free = [at for at, word in enumerate(words) if word.form in forms and at not in without]
    lengths = [[0] * (len(free) + 1) for _ in range(len(wanted) + 1)]
    for i in reversed(range(len(wanted))):
        for j in reversed(range(len(free))):
            equal = wanted[i] == words[free[j]].form
            longer = lengths[i + 1][j + 1] + 1 if equal else lengths[i][j + 1]
            lengths[i][j] = max(lengths[i + 1][j], longer)
    shared = {}
    i = j = 0
    while lengths[i][j]:
        if wanted[i] == words[free[j]].form:
            shared[i] = free[j]
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return shared


def _stretches(words: Sequence[Word], indices: set[int]) -> list[Span]:
    """Runs of matched words as spans; words without content between them belong to the run."""
    runs = groupby(range(len(words)), key=lambda at: at in indices)
    of_claim = [list(run) for matched, run in runs if matched]
    return [Span(words[run[0]].start, words[run[-1]].end) for run in of_claim]
