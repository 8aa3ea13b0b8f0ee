"""Judgements that are remembered: in memory, and in a directory if the caller names one.

A key is the SHA-256 of the judge's identity, the premise and the hypothesis, so that a text that
is judged again costs nothing and another model never answers for this one. Only judgements that
came back whole are kept; an error is raised through and asked again the next time.

What this module does not do: expire what is on disk (delete the directory instead).
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from averment.errors import UsageError
from averment.ports import PairJudge
from averment.uq.records import Nli

_FILE_NAME = "judgements.sqlite3"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS judgements (key BLOB PRIMARY KEY, entailment REAL NOT NULL, "
    "neutral REAL NOT NULL, contradiction REAL NOT NULL) WITHOUT ROWID"
)
_KEYS_A_QUERY = 500
_LOCK_TIMEOUT_S = 30.0


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
        self._disk = None if directory is None else _Disk(directory)

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
        if self._disk is not None and fresh:
            self._disk.write(fresh)
        known |= fresh
        return [known[key] for key in keys]

    def _remembered(self, keys: Iterable[bytes]) -> dict[bytes, Nli]:
        with self._lock:
            known = {key: self._memory[key] for key in keys if key in self._memory}
        if self._disk is not None:
            known |= self._disk.read([key for key in keys if key not in known])
        return known

    def _remember(self, judgements: Mapping[bytes, Nli]) -> None:
        with self._lock:
            for key, judgement in judgements.items():
                self._memory[key] = judgement
                self._memory.move_to_end(key)
            while len(self._memory) > self._memory_pairs:
                self._memory.popitem(last=False)


def _key(*parts: str) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        # With their lengths, so that ("ab", "c") is not ("a", "bc").
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.digest()


class _Disk:
    """One SQLite file; opened for each batch, so that threads and processes may share it."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / _FILE_NAME
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as connection, connection:
                connection.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Nli]:
        found = {}
        try:
            with closing(self._connect()) as connection:
                for first in range(0, len(keys), _KEYS_A_QUERY):
                    some = keys[first : first + _KEYS_A_QUERY]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT * FROM judgements WHERE key IN ({marks})"
                    for key, *probabilities in connection.execute(query, some):
                        found[bytes(key)] = Nli(*probabilities)
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return found

    def write(self, judgements: Mapping[bytes, Nli]) -> None:
        rows = [
            (key, each.entailment, each.neutral, each.contradiction)
            for key, each in judgements.items()
        ]
        try:
            with closing(self._connect()) as connection, connection:
                connection.executemany("INSERT OR REPLACE INTO judgements VALUES (?,?,?,?)", rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_LOCK_TIMEOUT_S)

    def _unusable(self, error: Exception) -> UsageError:
        return UsageError(
            f"The cache of judgements {self._path} cannot be used: {error}.",
            hint="Delete the file, or name another directory.",
        )
