"""Prompt texts as data: each has an id, a text and a hash, and lives in ``prompt_texts/<id>.txt``.

A template has ``{placeholders}``; everything that a user or a document brings is filled in by
`Template.fill`, which does not interpret braces in it. Lines that start with ``#:`` are notes to
the reader of the file and are not sent.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with placeholders."""

    template_id: str
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text: what a result depends on."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def fill(self, **values: str) -> str:
        """The text with every placeholder replaced.

        Raises:
            KeyError: A placeholder has no value.
        """
        return _PLACEHOLDER.sub(lambda found: values[found.group(1)], self.text)


@cache
def load(template_id: str) -> Template:
    """The template of that id, as it ships with the package."""
    path = resources.files("averment") / "prompt_texts" / f"{template_id}.txt"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return Template(template_id, "".join(line for line in lines if not line.startswith("#:")))
