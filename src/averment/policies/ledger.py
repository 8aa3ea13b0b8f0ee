"""The evidence ledger: the passages that an answer may read, within a budget of words.

Passages stay from sentence to sentence, where the paper's code forgets those of earlier rounds.
When the budget is spent, the oldest retrieval gives up its passages first, worst rank first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from averment.places import headed
from averment.text import TextForm
from averment.types import Passage, Retrieval, ScoredPassage, TriggeredRetrieval


@dataclass(frozen=True, slots=True)
class _Held:
    passage: Passage
    retrieval: int
    rank: int
    n_words: int


class Ledger:
    """The passages found so far, in the order found, each once.

    Args:
        budget_words: At most so many words of passage text are shown to the model.
    """

    def __init__(self, budget_words: int) -> None:
        self.budget_words = budget_words
        self.retrievals: list[TriggeredRetrieval] = []
        self._held: dict[str, _Held] = {}

    def asked(self, query: str) -> bool:
        """Whether a query was made before; the corpus would answer the same."""
        return any(made.retrieval.query == query for made in self.retrievals)

    def add(
        self, retrieval: Retrieval, *, trigger: str, detail: str, only: Passage | None = None
    ) -> int:
        """Keep the hits of a retrieval; returns how many of them the model had not before it.

        Args:
            retrieval: What was found.
            trigger: Why it was asked for: a code.
            detail: The same in words.
            only: The one hit that is kept, where the others were read and dropped.
        """
        self.retrievals.append(TriggeredRetrieval(retrieval, trigger, detail))
        known = set(self._held)
        for hit in retrieval.hits:
            if only is not None and hit.passage != only:
                continue
            n_words = len(TextForm().words(hit.passage.text))
            held = _Held(hit.passage, len(self.retrievals), hit.rank, n_words)
            before = self._held.get(hit.passage.passage_id)
            if before is None or before.retrieval < held.retrieval:
                self._held[hit.passage.passage_id] = held
        self._shrink()
        return len(self._held.keys() - known)

    def unread(self, retrieval: Retrieval) -> list[ScoredPassage]:
        """The hits of a retrieval that the model has not before it."""
        return [hit for hit in retrieval.hits if hit.passage.passage_id not in self._held]

    def copy(self) -> Ledger:
        """A ledger of its own with the same passages and retrievals."""
        twin = Ledger(self.budget_words)
        twin.retrievals = list(self.retrievals)
        twin._held = dict(self._held)
        return twin

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What the model may read now."""
        return tuple(held.passage for held in self._held.values())

    def context(self) -> str:
        """The passages as a block of the prompt, title first; empty without passages."""
        return context_block(self.passages)

    def _shrink(self) -> None:
        # One passage stays even when it alone is over the budget: an empty context would hide
        # that something was found.
        while len(self._held) > 1 and sum(h.n_words for h in self._held.values()) > (
            self.budget_words
        ):
            del self._held[min(self._held, key=lambda key: _age(self._held[key]))]


def context_block(passages: Sequence[Passage]) -> str:
    """Passages as a block of the prompt, title and section first; empty without passages."""
    if not passages:
        return ""
    lines = [
        f"[{number}] "
        + _one_line(f"{headed(passage.title, passage.place)}: {passage.text}".removeprefix(": "))
        for number, passage in enumerate(passages, start=1)
    ]
    return "Context:\n" + "\n".join(lines) + "\n\n"


def _age(held: _Held) -> tuple[int, int]:
    return held.retrieval, -held.rank


def _one_line(text: str) -> str:
    return " ".join(text.split())
