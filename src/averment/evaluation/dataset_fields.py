"""The fields of a record as texts, lists and passages, in every shape that data sets write them.

A field that is missing or of the wrong kind is `Unusable` with the reason, which readers turn into
a skipped record. What this module does not do: know which data set has which field
(`averment.evaluation.dataset_questions`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from averment.corpus.records import Unusable
from averment.evaluation.dataset_files import Fields
from averment.evaluation.examples import GoldPassage

_IDS = ("_id", "id", "qid", "idx", "QuestionId", "question_id", "PMID", "pubid")
_QUESTIONS = ("question", "Question", "QUESTION", "problem", "input")
_TEXTS = ("text", "paragraph_text", "sentences", "content")
_ID_LENGTH = 16


def flattened(record: Fields) -> Fields:
    """The record with the fields of its ``metadata`` beside its own, which win."""
    metadata = record.get("metadata")
    return {**metadata, **record} if isinstance(metadata, dict) else record


def present(record: Fields, *names: str) -> object:
    """The first of these fields that is there and not null.

    Raises:
        Unusable: None is.
    """
    for name in names:
        if record.get(name) is not None:
            return record[name]
    named = " or ".join(repr(name) for name in names)
    raise Unusable(f"no field {named} (found: {', '.join(map(str, record)) or 'nothing'})")


def text_field(record: Fields, *names: str) -> str:
    """The first of these fields, which must be a text with something in it.

    Raises:
        Unusable: It is missing, blank or no text.
    """
    text = checked_text(present(record, *names), names[0])
    if not text:
        raise Unusable(f"{names[0]!r} is empty")
    return text


def checked_text(value: object, name: str) -> str:
    """A text without the blanks around it.

    Raises:
        Unusable: It is something else, or has half of a surrogate pair, which no file can hold.
    """
    if not isinstance(value, str):
        raise Unusable(f"{name!r} is not a string but {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Unusable(f"{name!r} has an escape that is half of a surrogate pair") from error
    return value.strip()


def question_text(record: Fields) -> str:
    """What is asked.

    Raises:
        Unusable: No field says it.
    """
    return text_field(record, *_QUESTIONS)


def record_id(record: Fields, name: str) -> str:
    """The id of a record; where its data set gives none, one that follows from the question.

    Args:
        record: Its fields.
        name: The data set, which begins an id that is made.

    Raises:
        Unusable: It has an id that is neither a text nor a whole number.
    """
    for field in _IDS:
        value = record.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is not None:
            return text_field(record, field)
    digest = hashlib.sha256(question_text(record).encode()).hexdigest()
    return f"{name}:{digest[:_ID_LENGTH]}"


def texts(value: object, name: str) -> tuple[str, ...]:
    """A list of texts, or the only one, each once and in order; blank ones say nothing.

    Raises:
        Unusable: It is, or holds, something else.
    """
    listed = value if isinstance(value, list) else [value]
    found = (checked_text(text, name) for text in listed)
    return tuple(dict.fromkeys(text for text in found if text))


def decoded(value: object) -> object:
    """A list or map that was written as a text of JSON, as PopQA does; else the value itself."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def passages(value: object) -> tuple[GoldPassage, ...]:
    """The passages of a field; none where it is missing.

    Args:
        value: A list of ``[title, sentences]``, of objects with a title and a text, or of texts
            whose first line is the title; or an object of two columns, as the hub writes lists of
            objects; or JSON of any of them.

    Raises:
        Unusable: It is something else.
    """
    value = decoded(value)
    if isinstance(value, Mapping):
        columns = [value.get("title"), next((value[n] for n in _TEXTS if n in value), None)]
        if not all(isinstance(column, list) for column in columns):
            raise Unusable("the columns 'title' and 'sentences' of the passages are no lists")
        value = [list(pair) for pair in zip(*columns, strict=False)]
    if not isinstance(value, list | None):
        raise Unusable(f"passages are a list, not {type(value).__name__}")
    return tuple(_passage(each) for each in value or ())


def _passage(value: object) -> GoldPassage:
    if isinstance(value, str):
        head, _, body = checked_text(value, "passage").partition("\n")
        return GoldPassage(head, body.strip()) if body else GoldPassage("", head)
    pair = value if isinstance(value, list) else []
    if isinstance(value, Mapping):
        pair = [value.get("title", ""), present(value, *_TEXTS)]
    if len(pair) != 2:
        raise Unusable("a passage is neither [title, sentences] nor an object with a text")
    title, text = pair
    sentences = text if isinstance(text, list) else [text]
    return GoldPassage(
        checked_text(title, "title"), " ".join(checked_text(part, "text") for part in sentences)
    )


def named_passages(
    context: Iterable[GoldPassage], titles: Iterable[str]
) -> tuple[GoldPassage, ...]:
    """The passages with these titles, in the order of the titles; without text where none is."""
    known = {passage.title: passage for passage in reversed(list(context))}
    return tuple(known.get(title, GoldPassage(title)) for title in dict.fromkeys(titles))
