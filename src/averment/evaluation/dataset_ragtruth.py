"""RAGTruth: responses to a source, with the spans that the source does not support.

A span says where a response departs from what it was given, which is about faithfulness: with
`is_true_anyway` it is right in the world and only not in the source. There are no gold answers, so
these are no examples of `averment.evaluation.examples`.
What this module does not do: split a response into claims, or judge one.

Source: Niu et al. 2024, “RAGTruth”, arXiv 2401.00396.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from averment.corpus.records import Unusable
from averment.evaluation.dataset_fields import checked_text, present, text_field
from averment.evaluation.dataset_files import Fields, read_file
from averment.evaluation.datasets import DATASETS, no_usable_record
from averment.evaluation.examples import SkippedRecord


@dataclass(frozen=True, slots=True)
class UnsupportedSpan:
    """What a source does not support: ``response[start:end]``.

    `kind` is the annotators' (such as "Evident Conflict"). `is_true_anyway`: it is right all the
    same (``implicit_true``). `reads_null`: it reads something into a value that is missing
    (``due_to_null``).
    """

    start: int
    end: int
    kind: str
    is_true_anyway: bool = False
    reads_null: bool = False


@dataclass(frozen=True, slots=True)
class MarkedResponse:
    """A response with its unsupported spans; none means that all of it is supported.

    Args:
        id: Unique within the data set.
        source_id: Responses to one source depend on each other.
        task: ``QA``, ``Summary`` or ``Data2txt``.
        question: What was asked; empty unless the task is ``QA``.
        source: The text that the response may rest on; structured data as JSON.
        response: As the model wrote it; offsets count its code points.
        spans: In the order of the file.
        model: Who wrote it.
        split: ``train`` or ``test``.
        quality: ``good``, ``truncated`` or ``incorrect_refusal``.
    """

    id: str
    source_id: str
    task: str
    question: str
    source: str
    response: str
    spans: tuple[UnsupportedSpan, ...]
    model: str
    split: str
    quality: str


@dataclass(frozen=True, slots=True)
class MarkedResponses:
    """All of them in file order, the SHA-256 of both files, and what was left out."""

    responses: tuple[MarkedResponse, ...]
    responses_digest: str
    sources_digest: str
    skipped: tuple[SkippedRecord, ...] = ()


def read_ragtruth(folder: Path) -> MarkedResponses:
    """Read the marked responses of all splits.

    Args:
        folder: With ``response.jsonl`` and ``source_info.jsonl``.

    Raises:
        DatasetError: A file cannot be read, or no response can be used.
    """
    responses_path, sources_path = folder / "response.jsonl", folder / "source_info.jsonl"
    responses_file, sources_file = read_file(responses_path), read_file(sources_path)
    skipped: list[SkippedRecord] = []
    sources = sources_file.by_id(_source, skipped)
    marked = responses_file.by_id(partial(_response, sources), skipped)
    if not marked:
        spec = DATASETS["ragtruth"]
        raise no_usable_record(spec.title, responses_path, skipped, expected=spec.expects)
    return MarkedResponses(
        tuple(marked.values()), responses_file.digest, sources_file.digest, tuple(skipped)
    )


@dataclass(frozen=True, slots=True)
class _Source:
    task: str
    question: str
    text: str


def _source(record: Fields) -> tuple[str, _Source]:
    source_id, task = text_field(record, "source_id"), text_field(record, "task_type")
    given = present(record, "source_info")
    if isinstance(given, str):
        return source_id, _Source(task, "", text_field(record, "source_info"))
    if not isinstance(given, Mapping):
        raise Unusable(f"'source_info' is neither text nor object but {type(given).__name__}")
    if task == "QA":
        question = text_field(given, "question")
        return source_id, _Source(task, question, text_field(given, "passages"))
    written = checked_text(json.dumps(given, ensure_ascii=False), "source_info")
    return source_id, _Source(task, "", written)


def _response(sources: Mapping[str, _Source], record: Fields) -> tuple[str, MarkedResponse]:
    source_id = text_field(record, "source_id")
    if source_id not in sources:
        raise Unusable(f"no source has the id {source_id!r}")
    source = sources[source_id]
    text_field(record, "response")  # refuses what is no text
    response = str(record["response"])  # unstripped: spans count from its first character
    labels = record.get("labels", [])
    if not isinstance(labels, list):
        raise Unusable(f"'labels' is no list but {type(labels).__name__}")
    marked = MarkedResponse(
        id=text_field(record, "id"),
        source_id=source_id,
        task=source.task,
        question=source.question,
        source=source.text,
        response=response,
        spans=tuple(_span(label, response) for label in labels),
        model=text_field(record, "model"),
        split=text_field(record, "split"),
        quality=text_field(record, "quality"),
    )
    return marked.id, marked


def _span(label: object, response: str) -> UnsupportedSpan:
    if not isinstance(label, Mapping):
        raise Unusable("'labels' holds something else than objects")
    start, end = present(label, "start"), present(label, "end")
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(response)):
        raise Unusable(f"a span from {start} to {end} in a response of {len(response)} characters")
    stated = label.get("text")
    if isinstance(stated, str) and stated.strip() != response[start:end].strip():
        raise Unusable(f"the span from {start} to {end} has another text than its label")
    return UnsupportedSpan(
        start,
        end,
        text_field(label, "label_type"),
        is_true_anyway=label.get("implicit_true") is True,
        reads_null=label.get("due_to_null") is True,
    )
