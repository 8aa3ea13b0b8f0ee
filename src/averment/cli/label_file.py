"""Where labels are kept: a file that is on disk after every reply, and gives the last one back."""

from __future__ import annotations

import os
from pathlib import Path

from averment.errors import UsageError
from averment.labels import LabelledClaim, read_label


class LabelFile:
    """Labels on disk: appended and synced one by one, the last can be taken away.

    A last line that was cut off, as by a machine that stopped, is dropped before the next is
    written. Reading alone changes nothing.

    Raises:
        DatasetError: A line of the file is no label.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: list[tuple[int, LabelledClaim]] = []  # with the offset of each
        self._end = 0
        content = path.read_bytes() if path.exists() else b""
        self._is_cut_off = not content.endswith(b"\n") and bool(content)
        for number, line in enumerate(content.splitlines(keepends=True), start=1):
            if not line.endswith(b"\n"):
                break
            if line.strip():
                text = line.decode("utf-8", errors="replace")
                self._rows.append((self._end, read_label(text, source=f"{path}:{number}")))
            self._end += len(line)

    @property
    def rows(self) -> dict[str, LabelledClaim]:
        """The labels by claim; of two for one claim, the later."""
        return {row.claim_id: row for _, row in self._rows}

    @property
    def last(self) -> LabelledClaim | None:
        """The label that was written last."""
        return self._rows[-1][1] if self._rows else None

    def append(self, row: LabelledClaim) -> None:
        """Keep a label; it is on disk when this returns."""
        if self._is_cut_off:
            self._cut(self._end)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        line = row.line().encode() + b"\n"
        with self._path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._rows.append((self._end, row))
        self._end += len(line)

    def take_back(self) -> None:
        """Remove the last label.

        Raises:
            UsageError: Somebody else wrote to the file since.
        """
        if self._path.stat().st_size != self._end:
            raise UsageError(
                f"{self._path} was changed by somebody else.", hint="One file for each who labels."
            )
        self._cut(self._rows.pop()[0])

    def _cut(self, size: int) -> None:
        with self._path.open("r+b") as file:
            file.truncate(size)
            os.fsync(file.fileno())
        self._end, self._is_cut_off = size, False
