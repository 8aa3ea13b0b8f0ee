"""Rows by key in one SQLite file: what caches are kept in.

The file is opened for each batch, so that threads and processes may share it. What this module does
not do: make keys, know what a row means, or let go of any.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

from averment.errors import UsageError

Row: TypeAlias = tuple[Any, ...]

_KEYS_A_QUERY = 500
_LOCK_TIMEOUT_S = 30.0


class KeyedRows:
    """A table of rows by key; file and folder are made if they are not there.

    Args:
        path: The file.
        table: The name of the table.
        columns: Those besides the key, each with its type.
        what: What is kept, for messages.
        hint: What to do where the file cannot be used.

    Raises:
        UsageError: The file cannot be made or read; so do `read` and `write`.
    """

    def __init__(
        self, path: Path, *, table: str, columns: Mapping[str, str], what: str, hint: str
    ) -> None:
        self._path = path
        self._table = table
        self._n_columns = 1 + len(columns)
        self._what = what
        self._hint = hint
        told = "".join(f", {name} {kind} NOT NULL" for name, kind in columns.items())
        made = f"CREATE TABLE IF NOT EXISTS {table} (key BLOB PRIMARY KEY{told}) WITHOUT ROWID"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as connection, connection:
                connection.execute(made)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Row]:
        """The rows of those keys that are there."""
        found: dict[bytes, Row] = {}
        try:
            with closing(self._connect()) as connection:
                for first in range(0, len(keys), _KEYS_A_QUERY):
                    some = keys[first : first + _KEYS_A_QUERY]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT * FROM {self._table} WHERE key IN ({marks})"
                    found |= {
                        bytes(key): tuple(row) for key, *row in connection.execute(query, some)
                    }
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return found

    def write(self, rows: Mapping[bytes, Row]) -> None:
        """Keep rows; one that is there already is replaced."""
        if not rows:
            return
        marks = ",".join("?" * self._n_columns)
        insert = f"INSERT OR REPLACE INTO {self._table} VALUES ({marks})"
        try:
            with closing(self._connect()) as connection, connection:
                connection.executemany(insert, [(key, *row) for key, row in rows.items()])
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_LOCK_TIMEOUT_S)

    def _unusable(self, error: Exception) -> UsageError:
        return UsageError(
            f"The cache of {self._what} {self._path} cannot be used: {error}.", hint=self._hint
        )
