"""Claims of long answers with labels: ExpertQA (support, correctness), Factcheck-GPT (factuality).

Both are below `../shared/data/faithfulness`. FRANQ's own long-form set is not public; these claims
were written by other models, so that log-probabilities are of a model that did not write them.

| set | question | claim | passages | true | faithful |
| --- | --- | --- | --- | --- | --- |
| expertqa | question | claim_string | evidence | correctness: definitely or probably correct; \
definitely or likely incorrect is false, unsure is left out | support: Complete; Partial, \
Incomplete and Missing are not, N/A is not known |
| factcheckgpt | prompt | claim | the five passages found for it | label; not_enough_evidence is \
left out | one passage supports it completely; not known if one does so partially |

Claims of ExpertQA whose evidence is an address without text are left out.

The order is a seeded shuffle of whole questions, so that every beginning of a run is a sample.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[3] / "shared" / "data" / "faithfulness"
SEED = 20261130
_CORRECT = {
    "Definitely correct": True,
    "Probably correct": True,
    "Likely incorrect": False,
    "Definitely incorrect": False,
}
_SUPPORTED = {"Complete": True, "Partial": False, "Incomplete": False, "Missing": False}
_FACTUAL = {"true": True, "false": False}
_ADDRESS = re.compile(r"(?:\[\d+\]\s*)?https?://\S+")


@dataclass(frozen=True, slots=True)
class LongClaim:
    """A claim, what it answers, its passages and its labels."""

    set_name: str
    row: str
    question: str
    claim: str
    passages: tuple[str, ...]
    is_true: bool
    is_faithful: bool | None

    @property
    def key(self) -> str:
        """Names the claim in the rows."""
        return f"{self.set_name}:{self.row}"

    @property
    def group(self) -> str:
        """Names its question, without its words."""
        return f"{self.set_name}:{hashlib.sha256(self.question.encode()).hexdigest()[:12]}"


def long_claims(set_name: str) -> list[LongClaim]:
    """The labelled claims of a set, whole questions in seeded order."""
    found = list({"expertqa": _expertqa, "factcheckgpt": _factcheckgpt}[set_name]())
    questions = sorted({claim.question for claim in found})
    random.Random(SEED).shuffle(questions)
    place = {question: at for at, question in enumerate(questions)}
    return sorted(found, key=lambda claim: place[claim.question])


def expertqa_labels(claim: dict[str, Any]) -> tuple[bool | None, bool | None]:
    """Whether it is true and whether it is faithful; None where nobody could tell."""
    return _CORRECT.get(claim["correctness"]), _SUPPORTED.get(claim["support"])


def stance_label(stances: Sequence[str]) -> bool | None:
    """Whether passages with these stances support a claim; None if one does so partially."""
    if "completely-support" in stances:
        return True
    return None if "partially-support" in stances else False


def _expertqa() -> Iterator[LongClaim]:
    for number, row in enumerate(_rows("expertqa_claims")):
        for system, answer in row["answers"].items():
            for at, claim in enumerate(answer["claims"]):
                is_true, is_faithful = expertqa_labels(claim)
                evidence = claim["evidence"] or ()
                passages = _readable(evidence)
                if is_true is None or not claim["claim_string"].strip():
                    continue
                # People were shown the page behind an address; we cannot be.
                if passages or not evidence:
                    yield LongClaim(
                        set_name="expertqa",
                        row=f"{number}:{system}:{at}",
                        question=row["question"],
                        claim=claim["claim_string"].strip(),
                        passages=passages,
                        is_true=is_true,
                        is_faithful=is_faithful,
                    )


def _factcheckgpt() -> Iterator[LongClaim]:
    prompts = {
        claim: row["prompt"]
        for row in _rows("factcheckgpt_benchmark")
        for sentence in row["sentences"].values()
        for claim in sentence["claims"]
    }
    evidence: dict[str, list[dict[str, str]]] = {}
    for row in _rows("factcheckgpt_claim_evidence_stance"):
        evidence.setdefault(row["claim"], []).append(row)
    for number, row in enumerate(_rows("factcheckgpt_claim_factuality")):
        is_true, claim = _FACTUAL.get(row["label"]), row["claim"]
        if is_true is None:
            continue
        found = evidence.get(claim, [])
        yield LongClaim(
            set_name="factcheckgpt",
            row=str(number),
            # A claim of an answer that is held out stands alone.
            question=prompts.get(claim, claim),
            claim=claim,
            passages=_readable([each["evidence"] for each in found]),
            is_true=is_true,
            is_faithful=stance_label([each["stance"] for each in found]) if found else None,
        )


def _readable(passages: Sequence[str]) -> tuple[str, ...]:
    """Without addresses, which cost tokens and say nothing; without what is empty then."""
    texts = (" ".join(_ADDRESS.sub(" ", passage).split()) for passage in passages)
    return tuple(text for text in texts if text)


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
