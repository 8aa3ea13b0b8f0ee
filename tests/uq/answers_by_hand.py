"""Records of small answers for the tests of uncertainty, with everything that can be known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from averment.types import Token
from averment.uq.estimator import Need
from averment.uq.records import (
    Alternative,
    ClaimSpan,
    Nli,
    NliMatrix,
    Record,
    Sample,
    SimilarityMatrix,
    TruthReply,
)

ENTAILS = Nli(1.0, 0.0, 0.0)
OPEN = Nli(0.0, 1.0, 0.0)
CONTRADICTS = Nli(0.0, 0.0, 1.0)
NAN = float("nan")


def tokens(*logprobs: float | None) -> tuple[Token, ...]:
    return tuple(Token(f" w{t}", logprob) for t, logprob in enumerate(logprobs))


def samples(*texts: str, logprobs: Sequence[float] = ()) -> tuple[Sample, ...]:
    known = list(logprobs) or [None] * len(texts)
    return tuple(Sample(t, logprob=lp) for t, lp in zip(texts, known, strict=True))


def nli_of_meanings(meanings: Sequence[int], *, other: Nli = CONTRADICTS) -> NliMatrix:
    """Samples of one meaning entail each other."""
    return tuple(tuple(ENTAILS if a == b else other for b in meanings) for a in meanings)


def record_of_meanings(meanings: Sequence[int], *, other: Nli = CONTRADICTS) -> Record:
    return Record(
        "Who?",
        "A.",
        samples=samples(*(f"answer {meaning}" for meaning in meanings)),
        sample_nli=nli_of_meanings(meanings, other=other),
        nli_model="by hand",
    )


def known_record(*, unsure: bool = False) -> Record:
    """Everything is known of this answer; the model is sure of it, or unsure."""
    own, other, judgement = (-1.4, -1.5, CONTRADICTS) if unsure else (-0.1, -3.0, ENTAILS)
    like = 0.1 if unsure else 0.9
    alternative = Alternative(" x", other, judgement, judgement)
    texts = ("Rome", "Oslo", "Bern") if unsure else ("Paris", "Paris", "in Paris")
    drawn = tuple(
        Sample(text, tokens=(Token(text, own), Token(".", own)), similarity_without_token=(0.2, 1))
        for text in texts
    )
    pairs = range(3)
    return Record(
        "Which city?",
        "It is w0 w1 w2",
        ("A passage.",),
        tokens=tokens(own, own, own),
        alternatives=((alternative,),) * 3,
        entropies=(1.3, 1.4, 1.2) if unsure else (0.1, 0.3, 0.2),
        tokens_without_context=tokens(*[-4.0 if unsure else -0.5] * 3),
        # A prompt that says nothing leaves the probabilities as they were; a good one raises them.
        tokens_without_prompt=tokens(*[own if unsure else -5.0] * 3),
        similarity_without_token=(0.5, 0.9, 0.6),
        p_true=TruthReply(-2.0 if unsure else -0.1, "True or false: It is w0 w1 w2"),
        nli=(judgement,) * 3,
        samples=drawn,
        sample_nli=tuple(tuple(judgement for _ in pairs) for _ in pairs),
        sample_similarity=tuple(tuple(like for _ in pairs) for _ in pairs),
        nli_model="by hand",
        similarity_model="by hand",
    )


def whole_claim(record: Record) -> ClaimSpan:
    """A claim that is the whole answer."""
    every = tuple(reversed(range(len(record.tokens))))
    return ClaimSpan(every, record.answer, record.p_true, record.nli)


def without(record: Record, need: Need) -> Record:
    """The record as it were if that had not been got."""
    unknown = {
        Need.TOKENS: {"tokens": ()},
        Need.LOGPROBS: {"tokens": tuple(replace(t, logprob=None) for t in record.tokens)},
        Need.TOP_LOGPROBS: {"alternatives": ()},
        Need.FULL_DISTRIBUTION: {"entropies": ()},
        Need.RESCORED_WITHOUT_CONTEXT: {"tokens_without_context": ()},
        Need.RESCORED_WITHOUT_PROMPT: {"tokens_without_prompt": ()},
        Need.P_TRUE: {"p_true": None},
        Need.SAMPLES: {"samples": ()},
        Need.SAMPLE_LOGPROBS: {"samples": tuple(replace(s, tokens=()) for s in record.samples)},
        Need.NLI: {
            "nli": (),
            "sample_nli": (),
            "nli_model": "",
            "alternatives": tuple(
                tuple(replace(other, forward=None, backward=None) for other in position)
                for position in record.alternatives
            ),
        },
        Need.SIMILARITY: {
            "similarity_without_token": (),
            "sample_similarity": (),
            "similarity_model": "",
            "samples": tuple(replace(s, similarity_without_token=()) for s in record.samples),
        },
    }
    return replace(record, **unknown[need])


def poisoned(record: Record, need: Need) -> Record:
    """The record with NaN where that was measured."""
    nan_tokens = tuple(replace(token, logprob=NAN) for token in record.tokens)
    not_judged = Nli(NAN, NAN, NAN)
    nan_row = (NAN,) * len(record.samples)
    nan_judgements = (not_judged,) * len(record.samples)
    bad = {
        Need.LOGPROBS: {"tokens": nan_tokens},
        Need.TOP_LOGPROBS: {"alternatives": ((Alternative(" x", NAN, OPEN, OPEN),),) * 3},
        Need.FULL_DISTRIBUTION: {"entropies": (NAN,) * 3},
        Need.RESCORED_WITHOUT_CONTEXT: {"tokens_without_context": nan_tokens},
        Need.RESCORED_WITHOUT_PROMPT: {"tokens_without_prompt": nan_tokens},
        Need.P_TRUE: {"p_true": TruthReply(NAN)},
        Need.SAMPLE_LOGPROBS: {
            "samples": tuple(
                replace(s, tokens=tuple(replace(t, logprob=NAN) for t in s.tokens))
                for s in record.samples
            )
        },
        Need.NLI: {
            "nli": nan_judgements,
            "sample_nli": (nan_judgements,) * len(record.samples),
            "alternatives": ((Alternative(" x", -1.0, not_judged, not_judged),),) * 3,
        },
        Need.SIMILARITY: {
            "similarity_without_token": (NAN,) * 3,
            "sample_similarity": (nan_row,) * len(record.samples),
            "samples": tuple(
                replace(s, similarity_without_token=(NAN, NAN)) for s in record.samples
            ),
        },
    }
    return replace(record, **bad[need])


def reordered(record: Record, order: Sequence[int]) -> Record:
    """The record with its samples in another order, and everything about them."""

    def square(matrix: NliMatrix | SimilarityMatrix) -> tuple[tuple[object, ...], ...]:
        return tuple(tuple(matrix[i][j] for j in order) for i in order) if matrix else ()

    return replace(
        record,
        samples=tuple(record.samples[i] for i in order),
        nli=tuple(record.nli[i] for i in order) if record.nli else (),
        sample_nli=square(record.sample_nli),
        sample_similarity=square(record.sample_similarity),
    )
