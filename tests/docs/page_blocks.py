"""The code blocks of Markdown pages, with what a page says of a block that is not run.

A block is a fence at the margin. A comment right above it, `<!-- not run: REASON -->`, takes it out
of the tests; the reason is for whoever reads the source. `<!-- some lines: REASON -->` says that of
what a command prints only the lines that end an answer are compared.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from conftest import REPOSITORY

PAGES = sorted((REPOSITORY / "docs").rglob("*.md"))
_FENCE = re.compile(
    r"^(?:<!-- (?P<note>not run|some lines): (?P<reason>[^\n]+?) -->\n\n?)?"
    r"^```(?P<language>[^\n]*)\n(?P<text>.*?)^```$",
    flags=re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A fenced block: its language, its text, and what is said of it."""

    language: str
    text: str
    note: str
    reason: str


class Shown(NamedTuple):
    """A command of a console block and what stands below it."""

    command: str
    output: str


def name_of(page: Path) -> str:
    """A page as tests name it."""
    return page.relative_to(REPOSITORY).as_posix()


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in order, without directives of the site."""
    text = page.read_text(encoding="utf-8")
    found = [
        Block(*(match[part] or "" for part in ("language", "text", "note", "reason")))
        for match in _FENCE.finditer(text)
    ]
    return [block for block in found if not block.language.startswith("{")]


def shown(block: Block) -> list[Shown]:
    """The commands of a console block, here-documents included, with their output."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert parts[0] == "", "a console block begins with a command"
    return [Shown(*_split(part)) for part in parts[1:]]


def _split(part: str) -> tuple[str, str]:
    first, _, rest = part.partition("\n")
    if (mark := re.search(r"<<'(\w+)'$", first)) is None:
        return first, rest
    body, end, output = rest.partition(f"{mark[1]}\n")
    return f"{first}\n{body}{end}", output


def shell_lines(block: Block) -> list[str]:
    """The commands of a block without language or in bash, one a line, comments left out."""
    joined = re.sub(r"\\\n\s*", "", block.text)
    lines = (re.sub(r"\s+#( .*)?$", "", line).strip() for line in joined.splitlines())
    return [line for line in lines if line]
