"""FL-RAG: a search every n tokens, with the last n tokens; the first one with the question.

    q_1 = question,   q_i = x_((i-2)n+1 … (i-1)n),   n = 32

Tokens are counted over sentences. A sentence that is being written when they are full is
interrupted there, searched for, and goes on; one that ends before lends its rest to the next.

Departures: passages stay in the evidence of the loop within its budget, where the released code
shows those of the last search only. A model that does not list its tokens is taken at the number
that it gives, which has up to two a sentence more.

Source: RALM (arXiv 2302.00083), in the form of DRAGIN (arXiv 2403.10081) and QuCo-RAG (arXiv
2512.19134).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from averment.policies.fixed import OpeningSearch
from averment.policies.loop import Inspection, Progress, Query
from averment.steps import Flow
from averment.tokens import n_tokens
from averment.types import FinishReason, Generation


@dataclass(frozen=True, slots=True)
class FixedLength(OpeningSearch):
    """Search every so many tokens.

    Args:
        stride_tokens: Tokens from one search to the next, >= 1.
    """

    name: ClassVar[str] = "fixed-length"

    stride_tokens: int = 32

    def room_tokens(self, progress: Progress) -> int:
        """The tokens that are left until the next search."""
        return self.stride_tokens - sum(map(n_tokens, self._since_search(progress.pieces)))

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Every sentence passes; the stride decides about a search."""
        yield from ()
        since = [*self._since_search(progress.pieces), generation]
        if sum(map(n_tokens, since)) < self.stride_tokens:
            return Inspection(reason="not_checked")
        text = "".join(piece.text for piece in since).strip()
        queries = (Query(text, "every_n_tokens", f"the last {self.stride_tokens} tokens"),)
        if generation.finish is FinishReason.LENGTH:
            return Inspection(reason="not_checked", queries=queries, unfinished=True)
        return Inspection(reason="not_checked", next_queries=queries)

    def _since_search(self, pieces: Sequence[Generation]) -> list[Generation]:
        """What was written since the stride was last full; no piece reaches across that place."""
        since: list[Generation] = []
        for piece in pieces:
            since.append(piece)
            if sum(map(n_tokens, since)) >= self.stride_tokens:
                since = []
        return since
