"""averment's estimators beside lm-polygraph's, on inputs and numbers of bench/uq_parity.

The first tests hold them equal where its code is right. Each of the others is named after a place
where it is not, and shows both numbers. `make_reference.py` there makes the numbers anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from averment.claims.alignment import StatedClaim, align_claims
from averment.metrics.ranking import roc_auc
from averment.types import Token
from averment.uq import pairs
from averment.uq.ccp import ccp
from averment.uq.estimator import Absence, Absent
from averment.uq.meaning import semantic_entropy
from averment.uq.records import (
    WHOLE,
    Alternative,
    ClaimSpan,
    Nli,
    Record,
    Sample,
    TruthReply,
)
from averment.uq.registry import estimator
from conftest import REPOSITORY

REFERENCE = json.loads(
    (REPOSITORY / "bench" / "uq_parity" / "reference.json").read_text(encoding="utf-8")
)
DEPARTURES = REFERENCE["departures"]
ENTAILS, OPEN, CONTRADICTS = Nli(1, 0, 0), Nli(0, 1, 0), Nli(0, 0, 1)
NAMED = {"nli_model": "given", "similarity_model": "given"}


# --- where both are right -------------------------------------------------------------------------


def nli_rows(rows: Any) -> tuple[Any, ...]:
    return tuple(tuple(Nli(*judgement) for judgement in row) for row in rows)


def record_of(given: dict[str, Any]) -> Record:
    texts, logprobs = given["tokens"], given["logprobs"]
    alternatives = zip(given["alternatives"], given["forward"], given["backward"], strict=True)
    return Record(
        "Which city?",
        "".join(texts),
        tokens=tuple(map(Token, texts, logprobs)),
        alternatives=tuple(
            tuple(
                Alternative(other["text"], other["logprob"], Nli(*ahead), Nli(*back))
                for other, ahead, back in zip(*position, strict=True)
            )
            for position in alternatives
        ),
        entropies=tuple(
            -float((np.exp(row) * row).sum()) for row in np.array(given["log_distributions"])
        ),
        tokens_without_prompt=tuple(map(Token, texts, given["logprobs_without_prompt"])),
        similarity_without_token=tuple(given["similarity_without_token"]),
        p_true=TruthReply(-given["p_true"]),
        samples=tuple(
            Sample(
                sample["text"],
                tuple(map(Token, sample["text"].split(), sample["logprobs"])),
                similarity_without_token=tuple(sample["similarity_without_token"]),
            )
            for sample in given["samples"]
        ),
        sample_nli=nli_rows(given["sample_nli"]),
        sample_similarity=tuple(map(tuple, given["sample_similarity"])),
        **NAMED,
    )


def claims_of(given: dict[str, Any]) -> list[ClaimSpan]:
    rows = zip(given["claims"], given["claim_p_true"], given["claim_nli"], strict=True)
    return [
        ClaimSpan(tuple(tokens), "a claim", TruthReply(-p_true), tuple(Nli(*row) for row in nli))
        for tokens, p_true, nli in rows
    ]
