"""The user's own aliases: a file that survives every rebuild of every index.

It lives under ``AVERMENT_HOME`` and not with an index. An index is made of its documents and is
replaced as a whole; what a person has said about names is not, and holds for all of them.

What this module does not do: decide which forms are counted (`averment.claims.aliases.book`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from averment.claims.aliases.book import USER, AliasRow
from averment.claims.aliases.tables import one_line, read_own, written
from averment.errors import UsageError
from averment.files import locked, write_whole
from averment.text import TextForm

_KEY_OF = TextForm().key


class UserAliases:
    """The aliases that a user added.

    Args:
        path: Of the file; it is made at the first `add`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        """Where they are kept."""
        return self._path

    def rows(self) -> list[AliasRow]:
        """All of them, in the order in which they were added.

        Raises:
            UsageError: The file cannot be read, or has a line that is no alias.
        """
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"Your aliases in {self._path} cannot be read: {error}.",
                hint="Repair the file, or remove it and add them again.",
            ) from error
        table = read_own(text, name=str(self._path))
        if table.skipped:
            raise UsageError(
                f"Your aliases have a line that cannot be used: {table.skipped[0]}.",
                hint="Repair or remove the line.",
            )
        return list(table.rows)

    def add(self, canonical: str, forms: Sequence[str]) -> list[AliasRow]:
        """Add forms of a name.

        Returns:
            What is new; a form that was there already is not.

        Raises:
            UsageError: A name or form without a word, one that is the name itself, or one that
                leads back to the name.
        """
        told = [AliasRow(one_line(canonical), one_line(form), USER) for form in forms]
        with self._alone():
            before = self.rows()
            known = {_key(row) for row in before}
            new = [row for row in dict.fromkeys(told) if _key(row) not in known]
            table = read_own(written([*before, *new]), name="")
            if table.skipped:
                _, _, reason = table.skipped[0].split(":", 2)
                raise UsageError(
                    f"{canonical!r} cannot have these forms:{reason}.",
                    hint='Type: averment alias add "New York City" NYC "New York, N.Y."',
                )
            self._write([*before, *new])
        return new

    def remove(self, canonical: str, forms: Sequence[str] = ()) -> list[AliasRow]:
        """Remove forms of a name.

        Args:
            canonical: The name.
            forms: Which; none: all of them.

        Returns:
            What was removed.

        Raises:
            UsageError: Something named is not there; nothing was removed.
        """
        with self._alone():
            before = self.rows()
            asked = {(_KEY_OF(canonical), _KEY_OF(form)) for form in forms} or {
                _key(row) for row in before if _KEY_OF(row.canonical) == _KEY_OF(canonical)
            }
            missing = asked - {_key(row) for row in before}
            if missing or not asked:
                shown = ", ".join(sorted(form for _, form in missing)) or "any form"
                raise UsageError(
                    f"You have not added {shown} to {canonical!r}; nothing was removed.",
                    hint="See: averment alias list",
                )
            self._write([row for row in before if _key(row) not in asked])
            return [row for row in before if _key(row) in asked]

    def _alone(self) -> AbstractContextManager[None]:
        """Nobody else adds or removes meanwhile."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return locked(self._path.with_name(f"{self._path.name}.lock"))

    def _write(self, rows: Sequence[AliasRow]) -> None:
        write_whole(self._path, written(rows))


def _key(row: AliasRow) -> tuple[str, str]:
    return _KEY_OF(row.canonical), _KEY_OF(row.form)
