"""The words of a language, as the readers take them: out of its TOML file.

A file holds what is frequent, not everything there is: a verb that is missing costs a triplet, a
noun that is missing may pass for a name. What this module does not do: read text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

SILENT_PATTERNS = ("question", "conclusion", "comparison", "negation", "refusal", "talk")
"""The rules by wording of `averment.claims.declarative`, which each language words for itself."""


@dataclass(frozen=True)
class Vocabulary:
    """What is known of a language; words are forms of `averment.text.TextForm`.

    Args:
        code: ISO 639-1.
        lists: Words by what they are; their names are the keys of the file.
        patterns: By the name of a silent rule, what a sentence in lower case has that it holds for.
        settings: What else the file says.
    """

    code: str
    lists: dict[str, frozenset[str]]
    patterns: dict[str, re.Pattern[str]]
    settings: dict[str, Any]

    def has(self, kind: str, word: str) -> bool:
        """Whether a word is in a list."""
        return word in self.lists[kind]

    def alternatives(self, *kinds: str) -> str:
        """The words of lists as a pattern, longer ones first."""
        words = frozenset().union(*(self.lists[kind] for kind in kinds))
        return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))

    def silent_rule(self, sentence: str, rules: Collection[str]) -> str | None:
        """The first of some rules by which a sentence claims nothing by its wording."""
        told = sentence.strip().lower()
        if "question" in rules and told.rstrip("\"'”’») ").endswith(("?", "？", "؟")):
            return "question"
        found = (n for n in SILENT_PATTERNS if n in rules and self.patterns[n].search(told))
        return next(found, None)


@cache
def vocabulary(code: str) -> Vocabulary:
    """The vocabulary that ships for a language.

    Raises:
        FileNotFoundError: There is none.
    """
    file = resources.files("averment") / "claims" / "languages" / f"{code}.toml"
    told = tomllib.loads(file.read_text(encoding="utf-8"))
    texts = {key: value for key, value in told.items() if isinstance(value, str)}
    return Vocabulary(
        code=told["code"],
        lists={key: frozenset(value.split()) for key, value in texts.items()},
        patterns={name: re.compile(pattern) for name, pattern in told["patterns"].items()},
        settings=told,
    )
