"""Judgements that are remembered: in memory, and in a directory if the caller names one.

A key is the SHA-256 of the judge's identity, the premise and the hypothesis, so that a text that
is judged again costs nothing and another model never answers for this one. Only judgements that
came back whole are kept; an error is raised through and asked again the next time.

What this module does not do: expire what is on disk (delete the directory instead).
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

from averment.keyed_rows import KeyedRows
from averment.ports import PairJudge
from averment.uq.records import Nli

_FILE_NAME = "judgements.sqlite3"
_COLUMNS = {"entailment": "REAL", "neutral": "REAL", "contradiction": "REAL"}


class CachedJudge:
    """A `PairJudge` that asks another one only for what it has not judged before. Thread-safe.

    Args:
        judge: Who is asked.
        identity: What judgements depend on besides the texts: name and digest of the model. The
            name of the judge unless said otherwise.
        memory_pairs: How many judgements are kept in memory, those used last.
        directory: Where they are also kept; made if it is not there. None: nowhere.

    Raises:
        ValueError: `memory_pairs` is below 1.
        UsageError: The directory cannot be used.
    """

    def __init__(
        self,
        judge: PairJudge,
        *,
        identity: str | None = None,
        memory_pairs: int = 50_000,
        directory: Path | None = None,
    ) -> None:
        if memory_pairs < 1:
            raise ValueError(f"memory_pairs must be at least 1, not {memory_pairs}.")
        self._judge = judge
        self._identity = judge.name if identity is None else identity
        self._memory_pairs = memory_pairs
        self._memory: OrderedDict[bytes, Nli] = OrderedDict()
        self._lock = threading.Lock()
        self._disk = None if directory is None else _disk(directory)

    @property
    def name(self) -> str:
        """The name of the judge that is asked."""
        return self._judge.name

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        """The judgement of each pair; what is unknown is asked for in one batch, equal pairs once.

        Raises:
            UsageError: The file in the directory cannot be read or written.
        """
        keys = [_key(self._identity, *pair) for pair in pairs]
        known = self._remembered(dict.fromkeys(keys))
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        judged = self._judge.judge(list(missing.values())) if missing else []
        fresh = dict(zip(missing, judged, strict=True))
        self._remember(known | fresh)
        if self._disk is not None:
            self._disk.write({key: astuple(each) for key, each in fresh.items()})
        known |= fresh
        return [known[key] for key in keys]

    def _remembered(self, keys: Iterable[bytes]) -> dict[bytes, Nli]:
        with self._lock:
            known = {key: self._memory[key] for key in keys if key in self._memory}
        if self._disk is not None:
            rows = self._disk.read([key for key in keys if key not in known])
            known |= {key: Nli(*row) for key, row in rows.items()}
        return known

    def _remember(self, judgements: Mapping[bytes, Nli]) -> None:
        with self._lock:
            for key, judgement in judgements.items():
                self._memory[key] = judgement
                self._memory.move_to_end(key)
            while len(self._memory) > self._memory_pairs:
                self._memory.popitem(last=False)


def _disk(directory: Path) -> KeyedRows:
    return KeyedRows(
        directory / _FILE_NAME,
        table="judgements",
        columns=_COLUMNS,
        what="judgements",
        hint="Delete the file, or name another directory.",
    )


def _key(*parts: str) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        # With their lengths, so that ("ab", "c") is not ("a", "bc").
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.digest()
