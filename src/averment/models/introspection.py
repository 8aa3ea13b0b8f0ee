"""What is read inside a torch model, reduced to plain numbers: attention and hidden states.

One hook on one module, and only while something is read, so that nothing else is kept: the
attention of the last layer, which an eager implementation returns, and the output of the
feed-forward branch of the middle layer, before it is added to the residual stream. Layers are found
by what they are (a list of as many modules as the configuration has layers, with one attention and
one feed-forward module each), not by the name of the architecture.

What this module does not do: load models, tokenise, know any policy.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from averment.errors import CapabilityError
from averment.readings import Sampling

_RIDGE = 1e-3
_DIGITS = 6


def layers_of(model: Any) -> list[Any]:
    """The layers of a causal language model, first to last.

    Raises:
        CapabilityError: The architecture has none that can be told.
    """
    n_layers = getattr(model.config, "num_hidden_layers", None)
    for module in model.modules():
        children = list(module.children())
        if type(module).__name__ == "ModuleList" and len(children) == n_layers:
            return children
    raise CapabilityError(
        f"Where the layers of a {type(model).__name__} are is not known.",
        hint="Use a decoder of a common architecture: Llama, Qwen, Mistral, OLMo, GPT-2 …",
    )


def part_of(layer: Any, *words: str) -> Any:
    """The module of a layer whose class is named after one of these words.

    Raises:
        CapabilityError: There is none.
    """
    for module in layer.children():
        if any(word in type(module).__name__.lower() for word in words):
            return module
    raise CapabilityError(f"A {type(layer).__name__} has no part named after {' or '.join(words)}.")


def attention_module(model: Any) -> Any:
    """The attention of the last layer."""
    return part_of(layers_of(model)[-1], "attention")


def feed_forward_module(model: Any) -> Any:
    """The feed-forward branch of the middle layer, the lower of two: layer 15 of 32, from 0."""
    layers = layers_of(model)
    return part_of(layers[(len(layers) - 1) // 2], "mlp", "feedforward")


@contextmanager
def listening(module: Any) -> Iterator[list[Any]]:
    """What a module gives while this is open, call by call."""
    heard: list[Any] = []
    handle = module.register_forward_hook(lambda _, __, output: heard.append(output))
    try:
        yield heard
    finally:
        handle.remove()


# --- attention ----------------------------------------------------------------------------------


def received(weights: Any) -> list[float]:
    """How much each token is attended to by those behind it.

    Args:
        weights: Shape (heads, n, n), row by column: what a token pays to each before it.

    Returns:
        For each head the maximum over later rows, then the mean over heads; the last is 0.
    """
    later = weights.tril(-1)  # without what a token pays to itself
    return _plain(later.amax(1).mean(0))


def mean_rows(weights: Any, first_row: int) -> list[tuple[float, ...]]:
    """What each token from a row on pays to those up to itself, mean over heads."""
    mean = weights.mean(0)
    return [tuple(_plain(mean[at, : at + 1])) for at in range(first_row, mean.shape[0])]


def _plain(values: Any) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


# --- hidden states ------------------------------------------------------------------------------


def log_volume(torch: Any, states: Sequence[Any]) -> float | None:
    """(1/k) log det (Z J Z' + 0.001 I); None without states.

    Args:
        torch: The library.
        states: k vectors of d numbers.
    """
    if not states:
        return None
    z = torch.stack(list(states)).double()
    z = z - z.mean(1, keepdim=True)
    gram = z @ z.T + _RIDGE * torch.eye(len(states), dtype=z.dtype)
    return float(torch.linalg.slogdet(gram).logabsdet / len(states))


def keep_probable(torch: Any, logits: Any, sampling: Sampling) -> Any:
    """Probabilities of the tokens that may be drawn; shape as the logits, (k, vocabulary).

    Temperature first, then top k, then top p: the fewest tokens that together reach it.
    """
    logits = logits / sampling.temperature
    if sampling.top_k:
        least = logits.topk(min(sampling.top_k, logits.shape[-1])).values[:, -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    ordered, places = logits.softmax(-1).sort(-1, descending=True)
    # A token stays while those before it have not reached the mass yet.
    stays = ordered.cumsum(-1) - ordered < sampling.top_p
    kept = torch.zeros_like(ordered).scatter(-1, places, ordered * stays)
    return kept / kept.sum(-1, keepdim=True)


def repeated(cache: Any, n: int) -> Any:
    """A cache of its own for n continuations of what was read."""
    twin = copy.deepcopy(cache)
    twin.batch_repeat_interleave(n)
    return twin
