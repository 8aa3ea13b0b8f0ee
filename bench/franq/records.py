"""Rows of `generate.py` as records of the estimators, judged and held against their passages.

The question stands before both texts of every pair of answers that is judged: "in Paris" and
"Paris" mean the same only as answers to one question. Texts without a word ("," or the end of the
line among the alternatives of a token) say nothing, so they are neutral and nobody is asked.

Judgements are kept by content in a cache outside the repository. Without a model of entailment the
lexical alignment stands in, and is named so; its numbers are for development only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from questions import Item
from similarity import Embedder

from averment.claims.split import refuses
from averment.faithfulness.cache import CachedJudge
from averment.faithfulness.lexical import LexicalAlignment
from averment.models.nli import open_nli
from averment.policies.loop import is_unknown
from averment.ports import FaithfulnessScorer, PairJudge
from averment.text import TextForm
from averment.types import Token
from averment.uq.estimator import Absent
from averment.uq.pairs import compare_texts, judge_alternatives, judge_samples
from averment.uq.records import Alternative, Nli, Record, Sample, TruthReply
from averment.uq.registry import ESTIMATORS
from averment.wiring.scores import scorer_of

STAND_IN = "(stand-in, for development only)"
_NEUTRAL = Nli(0.0, 1.0, 0.0)

Row = Mapping[str, Any]


# --- rows ---------------------------------------------------------------------------------------


def read_rows(path: Path) -> list[Row]:
    """The rows of a run; of a key that is there twice the first, a last line cut short is not read.

    A run that goes on may be in the middle of a line.
    """
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    rows: dict[str, Row] = {}
    for row in map(json.loads, lines):
        rows.setdefault(row["key"], row)
    return list(rows.values())


def matched(rows: Sequence[Row], items: Sequence[Item]) -> list[tuple[Row, Item]]:
    """Each row with the item that it answers.

    Raises:
        ValueError: A row was shown other passages than its item has: the questions have changed.
    """
    by_key = {item.key: item for item in items}
    for row in rows:
        if row["key"] not in by_key or by_key[row["key"]].digest != row["shown"]:
            raise ValueError(f"Row {row['key']} was made of another item than questions.py gives.")
    return [(row, by_key[row["key"]]) for row in rows]


def why_no_attempt(answer: str) -> str | None:
    """Why an answer attempts nothing: ``empty``, ``unknown``, ``refusal``; None if it does."""
    text = answer.strip()
    if not TextForm().words(text):
        return "empty"
    if is_unknown(text):
        return "unknown"
    return "refusal" if refuses(text) else None


@dataclass(frozen=True, slots=True)
class Rescoring:
    """Whether scoring a given text gives the numbers that writing it gave."""

    n_rows: int
    n_other_tokens: int
    """Rows whose answer is cut into other tokens when it is given: their scores are not used."""
    n_tokens: int
    largest_nats: float
    """Over the tokens of the other rows."""
    largest_key: str

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Rescoring:
        """Compare `tokens` and `rescored` of each row that has both."""
        scored = [row for row in rows if row.get("rescored")]
        same = [row for row in scored if _texts(row["tokens"]) == _texts(row["rescored"])]
        differences = [
            (abs(written - given), row["key"])
            for row in same
            for (_, written), (_, given) in zip(row["tokens"], row["rescored"], strict=True)
            if written is not None and given is not None
        ]
        largest, key = max(differences, default=(0.0, ""))
        return cls(len(scored), len(scored) - len(same), len(differences), largest, key)


def _texts(tokens: Sequence[Sequence[Any]]) -> list[str]:
    return [text for text, _ in tokens]


def record_of(row: Row, item: Item) -> Record:
    """What a row knows of its answer; nothing is judged yet."""
    return Record(
        question=item.question,
        answer=row["answer"].strip(),
        passages=tuple(shown(item)),
        tokens=_tokens(row["tokens"]),
        alternatives=tuple(
            tuple(Alternative(text, logprob) for text, logprob in at) for at in row["top"]
        ),
        tokens_without_context=_tokens(row.get("without_context", ())),
        tokens_without_prompt=_tokens(row.get("without_prompt", ())),
        p_true=TruthReply(row["p_true"][0]) if "p_true" in row else None,
        samples=tuple(
            Sample(sample["text"].strip(), _tokens(sample["tokens"])) for sample in row["samples"]
        ),
    )


def shown(item: Item) -> list[str]:
    """The passages as the model saw them."""
    return [f"{title}: {text}" if title else text for title, text in item.passages]


def _tokens(plain: Sequence[Sequence[Any]]) -> tuple[Token, ...]:
    return tuple(Token(text, logprob) for text, logprob in plain)


# --- judging ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judging:
    """Who says what entails what, under the name to report."""

    name: str
    judge: PairJudge
    scorer: FaithfulnessScorer

    @property
    def scorer_name(self) -> str:
        """Who gives Pf, under the name to report."""
        return self.scorer.name if STAND_IN not in self.name else self.name

    @classmethod
    def open(cls, model: Path | None, *, cache: Path | None, n_threads: int = 1) -> Judging:
        """The model of a directory, remembered in another; without one, the stand-in."""
        if model is None:
            lexical = LexicalAlignment()
            return cls(f"{lexical.name} {STAND_IN}", lexical, lexical)
        nli = open_nli(model, n_threads=n_threads)
        judge = CachedJudge(nli, identity=nli.identity, directory=cache)
        return cls(nli.identity, judge, scorer_of(nli, judge))

    def faithfulness(self, records: Sequence[Record]) -> list[float]:
        """Pf of each answer: how far a passage entails question and answer, in [0, 1]."""
        claims = [(f"{r.question} {r.answer}", r.passages) for r in records]
        return [found.score for found in self.scorer.score(claims)]

    def judged(self, record: Record) -> Record:
        """The record with every judgement that an estimator reads."""
        record = judge_samples(record, self._ask, model=self.name)
        pairs = [
            (f"{record.question} {sample.text}", f"{record.question} {record.answer}")
            for sample in record.samples
        ]
        record = replace(record, nli=tuple(self._ask(pairs)))
        return judge_alternatives(record, self._ask, model=self.name)

    def _ask(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        form = TextForm()
        asked = [pair for pair in dict.fromkeys(pairs) if all(map(form.words, pair))]
        known = dict(zip(asked, self.judge.judge(asked) if asked else [], strict=True))
        return [known.get(pair, _NEUTRAL) for pair in pairs]


def compared(record: Record, embedder: Embedder | None) -> Record:
    """The record with similarities of samples and of the answer without each token."""
    if embedder is None:
        return record
    return compare_texts(record, embedder.compare, model=embedder.name)


def uncertainties(record: Record) -> tuple[dict[str, float], dict[str, str]]:
    """What every estimator says of the whole answer, and why those are silent that are."""
    values: dict[str, float] = {}
    absent: dict[str, str] = {}
    for name, estimator in ESTIMATORS.items():
        found = estimator.score(record)
        if isinstance(found, Absent):
            absent[name] = found.need or found.reason
        else:
            values[name] = found
    return values, absent


def attempts(rows: Sequence[Row]) -> tuple[list[Row], Counter[str]]:
    """The rows whose answer attempts something, and how many do not, by reason."""
    reasons = [why_no_attempt(row["answer"]) for row in rows]
    kept = [row for row, reason in zip(rows, reasons, strict=True) if reason is None]
    return kept, Counter(reason for reason in reasons if reason)
