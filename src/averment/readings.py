"""What is read inside a model while it reads or writes: plain numbers per token, never tensors.

`averment.ports.IntrospectiveModel` gives them, the steps of the same names ask for them, and
policies compute their signals from them. This module refuses to know any layer by its name: which
layer is meant is said here, where it is found is the business of the model's adapter.
"""

from __future__ import annotations

from dataclasses import dataclass

from averment.types import Usage


@dataclass(frozen=True, slots=True)
class Attention:
    """How the last layer attends while a text is read.

    Args:
        spans: The code points of the text that each token covers, half open, in order.
        received: Of each token, how much it is attended to: for each head the most that any token
            behind it pays, then the mean over the heads; in [0, 1], and 0 for the last token.
        rows: Of each of the last tokens, those that were asked for: what it pays to every token of
            the text up to and with itself, mean over the heads. A row adds up to 1, or to less
            where something was read before the text.
        usage: What it took.
    """

    spans: tuple[tuple[int, int], ...]
    received: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Sampling:
    """How continuations are drawn.

    Args:
        n_samples: How many, >= 1.
        max_tokens: Of each.
        stop: A continuation ends with the token that completes one of these.
        temperature: > 0.
        top_k: Only the so many most probable tokens; 0: all.
        top_p: Only the most probable tokens that have this much probability together, in (0, 1].
        seed: Of all of them together.
    """

    n_samples: int
    max_tokens: int
    stop: tuple[str, ...]
    temperature: float
    top_k: int
    top_p: float
    seed: int


@dataclass(frozen=True, slots=True)
class Spread:
    """How far apart continuations of one prompt are inside the model.

    ``log_volume`` is (1/k) log det (Z J Z' + 0.001 I) over the k continuations that are not empty.
    A row of Z is what the feed-forward branch of the middle layer, the lower of two, gave at the
    last token that was read for a continuation; J takes the mean of each row off. Larger is more
    uncertain; None where all were empty. ``n_used`` is k.

    Source: SeaKR (arXiv 2406.19215), section 3, after INSIDE (arXiv 2402.03744).
    """

    log_volume: float | None
    n_used: int
    usage: Usage
