"""SeaKR: search where continuations lie far apart inside the model; keep the hit that unites them.

    trigger   U = (1/k) log det (Z J Z' + 0.001 I) > theta,  theta = -6
              Z: what the feed-forward branch of the middle layer gave at the last token read for
              each of 20 continuations that are not empty (`averment.readings.Spread`)
    query     the words of the draft of which every token has 1 - p <= 0.1, or that stand in the
              question or in the sentence before; of these the words with content; the question's
              if none is left; a query that was made before ends the search
    then      each new hit alone is put behind the evidence and the sentence drafted again; the hit
              whose draft has the least U stays, with its draft

U is not known where all continuations are empty: then it is searched. Cost: 21 continuations a
draft, all counted.

Departures: continuations end as sentences of the loop may, at ". " or a line break. The second
answer, read off all documents at once, and the choice between both, are left out: the answer is
that of the sentences. Content is told by `token_words`, not by part of speech, and the paper's
theta is that of layer 15 of Llama-2-7B: of other models it says nothing.

Source: SeaKR (arXiv 2406.19215), section 3, and its released code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from averment import steps
from averment.policies.fixed import NoRetrieval
from averment.policies.flare import probability
from averment.policies.loop import Inspection, Progress, Query
from averment.policies.token_words import (
    NO_FUNCTION_WORDS,
    best_words,
    by_word,
    runs_and_marks,
    spans_of,
)
from averment.readings import Sampling
from averment.steps import Flow
from averment.types import Capability, Generation


@dataclass(frozen=True, slots=True)
class Seakr(NoRetrieval):
    """SeaKR as published, but for its second reading.

    Args:
        spread_threshold: theta.
        doubt_threshold: 1 - p of a token that may enter the query, in [0, 1].
        n_samples: Continuations, >= 1.
        max_tokens: Of each.
        top_k: Sampling takes one of so many most probable tokens.
        top_p: Sampling takes the most probable tokens of this much probability, in (0, 1].
        seed: Of the sampling.
        content_words: How content is told; there is one way.
    """

    name: ClassVar[str] = "seakr"
    needs: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.LOGPROBS, Capability.HIDDEN_STATES}
    )

    spread_threshold: float = -6.0
    doubt_threshold: float = 0.1
    n_samples: int = 20
    max_tokens: int = 100
    top_k: int = 50
    top_p: float = 0.9
    seed: int = 42
    content_words: str = NO_FUNCTION_WORDS

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Measure the spread; of a new draft too, as the loop chooses by it."""
        spread = yield from steps.measure_spread(progress.prompt, self._sampling)
        volume = spread.log_volume
        if progress.repairs or (volume is not None and volume <= self.spread_threshold):
            return Inspection(reason="not_checked", uncertainty=volume)
        known = "unknown" if volume is None else f"{volume:.2f}"
        detail = f"the spread of {spread.n_used} continuations is {known}"
        query = Query(self._query(progress, generation), "spread_continuations", detail)
        return Inspection(
            reason="not_checked",
            queries=(query,),
            uncertainty=float("inf") if volume is None else volume,
        )

    @property
    def _sampling(self) -> Sampling:
        return Sampling(
            self.n_samples, self.max_tokens, (". ", "\n"), 1.0, self.top_k, self.top_p, self.seed
        )

    def _query(self, progress: Progress, generation: Generation) -> str:
        """The sure words of a draft; those of the question where there is none."""
        question, text = progress.question.text, generation.text
        before = progress.committed[-1].text if progress.committed else ""
        words = runs_and_marks(text)
        doubts = by_word(
            text,
            words,
            spans_of(generation.tokens),
            [1.0 - probability(token) for token in generation.tokens],
        )
        sure = [
            word
            for word, own in zip(words, doubts, strict=True)
            if (own and max(own) <= self.doubt_threshold)
            or text[word.start : word.end] in question
            or text[word.start : word.end] in before
        ]
        asked = runs_and_marks(question)
        return best_words(text, sure, [0.0] * len(sure), len(sure)) or best_words(
            question, asked, [0.0] * len(asked), len(asked)
        )
