"""Labels of claims: what a person is asked about, and the lines in which the replies are kept.

A label says whether a claim is true in the world, and whether it is faithful to the passages that
were retrieved; the two are asked apart because they are two things. A row holds no name of whoever
labelled, and every score that the claim came with, so that calibrators are fitted from it alone.

What this module does not do: open files, ask anybody, or judge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from averment.errors import DatasetError

SCHEMA = 1
"""Version of the rows; newer ones are refused."""

_ID_LENGTH = 16
_QUESTION_IDS = ("question_id", "id", "_id")
_MADE_BY = (
    "policy",
    "model",
    "made_with",
    "estimators_used",
    "calibrated",
    "calibration",
    "trace_id",
)
_NO_SCORES = frozenset(
    "text claim claims start end sentence triplets evidence question answer draft final_answer "
    "passages contexts documents retrievals scores usage".split()
).union(_QUESTION_IDS)
"""Fields that say what is claimed and on what; everything else of a claim counts as a score."""
_PASSAGES = ("passages", "contexts", "documents")


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage that a claim is held against; ``is_evidence``: the claim names it as its own."""

    text: str
    title: str = ""
    document_id: str = ""
    is_evidence: bool = False


@dataclass(frozen=True, slots=True)
class ClaimToLabel:
    """A claim and what a person needs to judge it.

    ``claim_id`` follows from the texts alone, so that a claim is known again when its file was made
    anew. ``question_id`` is the group in which claims are not independent. ``pairs`` are the ends
    of its triplets, ``counts`` what the corpus was found to say of them.
    """

    claim_id: str
    question_id: str
    question: str
    claim: str
    passages: tuple[ShownPassage, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    counts: tuple[Mapping[str, Any], ...] = ()
    scores: Mapping[str, Any] = field(default_factory=dict)
    made_by: Mapping[str, Any] = field(default_factory=dict)

    def labelled(self, label: bool | None, faithful: bool | None) -> LabelledClaim:
        """The claim with its label."""
        return LabelledClaim(
            self.claim_id,
            self.question_id,
            self.question,
            self.claim,
            label,
            faithful,
            self.scores,
            self.made_by,
        )


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """One row.

    ``label``: true, false, or None where nobody can tell. ``faithful``: whether the passages say
    it, None where there were none. ``scores`` and ``made_by`` are as they came.
    """

    claim_id: str
    question_id: str
    question: str
    claim: str
    label: bool | None
    faithful: bool | None
    scores: Mapping[str, Any] = field(default_factory=dict)
    made_by: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """The row as JSON on one line, without the line break."""
        row = {
            "schema": SCHEMA,
            "claim_id": self.claim_id,
            "question_id": self.question_id,
            "question": self.question,
            "claim": self.claim,
            "label": self.label,
            "faithful": self.faithful,
            "scores": dict(self.scores),
            "made_by": dict(self.made_by),
        }
        return json.dumps(row, ensure_ascii=False, allow_nan=False)


# --- rows ---------------------------------------------------------------------------------------


def read_labels(lines: Iterable[str], *, source: str = "labels") -> list[LabelledClaim]:
    """The rows of a file of labels; blank lines are passed over.

    Args:
        lines: Its lines.
        source: What to call it in messages.

    Raises:
        DatasetError: A line is no row, or one of a newer schema; it names the line.
    """
    numbered = enumerate(lines, start=1)
    return [read_label(line, source=f"{source}:{n}") for n, line in numbered if line.strip()]


def read_label(line: str, *, source: str) -> LabelledClaim:
    """One row.

    Raises:
        DatasetError: It is no row, or one of a newer schema.
    """
    row = _parsed(line, source)
    schema = row.get("schema")
    if schema != SCHEMA:
        raise DatasetError(
            f"{source}: labels of schema {schema!r}; this version reads {SCHEMA}.",
            hint="Use the averment that wrote the file, or label anew: averment label ANSWERS",
        )
    texts = [row.get(name) for name in ("claim_id", "question_id", "question", "claim")]
    verdicts = [row.get(name, "missing") for name in ("label", "faithful")]
    mappings = [row.get(name, {}) for name in ("scores", "made_by")]
    if not all(isinstance(text, str) for text in texts):
        raise DatasetError(f"{source}: claim_id, question_id, question and claim must be texts.")
    if not all(verdict is None or isinstance(verdict, bool) for verdict in verdicts):
        raise DatasetError(f"{source}: label and faithful must be true, false or null.")
    if not all(isinstance(mapping, dict) for mapping in mappings):
        raise DatasetError(f"{source}: scores and made_by must be objects.")
    return LabelledClaim(*texts, *verdicts, *mappings)  # type: ignore[arg-type]


# --- claims -------------------------------------------------------------------------------------


def json_records(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The objects of a file with the number of their first line, unparsed.

    An object begins at a line that begins with a brace: one a line, or printed over several lines
    one after the other, as ``--json`` prints them.
    """
    start, held = 1, ""
    for number, line in enumerate(lines, start=1):
        if line.startswith("{") and held.strip():
            yield start, held
            held = ""
        if not held.strip():
            start, held = number, ""
        held += line
    if held.strip():
        yield start, held


def claims_to_label(text: str, *, source: str) -> list[ClaimToLabel]:
    """The claims of one record.

    Args:
        text: A JSON object: what `ask --json` or `check --json` prints, or one with ``claim`` (or
            ``claims``), and, if known, ``question``, ``id``, ``answer``, ``passages``, ``scores``.
        source: Where it stands, for messages.

    Returns:
        Claims in order; none where the answer claims nothing.

    Raises:
        DatasetError: It is no such record.
    """
    record = _parsed(text, source)
    if "claims" not in record and "claim" not in record:
        raise DatasetError(
            f"{source}: no field 'claim' or 'claims' (found: {', '.join(record) or 'nothing'}).",
            hint='Give what ask --json or check --json printed, or lines like {"claim": "…"}.',
        )
    if "claims" in record:
        stated = record["claims"]
    else:  # a record of one claim: what else it holds belongs to the claim
        one = record["claim"]
        others = {name: value for name, value in record.items() if name not in _MADE_BY}
        stated = [{**others, **(one if isinstance(one, dict) else {"text": one})}]
    if not isinstance(stated, list):
        raise DatasetError(f"{source}: claims must be a list, not {type(stated).__name__}.")
    return [
        _claim(record, claim, f"{source}, claim {n}") for n, claim in enumerate(stated, start=1)
    ]


def _claim(record: Mapping[str, Any], stated: object, source: str) -> ClaimToLabel:
    fields = stated if isinstance(stated, dict) else {"text": stated}
    text = _text(fields, ("text", "claim"), source)
    if not text.strip():
        raise DatasetError(f"{source}: the claim has no text.")
    question = _text(record, ("question",), source)
    answer = _text(record, ("draft", "answer"), source)
    passages = _passages(record, fields, source)
    ids = [str(record[name]) for name in _QUESTION_IDS if record.get(name) is not None]
    claim_id = _digest(ids, question, answer, text, [passage.text for passage in passages])
    group = ids or [_digest(question or answer) if question or answer else claim_id]
    return ClaimToLabel(
        claim_id=claim_id,
        question_id=group[0],
        question=question,
        claim=text,
        passages=passages,
        pairs=_pairs(fields.get("triplets"), source),
        counts=_counts(fields.get("counts"), source),
        scores=_scores(fields),
        made_by={name: record[name] for name in _MADE_BY if name in record},
    )


def _parsed(text: str, source: str) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no number of JSON")

    try:
        value = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{source}: no JSON object ({error}).") from error
    if not isinstance(value, dict):
        raise DatasetError(f"{source}: a JSON object was expected, not {type(value).__name__}.")
    return value


def _text(fields: Mapping[str, Any], names: Sequence[str], source: str) -> str:
    """The first of these fields that is there; empty if none is."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise DatasetError(f"{source}: {name} must be a text, not {type(value).__name__}.")
    return ""


def _objects(value: object, what: str, source: str) -> list[dict[str, Any]]:
    """A list of objects; a text in it is an object with that text."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise DatasetError(f"{source}: {what} must be a list, not {type(value).__name__}.")
    made = [{"text": item} if isinstance(item, str) else item for item in value]
    if not all(isinstance(item, dict) for item in made):
        raise DatasetError(f"{source}: {what} must hold objects or texts.")
    return made


def _passages(
    record: Mapping[str, Any], fields: Mapping[str, Any], source: str
) -> tuple[ShownPassage, ...]:
    """What was retrieved, each text once, the claim's own evidence first."""
    evidence = _objects(fields.get("evidence"), "evidence", source)
    retrieved = [
        passage
        for retrieval in _objects(record.get("retrievals"), "retrievals", source)
        for passage in _objects(retrieval.get("passages"), "passages", source)
    ]
    for name in _PASSAGES:
        retrieved += _objects(record.get(name), name, source)
    titles = {_text(each, ("text",), source): _text(each, ("title",), source) for each in retrieved}
    shown: dict[str, ShownPassage] = {}
    for passage in [*evidence, *retrieved]:
        text = _text(passage, ("text",), source)
        if text.strip() and text not in shown:
            name = _text(passage, ("document_id", "id"), source)
            is_evidence = any(passage is each for each in evidence)
            shown[text] = ShownPassage(text, titles.get(text, ""), name, is_evidence)
    return tuple(shown.values())


def _pairs(triplets: object, source: str) -> tuple[tuple[str, str], ...]:
    found = _objects(triplets, "triplets", source)
    return tuple((_text(each, ("head",), source), _text(each, ("tail",), source)) for each in found)


def _counts(counts: object, source: str) -> tuple[Mapping[str, Any], ...]:
    pairs = counts.get("pairs") if isinstance(counts, dict) else None
    return tuple(_objects(pairs, "counts", source))


def _scores(fields: Mapping[str, Any]) -> dict[str, Any]:
    inside = fields.get("scores")
    alone = {name: value for name, value in fields.items() if name not in _NO_SCORES}
    return {**alone, **inside} if isinstance(inside, dict) else alone


def _digest(*parts: object) -> str:
    text = json.dumps(parts, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH]
