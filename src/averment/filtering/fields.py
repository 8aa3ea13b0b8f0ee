"""Which fields of a row are read: the text that is checked, its question, its contexts, its label.

What is not named is found by usual names; where several could be meant nothing is guessed. Chats
are lists of messages: the last one of the assistant is checked, the user's before it is the
question. What this module does not do: parse files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from averment.corpus.records import Unusable
from averment.errors import UsageError

COLUMN = "averment"
"""The one column that is added to a row."""
TEXT_FIELDS = ("answer", "output", "response", "completion", "text")
CHAT_FIELDS = ("messages", "conversations")
QUESTION_FIELDS = ("question", "instruction", "prompt")
CONTEXT_FIELDS = ("context", "documents", "passages")

_ASSISTANT = ("assistant", "gpt", "model")
_USER = ("user", "human")
_LABELS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class RowTexts:
    """What a row is checked by; `label` is None where nobody says whether it is right."""

    text: str
    question: str | None = None
    contexts: tuple[str, ...] = ()
    label: bool | None = None


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """The names of the fields that are read; None: there is none, or it is not wanted."""

    text: str
    question: str | None = None
    context: str | None = None
    labels: str | None = None

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        named = (self.text, self.question, self.context, self.labels)
        return list(dict.fromkeys(name for name in named if name is not None))

    def read(self, row: Mapping[str, object]) -> RowTexts:
        """What the fields of a row hold; a question or context that it lacks is none.

        Raises:
            Unusable: There is no text to check, or a field is of another type.
        """
        if row.get(self.text) is None:
            raise Unusable(f"no field {self.text!r} (found: {', '.join(row) or 'nothing'})")
        value = row[self.text]
        asked = None
        if isinstance(value, list):
            text, asked = _chat(value, self.text)
        else:
            text = _string(value, self.text)
        if not text.strip():
            raise Unusable(f"{self.text!r} is empty")
        if self.question is not None and row.get(self.question) is not None:
            asked = _string(row[self.question], self.question)
        given = row.get(self.context) if self.context else None
        label = _label(row.get(self.labels), self.labels) if self.labels else None
        return RowTexts(text, asked or None, _contexts(given, self.context or ""), label)


def choose_fields(
    found: Iterable[str],
    *,
    text: str | None = None,
    question: str | None = None,
    context: str | None = None,
    labels: str | None = None,
) -> FieldChoice:
    """The fields to read.

    Args:
        found: The names of the fields that rows have.
        text: The one that is checked; None: the one that is there of the usual names.
        question: What the text answers; None as well.
        context: What the text is held against; None as well.
        labels: Says whether a row is right.

    Raises:
        UsageError: A name is not there, or several could be meant.
    """
    names = [name for name in dict.fromkeys(found) if name != COLUMN]
    options = {"--field": text, "--question": question, "--context": context, "--labels": labels}
    for option, name in options.items():
        if name is not None and name not in names:
            raise UsageError(
                f"No row has the field {name!r} of {option}.", hint=f"There are: {_listed(names)}."
            )
    chosen = text or _one_of("--field", (*TEXT_FIELDS, *CHAT_FIELDS), names)
    if chosen is None:
        raise UsageError(
            "It is not clear which field holds the text to check: none has a usual name "
            f"({', '.join((*TEXT_FIELDS, *CHAT_FIELDS))}).",
            hint=f"Name it: --field NAME. There are: {_listed(names)}.",
        )
    others = [name for name in names if name != chosen]
    return FieldChoice(
        chosen,
        question or _one_of("--question", QUESTION_FIELDS, others),
        context or _one_of("--context", CONTEXT_FIELDS, others),
        labels,
    )


def _one_of(option: str, usual: Sequence[str], names: Sequence[str]) -> str | None:
    there = [name for name in usual if name in names]
    if len(there) > 1:
        raise UsageError(
            f"It is not clear which field is meant: {' or '.join(there)}.",
            hint=f"Name one: {option} {there[0]}. There are: {_listed(names)}.",
        )
    return there[0] if there else None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _string(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Unusable(f"{name!r} is not a string but {type(value).__name__}")
    return value


def _chat(messages: Sequence[object], name: str) -> tuple[str, str | None]:
    """The last message of the assistant, and the user's before it."""
    asked: str | None = None
    found: tuple[str, str | None] | None = None
    for message in messages:
        if not isinstance(message, Mapping):
            raise Unusable(f"{name!r} holds {type(message).__name__} where a message is expected")
        role = message.get("role", message.get("from"))
        content = message.get("content", message.get("value"))
        if role in _USER:
            asked = _content(content, name)
        elif role in _ASSISTANT and content is not None:  # none: it only calls a tool
            found = _content(content, name), asked
    if found is None:
        raise Unusable(f"{name!r} has no message of the assistant")
    return found


def _content(content: object, name: str) -> str:
    """The text of a message, or of its parts that are text."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return _string(content, name)


def _contexts(given: object, name: str) -> tuple[str, ...]:
    """One text, or a list of texts or of objects with a text; blank ones are none."""
    if given is None:
        return ()
    texts = []
    for each in given if isinstance(given, list) else [given]:
        text = each.get("text") if isinstance(each, Mapping) else each
        texts.append(_string(text, name))
    return tuple(text for text in texts if text.strip())


def _label(value: object, name: str | None) -> bool | None:
    """Whether a row is right; None where that is not said."""
    if value is None or value == "":
        return None
    label = _LABELS.get(str(value).strip().lower())
    if label is None:
        raise Unusable(f"{name!r} is {value!r}; a label is true or false (or 1, 0, yes, no)")
    return label
