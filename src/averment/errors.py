"""Every error that averment raises on purpose.

    AvermentError                  .hint what to do next · .transient worth retrying · .exit_code
    ├── UsageError                 what the caller named is wrong (exit 2)
    │   ├── UnknownNameError       no such policy, model, preset …; lists close matches
    │   ├── MissingExtraError      an optional dependency is not installed
    │   ├── CapabilityError        a policy needs what the model lacks
    │   ├── NotAnIndexError        the path is not an index directory
    │   ├── EmptyCorpusError       nothing readable was given
    │   ├── NotALedgerError        the path is not an audit ledger
    │   └── CalibrationError       labels without use, a calibrator of other scores
    ├── CorpusError
    │   ├── IndexFormatError       magic, version, checksum, text-form mismatch
    │   ├── IndexUnavailable       transient: time-out, unreachable service
    │   └── QueryError             a phrase without a word, a window below zero (exit 2)
    ├── ModelError
    │   ├── ModelUnavailable       transient: unreachable, overloaded, file missing
    │   ├── ModelFileError         wrong hash or size, unreadable file
    │   ├── ContextOverflow        the prompt does not fit
    │   └── MalformedReply         the server answered something that is not an answer
    ├── ExtractionError            an extraction that cannot be parsed; carries the raw text
    ├── TraceError
    │   ├── TraceFormatError       not a trace, or a newer schema
    │   └── TraceDiverged          a replay asked for another step than the one recorded
    ├── LedgerError
    │   ├── LedgerFormatError      the audit ledger is damaged, or of a newer schema
    │   └── LedgerUnavailable      transient: held by another process, a full disk
    ├── ClusterUnavailable         transient: no Ray cluster, or its workers die
    └── DatasetError               a record of a corpus or data set that cannot be used

A foreign exception is translated once, in the adapter it crossed, with ``from``. A message names
the subject, what was found, what was expected; ``hint`` is the line to type or the thing to
change. Programming mistakes stay ``TypeError``, ``ValueError`` and ``AssertionError``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AvermentError(Exception):
    """Root of every error that is not a programming mistake.

    Args:
        message: Subject, found value, expected value; one sentence or two.
        hint: What to do next, or an empty string when nothing can be advised.
    """

    exit_code: int = 3
    transient: bool = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __reduce__(self) -> tuple[object, ...]:
        # Constructors differ from class to class; process pools need errors that unpickle.
        return restore, (type(self), self.message, self.hint, dict(self.__dict__))


def restore(
    kind: type[AvermentError], message: str, hint: str, extra: dict[str, object] | None = None
) -> AvermentError:
    """An error of that class with those words, whatever its constructor takes.

    Args:
        kind: The class.
        message: Its message.
        hint: Its hint.
        extra: Further attributes, as found in ``__dict__``.
    """
    error = kind.__new__(kind)
    AvermentError.__init__(error, message, hint=hint)
    error.__dict__.update(extra or {})
    return error


class UsageError(AvermentError):
    """What the caller named is wrong: a flag, a path, a name, a setting."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that nothing answers to.

    Args:
        kind: What was looked up, e.g. ``policy``.
        name: The name that was given.
        known: The names that exist.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=3)
        suggestion = f"Did you mean {' or '.join(close)}? " if close else ""
        super().__init__(
            f"There is no {kind} named {name!r}.",
            hint=f"{suggestion}Known: {', '.join(names) or 'none'}.",
        )


class MissingExtraError(UsageError):
    """An optional dependency is not installed.

    Args:
        purpose: What needs it, e.g. ``Local models``.
        extra: The extra of the distribution that brings it.
    """

    purpose: str = ""
    extra: str = ""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(
            f"{purpose} need the extra [{extra}], which is not installed.",
            hint=f"Type: pip install 'averment[{extra}]'",
        )
        self.purpose = purpose
        self.extra = extra


class CapabilityError(UsageError):
    """A policy needs something that the model does not provide."""


class NotAnIndexError(UsageError):
    """The path does not hold an averment index."""


class EmptyCorpusError(UsageError):
    """No readable record in anything that was given."""


class NotALedgerError(UsageError):
    """The path does not hold an audit ledger."""


class CalibrationError(UsageError):
    """Labelled rows that no calibrator can be fitted on, or a calibrator that does not fit."""


class CorpusError(AvermentError):
    """The corpus index cannot answer."""


class IndexFormatError(CorpusError):
    """The index is damaged, of a newer format, or was built with another text form."""


class IndexUnavailable(CorpusError):
    """The index cannot be reached at the moment."""

    transient = True


class QueryError(CorpusError):
    """A question that the corpus index cannot be asked."""

    exit_code = 2


class ModelError(AvermentError):
    """The language model cannot answer."""


class ModelUnavailable(ModelError):
    """The model or its server cannot be reached at the moment."""

    transient = True


class ModelFileError(ModelError):
    """A model file is missing, or is not the file it should be."""


class ContextOverflow(ModelError):
    """The prompt and the answer do not fit into the model's context."""


class MalformedReply(ModelError):
    """The server replied with something that is not an answer."""


class ExtractionError(AvermentError):
    """An extraction that cannot be parsed.

    Args:
        message: What was expected.
        raw: The text that came instead.
    """

    raw: str = ""

    def __init__(self, message: str, *, raw: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.raw = raw


class TraceError(AvermentError):
    """A trace cannot be read or followed."""


class TraceFormatError(TraceError):
    """The text is not a trace, or one of a newer schema."""


class TraceDiverged(TraceError):
    """A replay asked for another step than the one that was recorded."""


class LedgerError(AvermentError):
    """The audit ledger cannot be read or written."""


class LedgerFormatError(LedgerError):
    """The ledger is damaged, or of a newer schema."""


class LedgerUnavailable(LedgerError):
    """The ledger cannot be written at the moment; nothing was recorded."""

    transient = True


class ClusterUnavailable(AvermentError):
    """Work that was spread over a Ray cluster cannot be done."""

    transient = True


class DatasetError(AvermentError):
    """A record that cannot be used; the message carries file and line."""

    exit_code = 2
