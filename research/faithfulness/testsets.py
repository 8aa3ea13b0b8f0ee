"""The test sets, as cases. Nothing here is for training or for choosing anything.

BEGIN, FeverSymmetric, FoolMeTwice and WiCE have a part (dev) that the model is trained on;
Factcheck-GPT, HaluEval QA and SummEdits are wholly unseen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from averment.text import sentences
from pairs import read_records
from sources import plain
from windows import Case, windows_of

UNSEEN = (
    "factcheckgpt",
    "halueval_one_turn",
    "halueval_multi_turn",
    "summedits_qmsumm",
    "summedits_sales_call",
    "summedits_sales_email",
    "summedits_scitldr",
)
"""The sets of which no row was seen in training."""


def begin(folder: Path, window_words: int) -> Iterator[Case]:
    """BEGIN test (Wizard of Wikipedia); Generic responses are left out."""
    for record in read_records(folder / "begin_test_wow.jsonl.gz"):
        if record["begin_label"] in ("Fully attributable", "Not fully attributable"):
            yield Case(
                (plain(record["response"]),),
                _cut(plain(record["knowledge"]), window_words),
                record["begin_label"] == "Fully attributable",
                record["knowledge"],
            )


def factcheckgpt(folder: Path, window_words: int) -> Iterator[Case]:
    """Factcheck-GPT stances: complete support against irrelevance and refutation."""
    for record in read_records(folder / "factcheckgpt_claim_evidence_stance.jsonl.gz"):
        if record["stance"] in ("completely-support", "irrelevant", "refute"):
            yield Case(
                (record["claim"],),
                _cut(record["evidence"], window_words),
                record["stance"] == "completely-support",
                record["claim"],
            )


def wice(folder: Path, window_words: int) -> Iterator[Case]:
    """WiCE test: claims over whole cited pages; partial support counts as none."""
    for record in read_records(folder / "wice_claim_test.jsonl.gz"):
        yield Case(
            (record["claim"],),
            windows_of(record["evidence"], window_words),
            record["label"] == "supported",
            " ".join(record["evidence"][:8]),
        )


def fever_symmetric(folder: Path, window_words: int) -> Iterator[Case]:
    """FeverSymmetric test."""
    for record in read_records(folder / "fever_symmetric_test.jsonl.gz"):
        cluster = re.sub(r"000000\d$", "", str(record["id"]))
        yield Case(
            (plain(record["claim"]),),
            _cut(plain(record["evidence"]), window_words),
            record["label"] == "SUPPORTS",
            cluster,
        )


def fool_me_twice(folder: Path, window_words: int) -> Iterator[Case]:
    """FoolMeTwice test over its gold evidence, which is one premise."""
    for record in read_records(folder / "fm2_test.jsonl.gz"):
        gold = " ".join(e["text"] for e in record["gold_evidence"])
        yield Case(
            (record["text"],), (gold,), record["label"] == "SUPPORTS", record["wikipedia_page"]
        )


def halueval(name: str) -> Callable[[Path, int], Iterator[Case]]:
    """HaluEval QA: question and answer as the claim, over the knowledge."""

    def cases(folder: Path, window_words: int) -> Iterator[Case]:
        for record in read_records(folder / f"halueval_qa_{name}500.jsonl.gz"):
            windows = _cut(record["knowledge"], window_words)
            for field in ("right_answer", "hallucinated_answer"):
                claim = f"{record['question']} {record[field]}"
                yield Case((claim,), windows, field == "right_answer", record["question"])

    return cases


def summedits(domain: str) -> Callable[[Path, int], Iterator[Case]]:
    """SummEdits, split test: summaries in sentences, over the windows of the document."""

    def cases(folder: Path, window_words: int) -> Iterator[Case]:
        for record in read_records(folder / f"summedits_{domain}.jsonl.gz"):
            if record["split"] == "test":
                parts = [
                    s
                    for line in record["doc"].splitlines()
                    if line.strip()
                    for s in sentences(line)
                ]
                yield Case(
                    tuple(sentences(record["summary"])),
                    windows_of(parts, window_words),
                    int(record["label"]) == 1,
                    record["doc"][:200],
                )

    return cases


TEST_SETS: dict[str, Callable[[Path, int], Iterator[Case]]] = {
    "begin": begin,
    "factcheckgpt": factcheckgpt,
    "wice": wice,
    "fever_symmetric": fever_symmetric,
    "fool_me_twice": fool_me_twice,
    "halueval_one_turn": halueval("one_turn"),
    "halueval_multi_turn": halueval("multi_turn"),
    "summedits_qmsumm": summedits("qmsumm"),
    "summedits_sales_call": summedits("sales_call"),
    "summedits_sales_email": summedits("sales_email"),
    "summedits_scitldr": summedits("scitldr"),
}
"""Each set by name, as a function of the data folder and the window's words."""


def _cut(text: str, window_words: int) -> tuple[str, ...]:
    return windows_of(sentences(text), window_words)
