"""Reads the labelled claims of `shared/data/faithfulness` as (claim, passages, label, document).

`CHOOSE` are the files on which constants and thresholds may be chosen, `REPORT` those for figures.
HaluEval has one file; its questions are halved by a hash, and the other half is reported. Texts
that their makers had tokenised ("-LRB- 1967 -RRB- .") are written again as people write.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHOOSE = {
    "begin": ("begin_dev_wow", "begin_dev_cmu", "begin_dev_tc"),
    "fever_symmetric": ("fever_symmetric_dev",),
    "fm2": ("fm2_dev",),
    "wice": ("wice_claim_dev",),
    "halueval_qa": ("halueval_qa_one_turn500/a", "halueval_qa_multi_turn500/a"),
}
REPORT = {
    "begin": ("begin_test_wow",),
    "factcheckgpt_stance": ("factcheckgpt_claim_evidence_stance",),
    "wice": ("wice_claim_test",),
    "fever_symmetric": ("fever_symmetric_test",),
    "fm2": ("fm2_test",),
    "halueval_qa": ("halueval_qa_one_turn500/b",),
    "summedits": (
        *("summedits_sales_email", "summedits_sales_call", "summedits_qmsumm"),
        "summedits_scitldr",
    ),
    "expertqa": ("expertqa_claims",),
}
_LEAST_EVIDENCE_WORDS = 20  # below that it is a link


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled claim; rows of one document are no independent observations."""

    row_id: str
    claim: str
    passages: tuple[str, ...]
    is_supported: bool
    document: str


def read_rows(folder: Path, files: Iterable[str]) -> list[Row]:
    """The rows of some files, in order."""
    return [
        Row(f"{file}:{at}", claim, passages, supported, hashed(document))
        for file in files
        for at, (claim, passages, supported, document) in enumerate(_read(folder, file))
    ]


def hashed(text: str) -> str:
    """A short name of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_Labelled = tuple[str, tuple[str, ...], bool, str]


def _read(folder: Path, file: str) -> Iterator[_Labelled]:
    name, _, half = file.partition("/")
    reader = next(read for start, read in _READERS.items() if name.startswith(start))
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if not half or half == "ab"[int(hashed(record["question"])[:2], 16) % 2]:
                yield from reader(record)


def _begin(record: dict[str, Any]) -> Iterator[_Labelled]:
    if record["begin_label"] != "Generic":
        supported = record["begin_label"] == "Fully attributable"
        knowledge = plain(record["knowledge"])
        yield plain(record["response"]), (knowledge,), supported, record["knowledge"]


def _fever(record: dict[str, Any]) -> Iterator[_Labelled]:
    cluster = re.sub(r"0{6}\d$", "", str(record["id"]))
    supported = record["gold_label"] == "SUPPORTS"
    yield plain(record["claim"]), (plain(record["evidence"]),), supported, cluster


def _fm2(record: dict[str, Any]) -> Iterator[_Labelled]:
    evidence = " ".join(each["text"] for each in record["gold_evidence"])
    yield record["text"], (evidence,), record["label"] == "SUPPORTS", record["wikipedia_page"]


def _wice(record: dict[str, Any]) -> Iterator[_Labelled]:
    evidence = " ".join(record["evidence"])
    yield (
        record["claim"],
        (evidence,),
        record["label"] == "supported",
        record["meta"]["claim_title"],
    )


def _halueval(record: dict[str, Any]) -> Iterator[_Labelled]:
    for answer in ("right_answer", "hallucinated_answer"):
        claim = f"{record['question']} {record[answer]}"
        yield claim, (record["knowledge"],), answer == "right_answer", record["question"]


def _factcheckgpt(record: dict[str, Any]) -> Iterator[_Labelled]:
    if record["stance"] != "partially-support":
        supported = record["stance"] == "completely-support"
        yield record["claim"], (record["evidence"],), supported, record["claim"]


def _summedits(record: dict[str, Any]) -> Iterator[_Labelled]:
    yield record["summary"], (record["doc"],), str(record["label"]) == "1", record["doc"]


def _expertqa(record: dict[str, Any]) -> Iterator[_Labelled]:
    for answer in record["answers"].values():
        for claim in answer["claims"]:
            evidence = tuple(claim["evidence"])
            words = sum(len(each.split()) for each in evidence)
            known = claim["support"] in ("Complete", "Incomplete", "Partial")
            if known and words >= _LEAST_EVIDENCE_WORDS:
                supported = claim["support"] == "Complete"
                yield claim["claim_string"], evidence, supported, record["question"]


_READERS: dict[str, Callable[[dict[str, Any]], Iterator[_Labelled]]] = {
    "begin": _begin,
    "fever": _fever,
    "fm2": _fm2,
    "wice": _wice,
    "halueval": _halueval,
    "factcheckgpt": _factcheckgpt,
    "summedits": _summedits,
    "expertqa": _expertqa,
}

_MARKS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":", "``": '"'}
_BLANKS = (
    (re.compile(r"\s+([.,;:!?%)\]]|'s\b|n't\b|'re\b|'ll\b|'ve\b|'d\b)"), r"\1"),
    (re.compile(r"([(\[$])\s+"), r"\1"),
    (re.compile(r"\s+"), " "),
)


def plain(text: str) -> str:
    """A tokenised text as people write it."""
    for mark, character in _MARKS.items():
        text = text.replace(mark, character)
    for pattern, replacement in _BLANKS:
        text = pattern.sub(replacement, text)
    return text.strip()


def gold_sentences(folder: Path, file: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """(claim, page, gold sentences) of a WiCE file, for measuring what preselection finds."""
    with gzip.open(folder / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            gold = {at for some in record["supporting_sentences"] for at in some}
            if gold:
                page = record["evidence"]
                yield record["claim"], page, [page[at] for at in sorted(gold)]
