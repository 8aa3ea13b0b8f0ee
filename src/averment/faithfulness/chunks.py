"""Passages cut into chunks for a judge that reads so many words at a time.

A chunk is consecutive whole sentences of one passage, so that what is found in it can be shown; two
passages never share one. Where it is cut depends on its passage alone, so that other passages
change nothing. Two rules:

- `balanced_chunks`, AlignScore's: as many chunks as the number of words asks for, each of the same
  number of sentences, however long these are;
- `packed_chunks`, ours: as many sentences as fit a budget, counted by whoever knows the judge's
  window, so that nothing is truncated; with overlap if wished.

What this module does not do: split claims or choose chunks (`averment.faithfulness.scorer`).

Source: AlignScore (Zha et al. 2023, arXiv 2305.16739), as its published code does it; sentences
    come from `averment.text` instead of NLTK.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from averment.text import Span, TextForm, sentence_spans

ALIGNSCORE_CHUNK_WORDS = 350
_TEXT_FORM = TextForm()

CountWords: TypeAlias = Callable[[str], int]
"""How long a text is to a judge: words, or tokens."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """`passage[start:end]` of the passage with that index; `sentences` are spans of the passage.

    `text` is what is judged. In a balanced chunk it is the sentences joined by one blank, as
    AlignScore has it, whatever stood between them.
    """

    passage: int
    start: int
    end: int
    text: str
    sentences: tuple[Span, ...]


def n_words(text: str) -> int:
    """Words as `averment.text` counts them: also of scripts that write no blanks."""
    return len(_TEXT_FORM.words(text))


def balanced_chunks(
    passages: Sequence[str], *, chunk_words: int = ALIGNSCORE_CHUNK_WORDS
) -> list[Chunk]:
    """AlignScore's rule for each passage by itself.

    n_chunks = words // chunk_words + 1, words being parted by blanks, and each chunk holds
    max(sentences // n_chunks, 1) sentences; what remains is a chunk more.

    Args:
        passages: Any texts; one without a sentence gives no chunk.
        chunk_words: At least 1.

    Raises:
        ValueError: `chunk_words` is below 1.
    """
    if chunk_words < 1:
        raise ValueError(f"chunk_words must be at least 1, not {chunk_words}.")
    chunks = []
    for at, passage in enumerate(passages):
        sentences = sentence_spans(passage)
        n_chunks = len(passage.split()) // chunk_words + 1
        n_sentences = max(len(sentences) // n_chunks, 1)
        for first in range(0, len(sentences), n_sentences):
            part = tuple(sentences[first : first + n_sentences])
            text = " ".join(passage[span.start : span.end] for span in part)
            chunks.append(Chunk(at, part[0].start, part[-1].end, text, part))
    return chunks


def packed_chunks(
    passages: Sequence[str],
    *,
    budget: int,
    overlap_sentences: int = 0,
    count: CountWords = n_words,
) -> list[Chunk]:
    """As many sentences in a row as fit a budget; a longer sentence is cut between words.

    Args:
        passages: Any texts; one without a sentence gives no chunk.
        budget: The longest chunk, at least 1, in what `count` counts. The sum over the sentences
            must fit.
        overlap_sentences: How many sentences a chunk repeats of the one before, as far as the
            budget goes.
        count: How long a text is; words unless said otherwise.

    Raises:
        ValueError: A setting is out of range.
    """
    if budget < 1 or overlap_sentences < 0:
        raise ValueError(
            "A budget is at least 1 and an overlap at least 0, "
            f"not {budget} and {overlap_sentences}."
        )
    chunks = []
    for at, passage in enumerate(passages):
        pieces = [
            piece
            for sentence in sentence_spans(passage)
            for piece in cut_sentence(passage, sentence, budget=budget, count=count)
        ]
        lengths = [count(passage[piece.start : piece.end]) for piece in pieces]
        for first, last in _packed(lengths, budget, overlap_sentences):
            start, end = pieces[first].start, pieces[last - 1].end
            chunks.append(Chunk(at, start, end, passage[start:end], tuple(pieces[first:last])))
    return chunks


def _packed(lengths: Sequence[int], budget: int, overlap: int) -> list[tuple[int, int]]:
    """Which pieces go together, as ranges; every range ends further than the one before."""
    ranges: list[tuple[int, int]] = []
    first = last = 0
    while last < len(lengths):
        total = sum(lengths[first:last])
        while last < len(lengths) and (first == last or total + lengths[last] <= budget):
            total += lengths[last]
            last += 1
        ranges.append((first, last))
        first = max(first + 1, last - overlap)
        while first < last < len(lengths) and sum(lengths[first : last + 1]) > budget:
            first += 1
    return ranges


def cut_sentence(
    text: str, sentence: Span, *, budget: int, count: CountWords = n_words
) -> list[Span]:
    """A sentence in pieces that fit a budget, cut between words into as equal parts as that allows.

    A single word that does not fit stays whole.

    Args:
        text: What the sentence is a span of.
        sentence: Its place.
        budget: The longest piece, at least 1, in what `count` counts.
        count: How long a text is.
    """
    written = text[sentence.start : sentence.end]
    length = count(written)
    words = _TEXT_FORM.words_with_spans(written) if length > budget else []
    if len(words) < 2:
        return [sentence]
    middle = words[len(words) // 2].start
    left_end = len(written[:middle].rstrip())
    halves = (Span(0, left_end), Span(middle, len(written)))
    return [
        Span(sentence.start + piece.start, sentence.start + piece.end)
        for half in halves
        for piece in cut_sentence(written, half, budget=budget, count=count)
    ]
