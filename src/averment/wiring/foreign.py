"""Indexes that averment did not build, opened where an index is named; and exports for them.

An index is a directory of averment's own, a directory in infini-gram's format, or an address
(``infinigram:NAME``). What asks it is the same; what changes it is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from averment.errors import UsageError
from averment.index.embedded import EmbeddedIndex
from averment.index.infinigram.api import address_of, open_api
from averment.index.infinigram.http import Requests
from averment.index.infinigram.index import InfiniGramIndex
from averment.index.infinigram.local import is_infinigram, open_local
from averment.index.manifest import is_index
from averment.keyed_rows import KeyedRows
from averment.settings import Settings, resolve_settings

if TYPE_CHECKING:
    from averment.index.infinigram.export import Exported

AnyIndex: TypeAlias = EmbeddedIndex | InfiniGramIndex
_CACHE = Path("cache") / "infinigram" / "answers.sqlite3"


def open_foreign(named: Path, settings: Settings | None) -> InfiniGramIndex | None:
    """An index that is not averment's; None where the name may be one of averment's.

    Args:
        named: A directory or an address.
        settings: Tokenizer, time limit, requests at a time, offline, and where answers are kept;
            None: as environment and files say.

    Raises:
        MissingExtraError: infini-gram's engine or the library of tokenizers is not installed.
        IndexFormatError: A directory in infini-gram's format that is damaged.
        UsageError: The tokenizer is missing, or is another one than the index's.
        IndexUnavailable: The server does not answer.
        UnknownNameError: The server has no index of that name.
    """
    address = address_of(named)
    is_local = address is None and is_infinigram(named) and not is_index(named)
    if address is None and not is_local:
        return None
    settings = settings or resolve_settings()
    if address is not None:
        cache = KeyedRows(
            settings.home / _CACHE,
            table="answers",
            columns={"reply": "TEXT"},
            what="infini-gram's answers",
            hint="Delete the file.",
        )
        requests = Requests(
            address.url,
            cache=cache,
            offline=settings.offline,
            timeout_s=settings.timeout_s,
            n_parallel=settings.infinigram_parallel,
        )
        return open_api(address, requests, tokenizer=settings.infinigram_tokenizer)
    return open_local(named, tokenizer=settings.infinigram_tokenizer)


def refuse_address(path: Path) -> None:
    """Let nothing be built where the name is an address and no directory.

    Raises:
        UsageError: It is one.
    """
    if address_of(path) is not None:
        raise UsageError(
            f"{path} is an index of infini-gram, where nothing can be built.",
            hint="Name a directory: --index DIR",
        )


def export_index(index: EmbeddedIndex, target: Path, *, tokenizer: Path | None = None) -> Exported:
    """Write an index in infini-gram's format.

    Args:
        index: Keeps text, or words.
        target: A directory that is not there yet.
        tokenizer: A `tokenizer.json`; None: words are tokens.

    Raises:
        MissingExtraError: infini-gram is not installed.
        UsageError, CapabilityError: It cannot be written so, or not there.
    """
    from averment.index.infinigram.export import export_infinigram

    return export_infinigram(index, target, tokenizer=tokenizer)


def export_counts(index: EmbeddedIndex, target: Path) -> int:
    """Write how often each word occurs as Parquet; the number of words.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CapabilityError: The index keeps no words.
    """
    from averment.index.counts_table import write_counts

    return write_counts(index, target)
