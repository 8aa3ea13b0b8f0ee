"""The evidence ledger: the passages that an answer may read, within a budget of words.

Passages stay from sentence to sentence, where the paper's code forgets those of earlier rounds
(QuCo-RAG, section 6 of our reading: trap 10). When the budget is spent the oldest leave first.
"""

from __future__ import annotations

from averment.text import TextForm
from averment.types import Passage, Retrieval, TriggeredRetrieval


class Ledger:
    """The passages found so far, oldest first, each once.

    Args:
        budget_words: At most so many words of passage text are shown to the model.
    """

    def __init__(self, budget_words: int) -> None:
        self.budget_words = budget_words
        self.retrievals: list[TriggeredRetrieval] = []
        self._passages: dict[str, Passage] = {}
        self._dropped: set[str] = set()

    def add(self, retrieval: Retrieval, *, trigger: str, detail: str) -> int:
        """Keep the hits of a retrieval; returns how many of them were not known before."""
        self.retrievals.append(TriggeredRetrieval(retrieval, trigger, detail))
        found = [hit.passage for hit in retrieval.hits]
        new = [p for p in found if p.passage_id not in self._passages.keys() | self._dropped]
        self._passages.update((passage.passage_id, passage) for passage in new)
        self._shrink()
        return len(new)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What the model may read now."""
        return tuple(self._passages.values())

    def context(self) -> str:
        """The passages as a block of the prompt, title first; empty without passages."""
        if not self._passages:
            return ""
        lines = [
            f"[{number}] {passage.title + ': ' if passage.title else ''}{_one_line(passage.text)}"
            for number, passage in enumerate(self._passages.values(), start=1)
        ]
        return "Context:\n" + "\n".join(lines) + "\n\n"

    def _shrink(self) -> None:
        words = {key: len(TextForm().words(p.text)) for key, p in self._passages.items()}
        # The newest passage stays even when it alone is over the budget: an empty context would
        # hide that something was found.
        for key in list(self._passages)[:-1]:
            if sum(words.values()) <= self.budget_words:
                return
            del self._passages[key], words[key]
            self._dropped.add(key)


def _one_line(text: str) -> str:
    return " ".join(text.split())
