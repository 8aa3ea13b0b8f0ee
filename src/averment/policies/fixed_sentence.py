"""FS-RAG: a search behind every sentence, with that sentence; the first one with the question.

    q_1 = question,   q_i = s_(i-1),   s_i = model(q, D(q_i), s_1 … s_(i-1))

Nothing is drafted again and nothing looks at what the model is sure of: what was found is there for
the sentence that follows. No search follows the final answer.

Departures: passages stay in the evidence of the loop within its budget, where the released code
shows those of the last search only.

Source: IRCoT (arXiv 2212.10509), in the form of DRAGIN (arXiv 2403.10081) and QuCo-RAG (arXiv
2512.19134).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from averment.policies.fixed import OpeningSearch
from averment.policies.loop import Inspection, Progress, Query
from averment.steps import Flow
from averment.types import Generation


@dataclass(frozen=True, slots=True)
class FixedSentence(OpeningSearch):
    """Search behind every sentence."""

    name: ClassVar[str] = "fixed"

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Every sentence passes, and is the query for the next."""
        yield from ()
        query = Query(sentence, "every_sentence", "the sentence before is the query")
        return Inspection(reason="not_checked", next_queries=(query,))
