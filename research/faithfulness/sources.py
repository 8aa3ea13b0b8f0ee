"""Texts to make pairs from: passages in sentences, questions with answers, and relation triples.

Only material whose questions are no evaluation set of this project; rows of HotpotQA that HaluEval
also uses are dropped.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from averment.text import sentences
from pairs import read_records

_SPACED = [
    (re.compile(r"\s+([.,;:!?%)\]])"), r"\1"),
    (re.compile(r"([(\[$])\s+"), r"\1"),
    (re.compile(r"\s+('s|n't|'re|'ll|'ve|'d)\b"), r"\1"),
    (re.compile(r"``\s*|\s*''"), '"'),
    (re.compile(r"\s+"), " "),
]
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":"}


def plain(text: str) -> str:
    """A tokenised text ("He did n't , -LRB- ...") written as people write."""
    for mark, character in _BRACKETS.items():
        text = text.replace(mark, character)
    for pattern, replacement in _SPACED:
        text = pattern.sub(replacement, text)
    return text.strip()


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive sentences of one page."""

    title: str
    sentences: tuple[str, ...]
    source: str

    @property
    def group(self) -> str:
        """The page: what is split between training and validation."""
        return f"page:{self.title}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a passage answers.

    Args:
        question: As asked.
        answer: As given.
        premise: What the answer rests on.
        rivals: Wrong answers of the right type, taken from the same page.
        group: The page.
        source: The data set.
    """

    question: str
    answer: str
    premise: str
    rivals: tuple[str, ...]
    group: str
    source: str


def passages(data: Path) -> Iterator[Passage]:
    """Passages of encyclopaedic, medical, geographic and literary texts."""
    for record in read_records(data / "corpus/wiki_passages.jsonl.gz"):
        if record["source"] in ("2wiki", "hotpotqa", "musique"):
            yield _passage(record["title"], record["text"], "wiki")
    for record in read_records(data / "corpus/timeqa_pages.jsonl.gz"):
        for part in record["paragraphs"]:
            yield _passage(record["title"], _text_of(part), "timeqa")
    for record in read_records(data / "corpus/medquad.jsonl.gz"):
        for part in record["text"].split("\n\n")[:3]:
            yield _passage(record["title"], part.split("?\n", 1)[-1][:1500], "medquad")
    books = read_records(data / "corpus/classic_books.jsonl.gz")
    for record in itertools.islice(books, 0, None, 4):
        for part in record["text"].split("\n\n")[:3]:
            yield _passage(record["title"] + record["id"], part[:1500], "books")


def _text_of(part: object) -> str:
    if isinstance(part, dict):
        return str(part["text"])
    return str(part[1]) if isinstance(part, list) else str(part)


def _passage(title: str, text: str, source: str) -> Passage:
    kept = [s for s in sentences(plain(text)) if 4 <= len(s.split()) <= 60]
    return Passage(title, tuple(kept), source)


def questions(data: Path) -> Iterator[Question]:
    """Questions with answers and rivals from SQuAD paragraphs, TimeQA pages and multi-hop sets."""
    yield from _xquad(data)
    yield from _timeqa(data)
    yield from _multi_hop(data)


def _xquad(data: Path) -> Iterator[Question]:
    rows = defaultdict(list)
    for record in read_records(data / "multilingual/xquad_en.jsonl.gz"):
        rows[record["context"]].append(record)
    for context, records in rows.items():
        answers = [_answer_text(record["answers"]) for record in records]
        for record, answer in zip(records, answers, strict=True):
            rivals = tuple(a for a in answers if not _overlap(a, answer))
            group = f"page:{record['title'].replace('_', ' ')}"
            yield Question(record["question"], answer, context, rivals, group, "xquad")


def _answer_text(answers: object) -> str:
    if isinstance(answers, dict):
        answers = answers["text"]
    first = answers[0] if isinstance(answers, list) else answers
    return str(first["text"] if isinstance(first, dict) else first)


def _timeqa(data: Path) -> Iterator[Question]:
    for record in read_records(data / "temporal/timeqa_human_annotated_train.jsonl.gz"):
        title = plain(record["paras"][0])
        asked = [
            (question, answers[0])
            for question, answers in record["questions"]
            if answers and answers[0]["answer"].strip()
        ]
        every = list(dict.fromkeys(plain(a["answer"]) for _, a in asked))
        for question, found in asked:
            answer = plain(found["answer"])
            paragraph = record["paras"][found["para"]]
            start = max(0, paragraph.rfind(" . ", 0, max(0, found["from"] - 220)) + 3)
            end = paragraph.find(" . ", found["end"] + 60)
            text = plain(paragraph[start : end + 2 if end > 0 else len(paragraph)][:900])
            if answer in text:
                rivals = tuple(a for a in every if not _overlap(a, answer))
                premise = f"{title}. {text}"
                yield Question(question, answer, premise, rivals, f"page:{title}", "timeqa")


def _multi_hop(data: Path) -> Iterator[Question]:
    seen = {
        record["question"]
        for record in read_records(data / "faithfulness/halueval_qa_one_turn500.jsonl.gz")
    }
    names = (
        "hotpotqa_train_ctx_hipporag",
        "hotpotqa_dev_ctx_migres",
        "2wiki_train_ctx_triples_migres",
    )
    for name in names:
        for record in read_records(data / f"qa_multihop/{name}.jsonl.gz"):
            if record["question"] in seen or not record.get("context"):
                continue
            yield from _hotpot(record, name)


def _hotpot(record: dict, source: str) -> Iterator[Question]:  # type: ignore[type-arg]
    context = {part[0]: part[1] for part in record["context"]}
    wanted = [title for title, _ in record["supporting_facts"] if title in context]
    titles = list(dict.fromkeys(wanted))
    premise = " ".join(" ".join(part.strip() for part in context[t][:3]) for t in titles)
    answer = record["answer"]
    others = [t for t in titles + list(context) if not _overlap(t, answer)]
    if answer.casefold() in ("yes", "no"):
        others = ["no" if answer.casefold() == "yes" else "yes"]
    elif answer.casefold() not in premise.casefold():
        return
    if premise:
        group = f"page:{titles[0]}"
        yield Question(record["question"], answer, premise, tuple(others[:6]), group, source)


def _overlap(left: str, right: str) -> bool:
    a, b = set(left.casefold().split()), set(right.casefold().split())
    return bool(a & b) or left.casefold() in right.casefold() or right.casefold() in left.casefold()
