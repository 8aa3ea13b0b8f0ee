"""Where output goes: results on stdout, progress and messages on stderr, JSON when asked for."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError

if TYPE_CHECKING:
    from rich.console import Console

    from averment.types import CountKind


def out() -> Console:
    """The console of results."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def err() -> Console:
    """The console of progress and messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def write_utf8() -> None:
    r"""Let stdout and stderr take every character: UTF-8 in files and pipes, as averment reads.

    A terminal keeps its encoding; what that lacks is shown as \u6771.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def flush_what_is_read() -> None:
    """Write out what is buffered; where the reader went away it goes nowhere, in silence."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:  # closed from the start: `averment … >&-`
            continue
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_json(value: Any) -> None:
    """One JSON object on stdout; NaN is a programming mistake and raises."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def print_json_line(value: Any) -> None:
    """One JSON object on one line of stdout, where several are printed."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def print_error(error: AvermentError, *, as_json: bool) -> None:
    """A failure in one message with its remedy, on stderr."""
    if as_json:
        from averment.shapes import error_object

        sys.stderr.write(json.dumps(error_object(error), ensure_ascii=False) + "\n")
        return
    from rich.text import Text

    console = err()
    console.print(Text.assemble(("error: ", "bold red"), error.message))
    if error.hint:
        console.print(Text.assemble(("  → ", "bold"), error.hint))


def size(n_bytes: int) -> str:
    """A size in words: 491 MB."""
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= scale:
            return f"{n_bytes / scale:.3g} {unit}"
    return f"{n_bytes} bytes"


def at_least(kind: CountKind) -> str:
    """What stands before a number of this kind: "at least " where more may be missing."""
    return {"lower_bound": "at least ", "estimate": "about "}.get(kind, "")
