"""A run of the filter: rows in, rows out, in batches, from where an earlier one was killed.

What this module does not do: open anything but the files of its rows.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from averment.corpus.records import Unusable
from averment.errors import UsageError
from averment.filtering.fields import FieldChoice, RowTexts
from averment.filtering.findings import Findings
from averment.filtering.output import Output
from averment.filtering.reading import InputRow, Source
from averment.filtering.rules import MALFORMED, Rule
from averment.filtering.tally import Tally
from averment.types import Support

Finder: TypeAlias = Callable[[Sequence[RowTexts]], list[Findings]]
"""What is found about some rows, in order."""
Spread: TypeAlias = Callable[[Iterable[Sequence[RowTexts]]], Iterator[list[Findings]]]
"""What is found about each of some batches, in order; batches may be read ahead."""

_BATCH_ROWS = 256
_COMMIT_ROWS = 2048


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run is getting on: rows of this process, in seconds, and the share of the input."""

    n_rows: int
    seconds: float
    share_read: float


@dataclass(frozen=True, slots=True)
class Filter:
    """How rows are filtered.

    Args:
        fields: Which are read.
        find: Says what is found about rows.
        rule: What rejects a row.
        index_digest: Of the index that was asked; empty: none was.
        spread: Has what `find` does done elsewhere; None: it is done here, batch after batch.
    """

    fields: FieldChoice
    find: Finder
    rule: Rule
    index_digest: str
    spread: Spread | None = None

    def run(
        self, source: Source, output: Output, *, on_pace: Callable[[Pace], None] = lambda _: None
    ) -> Tally:
        """Filter the rows that are not done yet.

        Args:
            source: The rows.
            output: Where they go; knows how far an earlier run has got.
            on_pace: Told after each batch.

        Raises:
            UsageError: The input is not what the earlier run read.
        """
        began = time.perf_counter()
        rows = source.rows(self.fields.names)
        line = _skip(rows, source, output)
        n_rows = n_open = 0
        tally = output.progress.tally
        digest = source.digest
        for batch, found in self._found(rows, source):
            columns = self._columns(batch.rows, batch.read, found, tally)
            for row, column in zip(batch.rows, columns, strict=True):
                output.write(row, column)
            line, digest = batch.rows[-1].line, batch.digest
            n_rows += len(batch.rows)
            n_open += len(batch.rows)
            if n_open >= _COMMIT_ROWS:
                output.commit(line, digest)
                n_open = 0
            on_pace(Pace(n_rows, time.perf_counter() - began, batch.share_read))
        output.commit(line, digest)
        return tally

    def _found(
        self, rows: Iterator[InputRow], source: Source
    ) -> Iterator[tuple[_Batch, list[Findings]]]:
        """The batches of some rows with what is found about them."""
        ahead: deque[_Batch] = deque()

        def texts() -> Iterator[list[RowTexts]]:
            while batch := list(islice(rows, _BATCH_ROWS)):
                read = [self._texts(row) for row in batch]
                # Where the source is now it will not be when the batch comes back.
                ahead.append(_Batch(batch, read, source.digest, source.share_read))
                yield [each for each in read if isinstance(each, RowTexts)]

        for found in self.spread(texts()) if self.spread else map(self.find, texts()):
            yield ahead.popleft(), found

    def columns(self, batch: Sequence[InputRow], tally: Tally) -> Iterator[dict[str, Any]]:
        """What is added to each row; the rows are counted in a tally."""
        read = [self._texts(row) for row in batch]
        found = self.find([each for each in read if isinstance(each, RowTexts)])
        return self._columns(batch, read, found, tally)

    def _columns(
        self,
        batch: Sequence[InputRow],
        read: Sequence[RowTexts | Unusable],
        found: Sequence[Findings],
        tally: Tally,
    ) -> Iterator[dict[str, Any]]:
        in_order = iter(found)
        for row, texts in zip(batch, read, strict=True):
            if isinstance(texts, Unusable):
                tally.add(None, MALFORMED)
                yield self._column(MALFORMED, {"line": row.line, "detail": str(texts)})
                continue
            about = next(in_order)
            reason, flags = self.rule.rejects(about), self.rule.flags(about)
            rare_below = self.rule.rare_below
            tally.add(about, reason, flags, label=texts.label, rare_below=rare_below)
            yield self._column(reason, {"flags": flags, **_shown(about)})

    def _texts(self, row: InputRow) -> RowTexts | Unusable:
        if isinstance(row.row, Unusable):
            return row.row
        try:
            return self.fields.read(row.row)
        except Unusable as reason:
            return reason

    def _column(self, reason: str | None, found: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "verdict": "keep" if reason is None else "reject",
            "reason": reason,
            **found,
            "version": version(),
            "index": self.index_digest,
        }


class _Batch(NamedTuple):
    """Rows, what is read of each, and where the source was after them."""

    rows: list[InputRow]
    read: list[RowTexts | Unusable]
    digest: str
    share_read: float


@cache
def version() -> str:
    """Of averment; reading it takes longer than filtering a row."""
    return metadata.version("averment")


def _skip(rows: Iterator[InputRow], source: Source, output: Output) -> int:
    """Go past the rows that are done; the line of the last one."""
    progress = output.progress
    line = 0
    while line < progress.line:
        row = next(rows, None)
        if row is None:
            break
        line = row.line
    if progress.line and (line != progress.line or source.digest != progress.input_digest):
        raise UsageError(
            f"{source.path} is not the file that the run in {output.folder} has read up to line "
            f"{progress.line:,}: its rows are others now.",
            hint="Name another folder with -o.",
        )
    return line


def _shown(found: Findings) -> dict[str, Any]:
    numbers = found.numbers  # first: it says the reasons
    return {
        **numbers,
        "least_documents_of": found.rarest[0],
        "claims": [claim.shown for claim in found.claims],
        "absent_pairs": [pair.shown for pair in found.of_support(Support.ABSENT)],
        "not_covered_pairs": [pair.shown for pair in found.of_support(Support.NOT_COVERED)],
        "reasons": found.reasons,
    }
