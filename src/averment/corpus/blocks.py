"""How text with structure becomes plain text: blank lines between blocks, tabs between cells.

What a reader of markup yields is text and breaks in reading order; where several breaks meet, the
strongest stands. What this module does not do: know any kind of markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from averment.corpus.records import Unusable

ROW = "\f"
"""Around a row or a table: a blank line, whatever else is there."""
CELL = "\t"
"""Around a cell: a tab, even where its content is a paragraph."""
BLOCK = "\n\n"
"""Around a paragraph, heading or list item: a blank line."""
LINE = "\n"
"""A line end inside of a block; two in a row are a blank line."""

_GAP = re.compile(r"[ \t\n\f]{2,}|\f")


def joined(pieces: Iterable[str]) -> str:
    """The text of pieces and breaks.

    Raises:
        Unusable: There is none.
    """
    text = _GAP.sub(_strongest, "".join(pieces)).strip()
    if not text:
        raise Unusable("no text in it")
    return text


def _strongest(gap: re.Match[str]) -> str:
    run = gap.group()
    if ROW in run:
        return BLOCK
    if CELL in run:
        return CELL
    return {0: " ", 1: LINE}.get(run.count("\n"), BLOCK)
